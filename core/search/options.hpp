// What a search is asked for, and what one run of it may take.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/lanes.hpp"
#include "search/bounds.hpp"
#include "search/limits.hpp"

namespace survtree {

constexpr int kMaxDepth = 1000;  // recursion is one frame a level; no useful tree comes near

// How the deepest level is solved: by a search with bounds, or by a lattice of all cells.
enum class Solver : std::uint8_t { cheaper, search, lattice };

struct SearchOptions {
  int max_depth = kMaxDepth;
  double regularization = 0.01;
  std::uint64_t min_samples_leaf = 7;
  double upper_bound = Bounds::no_limit;  // an objective said to be attainable
  std::size_t n_threads = 1;
  Switches switches;
  Kernel kernel = available_kernels().back();
  Solver solver = Solver::cheaper;
  std::uint64_t greedy_from = 10'000'000;  // lane-rows done; before that greedy trees do not pay
  bool check_keys = false;  // keep the groups of every cached subset and compare them
};

struct RunLimits {
  double gap = 0.0;  // relative
  double time_limit_s = Bounds::no_limit;
  double seconds_gone = 0.0;                  // before the run; they count
  std::size_t memory_limit_bytes = SIZE_MAX;  // for the cache
  std::uint64_t node_limit = Limits::kNoLimit;
  // Raise the lower bound and improve the tree as the search goes on, which costs some more work in
  // all: for those who may stop it.
  bool wants_bounds = false;
};

}  // namespace survtree
