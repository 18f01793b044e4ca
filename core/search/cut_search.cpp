#include "search/cut_search.hpp"

#include "data/contract.hpp"

namespace survtree {

namespace {

// None if cuts have no penalties. The problem must outlive it.
PenaltyOf penalty_of_cuts(const CutProblem& problem) {
  if (!problem.rules.has_penalties()) return {};
  return [&problem](std::uint32_t cut) { return problem.penalty_of(cut); };
}

}  // namespace

CutSearch::CutSearch(const CutProblem& problem, const SearchOptions& options)
    : incumbent_(options.regularization, penalty_of_cuts(problem)), solver_(problem, options) {
  solver_.set_listener([this](std::uint32_t cut, int depth, double objective) {
    if (objective >= incumbent_.objective()) return;
    incumbent_.offer(solver_.root_tree_with(cut, depth, objective),
                     "depth " + std::to_string(depth));
  });
}

void CutSearch::start_from(const Tree& tree, double lower_bound, const std::string& found_by) {
  lower_bound_ = std::max(lower_bound_.load(), lower_bound);
  incumbent_.offer(solver_.with_losses(tree), found_by);
}

Result CutSearch::accept(const Tree& tree, const std::string& found_by, const RunLimits& limits) {
  solver_.start(limits);
  start_from(tree, 0.0, found_by);
  Tree settled = solver_.with_losses(tree);
  lower_bound_ = incumbent_.objective_of(settled);
  return final_result(std::move(settled));
}

Result CutSearch::run(const RunLimits& limits) {
  solver_.start(limits);
  offer_first_tree();
  log_progress();
  solver_.limits().look_at_clock(true);  // all the time there is may be gone already
  if (solved_depth_ < 0) deepen(solver_.options().upper_bound);
  // A gap or an upper bound may have closed the search before the tie rule could choose.
  if (solved_depth_ < 0 && are_bounds_met(incumbent_.tree())) {
    solver_.limits().lift_for_ties();
    if (!is_stopped()) deepen(Bounds::no_limit);
  }
  Tree tree = incumbent_.tree();
  if (solved_depth_ >= 0 && !is_stopped()) {
    Tree first = solver_.root_tree(solved_depth_, optimum_);
    if (!is_stopped()) tree = std::move(first);  // one that was read in part may not be the first
  }
  return final_result(std::move(tree));
}

void CutSearch::offer_first_tree() {
  const SubsetFacts facts = solver_.root().facts();
  lower_bound_ = std::max(lower_bound_.load(), solver_.bounds().any_tree(facts));
  if (solver_.must_split())
    incumbent_.offer(solver_.best_first_split(), "one split");
  else
    incumbent_.offer(leaf_of(facts.loss), "one leaf");
}

std::size_t CutSearch::try_cuts(std::span<const CutRange> ranges, int depth, double budget,
                                const RunLimits& limits) {
  solver_.start(limits);
  if (incumbent_.tree() == nullptr) offer_first_tree();
  return solver_.try_cuts(ranges, depth, budget);
}

// With a gap the last depth looks for no tree that is better by less than that.
double CutSearch::budget_at(int depth, double upper_bound) const {
  const double share = depth >= solver_.final_depth() ? 1.0 - gap() : 1.0;
  return std::min(share * incumbent_.objective(), upper_bound);
}

// Claim: a tree deeper than this has at least depth + 2 leaves. Where these alone cost more than
// the best tree so far, no deeper tree is better, or as good.
bool CutSearch::is_last(int depth) const {
  if (depth >= solver_.final_depth()) return true;
  const double wanted = incumbent_.objective() + solver_.tolerance();
  return solver_.bounds().max_leaves(solver_.root().facts(), wanted) < depth + 2.0;
}

void CutSearch::deepen(double upper_bound) {
  for (int depth = std::min(1, solver_.final_depth());; ++depth) {
    if (search_depth(depth, upper_bound) || is_stopped()) return;
    log_progress();
  }
}

// Returns whether that was all.
bool CutSearch::search_depth(int depth, double upper_bound) {
  depth_ = depth;
  const CutResult result = solver_.solve_root(depth, budget_at(depth, upper_bound));
  const bool is_final = is_last(depth);
  if (is_final) lower_bound_ = std::max(lower_bound_.load(), result.value);
  if (is_stopped()) return true;
  if (result.is_solved)
    incumbent_.offer(solver_.root_tree(depth, result.value), "depth " + std::to_string(depth));
  if (!is_final) return false;
  if (result.is_solved) {
    solved_depth_ = depth;
    optimum_ = result.value;
    lower_bound_ = result.value;
    return true;
  }
  const double objective = incumbent_.objective();
  if (objective - lower_bound_ <= gap() * objective + solver_.tolerance()) return true;
  // Nothing as good as the upper bound exists.
  require(upper_bound < objective, "the incumbent is within its own budget");
  deepen(Bounds::no_limit);
  return true;
}

std::vector<Tree> CutSearch::optimal_trees(std::size_t limit) {
  require(solved_depth_ >= 0, "all optimal trees are read only after a finished run");
  // Deeper than it was solved: trees with redundant splits that cost the same are among them.
  return solver_.optimal_trees(solver_.final_depth(), optimum_, limit);
}

// Each node of the tree may be off by one tolerance and still count as a tie.
bool CutSearch::are_bounds_met(const Tree& tree) const {
  const double ties = 2.0 * static_cast<double>(leaves_of(tree)) * solver_.tolerance();
  return incumbent_.objective_of(tree) - lower_bound_ <= ties;
}

Result CutSearch::final_result(Tree tree) {
  incumbent_.settle(tree);
  Result r;
  r.loss = loss_of(tree);
  r.objective = incumbent_.objective();
  r.tolerance = solver_.tolerance();
  r.lower_bound = are_bounds_met(tree) ? r.objective : std::min(lower_bound_.load(), r.objective);
  r.guessed_bound = r.lower_bound;
  r.status = r.lower_bound == r.objective ? Status::optimal
             : is_stopped()               ? solver_.limits().reason()
                                          : Status::gap_reached;
  r.is_upper_bound_wrong = r.lower_bound > solver_.options().upper_bound + r.tolerance;
  r.tree = std::move(tree);
  r.stats = solver_.stats();
  r.cache_entries = solver_.cache().size();
  r.cache_bytes = solver_.cache().bytes();
  r.cache_shed = solver_.cache().n_shed();
  r.seconds = solver_.limits().seconds();
  lower_bound_ = r.lower_bound;
  log_progress();
  return r;
}

Progress CutSearch::snapshot() const {
  return incumbent_.watch([&](const Tree& tree, double objective, const std::string& found_by) {
    return Progress{solver_.limits().seconds(),
                    std::min(lower_bound_.load(), objective),
                    objective,
                    leaves_of(tree),
                    found_by,
                    solver_.stats()};
  });
}

}  // namespace survtree
