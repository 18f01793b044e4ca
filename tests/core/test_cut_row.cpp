// Floors and losses of many cuts at once are those of each side alone, and floors are monotone.
#include <cmath>
#include <random>

#include "check.hpp"
#include "losses/brier/brier.hpp"
#include "search/cut_row.hpp"

using namespace survtree;

namespace {

struct RawTable {
  std::size_t n = 0;
  std::vector<std::uint32_t> codes, column, cut, rank;
  std::vector<double> time, weight;
  std::vector<std::uint8_t> event;

  CodedTable view() const {
    CodedTable table;
    table.n_rows = n;
    table.n_columns = codes.size() / n;
    table.codes = codes;
    table.question_column = column;
    table.question_cut = cut;
    table.question_rank = rank;
    table.weight = weight;
    table.event = event;
    return table;
  }
};

// Weights are all 1, or small whole numbers, or of very different sizes.
RawTable random_table(std::mt19937_64& random) {
  RawTable t;
  t.n = 2 + random() % 30;
  const std::size_t n_columns = 1 + random() % 3;
  const std::uint64_t kind = random() % 3;
  for (std::size_t j = 0; j < n_columns; ++j) {
    const std::uint32_t n_cuts = 1 + static_cast<std::uint32_t>(random() % 12);
    for (std::size_t i = 0; i < t.n; ++i)
      t.codes.push_back(static_cast<std::uint32_t>(random() % (n_cuts + 1)));
    for (std::uint32_t k = 0; k < n_cuts; ++k) {
      t.column.push_back(static_cast<std::uint32_t>(j));
      t.cut.push_back(k);
      t.rank.push_back(static_cast<std::uint32_t>(t.rank.size()));
    }
  }
  for (std::size_t i = 0; i < t.n; ++i) {
    t.time.push_back(static_cast<double>(random() % 12));
    t.event.push_back(random() % 3 != 0);
    const double size = static_cast<double>(random() % 1000) / 1000.0;
    t.weight.push_back(kind == 0   ? 1.0
                       : kind == 1 ? static_cast<double>(1 + random() % 4)
                                   : std::pow(10.0, 10.0 * size - 5.0));
  }
  t.time[0] = 13.0;
  return t;
}

void check_row(const CutProblem& p, const std::vector<std::uint32_t>& rows, const CutRow& row) {
  for (std::size_t lane = 0; lane < row.n_lanes; ++lane) {
    for (const bool yes : {false, true}) {
      std::vector<std::uint32_t> part;
      const std::uint32_t column = p.column_of(row.cut[lane]);
      p.with_codes(column, [&](const auto* codes) {
        for (std::uint32_t i : rows)
          if ((p.first_cut[column] + codes[i] <= row.cut[lane]) == yes) part.push_back(i);
      });
      const CutSide& side = yes ? row.yes : row.no;
      const double floor = p.loss->floor(part), loss = p.loss->of_leaf(part);
      check::close(side.loss[lane], loss, "the loss of a side", 1e-12 * loss);
      // With the rows of the other side the steps of time are finer, which brings floors closer to
      // the best curve.
      check::that(side.floor[lane] >= floor * (1.0 - 1e-4) - 1e-12, "no floor is far too low");
      check::that(side.floor[lane] <= loss * (1.0 + 1e-10), "no floor is above the loss");
      const bool is_first = lane == 0 || p.column_of(row.cut[lane - 1]) != column;
      if (is_first || !yes) continue;
      check::that(side.floor[lane] >= side.floor[lane - 1] * (1.0 - 1e-4), "floors ascend");
    }
  }
}

}  // namespace

int main() {
  std::mt19937_64 random(1);
  for (int k = 0; k < 3000; ++k) {
    const RawTable table = random_table(random);
    const CutProblem p = make_cut_problem(table.view(), BrierOutcome(table.time, table.event));
    std::vector<std::uint32_t> rows, cuts;
    for (std::uint32_t i = 0; i < p.n_rows(); ++i)
      if (random() % 4 != 0) rows.push_back(i);
    for (std::uint32_t cut = 0; cut < p.n_cuts(); ++cut)
      if (random() % 5 != 0) cuts.push_back(cut);
    if (rows.empty()) continue;
    for (const Kernel kernel : available_kernels()) {
      CutSplitter splitter(p, kernel, true);
      CutRow row;
      splitter.split(rows, cuts, {}, row);
      check_row(p, rows, row);
    }
  }
  return check::report();
}
