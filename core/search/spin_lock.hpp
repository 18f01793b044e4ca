// A lock that is nearly always held for a few dozen instructions, so that waiting in a loop is
// cheaper than going to sleep. A table that grows under it makes the others wait longer.
#pragma once

#include <atomic>

namespace survtree {

struct SpinLock {
  void lock() {
    while (is_taken.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock() { is_taken.clear(std::memory_order_release); }
  std::atomic_flag is_taken;
};

}  // namespace survtree
