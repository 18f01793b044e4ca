// The exact search for the best tree on all rows: depth after depth, so that each depth's optimum
// is the next one's upper bound; the choice between search and lattice; the result. All state
// belongs to one Search object; there is none outside.
#pragma once

#include "search/greedy.hpp"
#include "search/progress.hpp"

namespace survtree {

struct Result {
  Tree tree;
  double loss = 0.0, objective = 0.0, lower_bound = 0.0, tolerance = 0.0;
  Status status = Status::optimal;
  // With a guess: no tree that the guess holds for costs less than this; lower_bound holds for all.
  double guessed_bound = 0.0;
  bool is_upper_bound_wrong = false;  // no tree attains the upper bound that was given
  Stats stats;
  std::size_t cache_entries = 0, cache_bytes = 0, lattice_bytes = 0;
  std::uint64_t cache_shed = 0;
  double seconds = 0.0;
};

class Search {
 public:
  // The problem must outlive the search.
  Search(const Problem& problem, const SearchOptions& options);

  // May be called again after it was stopped, and goes on where it was. With more time the result
  // is the one a single run would have given.
  Result run(const RunLimits& limits = {});
  // A tree and a lower bound to start from, before a run: what is known of this very problem.
  void start_from(const Tree& tree, double lower_bound, const std::string& found_by);
  // Instead of a run: a tree that somebody else has proven to be the one a run would return.
  Result accept(const Tree& tree, const std::string& found_by, const RunLimits& limits = {});
  // Every tree that attains the optimum, at most `limit`, in the order of the tie rule; the first
  // is the one run() returns. Only after a run that ended `optimal`. Short if stopped.
  std::vector<Tree> optimal_trees(std::size_t limit);
  // Whether the best tree so far is proven to be one of these.
  bool is_proven() const;

  // For a search that several processes share (SubsetSolver::open_questions). Where a run that was
  // stopped will go on: the depth, and what a tree may cost at most to be of interest.
  int depth() const { return depth_; }
  double budget() const { return budget_at(solver_.options().upper_bound); }
  // Instead of a run: questions below a path, as SubsetSolver::try_below() does it.
  std::size_t try_below(std::span<const Step> path, std::span<const std::uint32_t> questions,
                        int depth, double budget, const RunLimits& limits);
  // Somebody else has proven that no tree costs less.
  void raise_lower_bound_to(double bound) { lower_bound_ = std::max(lower_bound_.load(), bound); }
  const Tree& best_tree() const { return incumbent_.tree(); }

  // Through these whoever waits for run() listens to it, and may interrupt it.
  Limits& limits() { return solver_.limits(); }
  std::vector<Progress> take_progress() { return progress_.take(); }
  // At this very moment; for the listener.
  Progress snapshot() const;
  bool is_stopped() const { return solver_.limits().is_over(); }
  std::size_t cache_bytes() const { return solver_.cache().bytes(); }

  // For those who prove what was found, or look further.
  SubsetSolver& solver() { return solver_; }
  double objective() const { return incumbent_.objective(); }

 private:
  void offer_first_tree();
  double budget_at(double upper_bound) const;
  void deepen(double upper_bound);
  void settle_ties();
  bool search_depth(double upper_bound);
  void raise_lower_bound();
  void look_for_trees();
  bool is_gap_closed() const;
  bool are_bounds_met(const Tree& tree) const;
  double proven_bound() const;
  Result final_result(Tree tree);
  void solve_by_lattice();
  void log_progress() { progress_.add(snapshot()); }
  bool has_guess() const { return solver_.problem().has_guess; }
  bool is_final_depth() const { return depth_ == solver_.final_depth(); }
  const RunLimits& run_limits() const { return solver_.limits().of_run(); }

  Incumbent incumbent_;
  SubsetSolver solver_;
  TreeReader reader_;
  GreedyStarts greedy_;
  std::unique_ptr<Lattice> lattice_;       // if the deepest level was solved by one
  std::atomic<double> lower_bound_ = 0.0;  // if there is a guess: as far as it holds
  SubsetResult result_;                    // of all rows, at the depth last searched
  int depth_ = 0;                          // that depth
  int solved_depth_ = -1;                  // the depth at which result_ closed the problem
  ProgressLog progress_;
};

}  // namespace survtree
