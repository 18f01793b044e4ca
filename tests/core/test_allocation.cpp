// Memory that runs out: whichever allocation of a search fails, it throws std::bad_alloc or does
// without, and the next run of the same search, or of another, is right.
#include <atomic>
#include <cstdlib>
#include <new>
#include <optional>

#include "check.hpp"
#include "check/proof.hpp"
#include "random_table.hpp"
#include "search/frontier.hpp"
#include "search/search.hpp"

namespace {

std::atomic<long> n_allocations = 0, fails_from = -1, fails_until = -1;

void* allocated(std::size_t size, std::size_t alignment) {
  const long now = ++n_allocations;
  if (fails_from >= 0 && now >= fails_from && now < fails_until) throw std::bad_alloc();
  void* memory =
      alignment <= alignof(std::max_align_t)
          ? std::malloc(size == 0 ? 1 : size)
          : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocated(size, 1); }
void* operator new[](std::size_t size) { return allocated(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocated(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocated(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

using namespace survtree;

namespace {

struct Setting {
  std::size_t n_threads;
  Solver solver;
};

// All a fit does, from the table to every optimal tree and the proof.
void everything(const RandomTable& table, const Setting& setting, std::optional<Problem>& problem,
                std::optional<Search>& search, double& objective) {
  problem.emplace(table.problem());
  SearchOptions options;
  options.max_depth = 4;
  options.regularization = 0.002;
  options.min_samples_leaf = 3;
  options.greedy_from = 0;
  options.n_threads = setting.n_threads;
  options.solver = setting.solver;
  search.emplace(*problem, options);
  RunLimits limits;
  limits.wants_bounds = true;
  objective = search->run(limits).objective;
  search->optimal_trees(5);
  prove_optimum(*search, 100'000);
  Frontier frontier(*problem, {});
  frontier.run({});
}

// Fails `n` allocations from the k-th on.
void run_out(const RandomTable& table, const Setting& setting, long k, long n, double want,
             long& n_thrown) {
  std::optional<Problem> problem;
  std::optional<Search> search;
  double objective = want;
  n_allocations = 0;
  fails_until = k + n;
  fails_from = k;
  try {
    everything(table, setting, problem, search, objective);
  } catch (const std::bad_alloc&) {
    ++n_thrown;
  }
  fails_from = -1;
  check::close(objective, want, "a result is right even if something was done without");
  if (!search) return;
  const Result next = search->run();
  check::close(next.objective, want, "the same search goes on afterwards");
  // What it left behind, such as a share of the work that is used up, must not end the next run.
  check::that(next.status == Status::optimal, "and to the end");
}

void every_allocation_may_fail(const Setting& setting) {
  const RandomTable table(60, 7, 5);
  std::optional<Problem> problem;
  std::optional<Search> search;
  double want = 0.0;
  n_allocations = 0;
  everything(table, setting, problem, search, want);
  search.reset();
  const long total = n_allocations;
  long n_thrown = 0, n_tried = 0;
  for (long k = 1; k <= total + 3; k += 1 + k / 400) {
    run_out(table, setting, k, 1, want, n_thrown);
    run_out(table, setting, k, 1'000'000'000, want, n_thrown);
    n_tried += 2;
  }
  std::printf("%ld allocations, %ld failures tried, %ld thrown\n", total, n_tried, n_thrown);
  check::that(n_thrown > 0, "some failures are told");
}

// A run that fails while it looks for greedy trees leaves a share of work behind that is not used
// up. The next run must not end where that share would have. Without a cache it does again what the
// last one did, which is more than the share.
void a_share_of_work_ends_with_its_run() {
  const Problem problem = RandomTable(60, 7, 5).problem();
  SearchOptions options;
  options.max_depth = 4;
  options.regularization = 0.002;
  options.solver = Solver::search;
  options.greedy_from = 0;
  options.switches.permutation = false;
  n_allocations = 0;
  Search(problem, options).run();
  const long total = n_allocations;
  for (long k = 1; k <= total; ++k) {
    Search search(problem, options);
    n_allocations = 0;
    fails_until = k + 1;
    fails_from = k;
    try {
      search.run();
    } catch (const std::bad_alloc&) {
    }
    fails_from = -1;
    check::that(search.run().status == Status::optimal, "no share of work is left behind");
  }
}

}  // namespace

int main() {
  a_share_of_work_ends_with_its_run();
  for (const std::size_t n_threads : {1, 2})
    for (const Solver solver : {Solver::search, Solver::lattice})
      every_allocation_may_fail({n_threads, solver});
  return check::report();
}
