#include "problem.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "bounds.hpp"
#include "contract.hpp"
#include "split_row.hpp"

namespace survtree {
namespace {

using Words = std::vector<std::uint64_t>;

// A bijective scramble of 64 bits (SplitMix64): equal seeds give equal keys on every machine.
std::uint64_t scramble(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

// Bits of the table, `words` of 64 a row.
struct PackedRows {
  std::size_t words;
  Words bits;

  std::span<const std::uint64_t> row(std::size_t i) const {
    return {bits.data() + i * words, words};
  }
  bool bit(std::size_t i, std::size_t j) const { return bits[i * words + j / 64] >> (j % 64) & 1U; }
};

PackedRows pack(const Table& table) {
  PackedRows packed{(table.n_columns + 63) / 64, {}};
  packed.bits.assign(table.n_rows * packed.words, 0);
  for (std::size_t i = 0; i < table.n_rows; ++i)
    for (std::size_t j = 0; j < table.n_columns; ++j)
      packed.bits[i * packed.words + j / 64] |=
          std::uint64_t{table.features[i * table.n_columns + j] != 0} << (j % 64);
  return packed;
}

std::vector<std::uint32_t> iota(std::size_t n) {
  std::vector<std::uint32_t> index(n);
  std::iota(index.begin(), index.end(), 0U);
  return index;
}

int compare_bits(const PackedRows& packed, std::uint32_t a, std::uint32_t b) {
  const auto x = packed.row(a), y = packed.row(b);
  const auto [p, q] = std::mismatch(x.begin(), x.end(), y.begin());
  return p == x.end() ? 0 : (*p < *q ? -1 : 1);
}

// One or more equal rows of the table.
struct CollapsedRow {
  std::uint32_t first;  // a row of the table with these features
  std::uint32_t n_copies;
  double time, weight;
  bool is_event;
};

// Rows equal in features, time and event become one, unless there are so few of them that keeping
// count would cost more than it spares. Weights are added smallest first and the
// result is ordered by what a loss can see (time, event, weight), so that no sum depends on the
// order of rows or columns in the table.
std::vector<CollapsedRow> collapse(const Table& t, const PackedRows& packed) {
  auto order = iota(t.n_rows);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (t.time[a] != t.time[b]) return t.time[a] < t.time[b];
    if (t.event[a] != t.event[b]) return t.event[a] > t.event[b];
    if (const int c = compare_bits(packed, a, b)) return c < 0;
    return t.weight[a] < t.weight[b];
  });
  std::vector<bool> is_new(order.size(), true);
  std::size_t n_distinct = 1;
  for (std::size_t k = 1; k < order.size(); ++k) {
    const std::uint32_t i = order[k], before = order[k - 1];
    is_new[k] = t.time[i] != t.time[before] || t.event[i] != t.event[before] ||
                compare_bits(packed, i, before) != 0;
    n_distinct += is_new[k] ? 1 : 0;
  }
  const bool pays = 10 * n_distinct < 9 * order.size();
  std::vector<CollapsedRow> rows;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::uint32_t i = order[k];
    if (is_new[k] || !pays) rows.push_back({i, 0, t.time[i], 0.0, t.event[i] != 0});
    rows.back().n_copies += 1;
    rows.back().weight += t.weight[i];
  }
  std::sort(rows.begin(), rows.end(), [](const CollapsedRow& a, const CollapsedRow& b) {
    if (a.time != b.time) return a.time < b.time;
    if (a.is_event != b.is_event) return a.is_event;
    return a.weight != b.weight ? a.weight < b.weight : a.n_copies < b.n_copies;
  });
  return rows;
}

EventTable event_table_of(const std::vector<CollapsedRow>& rows) {
  std::vector<double> time, weight;
  std::vector<std::uint8_t> is_event;
  for (const CollapsedRow& row : rows) {
    time.push_back(row.time);
    weight.push_back(row.weight);
    is_event.push_back(row.is_event);
  }
  return make_event_table(time, is_event, weight);
}

// A column as bits over the collapsed rows, flipped so that the first row reads 0: equal and
// complementary columns then look the same.
Words column_bits(const PackedRows& packed, const std::vector<CollapsedRow>& rows, std::size_t j) {
  Words bits((rows.size() + 63) / 64, 0);
  const bool flip = packed.bit(rows[0].first, j);
  for (std::size_t i = 0; i < rows.size(); ++i)
    bits[i / 64] |= std::uint64_t{packed.bit(rows[i].first, j) != flip} << (i % 64);
  return bits;
}

std::uint64_t hash_of(const Words& words) {
  std::uint64_t h = words.size();
  for (std::uint64_t w : words) h = scramble(h ^ w);
  return h;
}

// Columns worth asking about, by rank: not constant, and not the same question as an earlier one.
std::vector<std::uint32_t> distinct_columns(const Table& t, const PackedRows& packed,
                                            const std::vector<CollapsedRow>& rows) {
  auto by_rank = iota(t.n_columns);
  std::sort(by_rank.begin(), by_rank.end(),
            [&](std::uint32_t a, std::uint32_t b) { return t.column_rank[a] < t.column_rank[b]; });
  std::vector<std::uint32_t> kept;
  std::unordered_multimap<std::uint64_t, std::uint32_t> seen;
  for (std::uint32_t j : by_rank) {
    const Words bits = column_bits(packed, rows, j);
    if (std::all_of(bits.begin(), bits.end(), [](std::uint64_t w) { return w == 0; })) continue;
    const std::uint64_t hash = hash_of(bits);
    const auto [begin, end] = seen.equal_range(hash);
    const bool is_known = std::any_of(begin, end, [&](const auto& entry) {
      return column_bits(packed, rows, entry.second) == bits;
    });
    if (is_known) continue;
    seen.emplace(hash, j);
    kept.push_back(j);
  }
  return kept;
}

void set_questions(Problem& p, const PackedRows& packed, const std::vector<CollapsedRow>& rows,
                   std::vector<std::uint32_t> columns) {
  p.n_questions = columns.size();
  p.words_per_row = (columns.size() + 63) / 64;
  p.answers.assign(rows.size() * p.words_per_row, 0);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t q = 0; q < columns.size(); ++q)
      p.answers[i * p.words_per_row + q / 64] |=
          std::uint64_t{packed.bit(rows[i].first, columns[q])} << (q % 64);
  p.column_of = std::move(columns);
}

void set_groups(Problem& p, const PackedRows& packed, const std::vector<CollapsedRow>& rows) {
  auto order = iota(rows.size());
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const int c = compare_bits(packed, rows[a].first, rows[b].first);
    return c != 0 ? c < 0 : a < b;
  });
  p.group_loss.assign(rows.size(), 0.0);
  for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
    end = begin + 1;
    while (end < order.size() &&
           compare_bits(packed, rows[order[begin]].first, rows[order[end]].first) == 0)
      ++end;
    p.first_of_group.push_back(order[begin]);
    p.group_loss[order[begin]] =
        best_group_loss(p.events, std::span(order).subspan(begin, end - begin));
  }
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
  const PackedRows packed = pack(table);
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
    p.rows.push_back({t.weight[i], t.censor_area[i], t.tail[i], t.weight[i] * t.inverse_g[i],
                      rows[i].is_event});
  }
  set_groups(p, packed, rows);
  set_questions(p, packed, rows, distinct_columns(table, packed, rows));
  const bool by_blocks = !p.is_weighted && (layout == Layout::blocks ||
                                            (layout == Layout::cheaper && are_blocks_cheaper(p)));
  p.bits = make_bit_table(p, false);  // in one layout always, so that ties do not depend on it
  set_questions(p, packed, rows, tie_order(p, table.n_rows));
  p.bits = make_bit_table(p, by_blocks);
  p.groups = make_group_bits(p);
  return p;
}

}  // namespace survtree
