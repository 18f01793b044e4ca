// Reading trees off what is proven, where splits are cuts.
#include "search/cut_solver.hpp"

namespace survtree {

Tree CutSolver::root_tree(int depth, double value) { return read(root_, depth, value, 0); }

Tree CutSolver::root_tree_with(std::uint32_t cut, int depth, double value) {
  return read_split(root_, cut, depth, value, 0);
}

Tree CutSolver::with_losses(const Tree& tree) { return with_losses(root_, tree, 0); }

// What the cache has lost, or never had, is solved again.
Tree CutSolver::read(const CutSubset& s, int depth, double value, std::size_t k) {
  const int useful = std::min(depth, useful_depth(s));
  const CutResult* past =
      useful > 0 && options_.switches.permutation ? cache_.find(s.key, useful) : nullptr;
  CutResult result;
  if (past != nullptr && past->is_solved) {
    result = *past;
  } else {
    Table table;
    result = solve(s, useful, value + tolerance_, {}, k, table);
  }
  if (!result.is_solved || result.cut == kLeaf)
    return must_split(s) ? first_split_ : leaf_of(s.loss);
  const std::uint32_t cut = first_like(s, static_cast<std::uint32_t>(result.cut));
  return read_split(s, cut, useful, result.value, k);
}

Tree CutSolver::read_split(const CutSubset& s, std::uint32_t cut, int depth, double value,
                           std::size_t k) {
  auto [no, yes] = parts_alone(s, cut);
  value -= penalty_of(cut);
  Tree no_tree = read(no.subset, depth - 1, value - relaxed(yes.subset), k + 1);
  Tree yes_tree = read(yes.subset, depth - 1, value - relaxed(no.subset), k + 1);
  return split_of(static_cast<std::int32_t>(cut), std::move(no_tree), std::move(yes_tree));
}

Tree CutSolver::with_losses(const CutSubset& s, const Tree& tree, std::size_t k) {
  if (tree->question == kLeaf) return leaf_of(s.loss);
  auto [no, yes] = parts_alone(s, static_cast<std::uint32_t>(tree->question));
  Tree no_tree = with_losses(no.subset, tree->no, k + 1);
  Tree yes_tree = with_losses(yes.subset, tree->yes, k + 1);
  return split_of(tree->question, std::move(no_tree), std::move(yes_tree));
}

// Both sides with memory of their own, apart from any search that is under way.
std::pair<CutSolver::Part, CutSolver::Part> CutSolver::parts_alone(const CutSubset& s,
                                                                   std::uint32_t cut) {
  Level at;
  part(s, cut, at);
  stats_.lane_rows += splitter_.split(s.rows, std::span(&cut, 1), {}, at.row);
  set_facts(at, 0);
  return {std::move(at.no_part), std::move(at.yes_part)};
}

std::vector<Tree> CutSolver::optimal_trees(int depth, double optimum, std::size_t limit) {
  return trees(root_, depth, optimum, limit, 0);
}

// A leaf first, if it is as good; then by first cut in tie order, then likewise in both sides.
std::vector<Tree> CutSolver::trees(const CutSubset& s, int depth, double optimum, std::size_t limit,
                                   std::size_t k) {
  std::vector<Tree> out;
  if (as_leaf(s) <= optimum + tolerance_) out.push_back(leaf_of(s.loss));
  const int useful = std::min(depth, useful_depth(s));
  if (out.size() >= limit || useful == 0) return out;
  for (std::uint32_t cut : tied_cuts(s, useful, optimum, k)) {
    if (should_stop()) return out;
    auto [no, yes] = parts_alone(s, cut);
    const double of_parts = optimum - penalty_of(cut);
    Table table;
    const CutResult a =
        solve(no.subset, useful - 1, of_parts - relaxed(yes.subset), {}, k + 1, table);
    if (!a.is_solved) continue;
    const CutResult b = solve(yes.subset, useful - 1, of_parts - a.value, {}, k + 1, table);
    if (!b.is_solved || a.value + b.value > of_parts + tolerance_) continue;
    const std::size_t left = limit - out.size();
    const std::vector<Tree> no_trees = trees(no.subset, useful - 1, a.value, left, k + 1);
    const std::vector<Tree> yes_trees = trees(yes.subset, useful - 1, b.value, left, k + 1);
    for (const Tree& x : no_trees) {
      for (const Tree& y : yes_trees) {
        out.push_back(split_of(static_cast<std::int32_t>(cut), x, y));
        if (out.size() == limit) return out;
      }
    }
  }
  return out;
}

// The cuts that some optimal tree begins with, in tie order: what a search of the subset alone has
// found, and all cuts that part its rows alike.
std::vector<std::uint32_t> CutSolver::tied_cuts(const CutSubset& s, int depth, double optimum,
                                                std::size_t k) {
  const Table table = new_table();
  if (depth == 1)
    solve_last(s, optimum, {}, level(k), *table);
  else
    solve_splits(s, depth, optimum, {}, k, *table);
  std::vector<std::uint32_t> out;
  for (const Tried& each : level(k).tried) {
    if (each.value > optimum + tolerance_) continue;
    const auto [low, high] = alike(s, each.cut);
    for (std::uint32_t cut = low; cut < high; ++cut) out.push_back(cut);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  std::sort(out.begin(), out.end(),
            [&](std::uint32_t a, std::uint32_t b) { return comes_before(a, b); });
  // Cuts that part all rows alike are one question.
  std::vector<Key> known;
  std::erase_if(out, [&](std::uint32_t cut) {
    const Key key = key_of_parts(cut);
    const bool is_known = std::find(known.begin(), known.end(), key) != known.end();
    known.push_back(key);
    return is_known;
  });
  return out;
}

// Of all rows, those that are not on the side of the first.
Key CutSolver::key_of_parts(std::uint32_t cut) const {
  const std::uint32_t column = problem_.column_of(cut);
  const std::uint32_t last = cut - problem_.first_cut[column];
  Key key;
  problem_.with_codes(column, [&](const auto* codes) {
    for (std::uint32_t row : all_rows_) {
      if ((codes[row] <= last) == (codes[0] <= last)) continue;
      key.high += problem_.name[row].high;
      key.low += problem_.name[row].low;
    }
  });
  return key;
}

// Of the cuts that part the rows like this one, the first by the tie rule.
std::uint32_t CutSolver::first_like(const CutSubset& s, std::uint32_t cut) {
  const auto [low, high] = alike(s, cut);
  std::uint32_t best = low;
  // Each is looked at with all rows, so many take long.
  for (std::uint32_t other = low + 1; other < high && !should_stop(); ++other)
    if (comes_before(other, best)) best = other;
  return best;
}

// The first cut of the column that parts the rows like this one, and the next that does not.
std::pair<std::uint32_t, std::uint32_t> CutSolver::alike(const CutSubset& s,
                                                         std::uint32_t cut) const {
  const std::uint32_t column = problem_.column_of(cut), base = problem_.first_cut[column];
  std::uint32_t low = base, high = problem_.first_cut[column + 1];
  problem_.with_codes(column, [&](const auto* codes) {
    for (std::uint32_t row : s.rows) {
      const std::uint32_t first = base + codes[row];  // the first cut that it answers with yes
      if (first <= cut)
        low = std::max(low, first);
      else
        high = std::min(high, first);
    }
  });
  return {low, high};
}

}  // namespace survtree
