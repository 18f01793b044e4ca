// When to stop: the caller's flag, the clock, the memory the cache may take. Owned by one search.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace survtree {

// The closed set of ways a search ends. `optimal` is never set from here: it follows from the lower
// bound meeting the objective and from nothing else.
enum class Status : std::uint8_t { optimal, gap_reached, time_limit, memory_limit, interrupted };

class Limits {
 public:
  Limits(double time_limit_s, std::size_t memory_limit_bytes)
      : start_(Clock::now()), time_limit_s_(time_limit_s), memory_bytes_(memory_limit_bytes) {}

  // From any thread.
  void interrupt() { is_interrupted_.store(true, std::memory_order_relaxed); }

  // Reading the clock costs as much as a small subset, so only every 16th poll does.
  bool should_stop() {
    if (is_stopped_) return true;
    if (is_interrupted_.load(std::memory_order_relaxed)) return stop(Status::interrupted);
    if (++n_polls_ % 16 == 0 && seconds() > time_limit_s_) return stop(Status::time_limit);
    return false;
  }

  bool stop(Status why) {
    if (!is_stopped_) reason_ = why;
    return is_stopped_ = true;
  }

  bool is_stopped() const { return is_stopped_; }
  Status reason() const { return reason_; }
  std::size_t memory_bytes() const { return memory_bytes_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point start_;
  double time_limit_s_;
  std::size_t memory_bytes_;
  std::atomic<bool> is_interrupted_{false};
  bool is_stopped_ = false;
  Status reason_ = Status::interrupted;
  std::uint64_t n_polls_ = 0;
};

}  // namespace survtree
