// What one search has found serves another of the same problem.
#include "check.hpp"
#include "random_table.hpp"
#include "search/search.hpp"

using namespace survtree;

namespace {

SearchOptions options() {
  SearchOptions out;
  out.max_depth = 4;
  out.regularization = 0.0005;
  out.min_samples_leaf = 3;
  out.solver = Solver::search;  // a lattice has no use for results of others
  return out;
}

void check_same(const Result& a, const Result& b) {
  check::that(a.status == Status::optimal && b.status == Status::optimal, "both are closed");
  check::that(a.objective == b.objective && a.lower_bound == b.lower_bound, "the same bounds");
  check::that(leaves_of(a.tree) == leaves_of(b.tree), "as many leaves");
}

void all_results_leave_little_to_do() {
  const Problem p = RandomTable(200, 10, 5).problem();
  Search first(p, options()), second(p, options());
  const Result alone = first.run();
  second.solver().cache().add(first.solver().cache().all());
  const Result told = second.run();
  check_same(alone, told);
  check::that(told.stats.subsets_solved < alone.stats.subsets_solved / 2, "far fewer are solved");
}

void new_results_are_listed_once() {
  const Problem p = RandomTable(200, 10, 6).problem();
  Search first(p, options()), second(p, options());
  first.solver().cache().list_new(2000);
  second.solver().cache().list_new(2000);
  const Result alone = first.run();
  for (const bool is_costly : {true, false}) {
    const auto found = first.solver().cache().take_new(is_costly);
    check::that(!found.empty(), "something was found");
    check::that(first.solver().cache().take_new(is_costly).empty(), "and is told once");
    second.solver().cache().add(found);
    check::that(second.solver().cache().take_new(is_costly).empty(), "nothing is passed on");
  }
  const Result told = second.run();
  check_same(alone, told);
  check::that(told.stats.subsets_solved < alone.stats.subsets_solved, "fewer are solved");
}

}  // namespace

int main() {
  all_results_leave_little_to_do();
  new_results_are_listed_once();
  return check::report();
}
