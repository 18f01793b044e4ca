// Whether the deepest level is solved by a lattice or by a search, by estimated work of both.
#pragma once

#include <cstdint>

#include "data/problem.hpp"
#include "search/bounds.hpp"
#include "search/options.hpp"

namespace survtree {

struct LatticeChoice {
  const Problem& problem;
  const SearchOptions& options;
  const RunLimits& limits;
  const SubsetFacts& root;
  int final_depth, depth;   // the deepest, and the one that comes next
  std::uint64_t lane_rows;  // done so far
};

bool is_lattice_due(const LatticeChoice& choice);

}  // namespace survtree
