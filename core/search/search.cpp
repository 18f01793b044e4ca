#include "search/search.hpp"

#include "data/contract.hpp"

namespace survtree {

Search::Search(const Problem& problem, const SearchOptions& options)
    : incumbent_(options.regularization, penalty_of_splits(problem.rules)),
      solver_(problem, options, incumbent_),
      reader_(solver_),
      greedy_(solver_, reader_, incumbent_) {
  solver_.set_listener(
      [this](Worker& w, const SplitRow& split, std::size_t lane, int depth, double objective) {
        incumbent_.offer(reader_.stored_split(w, solver_.root(), split, lane, depth, objective, 0),
                         "depth " + std::to_string(depth));
      });
}

void Search::start_from(const Tree& tree, double lower_bound, const std::string& found_by) {
  lower_bound_ = std::max(lower_bound_.load(), lower_bound);
  incumbent_.offer(reader_.with_losses(solver_.root(), tree, 0), found_by);
}

Result Search::accept(const Tree& tree, const std::string& found_by, const RunLimits& limits) {
  solver_.start(limits);
  start_from(tree, 0.0, found_by);
  Tree settled = reader_.with_losses(solver_.root(), tree, 0);
  lower_bound_ = incumbent_.objective_of(settled);
  return final_result(std::move(settled));
}

Result Search::run(const RunLimits& limits) {
  solver_.start(limits);
  offer_first_tree();
  log_progress();
  solver_.limits().look_at_clock(true);  // all the time there is may be gone already
  solver_.with_team([this] {
    if (solved_depth_ < 0) deepen(solver_.options().upper_bound);
    const bool is_optimum = !has_guess() && are_bounds_met(incumbent_.tree());
    if (solved_depth_ >= 0 || is_optimum) settle_ties();
  });

  Tree tree = incumbent_.tree();
  if (solved_depth_ >= 0 && !is_stopped()) {
    const auto first = reader_.optimal_trees(lattice_.get(), solved_depth_, result_.value, 1);
    if (!first.empty() && !is_stopped()) {  // one that was read in part may not be the first
      incumbent_.offer(first.front(), "depth " + std::to_string(solved_depth_));
      tree = first.front();
    }
  }
  return final_result(std::move(tree));
}

void Search::offer_first_tree() {
  const SubsetFacts& facts = solver_.root().facts;
  lower_bound_ = std::max(lower_bound_.load(), solver_.bounds().any_tree(facts));
  if (solver_.must_split())
    incumbent_.offer(reader_.best_first_split(), "one split");
  else
    incumbent_.offer(leaf_of(facts.loss), "one leaf");
}

std::size_t Search::try_below(std::span<const Step> path, std::span<const std::uint32_t> questions,
                              int depth, double budget, const RunLimits& limits) {
  solver_.start(limits);
  if (incumbent_.tree() == nullptr) offer_first_tree();
  return solver_.try_below(path, questions, depth, budget);
}

double Search::budget_at(double upper_bound) const {
  const double share = is_final_depth() ? 1.0 - run_limits().gap : 1.0;
  return std::min(share * incumbent_.objective(), upper_bound);
}

// Without a depth limit the search deepens until no proof was cut by depth.
void Search::deepen(double upper_bound) {
  const int final_depth = solver_.final_depth();
  depth_ = std::max(depth_, std::min(1, final_depth));
  for (;; depth_ = std::min(depth_ < 8 ? depth_ + 1 : depth_ + depth_ / 2, final_depth)) {
    if (is_lattice_due(solver_, depth_)) return solve_by_lattice();
    if (is_final_depth() && run_limits().wants_bounds) raise_lower_bound();
    if (run_limits().gap > 0.0 && is_gap_closed()) return;
    if (search_depth(upper_bound)) return;
    log_progress();
    const auto work_done = static_cast<double>(solver_.worker().stats.lane_rows);
    look_for_trees();
    if (run_limits().wants_bounds)
      solver_.with_share_of_work(0.5 * work_done, [this] { raise_lower_bound(); });
    if (is_stopped()) return;
  }
}

// If a gap, a limit on the work or an upper bound that nothing attains made the bounds meet before
// the last depth was searched to its end, the tree is whichever of the best came first. What a
// plain search would still have done tells which of them the tie rule chooses; with the optimum
// known and the cache filled it is little. Time, memory and the user may still stop it.
void Search::settle_ties() {
  solver_.limits().lift_for_ties();
  if (solved_depth_ < 0 && !is_stopped()) deepen(Bounds::no_limit);
}

// Returns whether that was all.
bool Search::search_depth(double upper_bound) {
  const double budget = budget_at(upper_bound);
  result_ = solver_.solve(solver_.worker(), solver_.root(), depth_, budget, 0);
  const bool is_stopped_here = solver_.limits().is_stopped();
  const bool is_last = is_final_depth() || (!result_.is_depth_cut && !is_stopped_here);
  if (is_last) lower_bound_ = std::max(lower_bound_.load(), result_.value);
  if (is_stopped_here) return true;
  if (result_.is_solved)
    incumbent_.offer(
        reader_.stored_tree(solver_.worker(), solver_.root(), depth_, result_.value, 0),
        "depth " + std::to_string(depth_));
  if (is_last && result_.is_solved) {
    solved_depth_ = depth_;
  } else if (is_last && !is_gap_closed()) {  // nothing as good as the upper bound exists
    require(upper_bound < incumbent_.objective(), "the incumbent is within its own budget");
    deepen(Bounds::no_limit);
  }
  return is_last;
}

// Step by step: budgets too small for any tree are quickly proven to be so. What is proven on the
// way makes the next step cheaper. Ends when a tree is within the budget.
void Search::raise_lower_bound() {
  const double lowest = solver_.bounds().any_tree(solver_.root().facts);
  for (const double share : {0.1, 0.2, 0.4, 0.6, 0.8, 0.9}) {
    const double budget = lowest + share * (incumbent_.objective() - lowest);
    if (budget < lower_bound_) continue;
    if (is_gap_closed()) return;
    const SubsetResult result =
        solver_.solve(solver_.worker(), solver_.root(), solver_.final_depth(), budget, 0);
    const bool is_raised = result.value > lower_bound_ + solver_.tolerance();
    lower_bound_ = std::max(lower_bound_.load(), result.value);
    if (result.is_solved || solver_.limits().is_stopped()) return;
    if (is_raised) log_progress();
    if (is_final_depth()) look_for_trees();
  }
}

void Search::look_for_trees() {
  const double before = incumbent_.objective();
  solver_.limits().lift_slice();
  greedy_.look_for_trees();
  solver_.limits().set_slice();
  if (incumbent_.objective() < before) log_progress();
}

// As far as was asked for. A guess may even say that no tree is as good as one that was found.
bool Search::is_gap_closed() const {
  const double objective = incumbent_.objective();
  return objective - lower_bound_ <= run_limits().gap * objective + solver_.tolerance();
}

// Each node of the tree may be off by one tolerance and still count as a tie.
bool Search::are_bounds_met(const Tree& tree) const {
  const double ties = 2.0 * static_cast<double>(leaves_of(tree)) * solver_.tolerance();
  return incumbent_.objective_of(tree) - lower_bound_ <= ties;
}

// What holds for every tree, whether the guess does or not (see SubsetFacts).
double Search::proven_bound() const {
  if (!has_guess()) return lower_bound_;
  const SubsetFacts& facts = solver_.root().facts;
  const double too_much = facts.group_loss - facts.proven_loss;
  return std::max(solver_.bounds().any_tree(facts.proven()), lower_bound_ - too_much);
}

void Search::solve_by_lattice() {
  solver_.limits().lift_slice();
  lattice_ = std::make_unique<Lattice>(solver_);
  lattice_->fill();
  if (is_stopped()) return lattice_.reset();
  result_ = {lattice_->optimum({}), kLeaf, true, true};
  lower_bound_ = result_.value;
  solved_depth_ = solver_.final_depth();
}

std::vector<Tree> Search::optimal_trees(std::size_t limit) {
  require(solved_depth_ >= 0, "all optimal trees are read only after a finished run");
  // Deeper than it was solved: trees with redundant splits that cost the same are among them.
  return reader_.optimal_trees(lattice_.get(), solver_.final_depth(), result_.value, limit);
}

bool Search::is_proven() const { return !has_guess() && lower_bound_ == incumbent_.objective(); }

Result Search::final_result(Tree tree) {
  incumbent_.settle(tree);
  Result r;
  r.loss = loss_of(tree);
  r.objective = incumbent_.objective();
  r.tolerance = solver_.tolerance();
  r.guessed_bound = are_bounds_met(tree) ? r.objective : lower_bound_.load();
  r.lower_bound = has_guess() ? std::min(proven_bound(), r.objective) : r.guessed_bound;
  const bool is_closed = r.guessed_bound == r.objective || !is_stopped();
  r.status = !is_closed                     ? solver_.limits().reason()
             : has_guess()                  ? Status::guessed
             : r.lower_bound == r.objective ? Status::optimal
                                            : Status::gap_reached;
  r.is_upper_bound_wrong = r.lower_bound > solver_.options().upper_bound + r.tolerance;
  r.tree = std::move(tree);
  r.stats = solver_.stats();
  r.cache_entries = solver_.cache().size();
  r.cache_bytes = solver_.cache().bytes();
  r.cache_shed = solver_.cache().n_shed();
  r.lattice_bytes = lattice_ == nullptr ? 0 : lattice_->bytes();
  r.seconds = solver_.limits().seconds();
  if (!has_guess()) lower_bound_ = r.lower_bound;
  log_progress();
  return r;
}

Progress Search::snapshot() const {
  return incumbent_.watch([&](const Tree& tree, double objective, const std::string& found_by) {
    return Progress{solver_.limits().seconds(),
                    std::min(proven_bound(), objective),
                    objective,
                    leaves_of(tree),
                    found_by,
                    solver_.stats()};
  });
}

}  // namespace survtree
