// The exact search: what to look at next, and when we are done. Dynamic programming over subsets,
// depth first under a budget, repeated with growing depth so that each depth's optimum is the next
// one's upper bound. All state belongs to one Search object; there is none outside.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "data/problem.hpp"
#include "search/bounds.hpp"
#include "search/cache.hpp"
#include "search/lattice.hpp"
#include "search/limits.hpp"
#include "search/proof.hpp"
#include "search/split_row.hpp"
#include "search/stats.hpp"
#include "search/subset.hpp"
#include "search/team.hpp"

namespace survtree {

constexpr int kMaxDepth = 1000;  // recursion is one frame a level; no useful tree comes near

// How the deepest level is solved: by a search with bounds, or by a lattice of all cells.
enum class Solver : std::uint8_t { cheaper, search, lattice };

struct SearchOptions {
  int max_depth = kMaxDepth;
  double regularization = 0.01;
  std::uint64_t min_samples_leaf = 7;
  double upper_bound = Bounds::no_limit;  // an objective said to be attainable
  std::size_t n_threads = 1;
  Switches switches;
  Kernel kernel = available_kernels().back();
  Solver solver = Solver::cheaper;
  std::uint64_t greedy_from = 10'000'000;  // lane-rows done; before that greedy trees do not pay
  bool check_keys = false;  // keep the groups of every cached subset and compare them
};

// What one run may take, and what it is to show on the way.
struct RunLimits {
  double gap = 0.0;  // relative
  double time_limit_s = Bounds::no_limit;
  double seconds_gone = 0.0;                  // before the run; they count
  std::size_t memory_limit_bytes = SIZE_MAX;  // for the cache
  std::uint64_t node_limit = Limits::kNoLimit;
  // Raise the lower bound and improve the tree as the search goes on, at the price of some more
  // work in all: for those who may stop it.
  bool wants_bounds = false;
};

// A tree under construction; shared, since optimal subtrees are shared between optimal trees.
struct TreeNode {
  std::int32_t question = kLeaf;
  std::shared_ptr<const TreeNode> no, yes;
  double loss = 0.0;         // leaves
  std::uint64_t n_rows = 0;  // leaves
};
using Tree = std::shared_ptr<const TreeNode>;

double loss_of(const Tree& tree);
std::size_t leaves_of(const Tree& tree);

// Where the search stands: one line of the progress table.
struct Progress {
  double seconds;
  double lower_bound, objective;
  std::size_t n_leaves;
  std::string found_by;  // where the best tree so far came from
  Stats stats;
};

struct Result {
  Tree tree;
  double loss = 0.0, objective = 0.0, lower_bound = 0.0;
  double tolerance = 0.0;
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

  ~Search();
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  // May be called again after it was stopped, and goes on where it was. With more time the answer
  // is the one a single run would have given.
  Result run(const RunLimits& limits = {});
  // A tree and a lower bound to start from, before a run: what is known of this very problem.
  void start_from(const Tree& tree, double lower_bound, const std::string& found_by);
  // Every tree that attains the optimum, at most `limit`, in the order of the tie rule; the first
  // is the one run() returns. Only after a run that ended `optimal`. Short if stopped.
  std::vector<Tree> optimal_trees(std::size_t limit);
  // Claims that together prove the optimum, the one about all rows last. Only after a run that
  // ended `optimal`. Not complete if stopped, or if there would be more than `limit`.
  Proof proof(std::size_t limit);

  // From any thread, while run() goes on.
  void interrupt() { limits_.interrupt(); }
  // Called by the searching thread now and then, so that the caller can show progress or interrupt.
  void set_listener(std::function<void()> listener) { limits_.set_listener(std::move(listener)); }
  std::vector<Progress> take_progress();
  // At this very moment; for the listener.
  Progress snapshot();
  bool is_stopped() const { return limits_.is_over(); }
  std::size_t cache_bytes() const { return cache_.bytes(); }

 private:
  struct Worker;  // what belongs to one thread
  struct Node;    // a subset whose questions are being tried, perhaps by several workers

  Answer solve(Worker& w, Subset& s, int depth, double budget, std::size_t level);
  Answer solve_one_split(Worker& w, Subset& s, double budget, std::size_t level);
  Answer solve_splits(Worker& w, Subset& s, int depth, double budget, std::size_t level);
  void try_questions(Worker& w, Node& node);
  void try_question(Worker& w, Node& node, std::uint32_t lane);
  Answer solve_children(Worker& w, const Node& node, std::uint32_t lane, double limit);
  std::optional<Answer> known(const Subset& s, int depth);
  void remember(const Subset& s, int depth, Answer answer);

  int depth_worth_trying(const Subset& s) const;
  bool is_leaf_at_most(const Subset& s) const;
  void make_key(Subset& s) const;
  void split_all(Worker& w, Subset& s, bool wants_groups, SplitRow& out) const;
  void order_lanes(const SplitRow& split, std::vector<std::uint32_t>& order) const;
  double child_bound(const SplitRow& split, std::size_t lane, bool yes) const;
  bool is_over_budget(Worker& w, const Node& node, std::uint32_t lane, double limit) const;
  bool should_stop(Worker& w);

  void deepen(double upper_bound);
  void climb();
  bool is_gap_closed() const;
  Result closed(Tree tree);
  double proven_bound() const;
  void with_share_of_work(double lane_rows, const std::function<void()>& work);
  int next_depth(int depth) const;
  bool is_lattice_due(int depth) const;
  bool is_lattice_cheaper() const;
  double estimated_work() const;
  void solve_by_lattice();
  void offer(Tree tree, const std::string& found_by);
  void log_progress();
  void look_for_trees();
  void start_greedily(const std::string& found_by);
  void improve(const std::string& found_by);
  Tree improved_tree(Worker& w, Subset& s, const Tree& tree, int depth, std::size_t level);
  Tree as_stated(Worker& w, Subset& s, const Tree& tree, std::size_t level);
  Tree greedy_tree(Worker& w, Subset& s, int depth, std::size_t level);
  Tree greedy_split(Worker& w, const Subset& s, std::size_t lane, int depth, std::size_t level);
  double objective_of(const Tree& tree) const;
  Tree leaf_of(const Subset& s) const;
  Tree stored_tree(Worker& w, Subset& s, int depth, double value, std::size_t level);
  Tree stored_split(Worker& w, const Subset& s, const SplitRow& split, std::size_t lane, int depth,
                    double value, std::size_t level);
  // Where trees are to be read off: what is asked of one node.
  struct Reading {
    Subset& subset;
    Lattice::Cell cell;  // used if there is a lattice
    int depth;
    double optimum;
    std::size_t limit, level;
  };
  std::vector<Tree> trees(const Reading& r);
  void trees_that_split(const Reading& r, std::vector<Tree>& out);
  // The optimum of a child, if it can be within the budget.
  std::optional<double> optimum_of(Subset& s, const Lattice::Cell& cell, int depth, double budget,
                                   std::size_t level);

  void prove(Proof& proof, Subset& s, int depth, double target, std::size_t level);
  void prove_children(Proof& proof, const Subset& s, std::size_t lane, int depth, double target,
                      std::size_t level);

  const Problem& problem_;
  SearchOptions options_;
  RunLimits run_limits_;
  Bounds bounds_;
  Limits limits_;
  Cache cache_;
  LaneFunctions lanes_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<Lattice> lattice_;  // if the deepest level was solved by one
  std::unique_ptr<Team> team_;        // while run() goes on, if there are several workers
  Subset root_;
  double tolerance_ = 0.0;
  int final_depth_ = 0;
  Tree incumbent_;
  double incumbent_objective_ = 0.0;
  std::string found_by_;
  std::atomic<double> lower_bound_ = 0.0;      // if there is a guess: as far as it holds
  Answer answer_;                              // of the root, at the depth last searched
  int depth_ = 0;                              // that depth
  int solved_depth_ = -1;                      // the depth at which answer_ closed the problem
  int look_ahead_ = 2;                         // levels that greedy trees are optimal for
  std::uint64_t pause_at_ = Limits::kNoLimit;  // lane-rows of the first worker
  std::uint64_t n_shed_before_ = 0;            // this run
  std::mutex progress_mutex_, incumbent_mutex_;
  std::vector<Progress> progress_;
};

}  // namespace survtree
