// What a finished tree costs, straight from the definition and from the table as it came: the check
// of every answer. Shares neither rows, nor order, nor formulas with the search. (The oracle in
// Python is a third reading, for tests and for verify().)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/problem.hpp"

namespace survtree {

// Nodes in preorder; a leaf has the column -1.
struct FlatTree {
  std::span<const std::int32_t> column, no, yes;
};

struct Rescored {
  double loss = 0.0;
  double one_leaf_loss = 0.0;
  std::vector<std::int64_t> rows_of_node;  // of the table; 0 at splits
  std::vector<double> times;               // distinct, ascending
  std::vector<double> event_times;         // those at which an event was seen
};

Rescored rescore(const Table& table, const FlatTree& tree);

}  // namespace survtree
