// Threads that share batches of tasks: the one interface through which a search hands over work.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace survtree {

class Team {
 public:
  using Task = std::function<void(std::size_t worker, std::size_t index)>;

  // Worker 0 is the thread that makes the team; the others are started here.
  explicit Team(std::size_t n_workers);
  ~Team();

  std::size_t size() const { return threads_.size() + 1; }

  // Calls task(some worker, i) for each i < n, smaller ones first, and returns when all are done;
  // the first exception is thrown again here. A task may run batches itself. While worker 0 has
  // nothing left to do but wait, it calls `while_waiting` now and then.
  void run(std::size_t worker, std::size_t n, const Task& task,
           const std::function<void()>& while_waiting);

 private:
  struct Batch {
    const Task& task;
    std::size_t n, next = 0, n_running = 0;
    std::exception_ptr failure = nullptr;
  };
  using Lock = std::unique_lock<std::mutex>;

  void help(std::size_t worker);
  Batch* batch_with_work();
  void run_next(Batch& batch, std::size_t worker, Lock& lock);

  std::mutex mutex_;  // guards all below
  std::condition_variable has_work_, is_done_;
  std::vector<Batch*> open_;  // oldest first: its tasks are the largest
  bool is_over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace survtree
