// The exact search for the best tree on all rows where splits are cuts of columns: depth after
// depth, as in search.hpp.
#pragma once

#include "search/cut_solver.hpp"
#include "search/search.hpp"

namespace survtree {

class CutSearch {
 public:
  // The problem must outlive the search.
  CutSearch(const CutProblem& problem, const SearchOptions& options);

  // May be called again after it was stopped, and goes on with what it has kept.
  Result run(const RunLimits& limits = {});
  // A tree, whose questions are cuts, and a lower bound to start from, before a run.
  void start_from(const Tree& tree, double lower_bound, const std::string& found_by);
  // Instead of a run: a tree that somebody else has proven to be the one a run would return.
  Result accept(const Tree& tree, const std::string& found_by, const RunLimits& limits = {});

  // Every tree that attains the optimum, at most `limit`, in the order of the tie rule; the first
  // is the one run() returns. Only after a run that ended `optimal`. Short if stopped.
  std::vector<Tree> optimal_trees(std::size_t limit);

  // For a search that several processes share, as in Search.
  int depth() const { return depth_; }
  double budget() const { return budget_at(depth_, solver_.options().upper_bound); }
  std::size_t try_cuts(std::span<const CutRange> ranges, int depth, double budget,
                       const RunLimits& limits);
  void raise_lower_bound_to(double bound) { lower_bound_ = std::max(lower_bound_.load(), bound); }
  const Tree& best_tree() const { return incumbent_.tree(); }
  double objective() const { return incumbent_.objective(); }

  // Through these whoever waits for run() listens to it, and may interrupt it.
  Limits& limits() { return solver_.limits(); }
  std::vector<Progress> take_progress() { return progress_.take(); }
  Progress snapshot() const;
  bool is_stopped() const { return solver_.limits().is_over(); }
  std::size_t cache_bytes() const { return solver_.bytes(); }

  // For those who look further.
  CutSolver& solver() { return solver_; }

 private:
  void offer_first_tree();
  double budget_at(int depth, double upper_bound) const;
  void deepen(double upper_bound);
  bool search_depth(int depth, double upper_bound);
  bool is_last(int depth) const;
  bool are_bounds_met(const Tree& tree) const;
  Result final_result(Tree tree);
  void log_progress() { progress_.add(snapshot()); }
  double gap() const { return solver_.limits().of_run().gap; }

  Incumbent incumbent_;
  CutSolver solver_;
  std::atomic<double> lower_bound_ = 0.0;
  int depth_ = 0;          // the depth last searched
  int solved_depth_ = -1;  // the depth at which the problem was closed
  double optimum_ = 0.0;   // then
  ProgressLog progress_;
};

}  // namespace survtree
