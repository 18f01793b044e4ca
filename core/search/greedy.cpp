#include "search/greedy.hpp"

namespace survtree {

constexpr double kShareOfWork = 0.25, kGenerousShare = 1.0;
constexpr std::uint64_t kSoonerIfWanted = 10;

void GreedyStarts::look_for_trees() {
  const bool is_wanted = solver_.limits().of_run().wants_bounds;
  const std::uint64_t done = solver_.worker().stats.lane_rows;
  if (done < solver_.options().greedy_from / (is_wanted ? kSoonerIfWanted : 1)) return;
  const double share = is_wanted ? kGenerousShare : kShareOfWork;
  solver_.with_share_of_work(share * static_cast<double>(done), [&] {
    for (; look_ahead_ < solver_.final_depth(); ++look_ahead_) {
      const std::string ahead = std::to_string(look_ahead_) + " ahead";
      try_first_questions(std::string("greedy, ").append(ahead));
      improve(std::string("improved, ").append(ahead));
      if (solver_.limits().is_stopped()) return;
    }
  });
}

// One greedy tree for each first question, the most promising first. Small trees are cached as they
// are solved, so nothing is done twice.
void GreedyStarts::try_first_questions(const std::string& found_by) {
  Worker& w = solver_.worker();
  std::vector<std::uint32_t> order;
  const SplitRow& split = solver_.splitter().split(w, solver_.root(), 0);
  split.order_by_loss(solver_.problem().rules, order);
  for (std::uint32_t lane : order) {
    if (solver_.should_stop(w)) return;
    if (!solver_.is_allowed(split.question[lane], 0)) continue;
    incumbent_.offer(greedy_split(solver_.root(), lane, solver_.final_depth(), 0), found_by);
  }
}

// The best tree so far, changed for the better at one node after another until nothing helps.
void GreedyStarts::improve(const std::string& found_by) {
  double before = Bounds::no_limit;
  while (incumbent_.objective() < before && !solver_.limits().is_stopped()) {
    before = incumbent_.objective();
    incumbent_.offer(improved_tree(solver_.root(), incumbent_.tree(), solver_.final_depth(), 0),
                     found_by);
  }
}

// Both parts are improved first. Then greedy trees that split on another question here are tried,
// but at the root, where try_first_questions() has done so.
Tree GreedyStarts::improved_tree(Subset& s, const Tree& tree, int depth, std::size_t k) {
  if (tree->question == kLeaf) {
    Tree deeper = greedy_tree(s, depth, k);
    return incumbent_.objective_of(deeper) < incumbent_.objective_of(tree) ? deeper : tree;
  }
  Worker& w = solver_.worker();
  solver_.make_key(s);  // those of its parts follow from it
  auto [no, yes] = solver_.splitter().split_on(w, s, tree->question, k);
  Tree no_tree = improved_tree(no, tree->no, depth - 1, k + 1);
  Tree yes_tree = improved_tree(yes, tree->yes, depth - 1, k + 1);
  Tree best = split_of(tree->question, std::move(no_tree), std::move(yes_tree));
  if (k == 0) return best;
  const SplitRow& split = w.level(k).split;
  std::vector<std::uint32_t> order;
  split.order_by_loss(solver_.problem().rules, order);
  for (std::uint32_t lane : order) {
    if (solver_.should_stop(w)) return best;
    const double bound = solver_.part_bound(split, lane, false) +
                         solver_.part_bound(split, lane, true) +
                         solver_.penalty_of(split.question[lane]);
    if (bound > incumbent_.objective_of(best)) continue;
    Tree tried = greedy_split(s, lane, depth, k);
    if (incumbent_.objective_of(tried) < incumbent_.objective_of(best)) best = std::move(tried);
  }
  return best;
}

// Splits on the first question of the best tree of a few levels, then goes on likewise in both
// parts; keeps the tree of a few levels where that is no worse.
Tree GreedyStarts::greedy_tree(Subset& s, int depth, std::size_t k) {
  Worker& w = solver_.worker();
  const int useful = std::min(depth, solver_.useful_depth(s));
  if (useful <= 0 || solver_.bounds().no_split_pays(s.facts)) return leaf_of(s.facts.loss);
  const int near = std::min(look_ahead_, useful);
  const SubsetResult best = solver_.solve(w, s, near, Bounds::no_limit, k);
  if (!best.is_solved || best.question == kLeaf) return leaf_of(s.facts.loss);
  Tree shallow = reader_.stored_tree(w, s, near, best.value, k);
  if (useful <= look_ahead_ || solver_.limits().is_stopped()) return shallow;
  const SplitRow& split = solver_.splitter().split(w, s, k);
  const std::size_t lane = split.lane_of(static_cast<std::uint32_t>(best.question));
  Tree deep = greedy_split(s, lane, useful, k);
  return incumbent_.objective_of(deep) < incumbent_.objective_of(shallow) ? deep : shallow;
}

// The split row of level k is that of the subset.
Tree GreedyStarts::greedy_split(const Subset& s, std::size_t lane, int depth, std::size_t k) {
  Worker::Level& scratch = solver_.worker().level(k);
  auto [no, yes] = parts_of(s, scratch.split, lane, scratch.parts);
  const auto question = static_cast<std::int32_t>(scratch.split.question[lane]);
  Tree no_tree = greedy_tree(no, depth - 1, k + 1), yes_tree = greedy_tree(yes, depth - 1, k + 1);
  return split_of(question, std::move(no_tree), std::move(yes_tree));
}

}  // namespace survtree
