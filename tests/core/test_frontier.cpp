// The best trees by number of leaves: that they are trees of the search, and that limits are kept.
#include "check.hpp"
#include "random_table.hpp"
#include "search/frontier.hpp"
#include "search/search.hpp"

using namespace survtree;

namespace {

double objective(const Tree& tree, double penalty) {
  return loss_of(tree) + penalty * static_cast<double>(leaves_of(tree));
}

void a_path_has_the_optimum_of_each_penalty(Layout layout) {
  const Problem p = RandomTable(150, 8, 3).problem(layout);
  FrontierOptions options;
  options.max_depth = 3;
  options.min_regularization = 0.0005;
  const FrontierResult path = Frontier(p, options).run({});
  check::that(path.is_complete && path.trees.size() > 2, "a path of several trees");
  for (const double penalty : {0.0005, 0.001, 0.003, 0.01, 0.1}) {
    SearchOptions single;
    single.max_depth = 3;
    single.regularization = penalty;
    double best = Bounds::no_limit;
    for (const Tree& tree : path.trees) best = std::min(best, objective(tree, penalty));
    check::close(best, Search(p, single).run().objective, "the optimum is on the path", 1e-12);
  }
  options.max_leaves = 3;
  for (const Tree& tree : Frontier(p, options).run({}).trees)
    check::that(leaves_of(tree) <= 3, "the limit on leaves is kept");
}

void stopped_it_has_what_it_finished() {
  const Problem p = RandomTable(300, 20, 5).problem();
  FrontierOptions options;
  options.min_regularization = 0.0;
  for (const auto& [memory, nodes] :
       {std::pair<std::size_t, std::uint64_t>{SIZE_MAX, 100}, {200'000, kNoLimit}}) {
    RunLimits limits;
    limits.memory_limit_bytes = memory;
    limits.node_limit = nodes;
    const FrontierResult r = Frontier(p, options).run(limits);
    check::that(!r.is_complete && !r.trees.empty(), "there are trees all the same");
    check::that(r.status == (nodes == 100 ? Status::node_limit : Status::memory_limit),
                "the status says why it stopped");
  }
}

// What the first splits tried so far have led to is not lost.
void stopped_halfway_it_has_trees_of_the_depth_begun() {
  const Problem p = RandomTable(300, 20, 5).problem();
  FrontierOptions options;
  options.min_regularization = 0.0;
  options.max_depth = 2;
  const FrontierResult two = Frontier(p, options).run({});
  options.max_depth = 3;
  const FrontierResult three = Frontier(p, options).run({});
  RunLimits limits;
  limits.node_limit = (two.stats.subsets_solved + 3 * three.stats.subsets_solved) / 4;
  const FrontierResult part = Frontier(p, options).run(limits);
  check::that(part.status == Status::node_limit, "it was stopped");
  const double loss = loss_of(part.trees.back());
  check::that(loss < loss_of(two.trees.back()), "better than the depth before");
  check::that(loss >= loss_of(three.trees.back()) - 1e-12, "and not better than the whole depth");
  for (std::size_t k = 1; k < part.trees.size(); ++k)
    check::that(leaves_of(part.trees[k - 1]) < leaves_of(part.trees[k]), "fewest leaves first");
}

}  // namespace

int main() {
  a_path_has_the_optimum_of_each_penalty(Layout::rows);
  a_path_has_the_optimum_of_each_penalty(Layout::blocks);
  stopped_it_has_what_it_finished();
  stopped_halfway_it_has_trees_of_the_depth_begun();
  return check::report();
}
