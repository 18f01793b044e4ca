// The best losses by number of leaves, of every subset at every depth that matters: all trees that
// are optimal for some penalty of a leaf, in one search, or the best tree with so many leaves at
// most.
//
// A tree that is optimal for a penalty has subtrees that are optimal for it, so of each subset only
// the lower convex hull of (leaves, loss) is needed, down to the smallest penalty asked for. Where
// the number of leaves is limited the hull is not enough, and every number of leaves is kept.
#pragma once

#include <deque>

#include "search/limits.hpp"
#include "search/tree.hpp"
#include "search/worker.hpp"

namespace survtree {

struct FrontierOptions {
  int max_depth = kMaxDepth;
  double min_regularization = 0.001;  // the smallest penalty of a leaf that is asked for
  std::uint64_t min_samples_leaf = 7;
  std::uint64_t min_events_leaf = 0;
  std::size_t max_leaves = SIZE_MAX;  // all up to it are kept; without a limit only the hull
  Kernel kernel = available_kernels().back();
};

// A tree by its number of leaves, and how to read it off: its first question, and how many of the
// leaves are on the side that answers no.
struct Point {
  double loss = 0.0;
  std::int32_t question = kLeaf;
  std::uint16_t n_leaves = 1, no_leaves = 0;
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

  // Depth after depth; stopped, it has the trees of the depth before.
  FrontierResult run(const RunLimits& limits);

  Limits& limits() { return limits_; }
  std::size_t cache_bytes() const;

 private:
  // What is known of a subset at a depth, by ascending number of leaves.
  struct Found {
    std::span<const Point> points;
    bool is_cut;  // deeper trees might do better
  };
  struct Slot {
    Key key;
    const Point* points = nullptr;
    std::uint16_t n_points = 0, depth = 0;
    bool is_cut = false;

    bool is_used() const { return points != nullptr; }
  };
  using Best = std::vector<Point>;  // by number of leaves, less one; none: n_leaves is 0

  // `leaf` is where a lone leaf is put.
  Found points(Subset& s, int depth, std::size_t level, Point& leaf);
  bool try_splits(Subset& s, int depth, std::size_t level);
  void offer(Best& best, const Point& point) const;
  std::span<const Point> kept(const Best& best);
  void keep(const Point& point);
  int useful_depth(const Subset& s) const;
  double leaves_worth(const Subset& s) const;
  std::size_t most_leaves(const Subset& s, int depth) const;
  Tree read(Subset& s, int depth, std::size_t n_leaves, std::size_t level);
  void store(const Key& key, int depth, const Found& found);

  Worker worker_{0};  // first: it is aligned to a cache line
  const Problem& problem_;
  FrontierOptions options_;
  Splitter splitter_;
  Limits limits_;
  Subset root_;
  double tolerance_;
  std::vector<Best> best_;  // by level
  HashTable<Slot> slots_;
  std::deque<std::vector<Point>> pool_;  // chunks that never move
  std::vector<Point> reduced_;
};

}  // namespace survtree
