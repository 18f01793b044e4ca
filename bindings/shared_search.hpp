// A search that several processes share, as Python sees it: what is open, what is found, and the
// results that the processes hand to each other, as bytes.
#pragma once

#include <bit>
#include <cstring>

#include "owned.hpp"

namespace survtree {

using Parcels = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Question + 1 where the answer is yes, minus that where it is no.
inline std::vector<Step> path_of(const Nodes& steps) {
  std::vector<Step> path;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::int32_t step = steps(i);
    require(step != 0, "a step is a question and an answer");
    path.push_back({static_cast<std::uint32_t>(step > 0 ? step : -step) - 1, step > 0});
  }
  return path;
}

template <class Entry>
auto bytes_of(const std::vector<Entry>& entries) {
  static_assert(std::is_trivially_copyable_v<Entry>);
  std::vector<std::uint8_t> bytes(entries.size() * sizeof(Entry));
  if (!entries.empty()) std::memcpy(bytes.data(), entries.data(), bytes.size());
  return numpy_array(std::move(bytes));
}

template <class Entry>
std::vector<Entry> entries_of(const Bytes& bytes) {
  require(bytes.size() % sizeof(Entry) == 0, "results are whole entries");
  std::vector<Entry> entries(bytes.size() / sizeof(Entry));
  if (!entries.empty()) std::memcpy(entries.data(), bytes.data(), bytes.size());
  return entries;
}

// Where a run that was stopped will go on.
template <class AnyOwned>
nb::dict standing(AnyOwned& owned) {
  nb::dict out;
  out["depth"] = owned.search.depth();
  out["final_depth"] = owned.search.solver().final_depth();
  out["budget"] = owned.search.budget();
  out["objective"] = owned.search.objective();
  out["tree"] = tree_arrays(questions_of(owned.problem), owned.search.best_tree());
  return out;
}

template <class AnyOwned>
nb::dict counts_so_far(AnyOwned& owned) {
  const Stats stats = owned.search.solver().stats();
  nb::dict out;
  for (const auto& [name, counter] : kCounters) out[name] = std::uint64_t{stats.*counter};
  return out;
}

// The questions that are left of some, and why.
template <class AnyOwned>
nb::dict left_of(AnyOwned& owned, const Parcels& questions, std::size_t n_done) {
  nb::dict out;
  out["questions"] = numpy_array(
      std::vector<std::int64_t>(questions.data() + n_done, questions.data() + questions.size()));
  out["status"] = name_of(owned.search.limits().reason());
  return out;
}

inline nb::dict open_questions(OwnedSearch& owned, const Nodes& path, int depth, double budget) {
  const OpenQuestions open = owned.search.solver().open_questions(path_of(path), depth, budget);
  std::vector<std::int64_t> questions;
  std::vector<std::uint8_t> is_yes_next;
  for (const OpenQuestion& one : open.questions) {
    questions.push_back(one.question);
    is_yes_next.push_back(one.is_yes_next ? 1 : 0);
  }
  nb::dict out;
  out["questions"] = numpy_array(std::move(questions));
  out["is_yes_next"] = numpy_array(std::move(is_yes_next));
  out["bound"] = open.bound;
  out["limit"] = open.limit;
  return out;
}

inline nb::dict try_below(OwnedSearch& owned, const Nodes& path, const Parcels& questions,
                          const Parcels& deferred, int depth, double budget, const nb::dict& limits,
                          const nb::object& on_turn) {
  const RunLimits run_limits = run_limits_of(limits);
  const std::vector<Step> steps = path_of(path);
  const std::vector<std::uint32_t> asked(questions.data(), questions.data() + questions.size());
  owned.search.solver().defer(
      std::vector<std::uint32_t>(deferred.data(), deferred.data() + deferred.size()));
  const std::size_t n_done = without_gil(owned, on_turn, [&] {
    return owned.search.try_below(steps, asked, depth, budget, run_limits);
  });
  return left_of(owned, questions, n_done);
}

// Where splits are cuts, a question is a range of them, which may be divided: the first cut times
// 2^32, and the one after the last.
inline nb::dict open_questions(OwnedCutSearch& owned, const Nodes&, int depth, double) {
  std::vector<std::int64_t> questions;
  const std::vector<std::uint32_t>& first = owned.problem.first_cut;
  for (std::size_t column = 0; depth >= 2 && column < owned.problem.n_columns; ++column)
    if (first[column] < first[column + 1])
      questions.push_back(std::int64_t{first[column]} << 32U | first[column + 1]);
  nb::dict out;
  out["questions"] = numpy_array(std::move(questions));
  return out;
}

inline nb::dict try_below(OwnedCutSearch& owned, const Nodes&, const Parcels& questions,
                          const Parcels&, int depth, double budget, const nb::dict& limits,
                          const nb::object& on_turn) {
  const RunLimits run_limits = run_limits_of(limits);
  std::vector<CutRange> ranges;
  for (std::size_t i = 0; i < questions.size(); ++i)
    ranges.push_back({static_cast<std::uint32_t>(questions(i) >> 32U),
                      static_cast<std::uint32_t>(questions(i) & 0xFFFFFFFF)});
  const std::size_t n_done = without_gil(
      owned, on_turn, [&] { return owned.search.try_cuts(ranges, depth, budget, run_limits); });
  return left_of(owned, questions, n_done);
}

inline const Key& root_key(OwnedSearch& s) { return s.search.solver().root().key; }
inline double root_loss(OwnedSearch& s) { return s.search.solver().root().facts.loss; }
inline const Key& root_key(OwnedCutSearch& s) { return s.search.solver().root().key; }
inline double root_loss(OwnedCutSearch& s) { return s.search.solver().root().loss; }

// Searches with the same signature hand their results to each other: rows have the same names, and
// questions the same numbers.
template <class AnyOwned>
std::string signature(AnyOwned& owned) {
  std::uint64_t sum = 0;
  for (const std::uint32_t question : questions_of(owned.problem))
    sum = (sum ^ question) * 0x9E3779B97F4A7C15U;
  const Key& key = root_key(owned);
  std::string out;
  for (const std::uint64_t part :
       {key.high, key.low, std::bit_cast<std::uint64_t>(root_loss(owned)), sum})
    out += std::to_string(part) + " ";
  return out;
}

template <class Entry, class AnyOwned>
void bind_shared(nb::class_<AnyOwned>& kind) {
  using namespace nanobind::literals;
  kind.def(
          "list_new_entries",
          [](AnyOwned& s, std::uint64_t costly_from) {
            s.search.solver().cache().list_new(costly_from);
          },
          "costly_from"_a)
      .def("take_entries",
           [](AnyOwned& s) {
             auto& cache = s.search.solver().cache();
             return std::pair(bytes_of(cache.take_new(true)), bytes_of(cache.take_new(false)));
           })
      .def("all_entries", [](AnyOwned& s) { return bytes_of(s.search.solver().cache().all()); })
      .def(
          "add_entries",
          [](AnyOwned& s, const Bytes& bytes) {
            s.search.solver().cache().add(entries_of<Entry>(bytes));
          },
          "entries"_a)
      .def("standing", &standing<AnyOwned>)
      .def("counts_so_far", &counts_so_far<AnyOwned>)
      .def(
          "raise_lower_bound_to",
          [](AnyOwned& s, double bound) { s.search.raise_lower_bound_to(bound); }, "bound"_a)
      .def("signature", &signature<AnyOwned>)
      .def(
          "open_questions",
          [](AnyOwned& s, const Nodes& path, int depth, double budget) {
            return open_questions(s, path, depth, budget);
          },
          "path"_a, "depth"_a, "budget"_a)
      .def(
          "try_below",
          [](AnyOwned& s, const Nodes& path, const Parcels& questions, const Parcels& deferred,
             int depth, double budget, const nb::dict& limits, const nb::object& on_turn) {
            return try_below(s, path, questions, deferred, depth, budget, limits, on_turn);
          },
          "path"_a, "questions"_a, "deferred"_a, "depth"_a, "budget"_a, "limits"_a,
          "on_turn"_a.none() = nb::none());
}

}  // namespace survtree
