// The best losses by number of leaves, of every subset at every depth that matters: all trees that
// are optimal for some penalty of a leaf, in one search, or the best tree with so many leaves at
// most.
//
// A tree that is optimal for a penalty has subtrees that are optimal for it, so of each subset only
// the lower convex hull of (leaves, loss) is needed, down to the smallest penalty asked for. Where
// the number of leaves is limited the hull is not enough, and every number of leaves is kept. Where
// splits have penalties of their own, these are part of the loss of a tree here.
//
// Threads share what is known. The results of a subset do not depend on the order in which its
// splits are solved: they are compared afterwards, in the order that breaks ties, and losses that
// differ by rounding alone count as equal.
#pragma once

#include "search/limits.hpp"
#include "search/point_cache.hpp"
#include "search/progress.hpp"
#include "search/team.hpp"
#include "search/tree.hpp"

namespace survtree {

struct FrontierOptions {
  int max_depth = kMaxDepth;
  double min_regularization = 0.001;  // the smallest penalty of a leaf that is asked for
  std::uint64_t min_samples_leaf = 7;
  std::uint64_t min_events_leaf = 0;
  std::size_t max_leaves = SIZE_MAX;  // all up to it are kept; without a limit only the hull
  std::size_t n_threads = 1;
  Kernel kernel = available_kernels().back();
};

struct FrontierResult {
  std::vector<Tree> trees;   // with ascending numbers of leaves and falling losses
  bool is_complete = false;  // that is the depth asked for, or no deeper tree can be better
  Status status = Status::optimal;
  Stats stats;
  std::size_t cache_entries = 0, cache_bytes = 0;
  double tolerance = 0.0, root_loss = 0.0, root_floor = 0.0, seconds = 0.0;
};

class Frontier {
 public:
  // The problem must outlive it.
  Frontier(const Problem& problem, const FrontierOptions& options);

  // Depth after depth; stopped, it has the trees of the depth before, and better ones of the first
  // splits that were tried to the end.
  FrontierResult run(const RunLimits& limits);

  // Through these whoever waits for run() listens to it, and may interrupt it.
  Limits& limits() { return limits_; }
  std::vector<Progress> take_progress() { return progress_.take(); }
  // At this very moment, of the smallest penalty; for the listener.
  Progress snapshot() const;
  std::size_t cache_bytes() const { return cache_.bytes(); }

 private:
  using Best = std::vector<Point>;  // by number of leaves, less one; none: n_leaves is 0
  // What belongs to one thread.
  struct Hand {
    Hand(std::size_t number, std::size_t n_levels) : worker(number), best(n_levels) {}
    Worker worker;
    std::vector<Best> best;  // by level
    std::vector<Point> reduced;
  };
  // A subset whose splits are being tried, perhaps by several threads.
  struct Node {
    Subset& subset;
    const SplitRow& split;
    int depth;
    std::size_t level;
  };
  // Both sides of a split.
  struct Tried {
    PointsFound no, yes;
    Point no_leaf, yes_leaf;
    bool is_done = false;
  };

  // `leaf` is where a lone leaf is put.
  PointsFound points(Hand& hand, Subset& s, int depth, std::size_t level, Point& leaf);
  void look_for_first_split();
  bool is_allowed(std::uint32_t question, std::size_t level) const {
    return level > 0 || first_split_ == nullptr || problem_.rules.may_be_first[question];
  }
  bool try_splits(Hand& hand, Subset& s, int depth, std::size_t level);
  bool try_in_turn(Hand& hand, const Node& node, Best& best);
  bool try_together(Hand& hand, const Node& node, Best& best);
  void try_split(Hand& hand, const Node& node, std::size_t lane, Tried& tried);
  bool add(const Node& node, std::size_t lane, const Tried& tried, Best& best) const;
  void offer(Best& best, const Point& point) const;
  std::span<const Point> reduced(Hand& hand, const Best& best) const;
  void keep(std::vector<Point>& hull, const Point& point) const;
  int useful_depth(const Subset& s) const;
  double leaves_worth(const Subset& s) const;
  std::size_t most_leaves(const Subset& s, int depth) const;

  void deepen(FrontierResult& result);
  void add_unfinished(std::vector<Tree>& trees, int depth);
  Tree read(Subset& s, int depth, std::size_t n_leaves, std::size_t level);
  Tree read_split(Subset& s, const Point& point, int depth, std::size_t level);

  // Where the search stands, for whoever watches it.
  struct Standing {
    double objective = 0.0;
    std::size_t n_leaves = 1;
    int depth = 0;  // of the search that found it
    std::size_t first_splits_done = 0, first_splits = 0;
    bool is_proven = false;
  };
  double objective_of(const Point& point) const;
  double cost_of(const Tree& tree) const;
  void note_first_splits(int depth, std::size_t n);
  void note_first_split(const Node& node, std::size_t lane, const Tried& tried);
  void note_trees(const std::vector<Tree>& trees, int depth, bool is_proven);
  Stats stats() const;

  std::vector<std::unique_ptr<Hand>> hands_;
  std::unique_ptr<Team> team_;
  const Problem& problem_;
  FrontierOptions options_;
  Splitter splitter_;
  Limits limits_;
  Subset root_;
  double tolerance_;
  double least_split_;  // no split has a smaller penalty of its own
  PointCache cache_;
  int begun_depth_ = -1;  // whose first splits are in the first hand
  // Where all rows must be split: the best tree of two leaves.
  Tree first_split_;
  mutable std::mutex standing_mutex_;
  Standing standing_;
  ProgressLog progress_;
};

}  // namespace survtree
