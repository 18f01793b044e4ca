// Everything the answer depends on where splits are cuts of columns: like Problem, with one code a
// row and column instead of one bit a row and question, so that it grows with columns, not with
// cuts. Never changes once made.
#pragma once

#include <algorithm>

#include "data/problem.hpp"

namespace survtree {

// What crosses the border of the core. `codes` are column after column, one a row. A row answers
// yes to a question if its code in the question's column is at most the question's cut.
struct CodedTable {
  std::size_t n_rows = 0;
  std::size_t n_columns = 0;
  std::span<const std::uint32_t> codes;
  std::span<const std::uint32_t> question_column, question_cut;
  std::span<const std::uint32_t>
      question_rank;  // breaks ties between questions that do equally well
  std::span<const double> weight;
  std::span<const std::uint8_t> event;  // is a row one of an event?
  // Rules of the user (split_rules.hpp), by question and the same for all of a column; empty: none.
  std::span<const double> question_penalty;
  std::span<const std::uint8_t> may_be_first;
  std::span<const std::uint32_t> copies;  // as in Table

  bool answer(std::size_t row, std::size_t question) const {
    return codes[question_column[question] * n_rows + row] <= question_cut[question];
  }
};

// Cuts are numbered column after column, ascending: the rows that answer yes to a cut answer yes to
// all later cuts of the column.
struct CutProblem {
  std::unique_ptr<const Loss> loss;
  std::vector<std::uint32_t> n_copies, n_events;  // as in Problem
  bool has_copies = false, is_weighted = false;
  std::vector<double> weight;      // if weights differ from the numbers of copies
  std::vector<double> group_loss;  // as in Problem: booked on the first row of a group
  std::vector<Key> name;           // of each row; sums of them are the keys of subsets

  std::size_t n_columns = 0;
  std::vector<std::uint32_t> first_cut;  // of each column, and one past the last cut
  // Cut -> question. Where several questions make the same cut: the one with the smallest rank.
  std::vector<std::uint32_t> question_of, question_rank;
  SplitRules rules;  // by column
  // Column after column: how many of its cuts a row answers with no. In 16 bits if these suffice
  // for all columns, otherwise in 32.
  std::vector<std::uint16_t> short_codes;
  std::vector<std::uint32_t> long_codes;

  std::size_t n_rows() const { return n_copies.size(); }
  std::size_t n_cuts() const { return question_of.size(); }
  // Of a cut. Who goes through many asks once a column, and goes on up to its last cut.
  std::uint32_t column_of(std::uint32_t cut) const {
    const auto next = std::upper_bound(first_cut.begin(), first_cut.end(), cut);
    return static_cast<std::uint32_t>(next - first_cut.begin()) - 1;
  }
  // Of a split by a cut.
  double penalty_of(std::uint32_t cut) const {
    return rules.has_penalties() ? rules.penalty(column_of(cut)) : 0.0;
  }
  // Calls use(codes of the column, one a row).
  template <class Use>
  auto with_codes(std::size_t column, Use use) const {
    return long_codes.empty() ? use(short_codes.data() + column * n_rows())
                              : use(long_codes.data() + column * n_rows());
  }
};

CutProblem make_cut_problem(const CodedTable& table, const Outcome& outcome);

}  // namespace survtree
