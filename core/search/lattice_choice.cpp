#include "search/lattice_choice.hpp"

#include <algorithm>
#include <cmath>

#include "search/lattice.hpp"

namespace survtree {
namespace {

constexpr std::size_t kMaxLatticeBytes = std::size_t{1} << 26U;
constexpr int kJudgedAfter = 2;  // depths that are searched first, to see how much bounds prune

// Lane-rows of a search of the deepest level, judged after depth 2. If nothing were pruned, it
// would split on M - j questions each cell of j questions. What it prunes grows with every level:
// the share that was left at depth 2 is raised to the power of the levels above, and where what a
// split can save of an average cell (half the savings of the level above) comes near the penalty of
// a leaf, cells are closed.
double estimated_work(const LatticeChoice& c) {
  const auto m = static_cast<double>(c.problem.n_questions);
  const auto n_rows = static_cast<double>(c.problem.n_rows());
  const double done = static_cast<double>(c.lane_rows) / n_rows - 2.0 * m;
  const double share = std::min(1.0, std::max(0.0, done / (m * (m - 1.0))));
  double cells = 1.0, passes = 0.0;
  for (int level = 0; level < c.final_depth; ++level) {
    cells *= (m - level) / (level + 1.0);
    const double savings = std::ldexp(c.root.loss - c.root.group_loss, -level);
    const double open = std::clamp((savings / c.options.regularization - 0.5) / 1.5, 0.0, 1.0);
    passes += cells * (level + 1.0) * std::pow(share, level) * open;
  }
  return passes * n_rows;
}

// A lattice splits cells on later questions only, so that each cell of j + 1 questions is met once
// instead of j + 1 times, but it prunes nothing and looks at cells that no tree can use. A lane-row
// of a lattice costs more than one of a search, since its passes are shorter; the factor was chosen
// so that the paper's data sets are mostly judged right.
bool is_lattice_cheaper(const LatticeChoice& c) {
  const auto m = static_cast<double>(c.problem.n_questions);
  double cells = 1.0, passes = 0.0;
  for (int level = 0; level < c.final_depth; ++level) {
    cells *= (m - level) / (level + 1.0);
    passes += cells;
  }
  const double lane_rows = passes * static_cast<double>(c.problem.n_rows());
  // Stopped halfway a lattice has nothing to show, a search has its best tree.
  return estimated_work(c) > 1.6 * lane_rows && 4.0 * 3e-9 * lane_rows < c.limits.time_limit_s;
}

}  // namespace

bool is_lattice_due(const LatticeChoice& c) {
  if (c.options.solver == Solver::search || c.final_depth < 1) return false;
  const std::size_t bytes =
      Lattice::bytes_needed(c.problem.n_questions, static_cast<std::size_t>(c.final_depth));
  if (bytes > std::min(c.limits.memory_limit_bytes, kMaxLatticeBytes)) return false;
  if (c.options.solver == Solver::lattice) return true;
  // A lattice knows no guess, and has nothing to show before it is full.
  const bool is_fit = !c.problem.has_guess && c.limits.node_limit == Limits::kNoLimit &&
                      c.limits.gap == 0.0 && !c.problem.bits.is_by_blocks();
  return c.depth == kJudgedAfter + 1 && is_fit && is_lattice_cheaper(c);
}

}  // namespace survtree
