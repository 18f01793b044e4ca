// The border between Python and the core: releases the GIL, hands over, and decides nothing.
#include <algorithm>
#include <exception>
#include <utility>

#include "check/proof.hpp"
#include "check/rescore.hpp"
#include "data/contract.hpp"
#include "data/cut_problem.hpp"
#include "data/problem.hpp"
#include "device.hpp"
#include "near_trees.hpp"
#include "owned.hpp"
#include "search/bounds.hpp"
#include "search/split_row.hpp"
#include "seen.hpp"
#include "shared_search.hpp"
#include "translate.hpp"

using namespace nanobind::literals;

namespace survtree {
namespace {

// `guessed_loss` may be empty. The options hold the rules, which last as long as they do.
Problem problem_of(const Bytes2d& features, const Seen& seen, const Ranks& column_rank,
                   const Doubles& guessed_loss, const nb::dict& options,
                   const std::string& layout) {
  Table table = table_of(features, seen.weight);
  if (options.size() > 0) set_counts_and_rules(table, options);
  table.column_rank = span_of(column_rank);
  table.guessed_loss = span_of(guessed_loss);
  table.event = span_of(seen.event);
  nb::gil_scoped_release release;
  return make_problem(table, *seen.outcome(), layout_of(layout));
}

// The table as Python keeps it: it must outlive what is made of this.
CodedTable coded_table_of(const Codes2d& codes, const Doubles& weight, const Ranks& column,
                          const Ranks& cut) {
  require(weight.size() == codes.shape(1), "one weight a row");
  CodedTable table;
  table.n_columns = codes.shape(0);
  table.n_rows = codes.shape(1);
  table.codes = span_of(codes);
  table.weight = span_of(weight);
  table.question_column = span_of(column);
  table.question_cut = span_of(cut);
  return table;
}

template <class AnyOwned>
nb::dict run(AnyOwned& owned, const nb::dict& limits, const nb::object& on_turn) {
  const RunLimits run_limits = run_limits_of(limits);
  const Result result = without_gil(owned, on_turn, [&] { return owned.search.run(run_limits); });
  return result_dict(questions_of(owned.problem), result);
}

template <class AnyOwned>
nb::list optimal_trees(AnyOwned& owned, std::size_t limit) {
  const std::vector<Tree> trees =
      without_gil(owned, nb::none(), [&] { return owned.search.optimal_trees(limit); });
  if (owned.search.is_stopped()) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw nb::python_error();
  }
  nb::list out;
  for (const Tree& tree : trees) out.append(tree_arrays(questions_of(owned.problem), tree));
  return out;
}

// Paths of all claims one after another: column + 1 where the answer is yes, minus that where no.
nb::dict proof(OwnedSearch& owned, std::size_t limit, const nb::object& on_turn) {
  const Proof found =
      without_gil(owned, on_turn, [&] { return prove_optimum(owned.search, limit); });
  std::vector<std::int32_t> steps, n_steps, depth;
  std::vector<double> bound;
  for (const Claim& claim : found.claims) {
    for (const Step& step : claim.path) {
      const auto column = static_cast<std::int32_t>(owned.problem.column_of[step.question]) + 1;
      steps.push_back(step.says_yes ? column : -column);
    }
    n_steps.push_back(static_cast<std::int32_t>(claim.path.size()));
    depth.push_back(claim.depth);
    bound.push_back(claim.bound);
  }
  nb::dict out;
  out["is_complete"] = found.is_complete;
  out["steps"] = numpy_array(std::move(steps));
  out["n_steps"] = numpy_array(std::move(n_steps));
  out["depth"] = numpy_array(std::move(depth));
  out["bound"] = numpy_array(std::move(bound));
  return out;
}

// By the names of the fields of Snapshot.
nb::dict progress_dict(const Progress& p) {
  nb::dict out;
  for (const auto& [name, counter] : kCounters)
    if (counter != &Stats::lane_rows) out[name] = std::uint64_t{p.stats.*counter};
  out["seconds"] = p.seconds;
  out["lower_bound"] = p.lower_bound;
  out["objective"] = p.objective;
  out["n_leaves"] = p.n_leaves;
  out["found_by"] = p.found_by;
  out["first_splits_done"] = p.first_splits_done;
  out["first_splits"] = p.first_splits;
  return out;
}

template <class AnyOwned>
nb::list take_progress(AnyOwned& owned) {
  nb::list out;
  for (const Progress& p : owned.search.take_progress()) out.append(progress_dict(p));
  return out;
}

// A tree of questions of the problem, as arrays.
Tree tree_of(const std::vector<std::uint32_t>& columns, const Nodes& column, const Nodes& no,
             const Nodes& yes) {
  const auto size = static_cast<std::int32_t>(column.size());
  const auto node = [&](const auto& self, std::int32_t at) -> Tree {
    require(at >= 0 && at < size, "the tree's children are nodes");
    if (column(at) < 0) return leaf_of(0.0);
    require(no(at) > at && yes(at) > at, "children come after their parents");
    const auto asked = static_cast<std::uint32_t>(column(at));
    const auto found = std::find(columns.begin(), columns.end(), asked);
    require(found != columns.end(), "the tree asks questions of the problem");
    const auto question = static_cast<std::int32_t>(found - columns.begin());
    return split_of(question, self(self, no(at)), self(self, yes(at)));
  };
  return node(node, 0);
}

// One that the same problem gave before.
template <class AnyOwned>
void start_from(AnyOwned& owned, const Nodes& column, const Nodes& no, const Nodes& yes,
                double lower_bound, const std::string& found_by) {
  owned.search.start_from(tree_of(questions_of(owned.problem), column, no, yes), lower_bound,
                          found_by);
}

// One that a device has proven to be the answer.
template <class AnyOwned>
nb::dict accept(AnyOwned& owned, const Nodes& column, const Nodes& no, const Nodes& yes,
                const std::string& found_by, const nb::dict& limits) {
  const auto& questions = questions_of(owned.problem);
  const Tree tree = tree_of(questions, column, no, yes);
  return result_dict(questions, owned.search.accept(tree, found_by, run_limits_of(limits)));
}

FrontierOptions frontier_options_of(const nb::dict& d) {
  FrontierOptions o;
  o.max_depth = nb::cast<int>(d["max_depth"]);
  o.min_regularization = nb::cast<double>(d["min_regularization"]);
  o.min_samples_leaf = nb::cast<std::uint64_t>(d["min_samples_leaf"]);
  o.min_events_leaf = nb::cast<std::uint64_t>(d["min_events_leaf"]);
  o.max_leaves = nb::cast<std::size_t>(d["max_leaves"]);
  o.n_threads = nb::cast<std::size_t>(d["n_threads"]);
  return o;
}

nb::dict run_frontier(OwnedFrontier& owned, const nb::dict& limits, const nb::object& on_turn) {
  const RunLimits run_limits = run_limits_of(limits);
  const FrontierResult r =
      without_gil(owned, on_turn, [&] { return owned.search.run(run_limits); });
  nb::list trees;
  for (const Tree& tree : r.trees) trees.append(tree_arrays(owned.problem.column_of, tree));
  nb::dict out;
  out["trees"] = trees;
  out["is_complete"] = r.is_complete;
  out["status"] = name_of(r.status);
  out["tolerance"] = r.tolerance;
  out["root_loss"] = r.root_loss;
  out["root_floor"] = r.root_floor;
  out["seconds"] = r.seconds;
  out["counts"] = counts_dict(r);
  return out;
}

// The independent check of a tree, given as arrays, on a table that says what a row answers.
template <class AnyTable>
nb::dict rescored(const AnyTable& table, const Seen& seen, const Nodes& column, const Nodes& no,
                  const Nodes& yes) {
  Rescored r;
  std::vector<double> times, event_times;
  {
    nb::gil_scoped_release release;
    const FlatTree tree{span_of(column), span_of(no), span_of(yes)};
    const AnswerOf answer = [&](std::size_t row, std::size_t question) {
      return table.answer(row, question);
    };
    r = rescore(answer, *seen.definition(), tree);
    // Which times there are is told by the one definition that knows times.
    const BrierDefinition brier(span_of(seen.time), span_of(seen.event), span_of(seen.weight));
    times = brier.times();
    event_times = brier.event_times();
  }
  nb::dict out;
  out["loss"] = r.loss;
  out["one_leaf_loss"] = r.one_leaf_loss;
  out["rows_of_node"] = std::move(r.rows_of_node);
  out["times"] = numpy_array(std::move(times));
  out["event_times"] = numpy_array(std::move(event_times));
  return out;
}

// The core's own numbers for one subset, all rows of the table given: what tests compare with the
// oracle.
nb::dict subset_facts(const Bytes2d& features, const std::string& loss, const Doubles& time,
                      const Bytes& event, const Doubles& weight, const Doubles2d& targets,
                      const Ranks& column_rank, const std::string& kernel,
                      const std::string& layout) {
  const Problem p =
      problem_of(features, {loss, time, event, weight, targets}, column_rank, {}, {}, layout);
  std::vector<std::uint32_t> rows;
  double group_loss = 0.0;
  for (std::uint32_t i = 0; i < p.n_rows(); ++i) {
    rows.push_back(i);
    group_loss += p.group_loss[i];
  }
  SplitRow split;
  split_row(p, lane_functions(kernel_of(kernel)), {p.bits.everyone, features.shape(0), 0, {}, true},
            split);
  std::vector<double> no, yes;
  for (std::size_t q = 0; q < p.n_questions; ++q) {  // none is constant, so each has a lane
    no.push_back(split.no.loss[q]);
    yes.push_back(split.yes.loss[q]);
  }
  nb::dict out;
  out["loss"] = p.loss->of_leaf(rows);
  out["group_loss"] = group_loss;
  out["column"] = p.column_of;
  out["no_loss"] = no;
  out["yes_loss"] = yes;
  return out;
}

// Through these a device searches in place of a search of either kind.
template <class AnyOwned>
void bind_device(nb::class_<AnyOwned>& kind) {
  kind.def("device_arrays", [](AnyOwned& s) { return device_arrays(s.search, s.problem); })
      .def("first_question",
           [](AnyOwned& s, const std::vector<std::uint32_t>& questions) {
             require(!questions.empty(), "at least one question");
             return first_question(s.search, questions);
           })
      .def("accept", &accept<AnyOwned>, "column"_a, "no"_a, "yes"_a, "found_by"_a, "limits"_a);
}

// Through these Python watches a search of either kind, and stops it.
template <class AnyOwned>
void bind_watching(nb::class_<AnyOwned>& kind) {
  kind.def_prop_ro("cache_bytes", [](const AnyOwned& s) { return s.search.cache_bytes(); })
      .def_prop_ro("n_rows", [](const AnyOwned& s) { return s.problem.n_rows(); })
      .def("interrupt", [](AnyOwned& s) { s.search.limits().interrupt(); })
      .def("take_progress", &take_progress<AnyOwned>)
      .def("snapshot", [](AnyOwned& s) { return progress_dict(s.search.snapshot()); });
}

}  // namespace
}  // namespace survtree

NB_MODULE(_native, m) {
  using namespace survtree;
  nb::exception<ContractError>(m, "ContractError", PyExc_RuntimeError);
  nb::class_<OwnedSearch> search(m, "Search");
  search
      .def(
          "__init__",
          [](OwnedSearch* self, const Bytes2d& features, const std::string& loss,
             const Doubles& time, const Bytes& event, const Doubles& weight,
             const Doubles2d& targets, const Ranks& column_rank, const Doubles& guessed_loss,
             const nb::dict& options) {
            const SearchOptions o = options_of(options);
            const auto layout = nb::cast<std::string>(options["layout"]);
            new (self) OwnedSearch(problem_of(features, {loss, time, event, weight, targets},
                                              column_rank, guessed_loss, options, layout),
                                   o);
          },
          "features"_a, "loss"_a, "time"_a, "event"_a, "weight"_a, "targets"_a, "column_rank"_a,
          "guessed_loss"_a, "options"_a)
      .def("run", &run<OwnedSearch>, "limits"_a, "on_turn"_a.none() = nb::none())
      .def("start_from", &start_from<OwnedSearch>, "column"_a, "no"_a, "yes"_a, "lower_bound"_a,
           "found_by"_a)
      .def("optimal_trees", &optimal_trees<OwnedSearch>, "limit"_a)
      .def_prop_ro("questions", [](const OwnedSearch& s) { return questions_of(s.problem); })
      .def("proof", &proof, "limit"_a, "on_turn"_a.none() = nb::none());
  bind_watching(search);
  bind_device(search);
  bind_shared<CacheEntry>(search);
  nb::class_<OwnedCutSearch> cuts(m, "CutSearch");
  cuts.def(
          "__init__",
          [](OwnedCutSearch* self, const Codes2d& codes, const std::string& loss,
             const Doubles& time, const Bytes& event, const Doubles& weight,
             const Doubles2d& targets, const Ranks& column, const Ranks& cut, const Ranks& rank,
             const nb::dict& options) {
            const SearchOptions o = cut_options_of(options);
            CodedTable table = coded_table_of(codes, weight, column, cut);
            table.question_rank = span_of(rank);
            table.event = span_of(event);
            set_counts_and_rules(table, options);
            const Seen seen{loss, time, event, weight, targets};
            nb::gil_scoped_release release;
            new (self) OwnedCutSearch(make_cut_problem(table, *seen.outcome()), o);
          },
          "codes"_a, "loss"_a, "time"_a, "event"_a, "weight"_a, "targets"_a, "question_column"_a,
          "question_cut"_a, "question_rank"_a, "options"_a)
      .def("run", &run<OwnedCutSearch>, "limits"_a, "on_turn"_a.none() = nb::none())
      .def("optimal_trees", &optimal_trees<OwnedCutSearch>, "limit"_a)
      .def("start_from", &start_from<OwnedCutSearch>, "column"_a, "no"_a, "yes"_a, "lower_bound"_a,
           "found_by"_a);
  bind_watching(cuts);
  bind_device(cuts);
  bind_shared<CutEntry>(cuts);
  nb::class_<OwnedFrontier> frontier(m, "Frontier");
  frontier
      .def(
          "__init__",
          [](OwnedFrontier* self, const Bytes2d& features, const std::string& loss,
             const Doubles& time, const Bytes& event, const Doubles& weight,
             const Doubles2d& targets, const Ranks& column_rank, const nb::dict& options) {
            const FrontierOptions o = frontier_options_of(options);
            new (self) OwnedFrontier(problem_of(features, {loss, time, event, weight, targets},
                                                column_rank, {}, options, ""),
                                     o);
          },
          "features"_a, "loss"_a, "time"_a, "event"_a, "weight"_a, "targets"_a, "column_rank"_a,
          "options"_a)
      .def("run", &run_frontier, "limits"_a, "on_turn"_a.none() = nb::none());
  bind_watching(frontier);
  bind_near_trees(m);
  m.def(
      "rescore",
      [](const Bytes2d& features, const std::string& loss, const Doubles& time, const Bytes& event,
         const Doubles& weight, const Doubles2d& targets, const Nodes& column, const Nodes& no,
         const Nodes& yes) {
        return rescored(table_of(features, weight), {loss, time, event, weight, targets}, column,
                        no, yes);
      },
      "features"_a, "loss"_a, "time"_a, "event"_a, "weight"_a, "targets"_a, "column"_a, "no"_a,
      "yes"_a);
  m.def(
      "rescore_codes",
      [](const Codes2d& codes, const Ranks& question_column, const Ranks& question_cut,
         const std::string& loss, const Doubles& time, const Bytes& event, const Doubles& weight,
         const Doubles2d& targets, const Nodes& column, const Nodes& no, const Nodes& yes) {
        return rescored(coded_table_of(codes, weight, question_column, question_cut),
                        {loss, time, event, weight, targets}, column, no, yes);
      },
      "codes"_a, "question_column"_a, "question_cut"_a, "loss"_a, "time"_a, "event"_a, "weight"_a,
      "targets"_a, "column"_a, "no"_a, "yes"_a);
  m.def("subset_facts", &subset_facts, "features"_a, "loss"_a, "time"_a, "event"_a, "weight"_a,
        "targets"_a, "column_rank"_a, "kernel"_a = "", "layout"_a = "");
  m.def("kernels", [] {
    std::vector<std::string> names;
    for (Kernel kernel : available_kernels()) names.emplace_back(name_of(kernel));
    return names;
  });
}
