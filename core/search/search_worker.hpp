// What belongs to one thread of a search, and what threads share of a node. Scratch is kept between
// visits so that nothing is allocated inside the search once it is warm.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "search/search.hpp"
#include "search/split_row.hpp"

namespace survtree {

// Lines of its own: counters that two cores write to must not share one.
struct alignas(128) Search::Worker {
  struct Level {
    SplitRow split;
    std::vector<std::uint32_t> order;
    PartBuffers parts;
  };

  explicit Worker(std::size_t number_) : number(number_) {}

  Level& level(std::size_t k) {
    while (levels.size() <= k) levels.push_back(std::make_unique<Level>());
    return *levels[k];
  }
  // A child of `s`, whose split row is given; its bits go to the scratch of level k.
  Subset part(const Subset& s, const SplitRow& split, std::size_t lane, bool yes, std::size_t k) {
    return part_of(s, split, lane, yes, level(k).parts);
  }

  std::size_t number;  // 0 is the caller's own thread
  std::uint64_t n_polls = 0;
  Stats stats;
  std::vector<std::unique_ptr<Level>> levels;
};

struct Search::Node {
  Subset& subset;
  const SplitRow& split;
  const std::vector<std::uint32_t>& order;  // lanes, most promising first
  int depth;
  double budget;
  std::size_t level;

  std::mutex mutex;  // guards what follows
  Answer best;
  double rest = Bounds::no_limit;  // no tree that was left unsolved is better than this
  bool is_depth_cut = false;
};

}  // namespace survtree
