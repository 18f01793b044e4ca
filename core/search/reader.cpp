#include "search/reader.hpp"

#include "data/contract.hpp"

namespace survtree {

Tree TreeReader::stored_tree(Worker& w, Subset& s, int depth, double value, std::size_t k) {
  const int useful = std::min(depth, solver_.useful_depth(s));
  const bool must_split = k == 0 && solver_.must_split();
  if (useful == 0 || (!must_split && solver_.bounds().no_split_pays(s.facts)))
    return leaf_of(s.facts.loss);
  solver_.make_key(s);
  std::optional<SubsetResult> past = solver_.cached(s, useful);
  // What was dropped, or never kept since it was solved with the level above, is solved again.
  if ((!past || !past->is_solved) && (solver_.cache().n_shed() > 0 || solver_.may_solve_pairs()))
    past = solver_.solve(w, s, useful, value, k);
  if (!past || !past->is_solved || past->question == kLeaf)
    return must_split ? best_first_split() : leaf_of(s.facts.loss);
  const SplitRow& split = solver_.splitter().split(w, s, k);
  const std::size_t lane = split.lane_of(static_cast<std::uint32_t>(past->question));
  return stored_split(w, s, split, lane, useful, past->value, k);
}

Tree TreeReader::stored_split(Worker& w, const Subset& s, const SplitRow& split, std::size_t lane,
                              int depth, double value, std::size_t k) {
  auto [no, yes] = parts_of(s, split, lane, w.level(k).parts);
  const auto question = static_cast<std::int32_t>(split.question[lane]);
  const Bounds& bounds = solver_.bounds();
  value -= solver_.penalty_of(split.question[lane]);
  Tree no_tree = stored_tree(w, no, depth - 1, value - bounds.any_tree(yes.facts), k + 1);
  Tree yes_tree = stored_tree(w, yes, depth - 1, value - bounds.any_tree(no.facts), k + 1);
  return split_of(question, std::move(no_tree), std::move(yes_tree));
}

Tree TreeReader::best_first_split() {
  const SplitRow& split = solver_.splitter().split(solver_.worker(), solver_.root(), 0);
  std::vector<std::uint32_t> order;
  split.order_by_loss(solver_.problem().rules, order);
  const auto best = std::ranges::find_if(
      order, [&](std::uint32_t lane) { return solver_.is_allowed(split.question[lane], 0); });
  require(best != order.end(), "some question may split all rows");
  return split_of(static_cast<std::int32_t>(split.question[*best]), leaf_of(split.no.loss[*best]),
                  leaf_of(split.yes.loss[*best]));
}

Tree TreeReader::with_losses(Subset& s, const Tree& tree, std::size_t k) {
  if (tree->question == kLeaf) return leaf_of(s.facts.loss);
  auto [no, yes] = solver_.splitter().split_on(solver_.worker(), s, tree->question, k);
  Tree no_tree = with_losses(no, tree->no, k + 1), yes_tree = with_losses(yes, tree->yes, k + 1);
  return split_of(tree->question, std::move(no_tree), std::move(yes_tree));
}

std::vector<Tree> TreeReader::optimal_trees(const Lattice* lattice, int depth, double optimum,
                                            std::size_t limit) {
  lattice_ = lattice;
  return trees({solver_.root(), {}, depth, optimum, limit, 0});
}

std::vector<Tree> TreeReader::trees(const Reading& r) {
  std::vector<Tree> out;
  const SubsetFacts& facts = r.subset.facts;
  const bool must_split = r.level == 0 && solver_.must_split();
  if (!must_split && solver_.bounds().as_leaf(facts) <= r.optimum + solver_.tolerance())
    out.push_back(leaf_of(facts.loss));
  if (out.size() < r.limit && std::min(r.depth, solver_.useful_depth(r.subset)) > 0)
    trees_that_split(r, out);
  return out;
}

std::optional<double> TreeReader::optimum_of(Subset& s, const Lattice::Cell& cell, int depth,
                                             double budget, std::size_t k) {
  if (lattice_ != nullptr) return lattice_->optimum(cell);
  const SubsetResult result = solver_.solve(solver_.worker(), s, depth, budget, k);
  return result.is_solved ? std::optional(result.value) : std::nullopt;
}

void TreeReader::trees_that_split(const Reading& r, std::vector<Tree>& out) {
  Worker& w = solver_.worker();
  const std::size_t k = r.level;
  const SplitRow& split = solver_.splitter().split(w, r.subset, k);
  // What was solved without a look at its splits has no key yet; those of its parts follow from it.
  if (lattice_ == nullptr) solver_.make_key(r.subset);
  for (std::size_t lane = 0; lane < split.n_lanes && !solver_.should_stop(w); ++lane) {
    const std::uint32_t q = split.question[lane];
    if (!solver_.is_allowed(q, k)) continue;
    const double of_parts = r.optimum - solver_.penalty_of(q);
    const double optimum = of_parts + solver_.tolerance();  // ties are within it
    const double yes_floor = solver_.part_bound(split, lane, true);
    if (solver_.part_bound(split, lane, false) + yes_floor > optimum) continue;
    auto [no, yes] = parts_of(r.subset, split, lane, w.level(k).parts);
    const Lattice::Cell no_cell = r.cell.with(q, false), yes_cell = r.cell.with(q, true);
    const auto a = optimum_of(no, no_cell, r.depth - 1, of_parts - yes_floor, k + 1);
    if (!a) continue;
    const auto b = optimum_of(yes, yes_cell, r.depth - 1, of_parts - *a, k + 1);
    if (!b || *a + *b > optimum) continue;
    const std::size_t limit = r.limit - out.size();
    const auto no_trees = trees({no, no_cell, r.depth - 1, *a, limit, k + 1});
    const auto yes_trees = trees({yes, yes_cell, r.depth - 1, *b, limit, k + 1});
    for (const Tree& x : no_trees) {
      for (const Tree& y : yes_trees) {
        out.push_back(split_of(static_cast<std::int32_t>(q), x, y));
        if (out.size() == r.limit) return;
      }
    }
  }
}

}  // namespace survtree
