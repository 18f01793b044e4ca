#include "near_trees.hpp"

#include <unordered_map>
#include <utility>

#include "owned.hpp"
#include "search/near_bits.hpp"
#include "search/near_cuts.hpp"
#include "search/near_trees.hpp"

using namespace nanobind::literals;

namespace survtree {
namespace {

// A search for all good trees, which goes on with what a search for the best one has kept.
struct OwnedNear {
  OwnedNear(std::unique_ptr<NearSource> from, const NearQuery& query, std::size_t most_bytes,
            const std::vector<std::uint32_t>& asked)
      : source(std::move(from)),
        search(*source),
        trees(search, query, most_bytes),
        questions(asked) {}
  std::unique_ptr<NearSource> source;
  NearSource& search;
  NearTrees trees;
  const std::vector<std::uint32_t>& questions;
};

// Bit k of the number of a question says whether it is in set k.
std::vector<std::uint32_t> sets_of_each(const std::vector<std::uint32_t>& questions,
                                        const std::vector<std::vector<std::uint32_t>>& sets) {
  std::unordered_map<std::uint32_t, std::uint32_t> sets_of;
  for (std::size_t k = 0; k < sets.size(); ++k)
    for (const std::uint32_t question : sets[k]) sets_of[question] |= std::uint32_t{1} << k;
  std::vector<std::uint32_t> out(questions.size());
  for (std::size_t q = 0; q < questions.size(); ++q)
    if (const auto found = sets_of.find(questions[q]); found != sets_of.end())
      out[q] = found->second;
  return out;
}

// Sets of questions are those of Python. A question that is not asked, since another parts the rows
// alike, is in no set.
NearQuery near_query_of(const nb::dict& d, const std::vector<std::uint32_t>& questions) {
  NearQuery query;
  query.max_depth = nb::cast<int>(d["max_depth"]);
  query.max_leaves = nb::cast<std::uint32_t>(d["max_leaves"]);
  const auto sets = nb::cast<std::vector<std::vector<std::uint32_t>>>(d["uses"]);
  require(sets.size() < 32, "at most 31 sets of questions");
  query.all_sets = (std::uint32_t{1} << sets.size()) - 1;
  if (!sets.empty()) query.sets_of = sets_of_each(questions, sets);
  if (d["first"].is_none()) return query;
  query.has_first = true;
  const auto first = nb::cast<std::vector<std::uint32_t>>(d["first"]);
  for (const std::uint32_t is_in : sets_of_each(questions, {first}))
    query.may_be_first.push_back(is_in != 0);
  return query;
}

// Asks Python, which answers with an array; what it raises ends the search.
Optima optima_from(const nb::object& solver) {
  return [solver](std::span<const Step> path, int depth) {
    const nb::gil_scoped_acquire acquire;
    nb::list steps;
    for (const Step& step : path) steps.append(nb::make_tuple(step.question, step.says_yes));
    const auto found = nb::cast<Doubles>(solver(steps, depth));
    return std::vector<double>(found.data(), found.data() + found.size());
  };
}

template <class AnyOwned, class Source>
void init_near(OwnedNear* self, AnyOwned& owned, const nb::dict& query) {
  refuse_second_thread(owned.search);
  const auto& questions = questions_of(owned.problem);
  new (self) OwnedNear(std::make_unique<Source>(owned.search), near_query_of(query, questions),
                       nb::cast<std::size_t>(query["most_bytes"]), questions);
  if (!query["optima"].is_none()) self->search.ask(optima_from(query["optima"]));
}

template <class Find>
nb::dict find_near(OwnedNear& owned, const nb::dict& limits, const nb::object& on_turn, Find find) {
  const RunLimits run_limits = run_limits_of(limits);
  const Status status = without_gil(owned, on_turn, [&] {
    owned.search.start(run_limits);
    find(owned.trees);
    return owned.search.limits().reason();
  });
  nb::dict out;
  out["n_trees"] = owned.trees.size();
  out["is_complete"] = owned.trees.is_complete();
  out["lower_bound"] = owned.trees.lower_bound();
  out["status"] = name_of(status);
  out["seconds"] = owned.search.limits().seconds();
  out["n_streams"] = owned.trees.n_streams();
  out["bytes"] = owned.trees.bytes();
  return out;
}

// Some of the trees, one after the other in the same arrays; `end` is where each ends.
nb::dict near_trees(const OwnedNear& owned, std::size_t first, std::size_t end) {
  require(first <= end && end <= owned.trees.size(), "there are so many trees");
  TreeArrays arrays;
  std::vector<std::int64_t> ends;
  for (std::size_t k = first; k < end; ++k) {
    arrays.add(owned.questions, owned.trees.tree(k));
    ends.push_back(static_cast<std::int64_t>(arrays.question.size()));
  }
  nb::dict out = arrays.dict();
  out["end"] = numpy_array(std::move(ends));
  return out;
}

auto near_objectives(const OwnedNear& owned, std::size_t n) {
  require(n <= owned.trees.size(), "there are so many trees");
  std::vector<double> values;
  for (std::size_t k = 0; k < n; ++k) values.push_back(owned.trees.value(k));
  return numpy_array(std::move(values));
}

}  // namespace

void bind_near_trees(nb::module_& m) {
  nb::class_<OwnedNear>(m, "NearTrees")
      .def("__init__", &init_near<OwnedSearch, NearBits>, "search"_a, "query"_a,
           nb::keep_alive<1, 2>())
      .def("__init__", &init_near<OwnedCutSearch, NearCuts>, "search"_a, "query"_a,
           nb::keep_alive<1, 2>())
      .def(
          "find",
          [](OwnedNear& self, double optimum, double slack, std::size_t n, const nb::dict& limits,
             const nb::object& on_turn) {
            return find_near(self, limits, on_turn,
                             [&](NearTrees& trees) { trees.find(optimum, slack, n); });
          },
          "optimum"_a, "slack"_a, "n"_a, "limits"_a, "on_turn"_a.none() = nb::none())
      .def(
          "find_best",
          [](OwnedNear& self, double lowest, const nb::dict& limits, const nb::object& on_turn) {
            return find_near(self, limits, on_turn,
                             [&](NearTrees& trees) { trees.find_best(lowest); });
          },
          "lowest"_a, "limits"_a, "on_turn"_a.none() = nb::none())
      .def("objectives", &near_objectives, "n"_a)
      .def("trees", &near_trees, "first"_a, "end"_a)
      .def_prop_ro("cache_bytes", [](const OwnedNear& near) { return near.trees.bytes(); })
      .def_prop_ro("n_trees", [](const OwnedNear& near) { return near.trees.size(); });
}

}  // namespace survtree
