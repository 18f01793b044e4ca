// From the user's table to distinct rows: answers as bits, equal rows as one, in the order of
// their outcomes.
#pragma once

#include "data/distinct.hpp"
#include "data/loss.hpp"

namespace survtree {

// Which answers occur together. What depends on answers alone is worked out once a pattern, of
// which there are often far fewer than rows.
struct Patterns {
  Distinct rows;  // 64 columns of the table a word; ranks are those of the table's rows
  std::size_t n_columns = 0;
  // The same by columns: 64 patterns a word; all columns of the first 64 patterns, then of the
  // next.
  Words columns;

  std::size_t size() const { return rows.size(); }
  std::size_t n_blocks() const { return (size() + 63) / 64; }
  std::uint64_t column(std::size_t block, std::size_t j) const {
    return columns[block * n_columns + j];
  }
};

Patterns pack(const Table& table);

// Rows equal in features and outcome become one, unless there are so few of them that keeping count
// would cost more than it spares. Weights are added smallest first and the result is ordered by
// what a loss can see (outcome, weight), so that no sum depends on the order of rows or columns in
// the table; rows that look alike to it come by pattern, on every machine. Rows that come as
// numbers of copies are always one.
CollapsedRows collapse(const Table& table, const Outcome& outcome, const Distinct& patterns);

}  // namespace survtree
