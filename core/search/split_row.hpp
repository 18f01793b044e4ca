// All one-question splits of a subset at once: the losses of both children of every question.
#pragma once

#include "data/problem.hpp"

namespace survtree {

// One entry a lane: the rows that answer its question with no, or those that answer it with yes.
struct SplitSide {
  std::vector<std::uint64_t> rows;  // of the table
  std::vector<double> loss;         // as one leaf
  std::vector<double> groups;       // their floors by equivalent points, if wanted,
  std::vector<double> proven;       // and, if some are guessed, without the guess
};

// The questions that leave enough rows on both sides have a lane, ascending.
struct SplitRow {
  std::size_t n_lanes = 0;
  std::size_t n_steps = 0;  // rows, or blocks of rows, that went through each lane
  std::vector<std::uint32_t> question;
  SplitSide no, yes;
  std::vector<double> ones;  // by question: rows that answer yes

  const SplitSide& side(bool says_yes) const { return says_yes ? yes : no; }
  // Of a question that has one.
  std::size_t lane_of(std::uint32_t wanted) const;
  // Lanes by the loss of their split, least first.
  void order_by_loss(std::vector<std::uint32_t>& order) const;

  // Scratch.
  std::vector<std::uint64_t> keep, bits, packed;
  std::vector<std::uint32_t> numbers;
  std::vector<double> sums, counts, lane_counts, values, loss_scratch;
};

struct SplitRequest {
  std::span<const std::uint64_t> bits;  // the subset
  std::uint64_t n_rows = 0;             // of the table, in the subset
  std::uint64_t min_rows = 1;           // in each child, at least 1
  bool wants_groups = true;
  // For those who want every set of rows, not every split: from this question on, and one child
  // with enough rows is enough, as long as the other has any.
  std::uint32_t first_question = 0;
  bool one_child_is_enough = false;
};

void split_row(const Problem& problem, const LaneFunctions& lanes, const SplitRequest& request,
               SplitRow& out);

}  // namespace survtree
