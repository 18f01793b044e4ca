#include <algorithm>

#include "check.hpp"
#include "data/collapse.hpp"
#include "data/problem.hpp"
#include "losses/brier/brier.hpp"

using namespace survtree;

namespace {

bool has(const Problem& p, std::uint32_t column) {
  return std::ranges::find(p.column_of, column) != p.column_of.end();
}

// Of columns 0, 2 and 3, which part the rows alike, the cheapest stays, and one that may be first.
void check_rules(Table table, const Outcome& outcome) {
  const std::vector<double> penalties{0.1, 0.0, 0.2, 0.3, 0.0};
  table.column_penalty = penalties;
  const Problem cheapest = make_problem(table, outcome);
  check::that(cheapest.n_questions == 2 && has(cheapest, 0), "the smallest penalty stays");
  check::that(cheapest.rules.least_penalty() == 0.0, "a column without a penalty has none");
  const std::vector<std::uint8_t> may_be_first{0, 0, 0, 1, 0};
  table.may_be_first = may_be_first;
  const Problem both = make_problem(table, outcome);
  check::that(both.n_questions == 3 && has(both, 0) && has(both, 3), "so does one for the first");
  check::that(both.rules.largest_first_penalty() == 0.3, "with its penalty");
}

}  // namespace

int main() {
  // Columns: a, constant, a again, not a, b. Rows 0 and 1 are equal in everything.
  const std::vector<std::uint8_t> x{1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0};
  const std::vector<double> time{2, 2, 1, 3}, weight{1, 2, 1, 1};
  const std::vector<std::uint8_t> event{1, 1, 0, 1};
  const std::vector<std::uint32_t> rank{3, 0, 1, 2, 4};
  const Table table{4, 5, x, weight, rank, {}, event};
  const BrierOutcome outcome(time, event);
  const Problem p = make_problem(table, outcome);
  const CollapsedRows collapsed = collapse(table, outcome, pack(table).rows);
  const std::vector<CollapsedRow>& rows = collapsed.rows;

  check::that(p.n_rows() == 3, "equal rows collapse");
  check::that(p.n_copies[0] + p.n_copies[1] + p.n_copies[2] == 4, "and counted");
  check::that(p.n_events == std::vector<std::uint32_t>{0, 2, 1}, "so are events");
  check::that(p.n_questions == 2, "constant, equal and complementary columns are asked once");
  bool has_second = false;
  for (std::uint32_t column : p.column_of) has_second |= column == 2;
  check::that(has_second, "of equal columns the one with the smallest rank stays");
  check::that(rows[1].weight == 3.0 && p.n_copies[1] == 2, "weights of equal rows add up");
  check::that(collapsed.number_of == std::vector<std::uint32_t>{1, 1, 0, 2}, "rows know theirs");
  check::that(rows[0].outcome == 1 && rows[1].outcome == 2 && rows[2].outcome == 4,
              "rows are in time order");
  check::that(p.first_of_group.size() == 3 && p.groups.everyone.size() == 1, "three groups");
  std::vector<std::uint64_t> picked(1);
  const Key yes = pick_groups(p.groups, p.groups.everyone, 0, true, picked);
  const Key no = pick_groups(p.groups, p.groups.everyone, 0, false, picked);
  check::that(!(yes == no) && !(yes == key_of(p.groups.everyone)), "keys differ");
  check_rules(table, outcome);
  return check::report();
}
