// When to stop: the caller's flag, the clock, the work a run or a part of it may do. Owned by one
// search, asked by all its threads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

namespace survtree {

// The closed set of ways a search ends. `optimal` and `guessed` are never set from here: they
// follow from the lower bound meeting the objective and from nothing else.
enum class Status : std::uint8_t {
  optimal,
  guessed,
  gap_reached,
  time_limit,
  memory_limit,
  node_limit,
  interrupted
};

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// What one run may take.
struct RunLimits {
  double gap = 0.0;  // relative
  double time_limit_s = std::numeric_limits<double>::infinity();
  double seconds_gone = 0.0;  // before the run; they count
  // A run that is to be continued is stopped after so many seconds of its own, as by node_limit.
  double slice_s = std::numeric_limits<double>::infinity();
  std::size_t memory_limit_bytes = SIZE_MAX;  // for the cache
  std::uint64_t node_limit = kNoLimit;
  std::uint64_t work_limit = kNoLimit;  // as CutSolver counts it, of a search over cuts
  // Raise the lower bound and improve the tree as the search goes on, which costs some more work in
  // all: for those who may stop it.
  bool wants_bounds = false;
};

class Limits {
 public:
  // A new run begins, and what ended the last one is forgotten.
  void start(const RunLimits& limits) {
    start_ = Clock::now() - std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(limits.seconds_gone));
    last_call_s_ = 0.0;
    of_run_ = limits;
    nodes_left_ = limits.node_limit;
    reason_ = Status::optimal;
    is_interrupted_ = is_paused_ = false;
    is_sliced_ = true;
  }

  const RunLimits& of_run() const { return of_run_; }

  // From any thread.
  void interrupt() { is_interrupted_.store(true, std::memory_order_relaxed); }

  // Called by the caller's own thread every few hundredths of a second; may interrupt().
  void set_listener(std::function<void()> listener) { listener_ = std::move(listener); }
  bool has_listener() const { return static_cast<bool>(listener_); }

  // `n_polls` belongs to the asking thread. Reading the clock costs as much as a small subset, so
  // only every 16th poll does.
  bool should_stop(std::uint64_t& n_polls, bool is_callers_thread) {
    if (is_stopped()) return true;
    if (++n_polls % 16 == 0 && look_at_clock(is_callers_thread)) return true;
    return is_interrupted_.load(std::memory_order_relaxed) && stop(Status::interrupted);
  }

  bool look_at_clock(bool is_callers_thread) {
    const double now = seconds();
    if (now > of_run_.time_limit_s) return stop(Status::time_limit);
    if (is_sliced_ && now > of_run_.seconds_gone + of_run_.slice_s) return stop(Status::node_limit);
    if (is_callers_thread && listener_ && now - last_call_s_ > kCallEvery) {
      last_call_s_ = now;
      listener_();
    }
    return false;
  }

  // One more subset was solved.
  void count_node() {
    if (of_run_.node_limit != kNoLimit && nodes_left_.fetch_sub(1, std::memory_order_relaxed) <= 1)
      stop(Status::node_limit);
  }

  // The first reason stands.
  bool stop(Status why) {
    Status none = Status::optimal;
    reason_.compare_exchange_strong(none, why);
    return true;
  }

  // A part of the search has used up its share of the work; the search goes on with another.
  void pause() { is_paused_.store(true, std::memory_order_relaxed); }
  void resume() { is_paused_.store(false, std::memory_order_relaxed); }

  // What is begun now could not be continued: the slice does not end before it does.
  void lift_slice() { is_sliced_ = false; }
  void set_slice() { is_sliced_ = true; }

  // The optimum is proven; what is left is to choose among equals. Only time, memory and the user
  // may stop that.
  void lift_for_ties() {
    of_run_.gap = 0.0;
    of_run_.wants_bounds = false;
    of_run_.slice_s = std::numeric_limits<double>::infinity();
    of_run_.node_limit = of_run_.work_limit = nodes_left_ = kNoLimit;
    Status reached = Status::node_limit;
    reason_.compare_exchange_strong(reached, Status::optimal);
  }

  // What was under way must be left, for now or for good.
  bool is_stopped() const { return is_paused_.load(std::memory_order_relaxed) || is_over(); }
  bool is_over() const { return reason() != Status::optimal; }
  Status reason() const { return reason_.load(std::memory_order_relaxed); }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr double kCallEvery = 0.03;

  Clock::time_point start_ = Clock::now();
  RunLimits of_run_;
  std::atomic<std::uint64_t> nodes_left_ = kNoLimit;
  std::atomic<bool> is_interrupted_{false}, is_paused_{false};
  std::atomic<Status> reason_{Status::optimal};  // optimal: not over
  bool is_sliced_ = true;
  std::function<void()> listener_;
  double last_call_s_ = 0.0;
};

}  // namespace survtree
