// Trees as the search makes them, and what they cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "search/cache.hpp"

namespace survtree {

// Nodes are shared, since optimal subtrees are shared between optimal trees.
struct TreeNode {
  std::int32_t question = kLeaf;
  std::shared_ptr<const TreeNode> no, yes;
  double loss = 0.0;  // leaves
};
using Tree = std::shared_ptr<const TreeNode>;

inline Tree leaf_of(double loss) {
  return std::make_shared<TreeNode>(TreeNode{kLeaf, nullptr, nullptr, loss});
}
inline Tree split_of(std::int32_t question, Tree no, Tree yes) {
  return std::make_shared<TreeNode>(TreeNode{question, std::move(no), std::move(yes), 0.0});
}

inline double loss_of(const Tree& tree) {
  return tree->question == kLeaf ? tree->loss : loss_of(tree->no) + loss_of(tree->yes);
}
inline std::size_t leaves_of(const Tree& tree) {
  return tree->question == kLeaf ? 1 : leaves_of(tree->no) + leaves_of(tree->yes);
}
inline double objective_of(const Tree& tree, double penalty) {
  return loss_of(tree) + penalty * static_cast<double>(leaves_of(tree));
}

}  // namespace survtree
