// Threads that share a search must find what one finds. `make tsan` runs this under
// ThreadSanitizer.
#include <random>

#include "check.hpp"
#include "losses/brier/brier.hpp"
#include "search/frontier.hpp"
#include "search/search.hpp"
#include "search/team.hpp"

using namespace survtree;

namespace {

struct Data {
  std::size_t n_rows, n_columns;
  std::vector<std::uint8_t> x, event;
  std::vector<double> time, weight;
  std::vector<std::uint32_t> rank;

  explicit Data(unsigned seed, std::size_t n_rows_ = 300, std::size_t n_columns_ = 14)
      : n_rows(n_rows_), n_columns(n_columns_) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < n_rows; ++i) {
      unsigned sum = 0;
      for (std::size_t j = 0; j < n_columns; ++j) {
        x.push_back(random() % 3 == 0);
        sum += j < 3 ? x.back() : 0;
      }
      event.push_back(random() % 3 != 0);
      time.push_back(static_cast<double>(1 + random() % (10 + 20 * sum)));
      weight.push_back(1.0);
    }
    for (std::uint32_t j = 0; j < n_columns; ++j) rank.push_back(j);
  }
  Problem problem(Layout layout) const {
    return make_problem({n_rows, n_columns, x, weight, rank, {}}, BrierOutcome(time, event),
                        layout);
  }
};

bool are_alike(const Tree& a, const Tree& b) {
  if (a->question != b->question) return false;
  return a->question == kLeaf || (are_alike(a->no, b->no) && are_alike(a->yes, b->yes));
}

Result solved(const Problem& problem, Solver solver, std::size_t n_threads) {
  SearchOptions options;
  options.max_depth = 4;
  options.regularization = 0.001;
  options.solver = solver;
  options.n_threads = n_threads;
  return Search(problem, options).run();
}

void compare(Layout layout, Solver solver, const char* what) {
  const Problem problem = Data(7).problem(layout);
  const Result one = solved(problem, solver, 1), four = solved(problem, solver, 4);
  check::that(one.status == Status::optimal && four.status == Status::optimal, "both are proven");
  check::that(one.objective == four.objective && are_alike(one.tree, four.tree), what);
}

FrontierResult path(const Problem& problem, std::size_t max_leaves, std::size_t n_threads) {
  FrontierOptions options;
  options.max_depth = 4;
  options.min_regularization = 0.0005;
  options.max_leaves = max_leaves;
  options.n_threads = n_threads;
  return Frontier(problem, options).run({});
}

void compare_paths(Layout layout, std::size_t max_leaves) {
  const Problem problem = Data(7).problem(layout);
  const FrontierResult one = path(problem, max_leaves, 1), four = path(problem, max_leaves, 4);
  check::that(one.is_complete && four.is_complete, "both paths are complete");
  check::that(one.trees.size() > 3 && one.trees.size() == four.trees.size(), "as many trees");
  for (std::size_t k = 0; k < std::min(one.trees.size(), four.trees.size()); ++k)
    check::that(are_alike(one.trees[k], four.trees[k]), "four threads find the same path");
}

// A helper may find a better tree while the first thread sees a level for the first time: case 22
// of the regressions, which ThreadSanitizer shows.
void search_small_tables() {
  bool are_same = true;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Problem problem = Data(seed, 60, 7).problem(Layout::rows);
    SearchOptions options;
    options.max_depth = 6;
    options.regularization = 0.0001;
    options.min_samples_leaf = 1;
    options.solver = Solver::search;
    const Result one = Search(problem, options).run();
    options.n_threads = 2;
    const Result two = Search(problem, options).run();
    are_same &= one.objective == two.objective && are_alike(one.tree, two.tree);
  }
  check::that(are_same, "two threads find the same trees of small tables");
}

// Whoever watches sees bounds that never cross, from any thread's work.
void watch_and_stop_a_path() {
  const Problem problem = Data(8).problem(Layout::rows);
  FrontierOptions options;
  options.min_regularization = 0.0;
  options.n_threads = 4;
  Frontier frontier(problem, options);
  bool are_bounds_apart = true;
  std::size_t n_looks = 0;
  frontier.limits().set_listener([&] {
    const Progress now = frontier.snapshot();
    are_bounds_apart &= now.lower_bound <= now.objective;
    if (++n_looks == 1) frontier.limits().interrupt();
  });
  const FrontierResult stopped = frontier.run({});
  check::that(are_bounds_apart, "bounds of a path never cross");
  // A fast machine may be through before anybody looks.
  check::that(n_looks == 0 || stopped.status == Status::interrupted || stopped.is_complete,
              "a path that was interrupted says so, unless it was complete by then");
  check::that(!stopped.trees.empty(), "an interrupted path has trees");
  const std::vector<Progress> lines = frontier.take_progress();
  check::that(!lines.empty() && lines.back().objective <= lines.front().objective,
              "its lines say what was found");
}

// Watched, short of memory, stopped again and again.
void watch_and_go_on(std::size_t memory, std::uint64_t nodes) {
  const Problem problem = Data(7).problem(Layout::rows);
  SearchOptions options;
  options.max_depth = 4;
  options.regularization = 0.001;
  options.solver = Solver::search;
  options.n_threads = 4;
  options.greedy_from = 0;
  Search search(problem, options);
  bool are_bounds_apart = true;
  search.limits().set_listener([&] {
    const Progress now = search.snapshot();
    are_bounds_apart &= now.lower_bound <= now.objective;
  });
  RunLimits limits;
  limits.wants_bounds = true;
  limits.memory_limit_bytes = memory;
  limits.node_limit = nodes;
  Result r = search.run(limits);
  std::size_t n_stops = 0;
  for (; r.status == Status::node_limit; ++n_stops) r = search.run(limits);
  check::that(nodes == kNoLimit || n_stops > 0, "it was stopped");
  check::that((memory == SIZE_MAX) == (r.cache_shed == 0), "what does not fit is forgotten");
  check::that(are_bounds_apart, "bounds never cross");
  const Result plain = solved(problem, Solver::search, 1);
  check::that(r.status == Status::optimal && r.objective == plain.objective,
              "a search that was watched and stopped finds the optimum");
}

void fail_in_a_batch() {
  Team team(3);
  bool threw = false;
  try {
    team.run(
        0, 100,
        [&](std::size_t, std::size_t i) {
          if (i == 5) throw std::runtime_error("five");
        },
        [] {});
  } catch (const std::runtime_error&) {
    threw = true;
  }
  check::that(threw, "a task that fails is heard of");
}

}  // namespace

int main() {
  compare(Layout::rows, Solver::search, "four threads search to the same tree");
  compare(Layout::blocks, Solver::search, "also by blocks");
  compare(Layout::rows, Solver::lattice, "four threads fill a lattice to the same tree");
  for (const Layout layout : {Layout::rows, Layout::blocks})
    for (const std::size_t max_leaves : {SIZE_MAX, std::size_t{7}})
      compare_paths(layout, max_leaves);
  search_small_tables();
  watch_and_stop_a_path();
  fail_in_a_batch();

  const Problem problem = Data(8).problem(Layout::rows);
  SearchOptions options;
  options.n_threads = 4;
  options.regularization = 0.0;
  options.solver = Solver::search;
  Search search(problem, options);
  std::thread stopper([&] { search.limits().interrupt(); });
  const Result stopped = search.run();
  stopper.join();
  check::that(stopped.lower_bound <= stopped.objective, "a stopped search has valid bounds");
  watch_and_go_on(SIZE_MAX, 100);
  watch_and_go_on(1, kNoLimit);
  return check::report();
}
