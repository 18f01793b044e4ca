// What belongs to one thread, and how it splits subsets. Scratch is kept between visits so that
// nothing is allocated inside a search once it is warm.
#pragma once

#include <algorithm>

#include "search/subset.hpp"

namespace survtree {

// Written by one thread, read by any. A plain load and store, unlike the increment of an atomic
// number, which would cost as much as a small subset.
class Counter {
 public:
  Counter() = default;
  Counter(const Counter& other) : value_(other) {}
  Counter& operator=(const Counter& other) {
    value_.store(other, std::memory_order_relaxed);
    return *this;
  }
  Counter& operator+=(std::uint64_t n) {
    value_.store(*this + n, std::memory_order_relaxed);
    return *this;
  }
  Counter& operator++() { return *this += 1; }
  operator std::uint64_t() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_ = 0;
};

// Work done by a search, and what ended each subset that was not searched through.
struct Stats {
  Counter subsets_solved, cache_hits;
  Counter lane_rows;  // (rows or blocks of rows) x questions that went through a lane
  Counter pruned_by_budget, pruned_by_incremental_progress, pruned_by_leaf_count;
  Counter pruned_by_floor;  // cuts, not subsets
  Counter pruned_by_guess;  // neither budget nor incremental progress would have
};
inline constexpr std::pair<const char*, Counter Stats::*> kCounters[] = {
    {"subsets_solved", &Stats::subsets_solved},
    {"lane_rows", &Stats::lane_rows},
    {"cache_hits", &Stats::cache_hits},
    {"pruned_by_budget", &Stats::pruned_by_budget},
    {"pruned_by_incremental_progress", &Stats::pruned_by_incremental_progress},
    {"pruned_by_leaf_count", &Stats::pruned_by_leaf_count},
    {"pruned_by_floor", &Stats::pruned_by_floor},
    {"pruned_by_guess", &Stats::pruned_by_guess}};

inline void operator+=(Stats& sum, const Stats& other) {
  for (const auto& [name, counter] : kCounters) sum.*counter += other.*counter;
}

// Sums for pairs of questions, where a loss judges these, and whose they are.
struct KeptSums {
  std::vector<std::int64_t> whole;  // of the subset of this name, if they are made,
  Key key;
  bool is_made = false;
  // and of the smaller of the two parts of its parent of which it is one.
  std::vector<std::int64_t> smaller;
  Key parent;
  std::uint32_t question = 0;
  std::vector<std::uint64_t> bits;
};

// Lines of its own: counters that two cores write to must not share one.
struct alignas(128) Worker {
  // A subset on the way from all rows down: its splits, and its parts by one of them.
  struct Level {
    SplitRow split;
    std::vector<std::uint32_t> order;  // lanes, most promising first
    PartBuffers parts;
    KeptSums pairs;
  };
  explicit Worker(std::size_t number_) : number(number_) {}
  Level& level(std::size_t k) {
    while (levels.size() <= k) levels.push_back(std::make_unique<Level>());
    return *levels[k];
  }

  std::size_t number;  // 0 is the caller's own thread
  std::uint64_t n_polls = 0;
  Stats stats;
  std::vector<std::unique_ptr<Level>> levels;
  std::vector<std::int64_t> whole_scratch;  // of a loss that judges pairs
  std::vector<float> single_scratch;
};

class Splitter {
 public:
  // The problem must outlive it.
  Splitter(const Problem& problem, Kernel kernel, const SmallestLeaf& smallest)
      : problem_(problem), lanes_(lane_functions(kernel)), smallest_(smallest) {}

  // A tree of depth d has a path with d + 1 leaves hanging off it, each with enough rows and
  // events, and no question helps twice on one path.
  int useful_depth(const Subset& s) const {
    const std::uint64_t leaves = smallest_.most_leaves(s.n_rows, s.n_events);
    const std::uint64_t depth = leaves == 0 ? 0 : leaves - 1;
    return static_cast<int>(
        std::min({depth, std::uint64_t{problem_.n_questions}, std::uint64_t{kMaxDepth}}));
  }

  // All splits of a subset, in the worker's scratch for level k.
  SplitRow& split(Worker& w, Subset& s, std::size_t k, bool wants_groups = true) const {
    SplitRow& out = w.level(k).split;
    make_bits(problem_, s);
    split_row(problem_, lanes_, {s.bits, s.n_rows, s.n_events, smallest_, wants_groups}, out);
    w.stats.lane_rows += out.n_steps * out.n_lanes;
    return out;
  }
  // Its parts by one of its questions.
  Parts split_on(Worker& w, Subset& s, std::int32_t question, std::size_t k) const {
    const SplitRow& all = split(w, s, k);
    return parts_of(s, all, all.lane_of(static_cast<std::uint32_t>(question)), w.level(k).parts);
  }

  bool is_leaf_at_most(const Subset& s) const {
    return smallest_.is_leaf_at_most(s.n_rows, s.n_events);
  }

  const LaneFunctions& lanes() const { return lanes_; }
  const SmallestLeaf& smallest_leaf() const { return smallest_; }

 private:
  const Problem& problem_;
  LaneFunctions lanes_;
  SmallestLeaf smallest_;
};

}  // namespace survtree
