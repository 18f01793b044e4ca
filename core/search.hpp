// The exact search: what to look at next, and when we are done. Dynamic programming over subsets,
// depth first under a budget, repeated with growing depth so that each depth's optimum is the next
// one's upper bound. All state belongs to one Search object; there is none outside.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bounds.hpp"
#include "cache.hpp"
#include "limits.hpp"
#include "problem.hpp"
#include "split_row.hpp"

namespace survtree {

constexpr int kMaxDepth = 1000;  // recursion is one frame a level; no useful tree comes near

struct SearchOptions {
  int max_depth = kMaxDepth;
  double regularization = 0.01;
  std::uint64_t min_samples_leaf = 7;
  double gap = 0.0;                       // relative
  double upper_bound = Bounds::no_limit;  // an objective said to be attainable
  double time_limit_s = Bounds::no_limit;
  std::size_t memory_limit_bytes = SIZE_MAX;  // for the cache
  Switches switches;
  Kernel kernel = available_kernels().back();
  bool check_keys = false;  // keep the rows of every cached subset and compare them
};

// Work done, and what ended each subset that was not searched through.
struct Stats {
  std::uint64_t subsets_solved = 0;
  std::uint64_t lane_rows = 0;  // (rows or blocks of rows) x questions that went through a lane
  std::uint64_t cache_hits = 0;
  std::uint64_t pruned_by_budget = 0;
  std::uint64_t pruned_by_incremental_progress = 0;
  std::uint64_t pruned_by_leaf_count = 0;
};

// A tree under construction; shared, since optimal subtrees are shared between optimal trees.
struct Node {
  std::int32_t question = kLeaf;
  std::shared_ptr<const Node> no, yes;
  double loss = 0.0;         // leaves
  std::uint64_t n_rows = 0;  // leaves
};
using Tree = std::shared_ptr<const Node>;

double loss_of(const Tree& tree);
std::size_t leaves_of(const Tree& tree);

// One line of the progress table.
struct Progress {
  double seconds;
  std::uint64_t subsets_solved;
  double lower_bound, objective;
  std::size_t n_leaves;
  std::string found_by;  // where the best tree so far came from
};

struct Result {
  Tree tree;
  double loss = 0.0, objective = 0.0, lower_bound = 0.0;
  double tolerance = 0.0;
  Status status = Status::optimal;
  bool is_upper_bound_wrong = false;  // no tree attains the upper bound that was given
  Stats stats;
  std::size_t cache_entries = 0, cache_bytes = 0;
  double seconds = 0.0;
};

// Which rows are here: a list, or bits where the problem has a BitTable. Most subsets are closed by
// what the split of their parent told about them, so a list is picked from the parent's only when
// needed.
struct Subset {
  Key key;
  SubsetFacts facts;
  std::uint64_t n_rows = 0;  // of the table

  std::span<const std::uint64_t> bits;
  std::span<const std::uint32_t> rows;  // ascending; empty until made
  std::span<const std::uint32_t> parent_rows;
  std::uint32_t question = 0;
  bool says_yes = false;
  std::vector<std::uint32_t>* buffer = nullptr;
};

class Search {
 public:
  // The problem must outlive the search.
  Search(const Problem& problem, const SearchOptions& options);

  ~Search();
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  Result run();
  // Every tree that attains the optimum, at most `limit`, in the order of the tie rule; the first
  // is the one run() returns. Only after a run that ended `optimal`. Short if stopped.
  std::vector<Tree> optimal_trees(std::size_t limit);

  // From any thread, while run() goes on.
  void interrupt() { limits_.interrupt(); }
  // Called by the searching thread now and then, so that the caller can show progress or interrupt.
  void set_listener(std::function<void()> listener) { limits_.set_listener(std::move(listener)); }
  std::vector<Progress> take_progress();
  bool is_stopped() const { return limits_.is_stopped(); }

 private:
  struct Level;  // scratch of one depth of the recursion

  Answer solve(Subset& s, int depth, double budget, std::size_t level);
  Answer solve_one_split(Subset& s, double budget, std::size_t level);
  Answer solve_splits(Subset& s, int depth, double budget, std::size_t level);
  Answer solve_children(Subset& s, std::uint32_t question, int depth, double limit,
                        std::size_t level);
  std::optional<Answer> known(Subset& s, int depth);
  void remember(Subset& s, int depth, Answer answer);

  int depth_worth_trying(const Subset& s) const;
  bool is_allowed(const SplitRow& split, std::size_t question) const;
  void make_rows(Subset& s) const;
  void split_all(Subset& s, bool wants_children, Level& scratch);
  Key pick_bits(const Subset& s, std::uint32_t question, bool yes,
                std::vector<std::uint64_t>& out) const;
  void order_questions(Level& scratch) const;
  double child_bound(const Child& child) const;
  Subset part(Subset& s, std::uint32_t question, bool yes, Level& scratch) const;
  Level& level(std::size_t k);

  void deepen(double upper_bound);
  int next_depth(int depth) const;
  void offer(const Tree& tree, const std::string& found_by);
  void log_progress();
  Tree leaf_of(const Subset& s) const;
  Tree stored_tree(Subset& s, int depth, std::size_t level);
  Tree stored_split(Subset& s, std::uint32_t question, int depth, std::size_t level);
  std::vector<Tree> trees(Subset& s, int depth, double optimum, std::size_t limit,
                          std::size_t level);
  void trees_that_split(Subset& s, int depth, double optimum, std::size_t limit, std::size_t level,
                        std::vector<Tree>& out);

  const Problem& problem_;
  SearchOptions options_;
  Bounds bounds_;
  Limits limits_;
  Cache cache_;
  Stats stats_;
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<std::uint32_t> all_rows_;
  Subset root_;
  double tolerance_ = 0.0;
  int final_depth_ = 0;
  Tree incumbent_;
  double incumbent_objective_ = 0.0;
  std::string found_by_;
  double lower_bound_ = 0.0;
  double root_floor_ = 0.0;  // of the root's splits, at the depth now searched: none is better
  Answer answer_;            // of the root, at the depth last searched
  int solved_depth_ = -1;    // the depth at which answer_ closed the problem
  std::mutex progress_mutex_;
  std::vector<Progress> progress_;
};

}  // namespace survtree
