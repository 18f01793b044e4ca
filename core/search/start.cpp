// A good tree early: greedy trees that look a few levels ahead, and better ones near the best so
// far. They only lower the incumbent, and with it budgets; no proof rests on them.
#include <algorithm>
#include <utility>

#include "search/search.hpp"
#include "search/search_worker.hpp"

namespace survtree {
namespace {

// Of the work done so far; more where a good tree early is all there may be to show.
constexpr double kShareOfWork = 0.25, kGenerousShare = 1.0;
constexpr std::uint64_t kSoonerIfWanted = 10;

Tree split_of(std::int32_t question, Tree no, Tree yes) {
  return std::make_shared<TreeNode>(TreeNode{question, std::move(no), std::move(yes), 0.0, 0});
}

}  // namespace

// Whenever nothing better is near, the next look goes a level further.
void Search::look_for_trees() {
  const std::uint64_t done = workers_[0]->stats.lane_rows;
  const bool is_wanted = run_limits_.wants_bounds;
  if (done < options_.greedy_from / (is_wanted ? kSoonerIfWanted : 1)) return;
  const double before = incumbent_objective_;
  const double share = is_wanted ? kGenerousShare : kShareOfWork;
  with_share_of_work(share * static_cast<double>(done), [&] {
    for (; look_ahead_ < final_depth_; ++look_ahead_) {
      const std::string ahead = std::to_string(look_ahead_) + " ahead";
      start_greedily(std::string("greedy, ").append(ahead));
      improve(std::string("improved, ").append(ahead));
      if (limits_.is_stopped()) return;
    }
  });
  if (incumbent_objective_ < before) log_progress();
}

// One greedy tree for each first question, the most promising first. Small trees are cached as they
// are solved, so nothing is done twice.
void Search::start_greedily(const std::string& found_by) {
  Worker& w = *workers_[0];
  SplitRow& split = w.level(0).split;
  split_all(w, root_, true, split);
  std::vector<std::uint32_t> order;
  order_lanes(split, order);
  for (std::uint32_t lane : order) {
    if (should_stop(w)) return;
    offer(greedy_split(w, root_, lane, final_depth_, 0), found_by);
  }
}

// The best tree so far, changed for the better at one node after another until nothing helps.
void Search::improve(const std::string& found_by) {
  double before = Bounds::no_limit;
  while (incumbent_objective_ < before && !limits_.is_stopped()) {
    before = incumbent_objective_;
    offer(improved_tree(*workers_[0], root_, incumbent_, final_depth_, 0), found_by);
  }
}

// Both parts are improved first. Then greedy trees that ask another question here are tried, but at
// the root, where start_greedily() has done so.
Tree Search::improved_tree(Worker& w, Subset& s, const Tree& tree, int depth, std::size_t k) {
  if (tree->question == kLeaf) {
    Tree deeper = greedy_tree(w, s, depth, k);
    return objective_of(deeper) < objective_of(tree) ? deeper : tree;
  }
  SplitRow& split = w.level(k).split;
  make_key(s);  // those of its parts follow from it
  split_all(w, s, true, split);
  const std::size_t lane = split.lane_of(static_cast<std::uint32_t>(tree->question));
  Subset no = w.part(s, split, lane, false, k), yes = w.part(s, split, lane, true, k);
  Tree no_tree = improved_tree(w, no, tree->no, depth - 1, k + 1);
  Tree yes_tree = improved_tree(w, yes, tree->yes, depth - 1, k + 1);
  Tree best = split_of(tree->question, std::move(no_tree), std::move(yes_tree));
  if (k == 0) return best;
  std::vector<std::uint32_t> order;
  order_lanes(split, order);
  for (std::uint32_t other : order) {
    if (should_stop(w)) return best;
    if (child_bound(split, other, false) + child_bound(split, other, true) > objective_of(best))
      continue;
    Tree tried = greedy_split(w, s, other, depth, k);
    if (objective_of(tried) < objective_of(best)) best = std::move(tried);
  }
  return best;
}

// Asks the first question of the best tree of a few levels, then goes on likewise in both parts;
// keeps the tree of a few levels where that is no worse.
Tree Search::greedy_tree(Worker& w, Subset& s, int depth, std::size_t k) {
  const int useful = std::min(depth, depth_worth_trying(s));
  if (useful <= 0 || bounds_.no_split_pays(s.facts)) return leaf_of(s);
  const int near = std::min(look_ahead_, useful);
  const Answer answer = solve(w, s, near, Bounds::no_limit, k);
  if (!answer.is_solved || answer.question == kLeaf) return leaf_of(s);
  Tree shallow = stored_tree(w, s, near, answer.value, k);
  if (useful <= look_ahead_ || limits_.is_stopped()) return shallow;
  SplitRow& split = w.level(k).split;
  split_all(w, s, true, split);
  Tree deep =
      greedy_split(w, s, split.lane_of(static_cast<std::uint32_t>(answer.question)), useful, k);
  return objective_of(deep) < objective_of(shallow) ? deep : shallow;
}

// The split row of level k is that of the subset.
Tree Search::greedy_split(Worker& w, const Subset& s, std::size_t lane, int depth, std::size_t k) {
  const SplitRow& split = w.level(k).split;
  Subset no = w.part(s, split, lane, false, k), yes = w.part(s, split, lane, true, k);
  const auto question = static_cast<std::int32_t>(split.question[lane]);
  Tree no_tree = greedy_tree(w, no, depth - 1, k + 1);
  Tree yes_tree = greedy_tree(w, yes, depth - 1, k + 1);
  return split_of(question, std::move(no_tree), std::move(yes_tree));
}

void Search::start_from(const Tree& tree, double lower_bound, const std::string& found_by) {
  lower_bound_ = std::max(lower_bound_.load(), lower_bound);
  offer(as_stated(*workers_[0], root_, tree, 0), found_by);
}

// The tree with the losses of its leaves.
Tree Search::as_stated(Worker& w, Subset& s, const Tree& tree, std::size_t k) {
  if (tree->question == kLeaf) return leaf_of(s);
  SplitRow& split = w.level(k).split;
  split_all(w, s, true, split);
  const std::size_t lane = split.lane_of(static_cast<std::uint32_t>(tree->question));
  Subset no = w.part(s, split, lane, false, k), yes = w.part(s, split, lane, true, k);
  Tree no_tree = as_stated(w, no, tree->no, k + 1);
  Tree yes_tree = as_stated(w, yes, tree->yes, k + 1);
  return split_of(tree->question, std::move(no_tree), std::move(yes_tree));
}

}  // namespace survtree
