// All trees that cost no more than a limit, best first, each partition of the rows once.
//
// Every (subset, depth) has a stream of its trees by ascending objective, of which no more is made
// than somebody asks for: the leaf, and for each split the pairs of a tree from the stream of the
// one side and a tree from that of the other. Pairs (i, j) of a split wait in a heap; behind (i, j)
// come (i, j + 1) and, if j is 0, (i + 1, 0), so each pair is met once, and never before a cheaper
// one. Which splits there are is asked of the solver, under a limit that only grows.
//
// Conditions are part of what names a stream: the questions that some split must still be one of,
// and how many leaves there may be. There the optima of the solver are lower bounds.
#pragma once

#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "search/near_source.hpp"

namespace survtree {

// What every tree of the set must be like.
struct NearQuery {
  int max_depth = 0;
  std::uint32_t max_leaves = UINT32_MAX;
  // Sets of questions: a tree has a split from each. By question, the sets that it is in, one bit
  // each; empty if there are none.
  std::vector<std::uint32_t> sets_of;
  std::uint32_t all_sets = 0;
  // The first split is one of these, by question; otherwise any may be, and a lone leaf will do.
  bool has_first = false;
  std::vector<bool> may_be_first;
};

class NearTrees {
 public:
  // The source must outlive it.
  NearTrees(NearSource& source, NearQuery query, std::size_t most_bytes);

  // Looks for the trees that cost at most optimum + slack, no more than `n` of them and those that
  // cost the same as the last.
  void find(double optimum, double slack, std::size_t n);
  // Looks for the best tree; none costs less than `lowest`. It may be that there is none.
  void find_best(double lowest);

  // Trees by ascending objective; those that differ by rounding alone, in the order that breaks
  // ties.
  std::size_t size() const { return streams_[0].trees.size(); }
  double value(std::size_t k) const { return streams_[0].trees[k].value; }
  Tree tree(std::size_t k) const { return read(0, k); }
  // Whether every tree that was looked for is there. Not if the limits of the source ended it; then
  // what there is is right, and no more can be found.
  bool is_complete() const { return is_complete_; }
  // While it is not complete: no tree that is not there costs less.
  double lower_bound() const { return lower_bound_; }
  std::size_t bytes() const { return bytes_; }
  std::size_t n_streams() const { return streams_.size(); }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // Which trees of a subset.
  struct Wanted {
    int depth = 0;
    std::uint32_t must_use = 0;  // sets
    std::uint32_t max_leaves = 1;
    bool operator==(const Wanted&) const = default;
  };
  struct Name {
    Key key;
    Wanted wanted;
    bool operator==(const Name&) const = default;
  };
  struct NameHash {
    std::size_t operator()(const Name& name) const;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const { return key.low; }
  };
  struct Side {
    NearPart part;
    Wanted wanted;
    std::uint32_t stream = kNone;  // once somebody has asked; leaves need none
  };
  struct Split {
    std::uint32_t question;
    Side no, yes;
    double penalty = 0.0;
  };
  // A pair of trees, one on each side of a split; or the leaf, where the split is kNone.
  struct Pair {
    double value;  // a lower bound until both trees are known
    std::uint32_t split = kNone, no = 0, yes = 0;
    bool is_known = false;
    bool operator<(const Pair& other) const { return value > other.value; }  // least on top
  };
  // What a split needs to know of a tree on one side.
  struct Summary {
    double value;
    Key partition;  // of the rows, by its leaves
    std::uint32_t n_leaves;
  };
  struct Found : Summary {
    std::uint32_t split, no, yes;
  };
  struct Stream {
    NearPart part;
    Wanted wanted;
    std::uint32_t parent = kNone;  // with the answer that leads here
    Step step{};
    double known_to;  // every split of a tree that costs at most this is there
    std::deque<Split> splits;
    std::unordered_set<std::uint32_t> questions;
    std::vector<Pair> pairs;    // a heap
    std::vector<Pair> waiting;  // for a limit above this:
    double waited_to;
    std::vector<Found> trees;
    std::unordered_set<Key, KeyHash> partitions;
  };

  bool look(double limit, std::size_t n);
  std::optional<double> cost_of_one_split();
  bool add_trees(std::uint32_t at, double limit);
  bool add_splits(std::uint32_t at, double limit);
  void add_split(std::uint32_t at, const NearSplit& split);
  void add_sides(std::uint32_t at, const NearSplit& split, std::uint32_t no_sets,
                 std::uint32_t yes_sets);
  void retry(std::uint32_t at, double limit);
  void offer(std::uint32_t at, Pair pair, double limit);
  static Pair take(Stream& s);
  std::optional<Summary> tree_of(std::uint32_t at, std::size_t k, double limit);
  std::optional<Summary> side_tree(std::uint32_t at, Side& side, Step step, std::size_t k,
                                   double limit);
  std::uint32_t stream_of(const NearPart& part, const Wanted& wanted, std::uint32_t parent,
                          Step step);
  Summary summary_of(const Side& side, std::size_t k) const;
  Found found_of(const Stream& s, const Pair& pair) const;
  Summary leaf(const NearPart& part) const;
  std::vector<Step> path_to(std::uint32_t at) const;
  int order(const Stream& s, const Found& a, const Stream& t, const Found& b) const;
  int order(const Side& a, std::size_t i, const Side& b, std::size_t j) const;
  Tree read(std::uint32_t at, std::size_t k) const;
  Tree read(const Side& side, std::size_t k) const;
  std::uint32_t sets_of(std::uint32_t question) const {
    return query_.sets_of.empty() ? 0 : query_.sets_of[question];
  }
  // A lone leaf is none of the trees on all rows.
  bool must_split() const {
    const bool can_split = query_.max_leaves > 1 && query_.max_depth > 0;
    return query_.has_first || (can_split && source_.must_split());
  }
  void count_bytes(std::size_t n);
  bool is_stopped() const { return source_.limits().is_stopped(); }

  NearSource& source_;
  NearQuery query_;
  double tolerance_, penalty_;
  std::deque<Stream> streams_;  // they never move
  std::unordered_map<Name, std::uint32_t, NameHash> stream_by_name_;
  std::vector<NearSplit> found_splits_;
  std::size_t bytes_ = 0, most_bytes_;
  bool is_complete_ = false;
  double lower_bound_ = 0.0;
};

}  // namespace survtree
