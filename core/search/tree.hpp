// Trees as the search makes them, what they cost, and the best one so far.
#pragma once

#include <functional>
#include <string>

#include "search/cache.hpp"

namespace survtree {

// One answer on the way from all rows to a subset.
struct Step {
  std::uint32_t question;
  bool says_yes;
};

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
// What is summed over the splits of a tree; nothing if it has no penalty.
using PenaltyOf = std::function<double(std::uint32_t question)>;
// Of the questions of a problem; none if they have no penalties. The rules must outlive it.
inline PenaltyOf penalty_of_splits(const SplitRules& rules) {
  if (!rules.has_penalties()) return {};
  return [&rules](std::uint32_t question) { return rules.penalty(question); };
}
inline double penalties_of(const Tree& tree, const PenaltyOf& penalty_of) {
  if (!penalty_of || tree->question == kLeaf) return 0.0;
  return penalty_of(static_cast<std::uint32_t>(tree->question)) +
         penalties_of(tree->no, penalty_of) + penalties_of(tree->yes, penalty_of);
}
inline std::size_t leaves_of(const Tree& tree) {
  return tree->question == kLeaf ? 1 : leaves_of(tree->no) + leaves_of(tree->yes);
}

// The best tree so far. Threads offer trees, and whoever watches the search looks on.
class Incumbent {
 public:
  // Of each leaf, and of splits, if these have any.
  explicit Incumbent(double penalty, PenaltyOf of_split = {})
      : penalty_(penalty), of_split_(std::move(of_split)) {}

  double objective_of(const Tree& tree) const {
    return loss_of(tree) + penalty_ * static_cast<double>(leaves_of(tree)) +
           penalties_of(tree, of_split_);
  }

  void offer(Tree tree, const std::string& found_by) {
    const std::lock_guard lock(mutex_);
    const double objective = objective_of(tree);
    if (tree_ != nullptr && objective >= objective_) return;
    tree_ = std::move(tree);
    objective_ = objective;
    found_by_ = found_by;
  }
  // The tree that the tie rule chooses among those that are as good.
  void settle(Tree tree) {
    const std::lock_guard lock(mutex_);
    objective_ = objective_of(tree);
    tree_ = std::move(tree);
  }

  // While no other thread offers trees.
  const Tree& tree() const { return tree_; }
  double objective() const { return objective_; }

  // Calls look(tree, objective, found by) while nothing changes.
  template <class Look>
  auto watch(Look look) const {
    const std::lock_guard lock(mutex_);
    return look(tree_, objective_, found_by_);
  }

 private:
  double penalty_;
  PenaltyOf of_split_;
  mutable std::mutex mutex_;  // guards what follows
  Tree tree_;
  double objective_ = 0.0;
  std::string found_by_;
};

}  // namespace survtree
