// What Python calls a thing and what the core calls it: arrays and spans, dicts and structs, names
// and enumerators, both ways. Decides nothing.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "data/contract.hpp"
#include "data/cut_problem.hpp"
#include "data/problem.hpp"
#include "search/search.hpp"

namespace survtree {

namespace nb = nanobind;

using Bytes2d = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles2d = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Nodes = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes2d = nb::ndarray<const std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
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

// What the question of a tree's node is to Python: a column of the table, or a question about one.
inline const std::vector<std::uint32_t>& questions_of(const Problem& p) { return p.column_of; }
inline const std::vector<std::uint32_t>& questions_of(const CutProblem& p) { return p.question_of; }

// Trees as parallel arrays in preorder; children -1 at leaves.
struct TreeArrays {
  std::vector<std::int32_t> question, no, yes;

  void add(const std::vector<std::uint32_t>& questions, const Tree& tree) {
    const auto first = static_cast<std::int32_t>(question.size());
    const auto put = [&](const auto& self, const Tree& node) -> std::int32_t {
      const std::size_t at = question.size();
      const bool is_leaf = node->question == kLeaf;
      question.push_back(is_leaf ? -1 : static_cast<std::int32_t>(questions[node->question]));
      no.push_back(-1);
      yes.push_back(-1);
      if (!is_leaf) {
        // Two statements: the vectors grow inside the calls.
        const std::int32_t no_at = self(self, node->no);
        const std::int32_t yes_at = self(self, node->yes);
        no[at] = no_at;
        yes[at] = yes_at;
      }
      return static_cast<std::int32_t>(at) - first;
    };
    put(put, tree);
  }
  nb::dict dict() {
    nb::dict out;
    out["question"] = numpy_array(std::move(question));
    out["no"] = numpy_array(std::move(no));
    out["yes"] = numpy_array(std::move(yes));
    return out;
  }
};

inline nb::dict tree_arrays(const std::vector<std::uint32_t>& questions, const Tree& tree) {
  TreeArrays arrays;
  arrays.add(questions, tree);
  return arrays.dict();
}

inline const char* name_of(Status status) {
  constexpr const char* names[] = {"optimal",      "guessed",    "gap_reached", "time_limit",
                                   "memory_limit", "node_limit", "interrupted"};
  return names[static_cast<std::size_t>(status)];
}

// Of a Result or a FrontierResult: what it has counted.
template <class AnyResult>
nb::dict counts_dict(const AnyResult& r) {
  nb::dict out;
  constexpr bool is_search = std::is_same_v<AnyResult, Result>;
  for (const auto& [name, counter] : kCounters)
    if (is_search || !std::string_view(name).starts_with("pruned_by"))  // a frontier prunes nothing
      out[name] = std::uint64_t{r.stats.*counter};
  out["cache_entries"] = r.cache_entries;
  out["cache_bytes"] = r.cache_bytes;
  if constexpr (std::is_same_v<AnyResult, Result>) {
    out["cache_shed"] = r.cache_shed;
    out["lattice_bytes"] = r.lattice_bytes;
  }
  return out;
}

inline nb::dict result_dict(const std::vector<std::uint32_t>& questions, const Result& r) {
  nb::dict out;
  out["tree"] = tree_arrays(questions, r.tree);
  out["objective"] = r.objective;
  out["loss"] = r.loss;
  out["lower_bound"] = r.lower_bound;
  out["guessed_bound"] = r.guessed_bound;
  out["tolerance"] = r.tolerance;
  out["status"] = name_of(r.status);
  out["is_upper_bound_wrong"] = r.is_upper_bound_wrong;
  out["seconds"] = r.seconds;
  out["counts"] = counts_dict(r);
  return out;
}

// An empty name stands for the best the machine has.
inline Kernel kernel_of(const std::string& name) {
  const std::vector<Kernel> kernels = available_kernels();
  for (Kernel kernel : kernels)
    if (name == name_of(kernel)) return kernel;
  require(name.empty(), "the kernel exists on this machine");
  return kernels.back();
}

// An empty name stands for the cheaper one.
inline Solver solver_of(const std::string& name) {
  require(name.empty() || name == "search" || name == "lattice", "the solver is search or lattice");
  return name.empty() ? Solver::cheaper : name == "search" ? Solver::search : Solver::lattice;
}

// Those that every search knows.
inline SearchOptions cut_options_of(const nb::dict& d) {
  SearchOptions o;
  o.max_depth = nb::cast<int>(d["max_depth"]);
  o.regularization = nb::cast<double>(d["regularization"]);
  o.min_samples_leaf = nb::cast<std::uint64_t>(d["min_samples_leaf"]);
  o.min_events_leaf = nb::cast<std::uint64_t>(d["min_events_leaf"]);
  o.upper_bound = nb::cast<double>(d["upper_bound"]);
  o.n_threads = nb::cast<std::size_t>(d["n_threads"]);
  o.kernel = kernel_of(nb::cast<std::string>(d["kernel"]));
  o.most_lanes = nb::cast<std::size_t>(d["most_lanes"]);
  const auto off = nb::cast<std::vector<std::string>>(d["bounds_off"]);
  for (const std::string& name : off) {
    const auto found =
        std::ranges::find_if(kSwitches, [&](auto& known) { return name == known.first; });
    require(found != std::end(kSwitches), "bounds_off names a bound");
    o.switches.*found->second = false;
  }
  return o;
}

inline SearchOptions options_of(const nb::dict& d) {
  SearchOptions o = cut_options_of(d);
  o.solver = solver_of(nb::cast<std::string>(d["solver"]));
  o.greedy_from = nb::cast<std::uint64_t>(d["greedy_from"]);
  o.check_keys = nb::cast<bool>(d["check_keys"]);
  return o;
}

inline RunLimits run_limits_of(const nb::dict& d) {
  RunLimits o;
  o.gap = nb::cast<double>(d["gap"]);
  o.time_limit_s = nb::cast<double>(d["time_limit_s"]);
  o.seconds_gone = nb::cast<double>(d["seconds_gone"]);
  o.slice_s = nb::cast<double>(d["slice_s"]);
  o.memory_limit_bytes = nb::cast<std::size_t>(d["memory_limit_bytes"]);
  o.node_limit = nb::cast<std::uint64_t>(d["node_limit"]);
  o.work_limit = nb::cast<std::uint64_t>(d["work_limit"]);
  o.wants_bounds = nb::cast<bool>(d["wants_bounds"]);
  return o;
}

// Numbers of copies of rows, and rules of the user, by column of a table or by question of a coded
// one; none are empty arrays.
template <class AnyTable>
void set_counts_and_rules(AnyTable& table, const nb::dict& options) {
  const auto penalties = nb::cast<Doubles>(options["split_penalties"], false);
  const auto may_be_first = nb::cast<Bytes>(options["may_be_first"], false);
  const auto copies = nb::cast<Ranks>(options["copies"], false);
  table.may_be_first = span_of(may_be_first);
  table.copies = span_of(copies);
  if constexpr (std::is_same_v<AnyTable, Table>)
    table.column_penalty = span_of(penalties);
  else
    table.question_penalty = span_of(penalties);
}

// An empty name stands for the cheaper one.
inline Layout layout_of(const std::string& name) {
  require(name.empty() || name == "rows" || name == "blocks", "the layout is rows or blocks");
  return name.empty() ? Layout::cheaper : name == "rows" ? Layout::rows : Layout::blocks;
}

inline Table table_of(const Bytes2d& features, const Doubles& weight) {
  const std::size_t n = features.shape(0);
  require(weight.size() == n, "one weight a row");
  Table table;
  table.n_rows = n;
  table.n_columns = features.shape(1);
  table.features = span_of(features);
  table.weight = span_of(weight);
  return table;
}

}  // namespace survtree
