// Whether the deepest level is solved by a lattice or by a search, by estimated work of both.
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
double estimated_work(SubsetSolver& solver, int final_depth) {
  const SubsetFacts& facts = solver.root().facts;
  const auto m = static_cast<double>(solver.problem().n_questions);
  const auto n_rows = static_cast<double>(solver.problem().n_rows());
  const double done = static_cast<double>(solver.worker().stats.lane_rows) / n_rows - 2.0 * m;
  const double share = std::min(1.0, std::max(0.0, done / (m * (m - 1.0))));
  double cells = 1.0, passes = 0.0;
  for (int level = 0; level < final_depth; ++level) {
    cells *= (m - level) / (level + 1.0);
    const double savings = std::ldexp(facts.loss - facts.group_loss, -level);
    const double open =
        std::clamp((savings / solver.options().regularization - 0.5) / 1.5, 0.0, 1.0);
    passes += cells * (level + 1.0) * std::pow(share, level) * open;
  }
  return passes * n_rows;
}

// A lattice splits cells on later questions only, so that each cell of j + 1 questions is met once
// instead of j + 1 times, but it prunes nothing and looks at cells that no tree can use. A lane-row
// of a lattice costs more than one of a search, since its passes are shorter; the factor was chosen
// so that the paper's data sets are mostly judged right.
bool is_lattice_cheaper(SubsetSolver& solver, double time_limit_s, int final_depth) {
  const auto m = static_cast<double>(solver.problem().n_questions);
  double cells = 1.0, passes = 0.0;
  for (int level = 0; level < final_depth; ++level) {
    cells *= (m - level) / (level + 1.0);
    passes += cells;
  }
  const double lane_rows = passes * static_cast<double>(solver.problem().n_rows());
  // Stopped halfway a lattice has nothing to show, a search has its best tree.
  return estimated_work(solver, final_depth) > 1.6 * lane_rows &&
         4.0 * 3e-9 * lane_rows < time_limit_s;
}

}  // namespace

bool is_lattice_due(SubsetSolver& solver, const RunLimits& limits, int final_depth, int depth) {
  const Problem& problem = solver.problem();
  const Solver wanted = solver.options().solver;
  if (wanted == Solver::search || final_depth < 1) return false;
  const std::size_t bytes =
      Lattice::bytes_needed(problem.n_questions, static_cast<std::size_t>(final_depth));
  if (bytes > std::min(limits.memory_limit_bytes, kMaxLatticeBytes)) return false;
  if (wanted == Solver::lattice) return true;
  // A lattice knows no guess, and has nothing to show before it is full.
  const bool is_fit = !problem.has_guess && limits.node_limit == kNoLimit && limits.gap == 0.0 &&
                      !problem.bits.is_by_blocks();
  return depth == kJudgedAfter + 1 && is_fit &&
         is_lattice_cheaper(solver, limits.time_limit_s, final_depth);
}

}  // namespace survtree
