// Splits of nearly optimal trees, where splits are cuts.
#include "data/contract.hpp"
#include "search/cut_solver.hpp"

namespace survtree {

int CutSolver::useful_depth(const NearPart& s) const {
  CutSubset subset;
  subset.n_rows = s.n_rows;
  subset.n_events = s.n_events;
  return useful_depth(subset);
}

// As if they had been tried one by one. `is_first`: of all rows, which rules may be about.
std::vector<CutSolver::Tried> CutSolver::tried_of(const std::vector<double>& optima,
                                                  bool is_first) const {
  std::vector<Tried> tried;
  for (std::uint32_t cut = 0; 2 * std::size_t{cut} < optima.size(); ++cut) {
    const bool is_barred =
        is_first && must_split() && !problem_.rules.may_be_first[problem_.column_of(cut)];
    const double no = optima[2 * std::size_t{cut}], yes = optima[2 * std::size_t{cut} + 1];
    if (!is_barred) tried.push_back({cut, no + yes + penalty_of(cut), no, yes});
  }
  return tried;
}

void CutSolver::splits_within(std::span<const Step> path, const NearPart& s, int depth,
                              double budget, const std::vector<double>& optima,
                              std::vector<NearSplit>& out) {
  out.clear();
  CutSubset subset = root_;
  std::vector<std::uint32_t> rows = all_rows_;
  for (const Step& step : path) {
    const std::uint32_t column = problem_.column_of(step.question);
    const std::uint32_t last = step.question - problem_.first_cut[column];
    problem_.with_codes(column, [&](const auto* codes) {
      std::erase_if(rows, [&](std::uint32_t row) { return (codes[row] <= last) != step.says_yes; });
    });
  }
  subset.rows = rows;
  subset.key = s.key;
  subset.n_rows = s.n_rows;
  subset.n_events = s.n_events;
  subset.loss = s.loss;
  subset.group_loss = s.group_loss;
  subset.floor = problem_.loss->floor(rows);

  std::vector<Tried> tried = tried_of(optima, path.empty());
  if (optima.empty()) {
    const std::size_t k = path.size();
    const Table table = new_table();
    if (depth == 1)
      solve_last(subset, budget, {}, level(k), *table, true);
    else
      solve_splits(subset, depth, budget, {}, k, *table, true);
    if (limits_.is_stopped()) return;
    tried = level(k).tried;
  }
  // Nothing is within an infinite budget that is infinite itself: of a cut that parts no rows, or
  // leaves too few on a side, a device says so.
  std::erase_if(tried, [&](const Tried& each) {
    return each.value > budget + tolerance_ || each.value == Bounds::no_limit;
  });
  std::sort(tried.begin(), tried.end(),
            [](const Tried& a, const Tried& b) { return a.cut < b.cut; });
  std::vector<std::uint32_t> cuts;
  cuts.reserve(tried.size());
  for (const Tried& each : tried) cuts.push_back(each.cut);
  Level at;
  stats_.lane_rows += splitter_.split(rows, cuts, {true, false}, at.row);
  // Cuts that part these rows alike may both have been tried, in looks of their own; together they
  // are one lane.
  std::int32_t before = CutRow::kAllNo;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    if (at.row.lane_of[i] == before) continue;
    before = at.row.lane_of[i];
    require(before >= 0, "a cut that was tried parts the rows");
    const auto lane = static_cast<std::size_t>(before);
    part(subset, at.row.cut[lane], at);
    const auto part_of = [&](const CutSubset& side, const CutSide& facts, double value) {
      return NearPart{side.key,          value, facts.loss[lane], side.group_loss, facts.rows[lane],
                      facts.events[lane]};
    };
    out.push_back(
        {first_like(subset, at.row.cut[lane]), part_of(at.no_part.subset, at.row.no, tried[i].no),
         part_of(at.yes_part.subset, at.row.yes, tried[i].yes), penalty_of(at.row.cut[lane])});
  }
}

}  // namespace survtree
