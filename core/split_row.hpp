// All one-question splits of a subset at once: the losses of both children of every question.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "leaf_loss.hpp"
#include "problem.hpp"

namespace survtree {

struct Child {
  double loss = 0.0;        // as one leaf
  double group_loss = 0.0;  // lower bound by equivalent points
  std::uint64_t n_rows = 0;
};

// One entry per question; index 0 of a pair is the child that answers no, 1 the one that says yes.
struct SplitRow {
  std::vector<Child> no, yes;
  std::vector<LeafPass> pass;  // scratch: two per question
};

// `rows` ascending. The rows are read once, all questions side by side: the cost is rows x
// questions.
void split_row(const Problem& problem, std::span<const std::uint32_t> rows, SplitRow& out);

}  // namespace survtree
