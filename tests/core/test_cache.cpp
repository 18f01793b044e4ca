#include "check.hpp"
#include "data/contract.hpp"
#include "search/cache.hpp"

using namespace survtree;

int main() {
  Cache cache({});
  const std::vector<std::uint64_t> rows{0, 1};
  const Key key{1, 2};
  check::that(!cache.find(key, 1, rows).at_depth, "an empty cache knows nothing");
  cache.store(key, {0.5, kLeaf, false, true, 1}, rows);
  cache.store(key, {0.4, kLeaf, false, true, 1}, rows);
  check::that(cache.find(key, 1, rows).at_depth->value == 0.5, "a lower bound never falls");
  cache.store(key, {0.6, 3, true, true, 1}, rows);
  cache.store(key, {0.9, kLeaf, false, true, 1}, rows);
  const std::optional<SubsetResult> answer = cache.find(key, 1, rows).at_depth;
  check::that(answer->is_solved && answer->value == 0.6 && answer->question == 3,
              "a solved answer replaces bounds and stays");
  check::that(!cache.find(key, 2, rows).at_depth, "depths are kept apart");
  check::that(!cache.find(key, 1, rows).at_any_depth, "and so are final answers");
  cache.store(key, {0.3, 4, true, false, 5}, rows);
  cache.store(key, {0.3, 4, true, false, 3}, rows);
  check::that(cache.find(key, 7, rows).at_any_depth->depth == 3, "the least depth needed is kept");

  for (std::uint64_t i = 0; i < 5000; ++i)
    cache.store({i, i * i}, {static_cast<double>(i), kLeaf, true, true, 3}, rows);
  bool all_there = true;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const std::optional<SubsetResult> found = cache.find({i, i * i}, 3, rows).at_depth;
    all_there &= found && found->value == static_cast<double>(i);
  }
  check::that(all_there, "growth loses nothing");
  check::that(cache.size() == 5002, "entries are counted once");

  Cache careful({.keeps_groups = true});
  careful.store(key, {0.5, kLeaf, true, true, 1}, rows);
  bool threw = false;
  try {
    const std::vector<std::uint64_t> others{0, 2};
    careful.find(key, 1, others);
  } catch (const ContractError&) {
    threw = true;
  }
  check::that(threw, "the checking mode notices two subsets under one key");

  Cache small({});
  small.set_max_bytes(100'000);
  const auto store = [&](std::uint64_t i, std::uint16_t depth) {
    small.store({i, i}, {static_cast<double>(i), kLeaf, true, true, depth}, rows);
  };
  for (std::uint64_t i = 0; i < 200; ++i) store(i, 4);
  check::that(small.n_shed() == 0, "nothing is forgotten while there is room");
  for (std::uint64_t i = 200; i < 50'000; ++i) store(i, 2);
  check::that(small.bytes() <= 100'000, "a full cache stays small");
  check::that(small.size() > 500 && small.size() + small.n_shed() == 50'000,
              "what is not held was shed");
  bool deep_ones_stay = true;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::optional<SubsetResult> found = small.find({i, i}, 4, rows).at_depth;
    deep_ones_stay &= found && found->value == static_cast<double>(i);
  }
  check::that(deep_ones_stay, "what is cheap to find again goes first");
  check::that(small.find({49'999, 49'999}, 2, rows).at_depth.has_value(), "the latest is held");
  return check::report();
}
