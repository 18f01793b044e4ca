// The optimum of one subset at one depth where splits are cuts of columns: dynamic programming over
// subsets, as in solver.hpp, in which whole intervals of cuts are closed at once by the floors of
// their ends (floor_table.hpp).
#pragma once

#include <array>
#include <functional>

#include "kernel/floors.hpp"
#include "search/cut_cache.hpp"
#include "search/cut_row.hpp"
#include "search/floor_table.hpp"
#include "search/near_source.hpp"
#include "search/solver.hpp"

namespace survtree {

struct CutSubset {
  std::span<const std::uint32_t> rows;  // ascending
  Key key;
  std::uint64_t n_rows = 0, n_events = 0;  // of the table
  double loss = 0.0, floor = 0.0;          // as one leaf
  double group_loss = 0.0;                 // sum of the floors of its groups

  SubsetFacts facts() const { return {loss, group_loss}; }
};

// Cuts of one column, from the first to before the end.
struct CutRange {
  std::uint32_t first, end;
};

class CutSolver {
 public:
  // Called when a split of all rows by a cut is better than any before.
  using OnBetterSplit = std::function<void(std::uint32_t cut, int depth, double objective)>;

  // The problem must outlive it.
  CutSolver(const CutProblem& problem, const SearchOptions& options);

  // The optimum of all rows at a depth, or the proof that it exceeds the budget.
  CutResult solve_root(int depth, double budget);
  // For a search that several processes share, whose cached results they hand to each other:
  // solves cuts of all rows, or proves that they exceed the budget. The results are in the cache
  // afterwards. Returns how many ranges were done before a limit stopped it.
  std::size_t try_cuts(std::span<const CutRange> ranges, int depth, double budget);
  // Whether all rows must be split; then the best tree of two leaves with a cut that may be first.
  bool must_split() const { return first_split_ != nullptr; }
  const Tree& best_first_split() const { return first_split_; }
  // The tree behind a result of all rows that is solved.
  Tree root_tree(int depth, double value);
  // The same for one that begins with a cut; its sides were just solved.
  Tree root_tree_with(std::uint32_t cut, int depth, double value);
  // Every tree on all rows that costs `optimum`, at most `limit`, in the order of the tie rule.
  std::vector<Tree> optimal_trees(int depth, double optimum, std::size_t limit);
  // For NearSource; the optima of both sides of all cuts may be known.
  void splits_within(std::span<const Step> path, const NearPart& s, int depth, double budget,
                     const std::vector<double>& optima, std::vector<NearSplit>& out);
  int useful_depth(const NearPart& s) const;
  bool comes_before(std::uint32_t a, std::uint32_t b);
  bool should_stop() {
    if (work() > limits_.of_run().work_limit) limits_.stop(Status::node_limit);
    return limits_.should_stop(n_polls_, true);
  }
  // A tree that somebody else made, with the losses of its leaves.
  Tree with_losses(const Tree& tree);

  void start(const RunLimits& limits);
  void set_listener(OnBetterSplit on_better_split) {
    on_better_split_ = std::move(on_better_split);
  }
  int final_depth() const { return std::min(options_.max_depth, useful_depth(root_)); }

  const CutProblem& problem() const { return problem_; }
  const SearchOptions& options() const { return options_; }
  const Bounds& bounds() const { return bounds_; }
  const CutSubset& root() const { return root_; }
  const CutCache& cache() const { return cache_; }
  CutCache& cache() { return cache_; }
  double tolerance() const { return tolerance_; }
  Limits& limits() { return limits_; }
  const Limits& limits() const { return limits_; }
  const Stats& stats() const { return stats_; }
  std::size_t bytes() const { return cache_.bytes() + table_bytes_; }

 private:
  using Table = std::shared_ptr<FloorTable>;
  // Tables of subsets of a subset, nearest first; null if there are fewer.
  using Hints = std::array<const FloorTable*, 2>;
  struct Part {
    CutSubset subset;
    std::vector<std::uint32_t> rows;
  };
  struct Run {
    std::size_t first, end;  // lanes between two that were tried
    bool is_column = false;  // of which none was
  };
  // The best tree of two leaves so far, or the leaf; the floor of all; and what no other tree that
  // was looked at is better than.
  struct Best {
    double value, budget, floor, rest = Bounds::no_limit;
    bool wants_all = false;  // within the budget, not only the best
    double limit() const { return wants_all ? budget : std::min(value, budget); }
  };
  // A cut that was solved, with the optima of its sides.
  struct Tried {
    std::uint32_t cut;
    double value, no, yes;
  };
  std::vector<Tried> tried_of(const std::vector<double>& optima, bool is_first) const;
  // One side of a cut and what is known of it: the optimum or a lower bound, and a floor.
  struct Side {
    const CutSubset& subset;
    bool is_yes;
    double value;
    double floor = 0.0;
    bool is_solved = false;
    Table table = nullptr;
  };
  // Scratch of a subset on the way from all rows down.
  struct Level {
    CutRow row;
    std::vector<std::uint32_t> open, picked, promising;
    std::vector<float> no, yes;  // floors by lane
    std::vector<Run> runs;
    std::vector<Tried> tried;
    Part no_part, yes_part;
  };
  // A subset whose cuts are being tried.
  struct Node {
    const CutSubset& subset;
    const Hints& hints;
    Level& at;
    FloorTable& table;
    int depth;
    double budget;
    std::size_t level;
    bool keeps_sides;  // for those who use the table
    bool wants_all;    // splits within the budget, not only the best

    double leaf, best;  // the best known: the leaf, or a split
    double floor;       // of what was looked at
    // No tree that was left unsolved is better than this, and none that begins with a cut that was
    // looked at and closed.
    double rest = Bounds::no_limit, closed = Bounds::no_limit;

    double limit() const { return wants_all ? budget : std::min(best, budget); }
  };

  CutResult solve(const CutSubset& s, int depth, double budget, const Hints& hints,
                  std::size_t level, Table& table);
  CutResult solve_last(const CutSubset& s, double budget, const Hints& hints, Level& at,
                       FloorTable& table, bool wants_all = false);
  CutResult solve_splits(const CutSubset& s, int depth, double budget, const Hints& hints,
                         std::size_t level, FloorTable& table, bool wants_all = false);
  double try_open(Node& node);
  void tell_of_split(std::span<const Tried> tried);
  void look_at(const CutSubset& s, Level& at, FloorTable& table, Best& best);
  void pick(Node& node) const;
  void look_at_picked(Node& node);
  void order_columns(Node& node);
  Run next_run(Node& node) const;
  void try_runs(Node& node);
  void try_cut(Node& node, std::size_t lane);
  void solve_sides(Node& node, std::uint32_t cut, Side& first, Side& second);
  void solve_side(Node& node, std::uint32_t cut, Side& side, double budget);
  void keep_tables(Node& node, FloorTable::Sides sides);
  Hints hints_for(const Node& node, std::uint32_t cut, bool yes) const;
  void raise(Node& node, std::size_t lane, double no_floor, double yes_floor);
  void drop_tables(Node& node, const Run& run);
  double bound_of(const Node& node, std::size_t lane) const;
  void end_look(Node& node);
  CutResult finish(Node& node, double limit_of_open);
  CutResult stopped(const Node& node) const;

  void start_table(FloorTable& table, const CutSubset& s, const Hints& hints);
  void open_cuts(const FloorTable& table, const CutSubset& s, double budget,
                 std::vector<std::uint32_t>& out) const;
  void close_cuts(const FloorTable& table, double budget, std::vector<std::uint32_t>& open) const;
  double least_closed(const FloorTable& table, const CutSubset& s, double budget) const;
  template <class Use>
  void for_columns(const CutSubset& s, Use use) const;
  void raise_table(FloorTable& table, const CutSubset& s, std::span<const std::uint32_t> cuts,
                   const CutRow& row, const float* no, const float* yes) const;
  Table new_table();

  void part(const CutSubset& s, std::uint32_t cut, Level& at);
  void set_facts(Level& at, std::size_t lane);
  Tree read(const CutSubset& s, int depth, double value, std::size_t level);
  Tree read_split(const CutSubset& s, std::uint32_t cut, int depth, double value,
                  std::size_t level);
  Tree with_losses(const CutSubset& s, const Tree& tree, std::size_t level);
  std::vector<Tree> trees(const CutSubset& s, int depth, double optimum, std::size_t limit,
                          std::size_t level);
  std::vector<std::uint32_t> tied_cuts(const CutSubset& s, int depth, double optimum,
                                       std::size_t level);
  std::pair<std::uint32_t, std::uint32_t> alike(const CutSubset& s, std::uint32_t cut) const;
  Key key_of_parts(std::uint32_t cut) const;
  std::int32_t first_of_ties(const CutSubset& s, double best, std::span<const Tried> tried);
  std::uint32_t first_like(const CutSubset& s, std::uint32_t cut);
  double alone(std::uint32_t cut);
  std::pair<Part, Part> parts_alone(const CutSubset& s, std::uint32_t cut);

  bool fits(const CutSide& side, std::size_t lane) const {
    return smallest_.fits(side.rows[lane], side.events[lane]);
  }
  // No relaxed tree costs less.
  double relaxed(const CutSubset& s) const {
    return std::min(s.floor + penalty(), s.group_loss + least_of_two());
  }
  int useful_depth(const CutSubset& s) const;
  double penalty() const { return options_.regularization; }
  // Two leaves, or more, and the split that parts them.
  double least_of_two() const { return 2.0 * penalty() + least_split_; }
  double penalty_of(std::uint32_t cut) const { return problem_.penalty_of(cut); }
  // Rows that must be split on a cut that may be first: a leaf is no tree of theirs.
  bool must_split(const CutSubset& s) const { return must_split() && s.key == root_.key; }
  double as_leaf(const CutSubset& s) const {
    return must_split(s) ? Bounds::no_limit : bounds_.as_leaf(s.facts());
  }
  void look_for_first_split();
  void add_fitting_cuts(std::uint32_t column, std::vector<std::uint32_t>& out) const;
  // Where columns have many cuts and subsets few rows, passes over tables of floors take longer
  // than the lanes do: a cut of a table counts like so many lane-rows.
  static constexpr std::uint64_t kWorkOfCell = 3;
  std::uint64_t work() const { return stats_.lane_rows + kWorkOfCell * n_cells_; }
  Level& level(std::size_t k) {
    while (levels_.size() <= k) levels_.push_back(std::make_unique<Level>());
    return *levels_[k];
  }

  const CutProblem& problem_;
  SearchOptions options_;
  Bounds bounds_;
  SmallestLeaf smallest_;
  FloorFunctions floors_;
  CutSplitter splitter_;
  Limits limits_;
  CutCache cache_;
  Stats stats_;
  std::uint64_t n_polls_ = 0;
  std::uint64_t n_cells_ = 0;  // of the tables that were begun
  std::vector<std::uint32_t> all_rows_;
  CutSubset root_;
  double tolerance_ = 0.0;
  double least_split_ = 0.0;  // no cut has a smaller penalty of its own
  Tree first_split_;
  // Before all that holds tables: those that go come here.
  std::vector<std::unique_ptr<FloorTable>> spare_tables_;
  std::size_t table_bytes_ = 0, most_table_bytes_ = SIZE_MAX;
  std::vector<std::unique_ptr<Level>> levels_;
  CutRow alone_row_;
  std::unordered_map<std::uint32_t, double> alone_;  // losses of splits of all rows, for ties
  // Between long steps: not only now and then does it look at the clock.
  std::function<bool()> poll_ = [this] { return limits_.look_at_clock(true) || should_stop(); };
  OnBetterSplit on_better_split_;
};

// Calls use(first cut, how many, penalty) for cuts that share a penalty and may split the rows: all
// at once if there are no rules, otherwise column after column.
template <class Use>
void CutSolver::for_columns(const CutSubset& s, Use use) const {
  const bool is_first = must_split(s);
  if (!problem_.rules.has_penalties() && !is_first) return use(0, problem_.n_cuts(), 0.0);
  for (std::size_t column = 0; column < problem_.n_columns; ++column) {
    if (is_first && !problem_.rules.may_be_first[column]) continue;
    const std::uint32_t first = problem_.first_cut[column];
    use(first, problem_.first_cut[column + 1] - first, problem_.rules.penalty(column));
  }
}

}  // namespace survtree
