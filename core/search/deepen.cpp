// The outer loop of a search: depth after depth, the choice between search and lattice, and the
// result.
#include <algorithm>
#include <cmath>
#include <utility>

#include "data/contract.hpp"
#include "search/search.hpp"
#include "search/search_worker.hpp"

namespace survtree {
namespace {

constexpr double kInfinity = Bounds::no_limit;
constexpr std::size_t kMaxLatticeBytes = std::size_t{1} << 26U;
constexpr int kJudgedAfter = 2;  // depths that are searched first, to see how much bounds prune

}  // namespace

// Without a depth limit the search deepens until no proof was cut by depth.
void Search::deepen(double upper_bound) {
  for (depth_ = std::max(depth_, std::min(1, final_depth_));; depth_ = next_depth(depth_)) {
    if (is_lattice_due(depth_)) return solve_by_lattice();
    const bool is_final = depth_ == final_depth_;
    if (is_final && run_limits_.wants_bounds) climb();
    if (run_limits_.gap > 0.0 && is_gap_closed()) return;
    const double share = is_final ? 1.0 - run_limits_.gap : 1.0;
    const double budget = std::min(share * incumbent_objective_, upper_bound);
    answer_ = solve(*workers_[0], root_, depth_, budget, 0);
    const bool is_last = is_final || (!answer_.is_depth_cut && !limits_.is_stopped());
    if (is_last) lower_bound_ = std::max(lower_bound_.load(), answer_.value);
    if (limits_.is_stopped()) return;
    if (answer_.is_solved)
      offer(stored_tree(*workers_[0], root_, depth_, answer_.value, 0),
            "depth " + std::to_string(depth_));
    if (is_last && answer_.is_solved) {
      solved_depth_ = depth_;
      return;
    }
    if (is_last && !is_gap_closed()) {  // nothing as good as the upper bound exists
      require(upper_bound < incumbent_objective_, "the incumbent is within its own budget");
      return deepen(kInfinity);
    }
    if (is_last) return;
    log_progress();
    const auto work_done = static_cast<double>(workers_[0]->stats.lane_rows);
    look_for_trees();
    if (run_limits_.wants_bounds) with_share_of_work(0.5 * work_done, [this] { climb(); });
    if (limits_.is_over()) return;
  }
}

// Raises the lower bound step by step: budgets too small for any tree are quickly proven to be so.
// What is proven on the way makes the next step cheaper. Ends when a tree is within the budget.
void Search::climb() {
  const double lowest = bounds_.any_tree(root_.facts);
  for (const double share : {0.1, 0.2, 0.4, 0.6, 0.8, 0.9}) {
    const double budget = lowest + share * (incumbent_objective_ - lowest);
    if (budget < lower_bound_) continue;
    if (is_gap_closed()) return;
    const Answer answer = solve(*workers_[0], root_, final_depth_, budget, 0);
    const bool is_raised = answer.value > lower_bound_ + tolerance_;
    lower_bound_ = std::max(lower_bound_.load(), answer.value);
    if (answer.is_solved || limits_.is_stopped()) return;
    if (is_raised) log_progress();
    if (depth_ == final_depth_) look_for_trees();
  }
}

// Leaves what it does once it has taken so many lane-rows.
void Search::with_share_of_work(double lane_rows, const std::function<void()>& work) {
  pause_at_ = workers_[0]->stats.lane_rows + static_cast<std::uint64_t>(lane_rows);
  work();
  pause_at_ = Limits::kNoLimit;
  limits_.resume();
}

// As far as was asked for. A guess may even say that no tree is as good as one that was found.
bool Search::is_gap_closed() const {
  return incumbent_objective_ - lower_bound_ <= run_limits_.gap * incumbent_objective_ + tolerance_;
}

// What holds for every tree, whether the guess does or not (see SubsetFacts).
double Search::proven_bound() const {
  if (!problem_.has_guess) return lower_bound_;
  const double too_much = root_.facts.group_loss - root_.facts.proven_loss;
  return std::max(bounds_.any_tree(root_.facts.proven()), lower_bound_ - too_much);
}

bool Search::is_lattice_due(int depth) const {
  if (options_.solver == Solver::search || final_depth_ < 1) return false;
  const std::size_t bytes =
      Lattice::bytes_needed(problem_.n_questions, static_cast<std::size_t>(final_depth_));
  if (bytes > std::min(run_limits_.memory_limit_bytes, kMaxLatticeBytes)) return false;
  if (options_.solver == Solver::lattice) return true;
  // A lattice knows no guess, and has nothing to show before it is full.
  const bool is_fit = !problem_.has_guess && !limits_.has_node_limit() && run_limits_.gap == 0.0;
  return depth == kJudgedAfter + 1 && is_fit && !problem_.bits.is_by_blocks() &&
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
  return estimated_work() > 1.6 * lane_rows && 4.0 * 3e-9 * lane_rows < limits_.time_limit_s();
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
  if (limits_.is_over()) return lattice_.reset();
  answer_ = {lattice_->optimum({}), kLeaf, true, true};
  lower_bound_ = answer_.value;
  solved_depth_ = final_depth_;
}

int Search::next_depth(int depth) const {
  const int next = depth < 8 ? depth + 1 : depth + depth / 2;
  return std::min(next, final_depth_);
}

Result Search::run(const RunLimits& limits) {
  run_limits_ = limits;
  limits_.start(limits.time_limit_s, limits.seconds_gone, limits.node_limit);
  cache_.set_max_bytes(limits.memory_limit_bytes);
  n_shed_before_ = cache_.n_shed();
  lower_bound_ = std::max(lower_bound_.load(), bounds_.any_tree(root_.facts));
  offer(leaf_of(root_), "one leaf");
  log_progress();
  limits_.look_at_clock(true);  // all the time there is may be gone already
  if (workers_.size() > 1) team_ = std::make_unique<Team>(workers_.size());
  if (solved_depth_ < 0) deepen(options_.upper_bound);
  team_.reset();

  Tree tree = incumbent_;
  if (solved_depth_ >= 0 && !limits_.is_over()) {
    const auto first = trees({root_, {}, solved_depth_, answer_.value, 1, 0});
    if (!first.empty()) {
      offer(first.front(), "depth " + std::to_string(solved_depth_));
      tree = first.front();
    }
  }
  return closed(std::move(tree));
}

// What is known in the end.
Result Search::closed(Tree tree) {
  Result r;
  r.tree = std::move(tree);
  r.loss = loss_of(r.tree);
  r.objective = objective_of(r.tree);
  r.tolerance = tolerance_;
  // Each node of the tree may be off by one tolerance and still count as a tie.
  const double ties = 2.0 * static_cast<double>(leaves_of(r.tree)) * tolerance_;
  r.guessed_bound = std::min(lower_bound_.load(), r.objective);
  if (r.objective - r.guessed_bound <= ties) r.guessed_bound = r.objective;
  r.lower_bound = problem_.has_guess ? std::min(proven_bound(), r.objective) : r.guessed_bound;
  const bool is_closed = r.guessed_bound == r.objective || !limits_.is_over();
  r.status = !is_closed                     ? limits_.reason()
             : problem_.has_guess           ? Status::guessed
             : r.lower_bound == r.objective ? Status::optimal
                                            : Status::gap_reached;
  r.is_upper_bound_wrong = r.lower_bound > options_.upper_bound + tolerance_;
  for (const auto& worker : workers_) r.stats.add(worker->stats);
  r.cache_entries = cache_.size();
  r.cache_bytes = cache_.bytes();
  r.cache_shed = cache_.n_shed();
  r.lattice_bytes = lattice_ == nullptr ? 0 : lattice_->bytes();
  r.seconds = limits_.seconds();
  incumbent_objective_ = r.objective;
  if (!problem_.has_guess) lower_bound_ = r.lower_bound;
  incumbent_ = r.tree;
  log_progress();
  return r;
}

}  // namespace survtree
