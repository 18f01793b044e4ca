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
  if (!result.is_solved || result.cut == kLeaf) return leaf_of(s.loss);
  const std::uint32_t cut = first_like(s, static_cast<std::uint32_t>(result.cut));
  return read_split(s, cut, useful, result.value, k);
}

Tree CutSolver::read_split(const CutSubset& s, std::uint32_t cut, int depth, double value,
                           std::size_t k) {
  auto [no, yes] = parts_alone(s, cut);
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

// Of the cuts that part the rows like this one, the first by the tie rule.
std::uint32_t CutSolver::first_like(const CutSubset& s, std::uint32_t cut) {
  const std::uint32_t column = problem_.column_of[cut], base = problem_.first_cut[column];
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
  std::uint32_t best = low;
  for (std::uint32_t other = low + 1; other < high; ++other)
    if (comes_before(other, best)) best = other;
  return best;
}

}  // namespace survtree
