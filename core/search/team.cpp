#include "search/team.hpp"

#include <algorithm>
#include <chrono>

namespace survtree {

Team::Team(std::size_t n_workers) {
  threads_.reserve(n_workers - 1);  // once threads run, nothing here may throw
  try {
    for (std::size_t worker = 1; worker < n_workers; ++worker)
      threads_.emplace_back([this, worker] { help(worker); });
  } catch (const std::exception&) {
    return;  // the machine gives no more threads or memory: those that started are enough
  }
}

Team::~Team() {
  {
    const Lock lock(mutex_);
    is_over_ = true;
  }
  has_work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::run(std::size_t worker, std::size_t n, const Task& task,
               const std::function<void()>& while_waiting) {
  Batch batch{task, n};
  Lock lock(mutex_);
  open_.push_back(&batch);
  has_work_.notify_all();
  while (batch.next < n) run_next(batch, worker, lock);
  while (batch.n_running > 0) {
    is_done_.wait_for(lock, std::chrono::milliseconds(10));
    if (worker != 0) continue;
    lock.unlock();
    std::exception_ptr failure;
    try {
      while_waiting();
    } catch (...) {  // others still work on this batch, which must outlive that
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && !batch.failure) batch.failure = failure;
  }
  std::erase(open_, &batch);
  if (batch.failure) std::rethrow_exception(batch.failure);
}

void Team::help(std::size_t worker) {
  Lock lock(mutex_);
  while (true) {
    Batch* batch = nullptr;
    has_work_.wait(lock, [&] { return is_over_ || (batch = batch_with_work()) != nullptr; });
    if (is_over_) return;
    run_next(*batch, worker, lock);
    is_done_.notify_all();
  }
}

Team::Batch* Team::batch_with_work() {
  const auto found =
      std::ranges::find_if(open_, [](const Batch* batch) { return batch->next < batch->n; });
  return found == open_.end() ? nullptr : *found;
}

// With the lock held on entry and exit, not in between. A batch that failed runs no more tasks.
void Team::run_next(Batch& batch, std::size_t worker, Lock& lock) {
  const std::size_t index = batch.next++;
  if (batch.failure) return;
  ++batch.n_running;
  lock.unlock();
  std::exception_ptr failure;
  try {
    batch.task(worker, index);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  --batch.n_running;
  if (failure && !batch.failure) batch.failure = failure;
}

}  // namespace survtree
