// Where a search stands, and the lines of the progress table that nobody has taken yet.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "search/worker.hpp"

namespace survtree {

// One line of the progress table.
struct Progress {
  double seconds, lower_bound, objective;
  std::size_t n_leaves;
  std::string found_by;  // where the best tree so far came from
  Stats stats;
  // Of a search that tries every first split of a depth in turn.
  std::size_t first_splits_done = 0, first_splits = 0;
};

// Lines, from any thread to whoever takes them.
class ProgressLog {
 public:
  void add(Progress line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
  }
  std::vector<Progress> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(lines_, {});
  }

 private:
  std::mutex mutex_;  // guards what follows
  std::vector<Progress> lines_;
};

}  // namespace survtree
