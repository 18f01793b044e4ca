// The border between Python and the core. Translates arrays to spans and results to arrays,
// releases the GIL, and decides nothing. The only file that includes nanobind.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "bounds.hpp"
#include "contract.hpp"
#include "frontier.hpp"
#include "leaf_loss.hpp"
#include "problem.hpp"
#include "rescore.hpp"
#include "search.hpp"
#include "split_row.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace survtree {
namespace {

using Bytes2d = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Nodes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ranks = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
auto numpy_array(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(owned->data(), {owned->size()}, owner);
}

template <class Array>
auto span_of(const Array& array) {
  return std::span(array.data(), array.size());
}

// A tree as parallel arrays in preorder; children -1 at leaves.
nb::dict tree_arrays(const Problem& problem, const Tree& tree) {
  std::vector<std::int32_t> column, no, yes;
  std::vector<double> loss;
  std::vector<std::int64_t> n_rows;
  const auto add = [&](const auto& self, const Tree& node) -> std::int32_t {
    const auto at = static_cast<std::int32_t>(column.size());
    const bool is_leaf = node->question == kLeaf;
    column.push_back(is_leaf ? -1 : static_cast<std::int32_t>(problem.column_of[node->question]));
    no.push_back(-1);
    yes.push_back(-1);
    loss.push_back(node->loss);
    n_rows.push_back(static_cast<std::int64_t>(node->n_rows));
    if (!is_leaf) {
      // Two statements: the vectors grow inside the calls.
      const std::int32_t no_at = self(self, node->no);
      const std::int32_t yes_at = self(self, node->yes);
      no[at] = no_at;
      yes[at] = yes_at;
    }
    return at;
  };
  add(add, tree);
  nb::dict out;
  out["question"] = numpy_array(std::move(column));
  out["no"] = numpy_array(std::move(no));
  out["yes"] = numpy_array(std::move(yes));
  out["leaf_loss"] = numpy_array(std::move(loss));
  out["leaf_rows"] = numpy_array(std::move(n_rows));
  return out;
}

const char* name_of(Status status) {
  switch (status) {
    case Status::optimal:
      return "optimal";
    case Status::guessed:
      return "guessed";
    case Status::gap_reached:
      return "gap_reached";
    case Status::time_limit:
      return "time_limit";
    case Status::memory_limit:
      return "memory_limit";
    case Status::node_limit:
      return "node_limit";
    case Status::interrupted:
      return "interrupted";
  }
  throw ContractError("unknown status");
}

nb::dict stats_dict(const Result& r) {
  nb::dict out;
  const auto put = [&](const char* name, const Counter& counter) {
    out[name] = std::uint64_t{counter};
  };
  put("subsets_solved", r.stats.subsets_solved);
  put("lane_rows", r.stats.lane_rows);
  put("cache_hits", r.stats.cache_hits);
  put("pruned_by_budget", r.stats.pruned_by_budget);
  put("pruned_by_incremental_progress", r.stats.pruned_by_incremental_progress);
  put("pruned_by_leaf_count", r.stats.pruned_by_leaf_count);
  put("pruned_by_guess", r.stats.pruned_by_guess);
  out["cache_entries"] = r.cache_entries;
  out["cache_bytes"] = r.cache_bytes;
  out["cache_shed"] = r.cache_shed;
  out["lattice_bytes"] = r.lattice_bytes;
  return out;
}

nb::dict result_dict(const Problem& problem, const Result& r) {
  nb::dict out;
  out["tree"] = tree_arrays(problem, r.tree);
  out["objective"] = r.objective;
  out["loss"] = r.loss;
  out["lower_bound"] = r.lower_bound;
  out["guessed_bound"] = r.guessed_bound;
  out["tolerance"] = r.tolerance;
  out["status"] = name_of(r.status);
  out["is_upper_bound_wrong"] = r.is_upper_bound_wrong;
  out["seconds"] = r.seconds;
  out["counts"] = stats_dict(r);
  return out;
}

// An empty name stands for the best the machine has.
Kernel kernel_of(const std::string& name) {
  const std::vector<Kernel> kernels = available_kernels();
  for (Kernel kernel : kernels)
    if (name == name_of(kernel)) return kernel;
  require(name.empty(), "the kernel exists on this machine");
  return kernels.back();
}

// An empty name stands for the cheaper one.
Solver solver_of(const std::string& name) {
  require(name.empty() || name == "search" || name == "lattice", "the solver is search or lattice");
  return name.empty() ? Solver::cheaper : name == "search" ? Solver::search : Solver::lattice;
}

SearchOptions options_of(const nb::dict& d) {
  SearchOptions o;
  o.max_depth = nb::cast<int>(d["max_depth"]);
  o.regularization = nb::cast<double>(d["regularization"]);
  o.min_samples_leaf = nb::cast<std::uint64_t>(d["min_samples_leaf"]);
  o.upper_bound = nb::cast<double>(d["upper_bound"]);
  o.n_threads = nb::cast<std::size_t>(d["n_threads"]);
  o.solver = solver_of(nb::cast<std::string>(d["solver"]));
  o.greedy_from = nb::cast<std::uint64_t>(d["greedy_from"]);
  o.check_keys = nb::cast<bool>(d["check_keys"]);
  o.kernel = kernel_of(nb::cast<std::string>(d["kernel"]));
  const auto off = nb::cast<std::vector<std::string>>(d["bounds_off"]);
  const std::pair<const char*, bool Switches::*> switches[] = {
      {"hierarchical", &Switches::hierarchical},
      {"subtree", &Switches::subtree},
      {"look_ahead", &Switches::look_ahead},
      {"equivalent_points", &Switches::equivalent_points},
      {"incremental_progress", &Switches::incremental_progress},
      {"leaf_count", &Switches::leaf_count},
      {"permutation", &Switches::permutation}};
  for (const std::string& name : off) {
    bool is_known = false;
    for (const auto& [known, member] : switches) {
      if (name != known) continue;
      o.switches.*member = false;
      is_known = true;
    }
    require(is_known, "bounds_off names a bound");
  }
  return o;
}

RunLimits run_limits_of(const nb::dict& d) {
  RunLimits o;
  o.gap = nb::cast<double>(d["gap"]);
  o.time_limit_s = nb::cast<double>(d["time_limit_s"]);
  o.seconds_gone = nb::cast<double>(d["seconds_gone"]);
  o.memory_limit_bytes = nb::cast<std::size_t>(d["memory_limit_bytes"]);
  o.node_limit = nb::cast<std::uint64_t>(d["node_limit"]);
  o.wants_bounds = nb::cast<bool>(d["wants_bounds"]);
  return o;
}

// An empty name stands for the cheaper one.
Layout layout_of(const std::string& name) {
  require(name.empty() || name == "rows" || name == "blocks", "the layout is rows or blocks");
  return name.empty() ? Layout::cheaper : name == "rows" ? Layout::rows : Layout::blocks;
}

Table table_of(const Bytes2d& features, const Doubles& time, const Bytes& event,
               const Doubles& weight) {
  const std::size_t n = features.shape(0);
  require(time.size() == n && event.size() == n && weight.size() == n, "arrays of equal length");
  Table table;
  table.n_rows = n;
  table.n_columns = features.shape(1);
  table.features = span_of(features);
  table.time = span_of(time);
  table.event = span_of(event);
  table.weight = span_of(weight);
  return table;
}

// `guessed_loss` may be empty.
Problem problem_of(const Bytes2d& features, const Doubles& time, const Bytes& event,
                   const Doubles& weight, const Ranks& column_rank, const Doubles& guessed_loss,
                   const std::string& layout) {
  Table table = table_of(features, time, event, weight);
  table.column_rank = span_of(column_rank);
  table.guessed_loss = span_of(guessed_loss);
  nb::gil_scoped_release release;
  return make_problem(table, layout_of(layout));
}

// A problem and its search: neither moves, since the search refers to the problem.
struct OwnedSearch {
  OwnedSearch(Problem p, const SearchOptions& options)
      : problem(std::move(p)), search(problem, options) {}
  Problem problem;
  Search search;
};

// Does `work` without the GIL. Every few hundredths of a second Python gets a turn: pending signals
// are handled and `on_turn` is called. Ctrl-C asks the search to stop and hand over what it has;
// any other exception does so too, and is raised when the search has stopped. So is a second Ctrl-C
// that comes before that; one that comes later Python raises by itself.
template <class Owned, class Work>
auto without_gil(Owned& owned, const nb::object& on_turn, Work work) {
  std::exception_ptr raised;
  bool is_interrupted = false;
  owned.search.set_listener([&] {
    if (raised) return;  // nobody is asked again while the search stops
    nb::gil_scoped_acquire acquire;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!on_turn.is_none()) on_turn();
    } catch (nb::python_error& error) {
      if (is_interrupted || !error.matches(PyExc_KeyboardInterrupt))
        raised = std::current_exception();
      is_interrupted = true;
      owned.search.interrupt();
    }
  });
  // The listener refers to this frame: it must not outlive it, whatever the work throws.
  struct Unset {
    Owned& owned;
    ~Unset() { owned.search.set_listener({}); }
  } const unset{owned};
  auto result = [&] {
    nb::gil_scoped_release release;
    return work();
  }();
  if (raised) std::rethrow_exception(raised);
  return result;
}

nb::dict run(OwnedSearch& owned, const nb::dict& limits, const nb::object& on_turn) {
  const RunLimits run_limits = run_limits_of(limits);
  const Result result = without_gil(owned, on_turn, [&] { return owned.search.run(run_limits); });
  return result_dict(owned.problem, result);
}

nb::list optimal_trees(OwnedSearch& owned, std::size_t limit) {
  const std::vector<Tree> trees =
      without_gil(owned, nb::none(), [&] { return owned.search.optimal_trees(limit); });
  if (owned.search.is_stopped()) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
  nb::list out;
  for (const Tree& tree : trees) out.append(tree_arrays(owned.problem, tree));
  return out;
}

// Paths of all claims one after another: column + 1 where the answer is yes, minus that where no.
nb::dict proof(OwnedSearch& owned, std::size_t limit, const nb::object& on_turn) {
  const Proof found = without_gil(owned, on_turn, [&] { return owned.search.proof(limit); });
  std::vector<std::int32_t> steps, n_steps, depth;
  std::vector<double> bound;
  for (const Claim& claim : found.claims()) {
    for (const Step& step : claim.path) {
      const auto column = static_cast<std::int32_t>(owned.problem.column_of[step.question]) + 1;
      steps.push_back(step.says_yes ? column : -column);
    }
    n_steps.push_back(static_cast<std::int32_t>(claim.path.size()));
    depth.push_back(claim.depth);
    bound.push_back(claim.bound);
  }
  nb::dict out;
  out["is_complete"] = found.is_complete();
  out["steps"] = numpy_array(std::move(steps));
  out["n_steps"] = numpy_array(std::move(n_steps));
  out["depth"] = numpy_array(std::move(depth));
  out["bound"] = numpy_array(std::move(bound));
  return out;
}

nb::tuple progress_tuple(const Progress& p) {
  const auto count = [](const Counter& counter) { return std::uint64_t{counter}; };
  return nb::make_tuple(p.seconds, count(p.stats.subsets_solved), p.lower_bound, p.objective,
                        p.n_leaves, p.found_by, count(p.stats.pruned_by_budget),
                        count(p.stats.pruned_by_incremental_progress),
                        count(p.stats.pruned_by_leaf_count), count(p.stats.pruned_by_guess),
                        count(p.stats.cache_hits));
}

nb::list take_progress(OwnedSearch& owned) {
  nb::list out;
  for (const Progress& p : owned.search.take_progress()) out.append(progress_tuple(p));
  return out;
}

// A tree that the same problem gave before, as arrays.
void start_from(OwnedSearch& owned, const Nodes& column, const Nodes& no, const Nodes& yes,
                double lower_bound, const std::string& found_by) {
  const auto size = static_cast<std::int32_t>(column.size());
  const std::vector<std::uint32_t>& columns = owned.problem.column_of;
  const auto node = [&](const auto& self, std::int32_t at) -> Tree {
    require(at >= 0 && at < size, "the tree's children are nodes");
    if (column(at) < 0) return std::make_shared<TreeNode>();
    require(no(at) > at && yes(at) > at, "children come after their parents");
    const auto asked = static_cast<std::uint32_t>(column(at));
    const auto found = std::find(columns.begin(), columns.end(), asked);
    require(found != columns.end(), "the tree asks questions of the problem");
    const auto question = static_cast<std::int32_t>(found - columns.begin());
    return std::make_shared<TreeNode>(
        TreeNode{question, self(self, no(at)), self(self, yes(at)), 0.0, 0});
  };
  owned.search.start_from(node(node, 0), lower_bound, found_by);
}

// A problem and the search for its best trees by number of leaves.
struct OwnedFrontier {
  OwnedFrontier(Problem p, const FrontierOptions& options)
      : problem(std::move(p)), search(problem, options) {}
  Problem problem;
  Frontier search;
};

FrontierOptions frontier_options_of(const nb::dict& d) {
  FrontierOptions o;
  o.max_depth = nb::cast<int>(d["max_depth"]);
  o.min_regularization = nb::cast<double>(d["min_regularization"]);
  o.min_samples_leaf = nb::cast<std::uint64_t>(d["min_samples_leaf"]);
  o.max_leaves = nb::cast<std::size_t>(d["max_leaves"]);
  return o;
}

nb::dict run_frontier(OwnedFrontier& owned, const nb::dict& limits, const nb::object& on_turn) {
  const RunLimits run_limits = run_limits_of(limits);
  const FrontierResult r =
      without_gil(owned, on_turn, [&] { return owned.search.run(run_limits); });
  nb::list trees;
  for (const Tree& tree : r.trees) trees.append(tree_arrays(owned.problem, tree));
  nb::dict out;
  out["trees"] = trees;
  out["is_complete"] = r.is_complete;
  out["status"] = name_of(r.status);
  out["tolerance"] = r.tolerance;
  out["root_loss"] = r.root_loss;
  out["root_floor"] = r.root_floor;
  out["seconds"] = r.seconds;
  nb::dict counts;
  counts["subsets_solved"] = std::uint64_t{r.stats.subsets_solved};
  counts["lane_rows"] = std::uint64_t{r.stats.lane_rows};
  counts["cache_hits"] = std::uint64_t{r.stats.cache_hits};
  counts["cache_entries"] = r.cache_entries;
  counts["cache_bytes"] = r.cache_bytes;
  out["counts"] = counts;
  return out;
}

// The independent check of a tree, given as arrays.
nb::dict rescored(const Bytes2d& features, const Doubles& time, const Bytes& event,
                  const Doubles& weight, const Nodes& column, const Nodes& no, const Nodes& yes) {
  const Table table = table_of(features, time, event, weight);
  Rescored r;
  {
    nb::gil_scoped_release release;
    r = rescore(table, {span_of(column), span_of(no), span_of(yes)});
  }
  nb::dict out;
  out["loss"] = r.loss;
  out["one_leaf_loss"] = r.one_leaf_loss;
  out["rows_of_node"] = std::move(r.rows_of_node);
  out["times"] = numpy_array(std::move(r.times));
  out["event_times"] = numpy_array(std::move(r.event_times));
  return out;
}

// The core's own numbers for one subset, all rows of the table given: what tests compare with the
// oracle.
nb::dict subset_facts(const Bytes2d& features, const Doubles& time, const Bytes& event,
                      const Doubles& weight, const Ranks& column_rank, const std::string& kernel,
                      const std::string& layout) {
  const Problem p = problem_of(features, time, event, weight, column_rank, {}, layout);
  std::vector<std::uint32_t> rows;
  double group_loss = 0.0;
  for (std::uint32_t i = 0; i < p.n_rows(); ++i) {
    rows.push_back(i);
    group_loss += p.group_loss[i];
  }
  SplitRow split;
  split_row(p, lane_functions(kernel_of(kernel)), {p.bits.everyone, features.shape(0), 1, true},
            split);
  std::vector<double> no, yes;
  for (std::size_t q = 0; q < p.n_questions; ++q) {  // none is constant, so each has a lane
    no.push_back(split.no_loss[q]);
    yes.push_back(split.yes_loss[q]);
  }
  nb::dict out;
  out["loss"] = leaf_loss(p.events, rows);
  out["group_loss"] = group_loss;
  out["column"] = p.column_of;
  out["no_loss"] = no;
  out["yes_loss"] = yes;
  return out;
}

}  // namespace
}  // namespace survtree

NB_MODULE(_native, m) {
  using namespace survtree;
  nb::exception<ContractError>(m, "ContractError", PyExc_RuntimeError);
  nb::class_<OwnedSearch>(m, "Search")
      .def(
          "__init__",
          [](OwnedSearch* self, const Bytes2d& features, const Doubles& time, const Bytes& event,
             const Doubles& weight, const Ranks& column_rank, const Doubles& guessed_loss,
             const nb::dict& options) {
            const SearchOptions o = options_of(options);
            const auto layout = nb::cast<std::string>(options["layout"]);
            new (self) OwnedSearch(
                problem_of(features, time, event, weight, column_rank, guessed_loss, layout), o);
          },
          "features"_a, "time"_a, "event"_a, "weight"_a, "column_rank"_a, "guessed_loss"_a,
          "options"_a)
      .def("run", &run, "limits"_a, "on_turn"_a.none() = nb::none())
      .def("start_from", &start_from, "column"_a, "no"_a, "yes"_a, "lower_bound"_a, "found_by"_a)
      .def_prop_ro("cache_bytes", [](const OwnedSearch& s) { return s.search.cache_bytes(); })
      .def("optimal_trees", &optimal_trees, "limit"_a)
      .def("proof", &proof, "limit"_a, "on_turn"_a.none() = nb::none())
      .def("interrupt", [](OwnedSearch& s) { s.search.interrupt(); })
      .def("take_progress", &take_progress)
      .def("snapshot", [](OwnedSearch& s) { return progress_tuple(s.search.snapshot()); });
  nb::class_<OwnedFrontier>(m, "Frontier")
      .def(
          "__init__",
          [](OwnedFrontier* self, const Bytes2d& features, const Doubles& time, const Bytes& event,
             const Doubles& weight, const Ranks& column_rank, const nb::dict& options) {
            const FrontierOptions o = frontier_options_of(options);
            new (self)
                OwnedFrontier(problem_of(features, time, event, weight, column_rank, {}, ""), o);
          },
          "features"_a, "time"_a, "event"_a, "weight"_a, "column_rank"_a, "options"_a)
      .def("run", &run_frontier, "limits"_a, "on_turn"_a.none() = nb::none())
      .def_prop_ro("cache_bytes", [](const OwnedFrontier& f) { return f.search.cache_bytes(); });
  m.def("rescore", &rescored, "features"_a, "time"_a, "event"_a, "weight"_a, "column"_a, "no"_a,
        "yes"_a);
  m.def("subset_facts", &subset_facts, "features"_a, "time"_a, "event"_a, "weight"_a,
        "column_rank"_a, "kernel"_a = "", "layout"_a = "");
  m.def("kernels", [] {
    std::vector<std::string> names;
    for (Kernel kernel : available_kernels()) names.emplace_back(name_of(kernel));
    return names;
  });
}
