// All one-question splits of a subset at once: the losses of both children of every question.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/problem.hpp"
#include "kernel/lanes.hpp"

namespace survtree {

// One entry a lane; the questions that leave enough rows on both sides have one, ascending.
// "No" stands for the rows that answer no, "yes" for those that answer yes.
struct SplitRow {
  std::size_t n_lanes = 0;
  std::size_t n_steps = 0;  // rows, or blocks of rows, that went through each lane
  std::vector<std::uint32_t> question;
  std::vector<std::uint64_t> no_rows, yes_rows;  // rows of the table
  std::vector<double> no_loss, yes_loss;         // as one leaf each
  std::vector<double> no_groups, yes_groups;     // lower bounds by equivalent points, if wanted,
  std::vector<double> no_proven, yes_proven;     // and, if some are guessed, without the guess
  std::vector<double> ones;                      // by question: rows that answer yes

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
