#include "data/problem.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "search/bounds.hpp"
#include "data/collapse.hpp"
#include "data/contract.hpp"
#include "search/split_row.hpp"

namespace survtree {
namespace {

EventTable event_table_of(const std::vector<CollapsedRow>& rows) {
  std::vector<double> time, weight;
  std::vector<std::uint8_t> is_event;
  time.reserve(rows.size());
  weight.reserve(rows.size());
  is_event.reserve(rows.size());
  for (const CollapsedRow& row : rows) {
    time.push_back(row.time);
    weight.push_back(row.weight);
    is_event.push_back(row.is_event);
  }
  return make_event_table(time, is_event, weight);
}

// A column as bits over the patterns, flipped so that the first pattern reads 0: equal and
// complementary columns then look the same.
Words column_bits(const Patterns& packed, std::size_t j) {
  Words bits(packed.n_blocks());
  const std::uint64_t flip = (packed.column(0, j) & 1U) != 0 ? ~std::uint64_t{0} : 0;
  for (std::size_t block = 0; block < bits.size(); ++block)
    bits[block] = packed.column(block, j) ^ flip;
  if (packed.size() % 64 != 0) bits.back() &= (std::uint64_t{1} << (packed.size() % 64)) - 1;
  return bits;
}

// Columns worth asking about, by rank: not constant, and not the same question as an earlier one.
std::vector<std::uint32_t> distinct_columns(const Table& t, const Patterns& packed) {
  if (t.n_columns == 0) return {};
  auto by_rank = iota(t.n_columns);
  std::sort(by_rank.begin(), by_rank.end(),
            [&](std::uint32_t a, std::uint32_t b) { return t.column_rank[a] < t.column_rank[b]; });
  Numbering numbering(packed.n_blocks(), by_rank.size());
  for (std::uint32_t j : by_rank) numbering.add(column_bits(packed, j));
  const Distinct questions = numbering.finish();
  std::vector<bool> is_known(questions.size(), false);
  const auto first = questions.item(0);  // the smallest: zeros, if any column is constant
  is_known[0] = std::all_of(first.begin(), first.end(), [](std::uint64_t w) { return w == 0; });
  std::vector<std::uint32_t> kept;
  for (std::size_t k = 0; k < by_rank.size(); ++k) {
    if (!is_known[questions.rank[k]]) kept.push_back(by_rank[k]);
    is_known[questions.rank[k]] = true;
  }
  return kept;
}

// Answers of 64 patterns to up to 64 questions, a word a pattern.
std::array<std::uint64_t, 64> answers_of(const Patterns& packed, std::size_t block,
                                         std::span<const std::uint32_t> columns) {
  std::array<std::uint64_t, 64> words{};
  for (std::size_t q = 0; q < columns.size(); ++q) words[q] = packed.column(block, columns[q]);
  transpose(words);
  return words;
}

void set_questions(Problem& p, const Patterns& packed, const std::vector<CollapsedRow>& rows,
                   std::vector<std::uint32_t> columns) {
  p.n_questions = columns.size();
  p.words_per_row = (columns.size() + 63) / 64;
  p.answers.resize(rows.size() * p.words_per_row);
  Words of_pattern(64 * packed.n_blocks());
  for (std::size_t word = 0; word < p.words_per_row; ++word) {
    const std::size_t n = std::min<std::size_t>(64, columns.size() - 64 * word);
    for (std::size_t block = 0; block < packed.n_blocks(); ++block) {
      const auto answers = answers_of(packed, block, std::span(columns).subspan(64 * word, n));
      std::copy(answers.begin(), answers.end(), of_pattern.begin() + 64 * block);
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
      p.answers[i * p.words_per_row + word] = of_pattern[rows[i].pattern];
  }
  p.column_of = std::move(columns);
}

void set_groups(Problem& p, const Patterns& packed, const std::vector<CollapsedRow>& rows) {
  const auto pattern = [&](std::uint32_t i) { return rows[i].pattern; };
  const auto order = counting_sort(iota(rows.size()), packed.size(), pattern);
  p.group_loss.assign(rows.size(), 0.0);
  for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
    end = begin + 1;
    while (end < order.size() && pattern(order[begin]) == pattern(order[end])) ++end;
    p.first_of_group.push_back(order[begin]);
    p.group_loss[order[begin]] =
        best_group_loss(p.events, std::span(order).subspan(begin, end - begin));
  }
}

void set_guess(Problem& p, const Table& table, const Patterns& packed,
               const std::vector<CollapsedRow>& rows) {
  p.has_guess = !table.guessed_loss.empty();
  if (!p.has_guess) return;
  std::vector<double> of_pattern(packed.size(), 0.0);
  for (std::size_t i = 0; i < table.n_rows; ++i)
    of_pattern[packed.rows.rank[i]] += table.guessed_loss[i];
  p.proven_group_loss = p.group_loss;
  for (std::uint32_t first : p.first_of_group)
    p.group_loss[first] = std::max(p.group_loss[first], of_pattern[rows[first].pattern]);
}

// The order that breaks ties: the question that does best alone on all rows comes first, then the
// smaller rank. Neither depends on the order of rows or columns.
std::vector<std::uint32_t> tie_order(const Problem& p, std::size_t n_table_rows) {
  SplitRow alone;
  split_row(p, lane_functions(available_kernels().back()),
            {p.bits.everyone, n_table_rows, 1, false}, alone);
  auto order = iota(alone.n_lanes);  // no question is constant, so each has a lane
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double x = alone.no_loss[a] + alone.yes_loss[a];
    const double y = alone.no_loss[b] + alone.yes_loss[b];
    return x != y ? x < y : a < b;  // questions came by rank
  });
  std::vector<std::uint32_t> columns;
  columns.reserve(order.size());
  for (std::uint32_t q : order) columns.push_back(p.column_of[q]);
  return columns;
}

}  // namespace

Problem make_problem(const Table& table, Layout layout) {
  require(table.n_rows > 0 && table.n_rows < UINT32_MAX, "between 1 and 2^32 - 2 rows");
  require(table.features.size() == table.n_rows * table.n_columns, "features are rows x columns");
  require(table.column_rank.size() == table.n_columns, "one rank a column");
  require(table.guessed_loss.empty() || table.guessed_loss.size() == table.n_rows,
          "one guess a row");
  const Patterns packed = pack(table);
  const std::vector<CollapsedRow> rows = collapse(table, packed);

  Problem p;
  p.events = event_table_of(rows);
  const EventTable& t = p.events;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_new =
        i == 0 || rows[i].time != rows[i - 1].time || rows[i].is_event != rows[i - 1].is_event;
    p.n_blocks += is_new ? 1 : 0;
    p.block.push_back(static_cast<std::uint32_t>(p.n_blocks));
    p.n_copies.push_back(rows[i].n_copies);
    p.has_copies |= rows[i].n_copies > 1;
    p.is_weighted |= rows[i].weight != static_cast<double>(rows[i].n_copies);
    p.rows.push_back({t.weight[i], t.weight[i] * t.inverse_g[i], t.censor_area[i], t.elapsed[i],
                      rows[i].is_event});
  }
  set_groups(p, packed, rows);
  set_guess(p, table, packed, rows);
  set_questions(p, packed, rows, distinct_columns(table, packed));
  const bool by_blocks = !p.is_weighted && (layout == Layout::blocks ||
                                            (layout == Layout::cheaper && are_blocks_cheaper(p)));
  p.bits = make_bit_table(p, false);  // in one layout always, so that ties do not depend on it
  set_questions(p, packed, rows, tie_order(p, table.n_rows));
  p.bits = make_bit_table(p, by_blocks);
  p.groups = make_group_bits(p);
  return p;
}

}  // namespace survtree
