// Everything the answer depends on except the options: collapsed rows in time order, and the
// questions (columns) worth asking, in the order that breaks ties. Never changes once made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/bit_table.hpp"
#include "losses/brier/event_table.hpp"
#include "kernel/lanes.hpp"

namespace survtree {

// What crosses the border. `features` is row-major, one byte (0 or 1) per row and column.
struct Table {
  std::size_t n_rows = 0;
  std::size_t n_columns = 0;
  std::span<const std::uint8_t> features;
  std::span<const double> time;
  std::span<const std::uint8_t> event;
  std::span<const double> weight;
  std::span<const std::uint32_t> column_rank;  // breaks ties between columns that do equally well
  std::span<const double> guessed_loss;        // of each row by a reference model, or empty
};

struct Problem {
  EventTable events;  // one entry per collapsed row
  std::vector<RowFacts> rows;
  // Rows of the table that each stands for, and the block it is in: rows with the same time and the
  // same end (event or not) share one.
  std::vector<std::uint32_t> n_copies, block;
  std::size_t n_blocks = 0;
  bool has_copies = false;   // does any row stand for several?
  bool is_weighted = false;  // does any weight differ from the number of copies?

  // Rows with equal features form a group; no tree can part them. What a group costs at least (see
  // bounds.hpp) is booked on the group's first row, so that sums over a subset count it once.
  // With a guess group_loss is the larger of the guessed and the proven loss.
  std::vector<double> group_loss, proven_group_loss;
  std::vector<std::uint32_t> first_of_group;
  bool has_guess = false;

  // Answers, one bit per question, row after row.
  std::size_t n_questions = 0;
  std::size_t words_per_row = 0;
  std::vector<std::uint64_t> answers;
  // Question -> column of the table. Constant columns are left out; of columns that part the rows
  // alike (equal or complementary) the one with the smallest rank stays.
  std::vector<std::uint32_t> column_of;

  BitTable bits;
  GroupBits groups;

  std::size_t n_rows() const { return rows.size(); }
};

enum class Layout : std::uint8_t { cheaper, rows, blocks };

// `layout` forces one or the other, for tests; blocks cannot hold weights.
Problem make_problem(const Table& table, Layout layout = Layout::cheaper);

}  // namespace survtree
