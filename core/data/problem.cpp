#include "data/problem.hpp"

#include <algorithm>

#include "data/collapse.hpp"
#include "data/contract.hpp"

namespace survtree {
namespace {

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

// Columns worth asking about, by penalty and rank: not constant, and not the same question as an
// earlier one; unless that may not be the first split of a tree, and this one may.
std::vector<std::uint32_t> distinct_columns(const Table& t, const Patterns& packed) {
  if (t.n_columns == 0) return {};
  auto by_rank = iota(t.n_columns);
  std::sort(by_rank.begin(), by_rank.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (!t.column_penalty.empty() && t.column_penalty[a] != t.column_penalty[b])
      return t.column_penalty[a] < t.column_penalty[b];
    return t.column_rank[a] < t.column_rank[b];
  });
  Numbering numbering(packed.n_blocks(), by_rank.size());
  for (std::uint32_t j : by_rank) numbering.add(column_bits(packed, j));
  const Distinct questions = numbering.finish();
  std::vector<bool> is_known(questions.size(), false), is_first_known(questions.size(), false);
  const auto first = questions.item(0);  // the smallest: zeros, if any column is constant
  is_known[0] = std::all_of(first.begin(), first.end(), [](std::uint64_t w) { return w == 0; });
  is_first_known[0] = is_known[0];
  std::vector<std::uint32_t> kept;
  for (std::size_t k = 0; k < by_rank.size(); ++k) {
    const std::uint32_t question = questions.rank[k];
    const bool may_be_first = !t.may_be_first.empty() && t.may_be_first[by_rank[k]] != 0;
    if (!is_known[question] || (may_be_first && !is_first_known[question]))
      kept.push_back(by_rank[k]);
    is_known[question] = true;
    if (may_be_first) is_first_known[question] = true;
  }
  return kept;
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
      const std::span<std::uint64_t, 64> answers(of_pattern.data() + 64 * block, 64);
      std::ranges::fill(answers, 0);
      for (std::size_t q = 0; q < n; ++q) answers[q] = packed.column(block, columns[64 * word + q]);
      transpose(answers);  // from a word a question to a word a pattern
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
      p.answers[i * p.words_per_row + word] = of_pattern[rows[i].pattern];
  }
  p.column_of = std::move(columns);
}

void set_rules(Problem& p, const Table& table) {
  for (std::uint32_t column : p.column_of) {
    if (!table.column_penalty.empty()) p.rules.penalties.push_back(table.column_penalty[column]);
    if (!table.may_be_first.empty())
      p.rules.may_be_first.push_back(table.may_be_first[column] != 0);
  }
}

void set_groups(Problem& p, const Patterns& packed, const std::vector<CollapsedRow>& rows) {
  const auto pattern = [&](std::uint32_t i) { return rows[i].pattern; };
  const auto order = counting_sort(iota(rows.size()), packed.size(), pattern);
  p.group_loss.assign(rows.size(), 0.0);
  for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
    end = begin + 1;
    while (end < order.size() && pattern(order[begin]) == pattern(order[end])) ++end;
    p.first_of_group.push_back(order[begin]);
    p.group_loss[order[begin]] = p.loss->floor(std::span(order).subspan(begin, end - begin));
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

// The order that breaks ties: the question that loses least alone on all rows comes first, then the
// smaller penalty, then the smaller rank. None depends on the order of rows or columns.
std::vector<std::uint32_t> tie_order(const Problem& p) {
  // No question is constant, so each has a lane, and answers need no packing.
  std::vector<double> no(padded(p.n_questions)), yes(padded(p.n_questions)), scratch;
  const std::vector<std::uint32_t> rows = iota(p.n_rows());
  p.loss->of_splits({rows.data(), rows.size(), p.answers.data(), p.words_per_row},
                    {available_kernels().back(), p.n_questions, no.data(), yes.data(), scratch});
  auto order = iota(p.n_questions);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double x = no[a] + yes[a], y = no[b] + yes[b];
    return x != y ? x < y : a < b;  // questions came by penalty and rank
  });
  for (std::uint32_t& q : order) q = p.column_of[q];
  return order;
}

}  // namespace

Problem make_problem(const Table& table, const Outcome& outcome, Layout layout) {
  require(table.n_rows > 0 && table.n_rows < UINT32_MAX, "between 1 and 2^32 - 2 rows");
  require(table.features.size() == table.n_rows * table.n_columns, "features are rows x columns");
  require(table.column_rank.size() == table.n_columns, "one rank a column");
  require(table.guessed_loss.empty() || table.guessed_loss.size() == table.n_rows,
          "one guess a row");
  require(table.event.empty() || table.event.size() == table.n_rows, "one event flag a row");
  for (const std::size_t n_rules : {table.column_penalty.size(), table.may_be_first.size()})
    require(n_rules == 0 || n_rules == table.n_columns, "one rule a column");
  const Patterns packed = pack(table);
  const CollapsedRows collapsed = collapse(table, outcome, packed.rows);
  const std::vector<CollapsedRow>& rows = collapsed.rows;

  Problem p;
  p.loss = outcome.loss_of(collapsed);
  for (const CollapsedRow& row : rows) {
    p.n_copies.push_back(row.n_copies);
    p.n_events.push_back(row.n_events);
    p.outcome.push_back(row.outcome);
    p.has_copies |= row.n_copies > 1;
    p.is_weighted |= row.weight != static_cast<double>(row.n_copies);
  }
  set_groups(p, packed, rows);
  set_guess(p, table, packed, rows);
  set_questions(p, packed, rows, distinct_columns(table, packed));
  set_questions(p, packed, rows, tie_order(p));
  set_rules(p, table);
  const bool can_count = !p.is_weighted && p.loss->counts_blocks();
  const bool by_blocks = can_count && (layout == Layout::blocks ||
                                       (layout == Layout::cheaper && are_blocks_cheaper(p)));
  p.bits = make_bit_table(p, by_blocks);
  p.groups = make_group_bits(p);
  return p;
}

}  // namespace survtree
