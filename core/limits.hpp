// When to stop: the caller's flag, the clock, the memory the cache may take. Owned by one search,
// asked by all its threads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace survtree {

// The closed set of ways a search ends. `optimal` is never set from here: it follows from the lower
// bound meeting the objective and from nothing else.
enum class Status : std::uint8_t { optimal, gap_reached, time_limit, memory_limit, interrupted };

class Limits {
 public:
  explicit Limits(double time_limit_s) : start_(Clock::now()), time_limit_s_(time_limit_s) {}

  // From any thread.
  void interrupt() { is_interrupted_.store(true, std::memory_order_relaxed); }

  // Called by the caller's own thread every few hundredths of a second; may interrupt().
  void set_listener(std::function<void()> listener) { listener_ = std::move(listener); }

  // `n_polls` belongs to the asking thread. Reading the clock costs as much as a small subset, so
  // only every 16th poll does.
  bool should_stop(std::uint64_t& n_polls, bool is_callers_thread) {
    if (is_stopped()) return true;
    if (++n_polls % 16 == 0 && look_at_clock(is_callers_thread)) return true;
    return is_interrupted_.load(std::memory_order_relaxed) && stop(Status::interrupted);
  }

  bool look_at_clock(bool is_callers_thread) {
    const double now = seconds();
    if (now > time_limit_s_) return stop(Status::time_limit);
    if (is_callers_thread && listener_ && now - last_call_s_ > kCallEvery) {
      last_call_s_ = now;
      listener_();
    }
    return false;
  }

  // The first reason stands.
  bool stop(Status why) {
    Status none = Status::optimal;
    reason_.compare_exchange_strong(none, why);
    return true;
  }

  bool is_stopped() const { return reason() != Status::optimal; }
  Status reason() const { return reason_.load(std::memory_order_relaxed); }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kCallEvery = 0.03;

  Clock::time_point start_;
  double time_limit_s_;
  std::atomic<bool> is_interrupted_{false};
  std::atomic<Status> reason_{Status::optimal};  // optimal: not stopped
  std::function<void()> listener_;
  double last_call_s_ = 0.0;
};

}  // namespace survtree
