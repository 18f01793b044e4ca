// A good tree early: greedy trees that look a few levels ahead. They only lower the incumbent, and
// with it budgets; no proof rests on them.
#include <algorithm>
#include <utility>

#include "search.hpp"
#include "search_worker.hpp"

namespace survtree {
namespace {

constexpr int kLookAhead = 2;
constexpr double kShareOfWork = 0.25;

}  // namespace

// One greedy tree for each first question, the most promising first, for as long as that is a small
// part of the work done so far. Small trees are cached as they are solved, so nothing is done
// twice.
void Search::start_greedily(int solved_depth) {
  Worker& w = *workers_[0];
  if (w.stats.lane_rows < options_.greedy_from) return;
  const auto limit = static_cast<double>(w.stats.lane_rows) * (1.0 + kShareOfWork);
  SplitRow& split = w.level(0).split;
  split_all(w, root_, true, split);
  std::vector<std::uint32_t> order;
  order_lanes(split, order);
  const double before = incumbent_objective_;
  for (std::uint32_t lane : order) {
    if (limits_.is_stopped() || static_cast<double>(w.stats.lane_rows) > limit) break;
    offer(greedy_split(w, root_, lane, final_depth_, 0),
          "greedy after depth " + std::to_string(solved_depth));
  }
  if (incumbent_objective_ < before) log_progress();
}

// Asks the first question of the best tree of a few levels, then goes on likewise in both parts;
// keeps the tree of a few levels where that is no worse.
Tree Search::greedy_tree(Worker& w, Subset& s, int depth, std::size_t k) {
  const int useful = std::min(depth, depth_worth_trying(s));
  if (useful <= 0 || bounds_.no_split_pays(s.facts)) return leaf_of(s);
  const int near = std::min(kLookAhead, useful);
  const Answer answer = solve(w, s, near, Bounds::no_limit, k);
  if (!answer.is_solved || answer.question == kLeaf) return leaf_of(s);
  Tree shallow = stored_tree(w, s, near, k);
  if (useful <= kLookAhead || limits_.is_stopped()) return shallow;
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
  return std::make_shared<TreeNode>(
      TreeNode{question, std::move(no_tree), std::move(yes_tree), 0.0, 0});
}

}  // namespace survtree
