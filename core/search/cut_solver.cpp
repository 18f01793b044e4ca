#include "search/cut_solver.hpp"

#include <numeric>

#include "data/contract.hpp"
#include "data/distinct.hpp"

namespace survtree {
namespace {

// Rows times cuts of the look for a first split, to which no limit applies yet.
constexpr std::size_t kMostFirstLook = 200'000'000;

// More open cuts than this are looked at in steps: what a few of them show closes others.
constexpr std::size_t kMostAtOnce = 64, kStride = 4;

std::size_t first_stride(std::size_t n_open) {
  std::size_t stride = 1;
  while (n_open > kMostAtOnce * stride) stride *= kStride;
  return stride;
}

// Cuts that are closed by less than this share of the budget are looked at all the same where both
// sides are leaves: their floors, which cost little, spare neighbours more.
constexpr double kMore = 1.01;
// For floors that neighbours may use; they are found again at some cost.
constexpr std::size_t kMostTableBytes = std::size_t{1} << 29U;

// Where a table is as large as this, none is kept for neighbours.
constexpr std::size_t kLargeTable = std::size_t{1} << 22U;
constexpr std::size_t kMostSpareTables = 64, kMostSpareBytes = std::size_t{1} << 26U;

}  // namespace

CutSolver::CutSolver(const CutProblem& problem, const SearchOptions& options)
    : problem_(problem),
      options_(options),
      bounds_(options.regularization, problem.rules.least_penalty(), options.switches),
      smallest_{options.min_samples_leaf, options.min_events_leaf},
      floors_(for_kernel(options.kernel, [](auto variant) { return floor_functions(variant); })),
      splitter_(problem, options.kernel, options.min_events_leaf > 0),
      all_rows_(iota(problem.n_rows())) {
  require(options.max_depth >= 0 && options.max_depth <= kMaxDepth, "0 <= max_depth <= 1000");
  require(options.regularization >= 0.0, "regularization >= 0");
  require(options.min_samples_leaf >= 1, "min_samples_leaf >= 1");
  require(options.most_lanes >= 1, "most_lanes >= 1");
  spare_tables_.reserve(kMostSpareTables);
  root_.rows = all_rows_;
  root_.loss = problem.loss->of_leaf(all_rows_);
  root_.floor = problem.loss->floor(all_rows_);
  for (std::uint32_t row : all_rows_) {
    root_.n_rows += problem.n_copies[row];
    root_.n_events += problem.n_events[row];
    root_.group_loss += problem.group_loss[row];
    root_.key.high += problem.name[row].high;
    root_.key.low += problem.name[row].low;
  }
  // As in SubsetSolver.
  tolerance_ = 1e-12 * root_.loss +
               1e-15 * (options_.regularization + problem.rules.largest_first_penalty());
  least_split_ = problem.rules.least_penalty();
  if (problem.rules.has_first()) look_for_first_split();
}

// Cuts of a column that leave enough of all rows on both sides, counted without a look at each.
void CutSolver::add_fitting_cuts(std::uint32_t column, std::vector<std::uint32_t>& out) const {
  const std::uint32_t base = problem_.first_cut[column];
  const std::uint32_t n_cuts = problem_.first_cut[column + 1] - base;
  std::vector<std::uint64_t> rows(n_cuts + 1), events(n_cuts + 1);  // by how many cuts they pass
  problem_.with_codes(column, [&](const auto* codes) {
    for (const std::uint32_t row : all_rows_) {
      rows[codes[row]] += problem_.n_copies[row];
      events[codes[row]] += problem_.n_events[row];
    }
  });
  std::uint64_t yes_rows = 0, yes_events = 0;
  for (std::uint32_t k = 0; k < n_cuts; ++k) {
    yes_rows += rows[k];
    yes_events += events[k];
    const bool fits = smallest_.fits(yes_rows, yes_events) &&
                      smallest_.fits(root_.n_rows - yes_rows, root_.n_events - yes_events);
    if (fits) out.push_back(base + k);
  }
}

// The first split is a cut that may be, or there is none if no such cut leaves enough on both
// sides. Of very many some are looked at: it is where the search begins, and need not be good.
void CutSolver::look_for_first_split() {
  std::vector<std::uint32_t> fitting, cuts;
  for (std::uint32_t column = 0; column < problem_.n_columns; ++column)
    if (problem_.rules.may_be_first[column]) add_fitting_cuts(column, fitting);
  const std::size_t most = std::max<std::size_t>(64, kMostFirstLook / problem_.n_rows());
  const std::size_t n = std::min(fitting.size(), most);
  for (std::size_t i = 0; i < n; ++i) cuts.push_back(fitting[i * fitting.size() / n]);
  CutRow row;
  if (options_.max_depth > 0)
    stats_.lane_rows += splitter_.split(all_rows_, cuts, {true, false}, row);
  double best = Bounds::no_limit;
  for (std::size_t lane = 0; lane < row.n_lanes; ++lane) {
    const double value = row.no.loss[lane] + row.yes.loss[lane] + penalty_of(row.cut[lane]);
    if (!fits(row.no, lane) || !fits(row.yes, lane) || value >= best) continue;
    best = value;
    first_split_ = split_of(static_cast<std::int32_t>(row.cut[lane]), leaf_of(row.no.loss[lane]),
                            leaf_of(row.yes.loss[lane]));
  }
  if (first_split_ == nullptr) options_.max_depth = 0;
}

void CutSolver::start(const RunLimits& limits) {
  limits_.start(limits);
  const bool is_large = FloorTable::bytes(problem_.n_cuts()) > kLargeTable;
  most_table_bytes_ = is_large ? 0 : std::min(kMostTableBytes, limits.memory_limit_bytes / 2);
  cache_.set_max_bytes(limits.memory_limit_bytes - most_table_bytes_);
}

int CutSolver::useful_depth(const CutSubset& s) const {
  const std::uint64_t leaves = smallest_.most_leaves(s.n_rows, s.n_events);
  return leaves == 0 ? 0 : static_cast<int>(std::min<std::uint64_t>(leaves - 1, kMaxDepth));
}

CutResult CutSolver::solve_root(int depth, double budget) {
  Table table;
  return solve(root_, depth, budget, {}, 0, table);
}

CutResult CutSolver::solve(const CutSubset& s, int depth, double budget, const Hints& hints,
                           std::size_t k, Table& table) {
  const double leaf = as_leaf(s), weak = relaxed(s);
  if (smallest_.is_leaf_at_most(s.n_rows, s.n_events)) return {leaf, weak, kLeaf, true};
  if (!must_split(s) && bounds_.no_split_pays(s.facts())) {
    ++stats_.pruned_by_incremental_progress;
    return {leaf, weak, kLeaf, true};
  }
  const double floor = must_split(s) ? bounds_.if_split(s.facts()) : bounds_.any_tree(s.facts());
  if (options_.switches.hierarchical && floor > budget + tolerance_) {
    ++stats_.pruned_by_budget;
    return {floor, weak, kLeaf, false};
  }
  if (depth == 0) return {leaf, s.floor + penalty(), kLeaf, true};
  if (useful_depth(s) < depth) {
    // Relaxed trees may be deeper than those with leaves of full size.
    CutResult result = solve(s, useful_depth(s), budget, {}, k, table);
    table.reset();
    result.floor = weak;
    return result;
  }
  if (options_.switches.permutation && k > 0) {
    const CutResult* past = cache_.find(s.key, depth);
    if (past != nullptr && (past->is_solved || past->value > budget + tolerance_)) {
      ++stats_.cache_hits;
      return *past;
    }
  }
  if (should_stop()) return {floor, weak, kLeaf, false};
  table = new_table();
  const CutResult result = depth == 1 ? solve_last(s, budget, hints, level(k), *table)
                                      : solve_splits(s, depth, budget, hints, k, *table);
  if (limits_.is_stopped()) return result;
  ++stats_.subsets_solved;
  limits_.count_node();
  if (options_.switches.permutation) cache_.store(s.key, depth, result);
  return result;
}

// Tables come and go with every subset: their memory is used again.
CutSolver::Table CutSolver::new_table() {
  const std::size_t bytes = FloorTable::bytes(problem_.n_cuts());
  std::unique_ptr<FloorTable> table;
  if (spare_tables_.empty()) {
    table = std::make_unique<FloorTable>();
  } else {
    table = std::move(spare_tables_.back());
    spare_tables_.pop_back();
  }
  table_bytes_ += bytes;
  return {table.release(), [this, bytes](FloorTable* old) {
            table_bytes_ -= bytes;
            old->sides.clear();
            // There is room for it (see the constructor): nothing here may throw.
            if (spare_tables_.size() < kMostSpareTables &&
                bytes * (spare_tables_.size() + 1) <= kMostSpareBytes)
              spare_tables_.emplace_back(old);
            else
              delete old;
          }};
}

// What is known before any cut is looked at: each side has a leaf, and what holds for subsets.
void CutSolver::start_table(FloorTable& table, const CutSubset& s, const Hints& hints) {
  const std::size_t n = problem_.n_cuts();
  const float least = rounded_down(penalty());
  table.n_rows = s.n_rows;
  n_cells_ += n;
  if (hints[0] == nullptr || !options_.switches.floors) {
    table.no.assign(n, least);
    table.yes.assign(n, least);
    return;
  }
  table.no = hints[0]->no;
  table.yes = hints[0]->yes;
  if (hints[1] == nullptr) return;
  floors_.raise_to(table.no.data(), hints[1]->no.data(), n);
  floors_.raise_to(table.yes.data(), hints[1]->yes.data(), n);
}

void CutSolver::open_cuts(const FloorTable& table, const CutSubset& s, double budget,
                          std::vector<std::uint32_t>& out) const {
  const bool is_on = options_.switches.floors;
  std::size_t n_open = 0;
  out.resize(problem_.n_cuts() + 16);
  for_columns(s, [&](std::uint32_t first, std::size_t n, double split) {
    std::uint32_t* here = out.data() + n_open;
    if (is_on)
      n = floors_.list_open(table.no.data() + first, table.yes.data() + first, n,
                            closing_sum(budget - split + tolerance_), here);
    else
      std::iota(here, here + n, 0U);
    for (std::size_t k = 0; first > 0 && k < n; ++k) here[k] += first;
    n_open += n;
  });
  out.resize(n_open);
}

// Leaves those that are still open.
void CutSolver::close_cuts(const FloorTable& table, double budget,
                           std::vector<std::uint32_t>& open) const {
  const float closed = closing_sum(budget + tolerance_);
  if (!problem_.rules.has_penalties()) {
    std::erase_if(open, [&](std::uint32_t cut) { return table.no[cut] + table.yes[cut] > closed; });
    return;
  }
  std::erase_if(open, [&](std::uint32_t cut) {
    return table.no[cut] + table.yes[cut] > closing_sum(budget - penalty_of(cut) + tolerance_);
  });
}

// The least sum of floors, with the penalty, among the cuts that it closes.
double CutSolver::least_closed(const FloorTable& table, const CutSubset& s, double budget) const {
  double least = Bounds::no_limit;
  if (!options_.switches.floors) return least;
  for_columns(s, [&](std::uint32_t first, std::size_t n, double split) {
    const float sum = floors_.least_closed(table.no.data() + first, table.yes.data() + first, n,
                                           closing_sum(budget - split + tolerance_));
    if (sum != kNoFloor)  // it may be rounded up
      least = std::min(least, static_cast<double>(sum) * (1.0 - 2e-7) + split);
  });
  return least;
}

// Enters the floors of lanes, `no` and `yes`, at the cuts that were asked about, and at those that
// they hold for as well. Where all rows are on one side, that is the whole subset, as a leaf at the
// least; of the other side nothing is known but that it has a leaf.
void CutSolver::raise_table(FloorTable& table, const CutSubset& s,
                            std::span<const std::uint32_t> cuts, const CutRow& row, const float* no,
                            const float* yes) const {
  if (!options_.switches.floors) return;
  const float whole = rounded_down(relaxed(s));
  const auto put = [](float& old, float value) { old = std::max(old, value); };
  for (std::size_t first = 0, end; first < cuts.size(); first = end) {
    const std::uint32_t column = problem_.column_of(cuts[first]);
    const std::uint32_t next_column = problem_.first_cut[column + 1];
    end = first;
    while (end < cuts.size() && cuts[end] < next_column) ++end;
    float highest = 0.0F;
    for (std::size_t i = first; i < end; ++i) {
      const std::int32_t lane = row.lane_of[i];
      const float value = lane >= 0 ? yes[lane] : lane == CutRow::kAllYes ? whole : 0.0F;
      highest = std::max(highest, value);
      const std::uint32_t next = i + 1 < end ? cuts[i + 1] : problem_.first_cut[column + 1];
      for (std::uint32_t cut = cuts[i]; cut < next; ++cut) put(table.yes[cut], highest);
    }
    highest = 0.0F;
    for (std::size_t i = end; i-- > first;) {
      const std::int32_t lane = row.lane_of[i];
      const float value = lane >= 0 ? no[lane] : lane == CutRow::kAllNo ? whole : 0.0F;
      highest = std::max(highest, value);
      const std::uint32_t before = i > first ? cuts[i - 1] + 1 : problem_.first_cut[column];
      for (std::uint32_t cut = before; cut <= cuts[i]; ++cut) put(table.no[cut], highest);
    }
  }
}

// Looks at the cuts picked, both of whose sides are to be leaves: first at their floors, then at
// the losses of those that the floors leave open.
void CutSolver::look_at(const CutSubset& s, Level& at, FloorTable& table, Best& best) {
  const bool is_on = options_.switches.floors;
  if (is_on) {
    stats_.lane_rows += splitter_.split(s.rows, at.picked, {false, true}, at.row, poll_);
    if (limits_.is_stopped()) return;
    const CutRow& row = at.row;
    at.no.resize(row.n_lanes);
    at.yes.resize(row.n_lanes);
    at.promising.clear();
    const double limit = best.limit() + tolerance_;
    for (std::size_t lane = 0; lane < row.n_lanes; ++lane) {
      at.no[lane] = rounded_down(row.no.floor[lane] + penalty());
      at.yes[lane] = rounded_down(row.yes.floor[lane] + penalty());
      const double bound = static_cast<double>(at.no[lane]) + static_cast<double>(at.yes[lane]) +
                           penalty_of(row.cut[lane]);
      best.floor = std::min(best.floor, bound);
      if (!fits(row.no, lane) || !fits(row.yes, lane)) continue;
      if (bound <= limit)
        at.promising.push_back(row.cut[lane]);
      else
        best.rest = std::min(best.rest, bound);
    }
    raise_table(table, s, at.picked, row, at.no.data(), at.yes.data());
  }
  const std::vector<std::uint32_t>& cuts = is_on ? at.promising : at.picked;
  if (cuts.empty()) return;
  stats_.lane_rows += splitter_.split(s.rows, cuts, {true, false}, at.row, poll_);
  if (limits_.is_stopped()) return;
  for (std::size_t lane = 0; lane < at.row.n_lanes; ++lane) {
    if (!fits(at.row.no, lane) || !fits(at.row.yes, lane)) continue;
    const double no = at.row.no.loss[lane] + penalty(), yes = at.row.yes.loss[lane] + penalty();
    const double value = at.row.no.loss[lane] + at.row.yes.loss[lane] + 2.0 * penalty() +
                         penalty_of(at.row.cut[lane]);
    at.tried.push_back({at.row.cut[lane], value, no, yes});
    best.value = std::min(best.value, value);
  }
}

// Trees of at most two leaves.
CutResult CutSolver::solve_last(const CutSubset& s, double budget, const Hints& hints, Level& at,
                                FloorTable& table, bool wants_all) {
  const double leaf = as_leaf(s);
  Best best{leaf, budget, options_.switches.floors ? s.floor + penalty() : relaxed(s)};
  best.wants_all = wants_all;
  start_table(table, s, hints);
  at.tried.clear();
  open_cuts(table, s, kMore * best.limit(), at.open);
  std::size_t n_asked = 0;
  for (std::size_t stride = first_stride(at.open.size()); !at.open.empty();
       stride = std::max<std::size_t>(1, stride / kStride)) {
    at.picked.clear();
    std::size_t n_left = 0;
    for (std::size_t i = 0; i < at.open.size(); ++i) {
      if (i % stride == stride / 2)
        at.picked.push_back(at.open[i]);
      else
        at.open[n_left++] = at.open[i];
    }
    at.open.resize(n_left);
    n_asked += at.picked.size();
    const double before = best.value;
    look_at(s, at, table, best);
    if (!wants_all && best.value < before && s.key == root_.key) tell_of_split(at.tried);
    if (limits_.is_stopped()) return {bounds_.any_tree(s.facts()), relaxed(s), kLeaf, false};
    close_cuts(table, kMore * best.limit(), at.open);
  }
  stats_.pruned_by_floor += problem_.n_cuts() - n_asked;
  const double closed = least_closed(table, s, kMore * best.limit());
  const double floor = std::min(best.floor, closed);
  if (best.value > budget + tolerance_)
    return {std::min({best.value, best.rest, closed}), floor, kLeaf, false};
  return {best.value, floor, first_of_ties(s, best.value, at.tried), true};
}

// Of all rows even one look may take long: what it finds is worth showing.
void CutSolver::tell_of_split(std::span<const Tried> tried) {
  const auto best = std::min_element(
      tried.begin(), tried.end(), [](const Tried& a, const Tried& b) { return a.value < b.value; });
  if (on_better_split_ && best != tried.end()) on_better_split_(best->cut, 1, best->value);
}

// The tie rule: a leaf if it is as good, otherwise the cut that loses least alone on all rows, then
// the one whose question has the smallest penalty, then the smallest rank.
std::int32_t CutSolver::first_of_ties(const CutSubset& s, double best,
                                      std::span<const Tried> tried) {
  if (as_leaf(s) <= best + tolerance_) return kLeaf;
  std::vector<std::uint32_t> ties;
  for (const Tried& each : tried)
    if (each.value <= best + tolerance_) ties.push_back(each.cut);
  require(!ties.empty(), "the best value is that of a cut");
  if (ties.size() == 1) return static_cast<std::int32_t>(ties[0]);
  for (std::uint32_t& cut : ties) cut = first_like(s, cut);
  const auto first =
      std::min_element(ties.begin(), ties.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return comes_before(a, b); });
  return static_cast<std::int32_t>(*first);
}

bool CutSolver::comes_before(std::uint32_t a, std::uint32_t b) {
  const double x = alone(a), y = alone(b);
  if (x != y) return x < y;
  const double p = penalty_of(a), q = penalty_of(b);
  return p != q ? p < q : problem_.question_rank[a] < problem_.question_rank[b];
}

// The loss of a split of all rows.
double CutSolver::alone(std::uint32_t cut) {
  const auto known = alone_.find(cut);
  if (known != alone_.end()) return known->second;
  stats_.lane_rows += splitter_.split(all_rows_, std::span(&cut, 1), {true, false}, alone_row_);
  const double loss =
      alone_row_.n_lanes == 0 ? Bounds::no_limit : alone_row_.no.loss[0] + alone_row_.yes.loss[0];
  return alone_[cut] = loss;
}

}  // namespace survtree
