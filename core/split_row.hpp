// All one-question splits of a subset at once: the losses of both children of every question.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lanes.hpp"
#include "problem.hpp"

namespace survtree {

struct Child {
  double loss = 0.0;        // as one leaf; only where both children are large enough
  double group_loss = 0.0;  // lower bound by equivalent points
  std::uint64_t n_rows = 0;
  Key key;  // only if asked for
};

// One entry per question, for the rows that answer no and those that say yes. The rest is scratch.
struct SplitRow {
  std::vector<Child> no, yes;
  std::size_t n_lanes = 0;  // questions that leave at least min_rows on both sides

  RowStream stream;
  std::vector<std::uint32_t> question_of_lane;
  std::vector<std::uint64_t> keep;
  std::vector<double> no_loss, yes_loss;
  std::vector<std::uint64_t> key_high, key_low;
};

struct SplitRequest {
  std::span<const std::uint32_t> rows;  // ascending
  Key key;                              // of these rows
  std::uint64_t min_rows = 1;           // in each child
  bool wants_keys = true;               // of the children
  Kernel kernel = Kernel::plain;
};

// Counts first, then computes losses for the questions that leave at least
// `min_rows` rows (and one) on both sides; the others keep a loss of 0 that nobody may use.
void split_row(const Problem& problem, const SplitRequest& request, SplitRow& out);

}  // namespace survtree
