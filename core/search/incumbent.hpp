// The best tree so far. Threads offer trees, and whoever watches the search looks on.
#pragma once

#include <mutex>
#include <string>
#include <utility>

#include "search/tree.hpp"

namespace survtree {

class Incumbent {
 public:
  explicit Incumbent(double penalty) : penalty_(penalty) {}

  void offer(Tree tree, const std::string& found_by) {
    const std::lock_guard lock(mutex_);
    const double objective = objective_of(tree, penalty_);
    if (tree_ != nullptr && objective >= objective_) return;
    tree_ = std::move(tree);
    objective_ = objective;
    found_by_ = found_by;
  }
  // The tree that the tie rule chooses among those that are as good.
  void settle(Tree tree) {
    const std::lock_guard lock(mutex_);
    objective_ = objective_of(tree, penalty_);
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
  mutable std::mutex mutex_;  // guards what follows
  Tree tree_;
  double objective_ = 0.0;
  std::string found_by_;
};

}  // namespace survtree
