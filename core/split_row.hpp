// All one-question splits of a subset at once: the losses of both children of every question.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lanes.hpp"
#include "problem.hpp"

namespace survtree {

struct Child {
  double loss = 0.0;  // as one leaf; only where both children are large enough
  std::uint64_t n_rows = 0;
  // Only if the request wants children:
  double group_loss = 0.0;  // lower bound by equivalent points
  Key key;                  // of subsets given by rows
};

// One entry per question, for the rows that answer no and those that say yes. The rest is scratch.
struct SplitRow {
  std::vector<Child> no, yes;
  std::size_t n_lanes = 0;  // questions that leave at least min_rows on both sides
  std::size_t n_steps = 0;  // rows, or blocks of rows, that went through each lane

  BlockStream block_stream;
  std::vector<std::uint32_t> questions, lanes;  // that have a lane, and which
  std::vector<std::uint64_t> keep;
  std::vector<double> counts, sums;
  std::vector<double> no_loss, yes_loss;
  std::vector<std::uint64_t> key_high, key_low;
};

// A subset is given by its rows or, where the problem has a BitTable, by bits.
struct SplitRequest {
  std::span<const std::uint32_t> rows;  // ascending
  std::span<const std::uint64_t> bits;
  Key key;                     // of these rows
  std::uint64_t min_rows = 1;  // in each child
  bool wants_children = true;  // group losses and keys as well
  Kernel kernel = Kernel::plain;
};

// Counts first, then computes losses for the questions that leave at least `min_rows` rows (and
// one) on both sides; the others keep a loss of 0 that nobody may use.
void split_row(const Problem& problem, const SplitRequest& request, SplitRow& out);

}  // namespace survtree
