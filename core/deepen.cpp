// The outer loop of a search: depth after depth, the choice between search and lattice, and the
// result.
#include <algorithm>
#include <cmath>
#include <utility>

#include "contract.hpp"
#include "search.hpp"
#include "search_worker.hpp"

namespace survtree {
namespace {

constexpr double kInfinity = Bounds::no_limit;
constexpr std::size_t kMaxLatticeBytes = std::size_t{1} << 26U;
constexpr int kJudgedAfter = 2;  // depths that are searched first, to see how much bounds prune

}  // namespace

// Without a depth limit the search deepens until no proof was cut by depth.
void Search::deepen(double upper_bound) {
  for (int depth = std::min(1, final_depth_);; depth = next_depth(depth)) {
    if (is_lattice_due(depth)) return solve_by_lattice();
    const double budget = std::min(incumbent_objective_, upper_bound);
    root_floor_ = kInfinity;
    answer_ = solve(*workers_[0], root_, depth, budget, 0);
    if (limits_.is_stopped()) {
      if (depth == final_depth_) lower_bound_ = std::max(lower_bound_.load(), answer_.value);
      return;
    }
    const bool is_last = depth == final_depth_ || !answer_.is_depth_cut;
    if (answer_.is_solved)
      offer(stored_tree(*workers_[0], root_, depth, 0), "depth " + std::to_string(depth));
    if (is_last && !answer_.is_solved) {  // nothing as good as the upper bound exists
      require(upper_bound < incumbent_objective_, "the incumbent is within its own budget");
      lower_bound_ = std::max(lower_bound_.load(), answer_.value);
      return deepen(kInfinity);
    }
    if (is_last) {
      solved_depth_ = depth;
      lower_bound_ = std::min(root_floor_, answer_.value);
      return;
    }
    log_progress();
    start_greedily(depth);
  }
}

bool Search::is_lattice_due(int depth) const {
  if (options_.solver == Solver::search || final_depth_ < 1) return false;
  const std::size_t bytes =
      Lattice::bytes_needed(problem_.n_questions, static_cast<std::size_t>(final_depth_));
  if (bytes > std::min(options_.memory_limit_bytes, kMaxLatticeBytes)) return false;
  if (options_.solver == Solver::lattice) return true;
  return depth == kJudgedAfter + 1 && options_.gap == 0.0 && !problem_.bits.is_by_blocks() &&
         is_lattice_cheaper();
}

// A lattice asks the later questions of a cell only, so that each cell of j + 1 questions is met
// once instead of j + 1 times, but it prunes nothing and looks at cells that no tree can use. A
// lane-row of a lattice costs more than one of a search, since its passes are shorter; the factor
// was chosen so that the paper's data sets are mostly judged right.
bool Search::is_lattice_cheaper() const {
  const auto m = static_cast<double>(problem_.n_questions);
  double cells = 1.0, passes = 0.0;
  for (int level = 0; level < final_depth_; ++level) {
    cells *= (m - level) / (level + 1.0);
    passes += cells;
  }
  const double lane_rows = passes * static_cast<double>(problem_.n_rows());
  // Stopped halfway a lattice has nothing to show, a search has its best tree.
  return estimated_work() > 1.6 * lane_rows && 4.0 * 3e-9 * lane_rows < options_.time_limit_s;
}

// Lane-rows of a search of the deepest level, judged after depth 2. If nothing were pruned, it
// would ask M - j questions of each cell of j questions. What it prunes grows with every level: the
// share that was left at depth 2 is raised to the power of the levels above, and where what a split
// can save of an average cell (half the savings of the level above) comes near the price of a leaf,
// cells are closed.
double Search::estimated_work() const {
  const auto m = static_cast<double>(problem_.n_questions);
  const double lane_rows = static_cast<double>(workers_[0]->stats.lane_rows);
  const double done = lane_rows / static_cast<double>(problem_.n_rows()) - 2.0 * m;
  const double share = std::min(1.0, std::max(0.0, done / (m * (m - 1.0))));
  double cells = 1.0, passes = 0.0;
  for (int level = 0; level < final_depth_; ++level) {
    cells *= (m - level) / (level + 1.0);
    const double savings = std::ldexp(root_.facts.loss - root_.facts.group_loss, -level);
    const double open = std::clamp((savings / options_.regularization - 0.5) / 1.5, 0.0, 1.0);
    passes += cells * (level + 1.0) * std::pow(share, level) * open;
  }
  return passes * static_cast<double>(problem_.n_rows());
}

void Search::solve_by_lattice() {
  lattice_ =
      std::make_unique<Lattice>(problem_, lanes_,
                                LatticeOptions{static_cast<std::size_t>(final_depth_),
                                               options_.regularization, options_.min_samples_leaf});
  lattice_->fill(
      root_.n_rows, root_.facts.loss, team_.get(),
      [this](std::size_t worker) { return should_stop(*workers_[worker]); },
      [this] { limits_.look_at_clock(true); });
  Stats& stats = workers_[0]->stats;
  stats.subsets_solved += lattice_->n_passes();
  stats.lane_rows += lattice_->n_lane_rows();
  if (limits_.is_stopped()) return lattice_.reset();
  answer_ = {lattice_->optimum({}), kLeaf, true, true};
  lower_bound_ = answer_.value;
  solved_depth_ = final_depth_;
}

int Search::next_depth(int depth) const {
  const int next = depth < 8 ? depth + 1 : depth + depth / 2;
  return std::min(next, final_depth_);
}

Result Search::run() {
  Result result;
  lower_bound_ = bounds_.any_tree(root_.facts);
  offer(leaf_of(root_), "one leaf");
  log_progress();
  // With a gap the answer depends on the order in which trees are found.
  if (workers_.size() > 1 && options_.gap == 0.0) team_ = std::make_unique<Team>(workers_.size());
  deepen(options_.upper_bound);
  team_.reset();

  result.tree = incumbent_;
  if (!limits_.is_stopped()) {
    const auto first = trees({root_, {}, solved_depth_, answer_.value, 1, 0});
    if (!first.empty()) {
      offer(first.front(), "depth " + std::to_string(solved_depth_));
      result.tree = first.front();
    }
  }
  result.loss = loss_of(result.tree);
  result.objective =
      result.loss + options_.regularization * static_cast<double>(leaves_of(result.tree));
  result.tolerance = tolerance_;
  result.lower_bound = std::min(lower_bound_.load(), result.objective);
  // Each node of the tree may be off by one tolerance and still count as a tie.
  const double ties = 2.0 * static_cast<double>(leaves_of(result.tree)) * tolerance_;
  if (result.objective - result.lower_bound <= ties) result.lower_bound = result.objective;
  result.status = result.lower_bound == result.objective ? Status::optimal
                  : limits_.is_stopped()                 ? limits_.reason()
                                                         : Status::gap_reached;
  result.is_upper_bound_wrong = result.lower_bound > options_.upper_bound + tolerance_;
  for (const auto& worker : workers_) result.stats.add(worker->stats);
  result.cache_entries = cache_.size();
  result.cache_bytes = cache_.bytes();
  result.lattice_bytes = lattice_ == nullptr ? 0 : lattice_->bytes();
  result.seconds = limits_.seconds();
  incumbent_objective_ = result.objective;
  lower_bound_ = result.lower_bound;
  incumbent_ = result.tree;
  log_progress();
  return result;
}

}  // namespace survtree
