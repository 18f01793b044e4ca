// What a finished tree costs, straight from the definition of its loss and from the table as it
// came: the check of every answer.
#pragma once

#include <functional>

#include "data/loss.hpp"

namespace survtree {

// Nodes in preorder; a leaf has the column -1.
struct FlatTree {
  std::span<const std::int32_t> column, no, yes;
};

struct Rescored {
  double loss = 0.0;
  double one_leaf_loss = 0.0;
  std::vector<std::int64_t> rows_of_node;  // of the table; 0 at splits
};

// What a row of the table answers to the question of a node (its column).
using AnswerOf = std::function<bool(std::size_t row, std::size_t question)>;

Rescored rescore(const AnswerOf& answer, const Definition& loss, const FlatTree& tree);

}  // namespace survtree
