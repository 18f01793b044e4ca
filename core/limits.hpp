// When to stop: the caller's flag, the clock, the memory the cache may take. Owned by one search.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

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

  // Called by the searching thread every few hundredths of a second; may interrupt().
  void set_listener(std::function<void()> listener) { listener_ = std::move(listener); }

  // Reading the clock costs as much as a small subset, so only every 16th poll does.
  bool should_stop() {
    if (is_stopped_) return true;
    if (++n_polls_ % 16 == 0) {
      const double now = seconds();
      if (now > time_limit_s_) return stop(Status::time_limit);
      if (listener_ && now - last_call_s_ > kCallEvery) {
        last_call_s_ = now;
        listener_();
      }
    }
    return is_interrupted_.load(std::memory_order_relaxed) && stop(Status::interrupted);
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
  static constexpr double kCallEvery = 0.03;

  Clock::time_point start_;
  double time_limit_s_;
  std::size_t memory_bytes_;
  std::atomic<bool> is_interrupted_{false};
  bool is_stopped_ = false;
  Status reason_ = Status::interrupted;
  std::uint64_t n_polls_ = 0;
  std::function<void()> listener_;
  double last_call_s_ = 0.0;
};

}  // namespace survtree
