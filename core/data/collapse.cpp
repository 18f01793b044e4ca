#include "data/collapse.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>

#include "data/contract.hpp"

namespace survtree {
namespace {

// The first n <= 8 answers, one a byte, as bits: the multiplication moves bit 8 k to bit 56 + k.
std::uint64_t pack_bytes(std::span<const std::uint8_t> answers, std::size_t n) {
  std::uint64_t word = 0;
  if (std::endian::native == std::endian::little && answers.size() >= 8) {
    std::memcpy(&word, answers.data(), 8);  // reading on into the next row is the fastest way
    if (n < 8) word &= (std::uint64_t{1} << (8 * n)) - 1;
  } else {
    for (std::size_t k = 0; k < n; ++k) word |= std::uint64_t{answers[k]} << (8 * k);
  }
  return word * 0x0102040810204080ULL >> 56U;
}

// The distinct rows of answers, as bits.
Distinct distinct_rows(const Table& table) {
  const std::size_t width = (table.n_columns + 63) / 64;
  Numbering numbering(width, table.n_rows);
  Words row(width);
  for (std::size_t i = 0; i < table.n_rows; ++i) {
    std::fill(row.begin(), row.end(), 0);
    for (std::size_t j = 0; j < table.n_columns; j += 8) {
      const std::size_t n = std::min<std::size_t>(8, table.n_columns - j);
      row[j / 64] |= pack_bytes(table.features.subspan(i * table.n_columns + j), n) << (j % 64);
    }
    numbering.add(row);
  }
  return numbering.finish();
}

Words by_columns(const Distinct& rows, std::size_t n_columns) {
  const std::size_t n_blocks = (rows.size() + 63) / 64;
  Words columns(n_blocks * n_columns);
  std::array<std::uint64_t, 64> words{};
  for (std::size_t block = 0; block < n_blocks; ++block)
    for (std::size_t word = 0; word < rows.width; ++word) {
      const std::size_t n = std::min<std::size_t>(64, rows.size() - 64 * block);
      words.fill(0);
      for (std::size_t k = 0; k < n; ++k) words[k] = rows.item(64 * block + k)[word];
      transpose(words);
      const std::size_t n_here = std::min<std::size_t>(64, n_columns - 64 * word);
      std::copy_n(words.begin(), n_here, columns.begin() + block * n_columns + 64 * word);
    }
  return columns;
}

// A row of the table by what makes it equal to another.
struct Entry {
  std::uint32_t outcome, pattern, row;
  bool operator==(const Entry& other) const {
    return outcome == other.outcome && pattern == other.pattern;
  }
};

// By outcome, then pattern. Carries all along: looking it up by row would miss the cache each time.
std::vector<Entry> sorted_entries(const Outcome& outcome, const Distinct& patterns) {
  const auto ranks = outcome.ranks();
  std::vector<Entry> entries(ranks.size());
  for (std::uint32_t i = 0; i < entries.size(); ++i) entries[i] = {ranks[i], patterns.rank[i], i};
  entries = counting_sort(entries, patterns.size(), [](const Entry& e) { return e.pattern; });
  return counting_sort(entries, outcome.n_ranks(), [](const Entry& e) { return e.outcome; });
}

std::size_t count_distinct(const std::vector<Entry>& entries) {
  std::size_t n = 1;
  for (std::size_t k = 1; k < entries.size(); ++k) n += entries[k] == entries[k - 1] ? 0 : 1;
  return n;
}

// Sorts each stretch of a list in which neighbours are alike.
template <class T, class IsAlike, class IsLess>
void sort_stretches(std::vector<T>& list, IsAlike is_alike, IsLess is_less) {
  for (auto begin = list.begin(), end = begin; begin != list.end(); begin = end) {
    end = std::find_if(begin, list.end(), [&](const T& other) { return !is_alike(*begin, other); });
    if (!std::is_sorted(begin, end, is_less)) std::sort(begin, end, is_less);
  }
}

// Numbers of rows are kept in 32 bits.
void require_counts(std::span<const std::uint32_t> copies, std::size_t n_rows) {
  require(copies.empty() || copies.size() == n_rows, "one number of copies a row");
  std::uint64_t n = 0;
  for (const std::uint32_t each : copies) n += each;
  require(n < UINT32_MAX, "at most 2^32 - 2 rows, copies included");
}

void sort_outcomes_by_weight(CollapsedRows& collapsed) {
  const std::vector<CollapsedRow> rows = std::move(collapsed.rows);
  std::vector<std::uint32_t> order = iota(rows.size()), place(rows.size());
  const auto is_same_outcome = [&](std::uint32_t a, std::uint32_t b) {
    return rows[a].outcome == rows[b].outcome;
  };
  sort_stretches(order, is_same_outcome, [&](std::uint32_t i, std::uint32_t k) {
    const CollapsedRow &a = rows[i], &b = rows[k];
    if (a.weight != b.weight) return a.weight < b.weight;
    return a.n_copies != b.n_copies ? a.n_copies < b.n_copies : a.pattern < b.pattern;
  });
  collapsed.rows.clear();
  for (const std::uint32_t number : order) {
    place[number] = static_cast<std::uint32_t>(collapsed.rows.size());
    collapsed.rows.push_back(rows[number]);
  }
  for (std::uint32_t& number : collapsed.number_of) number = place[number];
}

}  // namespace

Patterns pack(const Table& table) {
  Distinct rows = distinct_rows(table);
  Words columns = by_columns(rows, table.n_columns);
  return {std::move(rows), table.n_columns, std::move(columns)};
}

CollapsedRows collapse(const Table& t, const Outcome& outcome, const Distinct& patterns) {
  require(outcome.ranks().size() == t.n_rows, "one outcome a row");
  require_counts(t.copies, t.n_rows);
  std::vector<Entry> entries = sorted_entries(outcome, patterns);
  const bool is_weighted =
      std::any_of(t.weight.begin(), t.weight.end(), [](double w) { return w != 1.0; });
  if (is_weighted)
    sort_stretches(entries, std::equal_to<>(), [&](const Entry& a, const Entry& b) {
      return t.weight[a.row] < t.weight[b.row];
    });
  const std::size_t n_distinct = count_distinct(entries);
  const bool pays = !t.copies.empty() || 10 * n_distinct < 9 * entries.size();
  CollapsedRows out;
  std::vector<CollapsedRow>& rows = out.rows;
  out.number_of.resize(entries.size());
  rows.reserve(pays ? n_distinct : entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const Entry& e = entries[k];
    if (!pays || k == 0 || !(e == entries[k - 1]))
      rows.push_back({e.pattern, e.outcome, 0, 0.0, 0});
    out.number_of[e.row] = static_cast<std::uint32_t>(rows.size() - 1);
    const std::uint32_t n = t.copies.empty() ? 1 : t.copies[e.row];
    rows.back().n_copies += n;
    rows.back().weight += is_weighted ? t.weight[e.row] : 1.0;
    rows.back().n_events += !t.event.empty() && t.event[e.row] == 1 ? n : 0;
  }
  if (pays || is_weighted) sort_outcomes_by_weight(out);
  return out;
}

}  // namespace survtree
