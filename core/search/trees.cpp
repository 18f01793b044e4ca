// Reading trees off what the search has proven: the incumbent, and all optimal trees.
#include <algorithm>
#include <utility>

#include "data/contract.hpp"
#include "search/search.hpp"
#include "search/search_worker.hpp"

namespace survtree {

double loss_of(const Tree& tree) {
  return tree->question == kLeaf ? tree->loss : loss_of(tree->no) + loss_of(tree->yes);
}

std::size_t leaves_of(const Tree& tree) {
  return tree->question == kLeaf ? 1 : leaves_of(tree->no) + leaves_of(tree->yes);
}

Tree Search::leaf_of(const Subset& s) const {
  return std::make_shared<TreeNode>(TreeNode{kLeaf, nullptr, nullptr, s.facts.loss, s.n_rows});
}

// The tree behind a cached answer, which costs no more than `value`. A subset the cache knows
// nothing of was closed as a leaf, or has been forgotten since: then it is solved again.
Tree Search::stored_tree(Worker& w, Subset& s, int depth, double value, std::size_t k) {
  const int useful = std::min(depth, depth_worth_trying(s));
  if (useful == 0 || bounds_.no_split_pays(s.facts)) return leaf_of(s);
  make_key(s);
  std::optional<Answer> past = known(s, useful);
  if ((!past || !past->is_solved) && cache_.n_shed() > 0) past = solve(w, s, useful, value, k);
  if (!past || !past->is_solved || past->question == kLeaf) return leaf_of(s);
  SplitRow& split = w.level(k).split;
  split_all(w, s, true, split);
  const std::size_t lane = split.lane_of(static_cast<std::uint32_t>(past->question));
  return stored_split(w, s, split, lane, useful, past->value, k);
}

Tree Search::stored_split(Worker& w, const Subset& s, const SplitRow& split, std::size_t lane,
                          int depth, double value, std::size_t k) {
  Subset no = w.part(s, split, lane, false, k), yes = w.part(s, split, lane, true, k);
  const auto question = static_cast<std::int32_t>(split.question[lane]);
  Tree no_tree = stored_tree(w, no, depth - 1, value - bounds_.any_tree(yes.facts), k + 1);
  Tree yes_tree = stored_tree(w, yes, depth - 1, value - bounds_.any_tree(no.facts), k + 1);
  return std::make_shared<TreeNode>(
      TreeNode{question, std::move(no_tree), std::move(yes_tree), 0.0, 0});
}

// Trees that attain the optimum, in the order of the tie rule: the leaf first, then by first
// question in tie order (Problem::column_of), then likewise in the no and the yes subtree.
std::vector<Tree> Search::trees(const Reading& r) {
  std::vector<Tree> out;
  if (bounds_.as_leaf(r.subset.facts) <= r.optimum + tolerance_) out.push_back(leaf_of(r.subset));
  if (out.size() < r.limit && std::min(r.depth, depth_worth_trying(r.subset)) > 0)
    trees_that_split(r, out);
  return out;
}

std::optional<double> Search::optimum_of(Subset& s, const Lattice::Cell& cell, int depth,
                                         double budget, std::size_t k) {
  if (lattice_ != nullptr) return lattice_->optimum(cell);
  const Answer answer = solve(*workers_[0], s, depth, budget, k);
  return answer.is_solved ? std::optional(answer.value) : std::nullopt;
}

void Search::trees_that_split(const Reading& r, std::vector<Tree>& out) {
  Worker& w = *workers_[0];
  const std::size_t k = r.level;
  const SplitRow& split = w.level(k).split;
  split_all(w, r.subset, true, w.level(k).split);
  // What was solved without a look at its splits has no key yet; those of its parts follow from it.
  if (lattice_ == nullptr) make_key(r.subset);
  for (std::size_t lane = 0; lane < split.n_lanes && !should_stop(w); ++lane) {
    const double yes_floor = child_bound(split, lane, true);
    if (child_bound(split, lane, false) + yes_floor > r.optimum + tolerance_) continue;
    const std::uint32_t q = split.question[lane];
    Subset no = w.part(r.subset, split, lane, false, k),
           yes = w.part(r.subset, split, lane, true, k);
    const Lattice::Cell no_cell = r.cell.with(q, false), yes_cell = r.cell.with(q, true);
    const auto a = optimum_of(no, no_cell, r.depth - 1, r.optimum - yes_floor, k + 1);
    if (!a) continue;
    const auto b = optimum_of(yes, yes_cell, r.depth - 1, r.optimum - *a, k + 1);
    if (!b || *a + *b > r.optimum + tolerance_) continue;
    const std::size_t limit = r.limit - out.size();
    const auto no_trees = trees({no, no_cell, r.depth - 1, *a, limit, k + 1});
    const auto yes_trees = trees({yes, yes_cell, r.depth - 1, *b, limit, k + 1});
    for (const Tree& x : no_trees) {
      for (const Tree& y : yes_trees) {
        out.push_back(
            std::make_shared<TreeNode>(TreeNode{static_cast<std::int32_t>(q), x, y, 0.0, 0}));
        if (out.size() == r.limit) return;
      }
    }
  }
}

std::vector<Tree> Search::optimal_trees(std::size_t limit) {
  require(solved_depth_ >= 0, "all optimal trees are read only after a finished run");
  // Deeper than it was solved: trees that ask more and cost the same are among them.
  return trees({root_, {}, final_depth_, answer_.value, limit, 0});
}

double Search::objective_of(const Tree& tree) const {
  return loss_of(tree) + options_.regularization * static_cast<double>(leaves_of(tree));
}

void Search::offer(Tree tree, const std::string& found_by) {
  const std::lock_guard lock(incumbent_mutex_);
  const double objective = objective_of(tree);
  if (incumbent_ != nullptr && objective >= incumbent_objective_) return;
  incumbent_ = std::move(tree);
  incumbent_objective_ = objective;
  found_by_ = found_by;
}

Progress Search::snapshot() {
  Stats stats;
  for (const auto& worker : workers_) stats.add(worker->stats);
  const std::lock_guard lock(incumbent_mutex_);
  return {limits_.seconds(),
          std::min(proven_bound(), incumbent_objective_),
          incumbent_objective_,
          leaves_of(incumbent_),
          found_by_,
          stats};
}

void Search::log_progress() {
  Progress now = snapshot();
  const std::lock_guard lock(progress_mutex_);
  progress_.push_back(std::move(now));
}

std::vector<Progress> Search::take_progress() {
  const std::lock_guard lock(progress_mutex_);
  return std::exchange(progress_, {});
}

}  // namespace survtree
