// Trees of more than two leaves: which cut to solve next, and what that closes.
#include <algorithm>

#include "data/contract.hpp"
#include "search/cut_solver.hpp"

namespace survtree {

constexpr std::uint64_t kParts = 16;  // of all rows, in which a column is cut first
// Lanes of one look at the cuts of a subset, so that it takes seconds and little memory even where
// both rows and cuts are very many.
constexpr std::size_t kLaneRowsAtOnce = std::size_t{1} << 30U;
constexpr std::size_t kFewestLanes = 256;

CutResult CutSolver::solve_splits(const CutSubset& s, int depth, double budget, const Hints& hints,
                                  std::size_t k, FloorTable& table, bool wants_all) {
  const double leaf = as_leaf(s);
  // Tables of subsets of two leaves are many and serve neighbours well; deeper ones are large.
  const bool keeps_sides = depth == 2 && k > 0;
  Level& at = level(k);
  Node node{s, hints,       at,        table, depth, budget,
            k, keeps_sides, wants_all, leaf,  leaf,  s.floor + penalty()};
  start_table(table, s, hints);
  at.tried.clear();
  open_cuts(table, s, node.limit(), at.open);
  const double limit_of_open = try_open(node);
  return limits_.is_stopped() ? stopped(node) : finish(node, limit_of_open);
}

// Tries the cuts that are open. Returns the limit above which all others are closed.
double CutSolver::try_open(Node& node) {
  Level& at = node.at;
  double limit_of_open = node.limit();
  while (!at.open.empty()) {
    pick(node);
    look_at_picked(node);
    if (limits_.is_stopped()) return limit_of_open;
    try_runs(node);
    end_look(node);
    if (limits_.is_stopped() || at.open.empty()) return limit_of_open;
    limit_of_open = node.limit();
    close_cuts(node.table, limit_of_open, at.open);
  }
  return limit_of_open;
}

std::size_t CutSolver::try_cuts(std::span<const CutRange> ranges, int depth, double budget) {
  require(depth >= 2, "there are levels left to be split");
  const double leaf = as_leaf(root_);
  std::size_t n_done = 0;
  for (const auto& range : ranges) {
    if (should_stop()) return n_done;
    Level& at = level(0);
    const Table table = new_table();
    const Hints none{};
    Node node{root_, none, at, *table, depth, budget, 0, false, false, leaf, leaf, 0.0};
    start_table(*table, root_, none);
    at.tried.clear();
    open_cuts(*table, root_, node.limit(), at.open);
    std::erase_if(at.open,
                  [&](std::uint32_t cut) { return cut < range.first || cut >= range.end; });
    try_open(node);
    if (limits_.is_stopped()) return n_done;
    ++n_done;
  }
  return n_done;
}

// Of the cuts that are open, as many as one look may take, evenly; what they show closes others.
void CutSolver::pick(Node& node) const {
  Level& at = node.at;
  const std::size_t most = std::min(
      options_.most_lanes, std::max(kFewestLanes, kLaneRowsAtOnce / node.subset.rows.size()));
  if (at.open.size() <= most || !options_.switches.floors) {
    at.picked.swap(at.open);
    at.open.clear();
    return;
  }
  const std::size_t stride = (at.open.size() + most - 1) / most;
  at.picked.clear();
  std::size_t n_left = 0;
  for (std::size_t i = 0; i < at.open.size(); ++i) {
    if (i % stride == stride / 2)
      at.picked.push_back(at.open[i]);
    else
      at.open[n_left++] = at.open[i];
  }
  at.open.resize(n_left);
}

// The cuts picked, with both sides as leaves.
void CutSolver::look_at_picked(Node& node) {
  Level& at = node.at;
  stats_.lane_rows += splitter_.split(node.subset.rows, at.picked, {}, at.row, poll_);
  if (limits_.is_stopped()) return;
  const CutRow& row = at.row;
  at.no.resize(row.n_lanes);
  at.yes.resize(row.n_lanes);
  for (std::size_t lane = 0; lane < row.n_lanes; ++lane) {
    // A side is a leaf, or has two.
    const double no = std::min(row.no.floor[lane] + penalty(), least_of_two());
    const double yes = std::min(row.yes.floor[lane] + penalty(), least_of_two());
    at.no[lane] = std::max(node.table.no[row.cut[lane]], rounded_down(no));
    at.yes[lane] = std::max(node.table.yes[row.cut[lane]], rounded_down(yes));
    if (fits(row.no, lane) && fits(row.yes, lane))
      node.best = std::min(node.best, row.no.loss[lane] + row.yes.loss[lane] + 2.0 * penalty() +
                                          penalty_of(row.cut[lane]));
  }
}

// One run a column; the column whose best split is best comes first, that is, last on the stack.
// Its cuts are those between which nothing was solved.
void CutSolver::order_columns(Node& node) {
  const CutRow& row = node.at.row;
  std::vector<std::pair<double, Run>> columns;
  for (std::size_t first = 0, end; first < row.n_lanes; first = end) {
    const std::uint32_t column = problem_.column_of(row.cut[first]);
    const std::uint32_t next = problem_.first_cut[column + 1];
    double best = Bounds::no_limit;
    for (end = first; end < row.n_lanes && row.cut[end] < next; ++end)
      best = std::min(best, row.no.loss[end] + row.yes.loss[end]);
    columns.push_back({best + problem_.rules.penalty(column), {first, end, true}});
  }
  std::sort(columns.begin(), columns.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second.first < b.second.first;
  });
  node.at.runs.clear();
  for (const auto& [best, run] : columns) node.at.runs.push_back(run);
}

// Of all rows: a cut of every column, then the runs that hold many rows, so that a search that is
// stopped has a lower bound to show. Otherwise one run after the other is followed to its end, so
// that few tables are needed at a time.
CutSolver::Run CutSolver::next_run(Node& node) const {
  std::vector<Run>& runs = node.at.runs;
  std::size_t next = runs.size() - 1;
  if (node.level == 0) {
    const std::vector<std::uint64_t>& yes = node.at.row.yes.rows;
    std::uint64_t most = node.subset.n_rows / kParts;
    for (std::size_t k = runs.size(); k-- > 0;) {
      const Run& run = runs[k];
      const std::uint64_t n_rows = run.is_column         ? node.subset.n_rows
                                   : run.first < run.end ? yes[run.end - 1] - yes[run.first]
                                                         : 0;
      if (n_rows <= most) continue;
      most = n_rows;
      next = k;
    }
  }
  const Run run = runs[next];
  runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(next));
  return run;
}

// Runs of cuts are halved: the one in the middle is solved, and what it shows may close others.
void CutSolver::try_runs(Node& node) {
  Level& at = node.at;
  order_columns(node);
  while (!at.runs.empty() && !limits_.is_stopped()) {
    const Run run = next_run(node);
    const double limit = node.limit() + tolerance_;
    const auto is_open = [&](std::size_t lane) { return bound_of(node, lane) <= limit; };
    std::size_t first = run.first, end = run.end;
    while (first < end && !is_open(first)) ++first;
    while (first < end && !is_open(end - 1)) --end;
    if (first == end) {
      drop_tables(node, run);
      continue;
    }
    std::size_t middle = first + (end - first) / 2;
    while (!is_open(middle)) ++middle;
    at.runs.push_back({middle + 1, run.end});
    at.runs.push_back({run.first, middle});
    try_cut(node, middle);
  }
}

// In double precision: the sum of the floors is exact.
double CutSolver::bound_of(const Node& node, std::size_t lane) const {
  return static_cast<double>(node.at.no[lane]) + static_cast<double>(node.at.yes[lane]) +
         penalty_of(node.at.row.cut[lane]);
}

void CutSolver::try_cut(Node& node, std::size_t lane) {
  Level& at = node.at;
  const std::uint32_t cut = at.row.cut[lane];
  part(node.subset, cut, at);
  set_facts(at, lane);
  const bool is_allowed = fits(at.row.no, lane) && fits(at.row.yes, lane);
  const CutSubset &no = at.no_part.subset, &yes = at.yes_part.subset;
  // The side that loses more is likelier to break the budget, which spares the other. Where a side
  // is too small for a leaf, only the floor of the other is wanted.
  const bool is_no_first = is_allowed ? no.loss > yes.loss : no.n_rows > yes.n_rows;
  Side first{is_no_first ? no : yes, !is_no_first, is_no_first ? at.no[lane] : at.yes[lane]};
  Side second{is_no_first ? yes : no, is_no_first, is_no_first ? at.yes[lane] : at.no[lane]};
  if (is_allowed)
    solve_sides(node, cut, first, second);
  else
    solve_side(node, cut, first, node.limit() - penalty_of(cut) - second.value);
  const Side &no_side = is_no_first ? first : second, &yes_side = is_no_first ? second : first;
  raise(node, lane, no_side.floor, yes_side.floor);
  keep_tables(node, {cut, no_side.table, yes_side.table});
}

// Both sides of a cut. What is known of one lowers the budget of the other.
void CutSolver::solve_sides(Node& node, std::uint32_t cut, Side& first, Side& second) {
  const double penalty = penalty_of(cut), limit = node.limit() - penalty;
  solve_side(node, cut, first, limit - second.value);
  if (first.is_solved && first.value + second.value <= limit + tolerance_)
    solve_side(node, cut, second, limit - first.value);
  const double value = first.value + second.value + penalty;
  if (!first.is_solved || !second.is_solved) {
    node.rest = std::min(node.rest, value);
    return;
  }
  const bool is_no_first = !first.is_yes;
  node.at.tried.push_back({cut, value, is_no_first ? first.value : second.value,
                           is_no_first ? second.value : first.value});
  if (node.level == 0 && !node.wants_all && value < node.best && !limits_.is_stopped())
    on_better_split_(cut, node.depth, value);
  node.best = std::min(node.best, value);
}

// Improves what is known of one side of a cut.
void CutSolver::solve_side(Node& node, std::uint32_t cut, Side& side, double budget) {
  const double limit = options_.switches.hierarchical ? budget : Bounds::no_limit;
  const CutResult result = solve(side.subset, node.depth - 1, limit,
                                 hints_for(node, cut, side.is_yes), node.level + 1, side.table);
  side.is_solved = result.is_solved;
  side.value = result.is_solved ? result.value : std::max(side.value, result.value);
  side.floor = std::max(side.floor, result.floor);
}

void CutSolver::keep_tables(Node& node, FloorTable::Sides sides) {
  if (table_bytes_ > most_table_bytes_ || (sides.no == nullptr && sides.yes == nullptr)) return;
  auto& all = node.table.sides;
  all.insert(std::lower_bound(all.begin(), all.end(), sides.cut,
                              [](const auto& old, std::uint32_t c) { return old.cut < c; }),
             std::move(sides));
}

// The two largest tables known of subsets of a side of a cut.
CutSolver::Hints CutSolver::hints_for(const Node& node, std::uint32_t cut, bool yes) const {
  const std::uint32_t column = problem_.column_of(cut);
  const std::uint32_t first = problem_.first_cut[column], end = problem_.first_cut[column + 1];
  const auto table_of = [&](const FloorTable* known) -> const FloorTable* {
    if (known == nullptr) return nullptr;
    return yes ? known->yes_table(cut, first) : known->no_table(cut, end);
  };
  Hints out{};
  for (const FloorTable* known :
       {const_cast<const FloorTable*>(&node.table), node.hints[0], node.hints[1]}) {
    const FloorTable* found = table_of(known);
    if (found == nullptr || found == out[0]) continue;
    if (out[0] == nullptr || found->n_rows > out[0]->n_rows) {
      out[1] = out[0];
      out[0] = found;
    } else if (out[1] == nullptr || found->n_rows > out[1]->n_rows) {
      out[1] = found;
    }
  }
  return out;
}

// What is found of the sides of a cut holds for the yes-side of later cuts of the column, and for
// the no-side of earlier ones. Floors ascend, or descend, along a column: where they are as high
// already, so are all further on.
void CutSolver::raise(Node& node, std::size_t lane, double no_floor, double yes_floor) {
  if (!options_.switches.floors) return;
  Level& at = node.at;
  const std::uint32_t column = problem_.column_of(at.row.cut[lane]);
  const std::uint32_t first = problem_.first_cut[column], end = problem_.first_cut[column + 1];
  const auto is_same_column = [&](std::size_t other) {
    return at.row.cut[other] >= first && at.row.cut[other] < end;
  };
  const float no = rounded_down(no_floor), yes = rounded_down(yes_floor);
  for (std::size_t k = lane; k < at.row.n_lanes && is_same_column(k) && at.yes[k] < yes; ++k)
    at.yes[k] = yes;
  for (std::size_t k = lane; is_same_column(k) && at.no[k] < no; --k) {
    at.no[k] = no;
    if (k == 0) break;
  }
}

// A run is done: the tables at its ends have served, unless others want them.
void CutSolver::drop_tables(Node& node, const Run& run) {
  if (node.keeps_sides) return;
  const CutRow& row = node.at.row;
  for (FloorTable::Sides& sides : node.table.sides) {
    if (run.first > 0 && sides.cut == row.cut[run.first - 1]) sides.yes.reset();
    if (run.end < row.n_lanes && sides.cut == row.cut[run.end]) sides.no.reset();
  }
  std::erase_if(node.table.sides,
                [](const auto& sides) { return sides.no == nullptr && sides.yes == nullptr; });
}

// What the cuts that were looked at have shown goes into the table.
void CutSolver::end_look(Node& node) {
  Level& at = node.at;
  const double limit = node.limit() + tolerance_;
  for (std::size_t lane = 0; lane < at.row.n_lanes; ++lane) {
    const double bound = bound_of(node, lane);
    node.floor = std::min(node.floor, bound);
    // What was tried is in `tried` or `rest` with more than this; without a stop all else is
    // closed.
    if (bound > limit) node.closed = std::min(node.closed, bound);
    if (bound > limit) ++stats_.pruned_by_floor;
  }
  raise_table(node.table, node.subset, at.picked, at.row, at.no.data(), at.yes.data());
  if (!node.keeps_sides) node.table.sides.clear();
}

CutResult CutSolver::finish(Node& node, double limit_of_open) {
  double best = node.leaf;
  for (const Tried& each : node.at.tried) best = std::min(best, each.value);
  const double closed = least_closed(node.table, node.subset, limit_of_open);
  const double floor = std::min(node.floor, closed);
  if (best > node.budget + tolerance_ && options_.switches.hierarchical)
    return {std::min({best, node.rest, node.closed, closed}), floor, kLeaf, false};
  return {best, floor, first_of_ties(node.subset, best, node.at.tried), true};
}

// No tree that begins with a cut costs less than the table says of its sides.
CutResult CutSolver::stopped(const Node& node) const {
  const FloorTable& table = node.table;
  double least = Bounds::no_limit;
  for_columns(node.subset, [&](std::uint32_t first, std::size_t n, double split) {
    for (std::size_t cut = first; cut < first + n; ++cut)
      least = std::min(
          least, static_cast<double>(table.no[cut]) + static_cast<double>(table.yes[cut]) + split);
  });
  const double any = bounds_.any_tree(node.subset.facts());
  const double floor = std::min(node.subset.floor + penalty(), least);
  return {std::max(any, std::min(node.leaf, least)), std::max(relaxed(node.subset), floor), kLeaf,
          false};
}

void CutSolver::part(const CutSubset& s, std::uint32_t cut, Level& at) {
  const std::uint32_t column = problem_.column_of(cut);
  const std::uint32_t last = cut - problem_.first_cut[column];
  Part &no = at.no_part, &yes = at.yes_part;
  no.rows.resize(s.rows.size());
  yes.rows.resize(s.rows.size());
  std::size_t n_no = 0, n_yes = 0;
  problem_.with_codes(column, [&](const auto* codes) {
    for (std::uint32_t row : s.rows) {
      no.rows[n_no] = yes.rows[n_yes] = row;  // no branch: one of them is overwritten
      n_yes += codes[row] <= last ? 1 : 0;
      n_no += codes[row] <= last ? 0 : 1;
    }
  });
  // Of the smaller side; the rest is the other.
  Part &small = n_yes < n_no ? yes : no, &large = n_yes < n_no ? no : yes;
  yes.subset.rows = std::span(yes.rows).first(n_yes);
  no.subset.rows = std::span(no.rows).first(n_no);
  Key key;
  double group_loss = 0.0;
  for (std::uint32_t row : small.subset.rows) {
    key.high += problem_.name[row].high;
    key.low += problem_.name[row].low;
    group_loss += problem_.group_loss[row];
  }
  small.subset.key = key;
  large.subset.key = {s.key.high - key.high, s.key.low - key.low};
  small.subset.group_loss = group_loss;
  large.subset.group_loss = std::max(0.0, (s.group_loss - group_loss) * (1.0 - 1e-13));
}

void CutSolver::set_facts(Level& at, std::size_t lane) {
  for (const bool says_yes : {false, true}) {
    CutSubset& s = says_yes ? at.yes_part.subset : at.no_part.subset;
    const CutSide& side = says_yes ? at.row.yes : at.row.no;
    s.n_rows = side.rows[lane];
    s.n_events = side.events[lane];
    s.loss = side.loss[lane];
    s.floor = side.floor[lane];
  }
}

}  // namespace survtree
