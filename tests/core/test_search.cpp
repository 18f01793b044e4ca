#include <thread>

#include "check.hpp"
#include "random_table.hpp"
#include "search/search.hpp"
#include "worked_example.hpp"

using namespace survtree;

namespace {

void one_leaf_when_no_split_pays() {
  const Problem p = worked::problem();
  SearchOptions options;
  options.min_samples_leaf = 1;
  options.regularization = 0.0;
  Search search(p, options);
  const Result r = search.run();
  check::that(r.status == Status::optimal && leaves_of(r.tree) == 1, "the split does not pay");
  check::close(r.objective, 0.163845486111, "objective of the lone leaf", 1e-12);
}

void more_depth_never_hurts() {
  const Problem p = RandomTable(120, 6, 7).problem();
  double last = Bounds::no_limit;
  for (int depth = 0; depth <= 5; ++depth) {
    SearchOptions options;
    options.max_depth = depth;
    options.regularization = 0.0005;
    options.min_samples_leaf = 3;
    options.check_keys = true;
    const Result r = Search(p, options).run();
    check::that(r.status == Status::optimal, "closed at every depth");
    check::that(r.objective <= last + 1e-15, "more depth never hurts");
    last = r.objective;
  }
}

void an_interrupted_search_keeps_its_promises() {
  const Problem p = RandomTable(2000, 40, 3).problem();
  SearchOptions options;
  options.max_depth = 6;
  options.regularization = 0.00001;
  Search search(p, options);
  Result r;
  std::thread worker([&] { r = search.run(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  search.limits().interrupt();
  worker.join();
  check::that(r.status == Status::interrupted, "the status says why it stopped");
  check::that(r.lower_bound < r.objective, "an open gap is shown open");
  check::that(r.tree != nullptr, "there is a tree all the same");
  check::close(r.objective, loss_of(r.tree) + 0.00001 * static_cast<double>(leaves_of(r.tree)),
               "the objective is that of the tree");
}

}  // namespace

int main() {
  one_leaf_when_no_split_pays();
  more_depth_never_hurts();
  an_interrupted_search_keeps_its_promises();
  return check::report();
}
