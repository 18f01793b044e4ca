// The optimum of one subset at one depth: dynamic programming over subsets, depth first under a
// budget, with a cache and bounds. Knows what to look at next, not why this subset or this budget.
#pragma once

#include "search/limits.hpp"
#include "search/team.hpp"
#include "search/tree.hpp"
#include "search/worker.hpp"

namespace survtree {

// How the deepest level is solved: by a search with bounds, or by a lattice of all cells.
enum class Solver : std::uint8_t { cheaper, search, lattice };

struct SearchOptions {
  int max_depth = kMaxDepth;
  double regularization = 0.01;
  std::uint64_t min_samples_leaf = 7;
  std::uint64_t min_events_leaf = 0;
  double upper_bound = Bounds::no_limit;  // an objective said to be attainable
  std::size_t n_threads = 1;
  Switches switches;
  Kernel kernel = available_kernels().back();
  Solver solver = Solver::cheaper;
  std::size_t most_lanes = 65'536;         // of one look at cuts; fewer where rows are very many
  std::uint64_t greedy_from = 10'000'000;  // lane-rows done; before that greedy trees do not pay
  bool check_keys = false;  // keep the groups of every cached subset and compare them
};

// A split of a subset that is neither solved nor ruled out.
struct OpenQuestion {
  std::uint32_t question;
  bool is_yes_next;  // which of its parts a search would look at now
};
struct OpenQuestions {
  std::vector<OpenQuestion> questions;  // most promising first
  double bound = 0.0;                   // no tree on the subset costs less
  double limit = 0.0;                   // what one must cost at most to be of interest
};

class SubsetSolver {
 public:
  // Called when a split of all rows, a lane of their split row, is better than any before at this
  // depth. Any worker may call it, while the one that made the row is busy below.
  using OnBetterSplit = std::function<void(Worker& w, const SplitRow& split, std::size_t lane,
                                           int depth, double objective)>;

  // Problem and incumbent must outlive it. The incumbent is the best tree on all rows.
  SubsetSolver(const Problem& problem, const SearchOptions& options, const Incumbent& incumbent);

  // The optimum of (subset, depth), or the proof that it exceeds the budget. Ties with the budget
  // count as within it: every tree that attains the optimum is found, so that the choice among them
  // does not depend on the order of search. `level` is how far below all rows the subset is.
  SubsetResult solve(Worker& w, Subset& s, int depth, double budget, std::size_t level);
  // For a search that several processes share, whose cached results they hand to each other. A
  // path leads from all rows to a subset, which may be split so many levels deep.
  //
  // What is left to be done there, as far as this cache knows, if trees on all rows may be `depth`
  // deep and cost so much.
  OpenQuestions open_questions(std::span<const Step> path, int depth, double budget);
  // Solves questions of the subset, one after another, or proves that they exceed the budget, where
  // the subset may be split `depth` levels deep; the results are in the cache afterwards. Returns
  // how many were done before a limit stopped it.
  std::size_t try_below(std::span<const Step> path, std::span<const std::uint32_t> questions,
                        int depth, double budget);
  // Questions that others are trying above: here they are tried last, in the hope that their
  // results come before. Two that try a and b would otherwise meet at once in the subsets of both.
  void defer(std::span<const std::uint32_t> questions);
  // What the cache says of a subset whose key is made.
  std::optional<SubsetResult> cached(const Subset& s, int depth) const;
  void make_key(Subset& s) const;
  // No tree on the part of a split costs less.
  double part_bound(const SplitRow& split, std::size_t lane, bool yes) const {
    return bounds_.any_tree(facts_of(split.side(yes), lane));
  }
  // Rules of the user: what a split on a question costs beside its parts; whether all rows must be
  // split; and whether a question may split rows that are so many levels below all rows.
  double penalty_of(std::uint32_t question) const { return problem_.rules.penalty(question); }
  bool must_split() const { return must_split_; }
  bool is_allowed(std::uint32_t question, std::size_t level) const {
    return level > 0 || !must_split_ || problem_.rules.may_be_first[question];
  }
  int useful_depth(const Subset& s) const { return splitter_.useful_depth(s); }
  int final_depth() const { return std::min(options_.max_depth, useful_depth(root_)); }
  bool should_stop(Worker& w);
  // Whether the last two levels are solved at once; and whether they may have been in another run,
  // whose results the cache keeps.
  bool solves_pairs() const { return solves_pairs_; }
  bool may_solve_pairs() const { return may_solve_pairs_; }

  void start(const RunLimits& limits);
  void set_listener(OnBetterSplit on_better_split) {
    on_better_split_ = std::move(on_better_split);
  }
  // Helpers for the first worker, as long as `work` takes.
  void with_team(const std::function<void()>& work);
  // Leaves what it does once it has taken so many lane-rows.
  void with_share_of_work(double lane_rows, const std::function<void()>& work);

  const Problem& problem() const { return problem_; }
  const SearchOptions& options() const { return options_; }
  const Bounds& bounds() const { return bounds_; }
  const Splitter& splitter() const { return splitter_; }
  const Cache& cache() const { return cache_; }
  Cache& cache() { return cache_; }
  double tolerance() const { return tolerance_; }
  Limits& limits() { return limits_; }
  const Limits& limits() const { return limits_; }
  Team* team() { return team_.get(); }
  Subset& root() { return root_; }
  const Subset& root() const { return root_; }
  Worker& worker(std::size_t number = 0) { return *workers_[number]; }
  Stats stats() const;

 private:
  // A subset whose questions are being tried, perhaps by several workers.
  struct Node {
    Subset& subset;
    Worker::Level& scratch;  // its splits
    int depth;
    double budget;
    std::size_t level;

    std::mutex mutex;  // guards what follows
    SubsetResult best;
    double rest = Bounds::no_limit;  // no tree that was left unsolved is better than this
    bool is_depth_cut = false;
  };
  struct Known {
    double value;  // the optimum, or what no tree is below
    bool is_solved;
  };

  void look_for_first_split();
  bool can_solve_pairs() const;
  std::size_t bytes_of_pairs() const;  // of the sums for one subset
  std::size_t bytes_of_all_pairs() const;
  SubsetResult solve_first_split(Worker& w, Subset& s, int depth, double budget);
  SubsetResult solve_one_split(Worker& w, Subset& s, double budget, std::size_t level);
  SubsetResult solve_pairs(Worker& w, Subset& s, std::size_t level);
  PairRequest pair_request(Worker& w, std::span<const std::uint64_t> bits) const;
  const std::vector<std::int64_t>& pair_sums(Worker& w, const Subset& s, std::size_t level);
  SubsetResult solve_splits(Worker& w, Subset& s, int depth, double budget, std::size_t level);
  Node begin_node(Worker& w, Subset& s, int depth, double budget, std::size_t level);
  // Where a path leads, and what is left there of depth and budget.
  struct End {
    Subset& subset;
    int depth;
    double budget;
    std::size_t level;
  };
  void at_end_of(std::span<const Step> path, const End& from,
                 const std::function<void(const End& end)>& use);
  void put_deferred_last(Worker::Level& scratch) const;
  Known known(Subset& s, int depth) const;
  void look_at_open(Node& node, std::uint32_t lane, OpenQuestions& out) const;
  void try_questions(Worker& w, Node& node);
  void try_question(Worker& w, Node& node, std::uint32_t lane);
  SubsetResult solve_parts(Worker& w, const Node& node, std::uint32_t lane, double limit);
  double look_up(Subset& s, int depth, bool& is_depth_cut) const;
  void store(const Subset& s, int depth, SubsetResult result, std::uint64_t lane_rows);
  bool is_over_budget(Worker& w, const Node& node, std::uint32_t lane, double limit) const;
  bool is_leaf_at_most(const Subset& s) const { return splitter_.is_leaf_at_most(s); }

  const Problem& problem_;
  SearchOptions options_;
  const Incumbent& incumbent_;
  Bounds bounds_;
  Splitter splitter_;
  Limits limits_;
  Cache cache_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<Team> team_;
  Subset root_;
  double tolerance_ = 0.0;
  bool must_split_ = false;  // all rows, on a question that may be first
  bool may_solve_pairs_ = false;
  bool solves_pairs_ = false;          // in this run, by its memory limit
  std::vector<bool> is_deferred_;      // by question; empty if none is
  std::uint64_t pause_at_ = kNoLimit;  // lane-rows of the first worker
  std::uint64_t n_shed_before_ = 0;    // this run
  OnBetterSplit on_better_split_;
};

}  // namespace survtree
