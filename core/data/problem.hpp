// Everything the answer depends on except the options: the loss, collapsed rows
// in the order of their outcomes, and the
// questions (columns) worth asking, in the order that breaks ties. Never changes once made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "data/bit_table.hpp"
#include "data/loss.hpp"
#include "data/table.hpp"

namespace survtree {

struct Problem {
  std::unique_ptr<const Loss> loss;
  // Of each collapsed row: the rows of the table it stands for, and the rank of its outcome.
  std::vector<std::uint32_t> n_copies, outcome;
  bool has_copies = false;   // does any row stand for several?
  bool is_weighted = false;  // does any weight differ from the number of copies?

  // Rows with equal features form a group; no tree can part them. What a group costs at least
  // (Loss::group_floor) is booked on the group's first row, so that sums over a subset count it
  // once. With a guess group_loss is the larger of the guessed and the proven loss.
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

  std::size_t n_rows() const { return n_copies.size(); }
};

enum class Layout : std::uint8_t { cheaper, rows, blocks };

// `layout` forces one or the other, for tests; blocks cannot hold weights, and not every loss can
// count them.
Problem make_problem(const Table& table, const Outcome& outcome, Layout layout = Layout::cheaper);

}  // namespace survtree
