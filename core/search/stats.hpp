// Work done by a search, and what ended each subset that was not searched through.
#pragma once

#include <atomic>
#include <cstdint>

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

struct Stats {
  Counter subsets_solved;
  Counter lane_rows;  // (rows or blocks of rows) x questions that went through a lane
  Counter cache_hits;
  Counter pruned_by_budget;
  Counter pruned_by_incremental_progress;
  Counter pruned_by_leaf_count;
  Counter pruned_by_guess;  // the two above would not have closed it without the guess

  void add(const Stats& other) {
    subsets_solved += other.subsets_solved;
    lane_rows += other.lane_rows;
    cache_hits += other.cache_hits;
    pruned_by_budget += other.pruned_by_budget;
    pruned_by_incremental_progress += other.pruned_by_incremental_progress;
    pruned_by_leaf_count += other.pruned_by_leaf_count;
    pruned_by_guess += other.pruned_by_guess;
  }
};

}  // namespace survtree
