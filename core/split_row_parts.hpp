// What the two ways of splitting (by rows, by bits) share.
#pragma once

#include "split_row.hpp"

namespace survtree {

// Books the group of this row on the children that say yes; finish_group_losses() then gives the
// rest of the total to those that say no.
void add_group_loss(const Problem& problem, std::uint32_t row, SplitRow& out);
void finish_group_losses(double total, SplitRow& out);

// Questions that leave enough rows on both sides get a lane, and there is room for its losses.
void choose_lanes(const Problem& problem, std::uint64_t min_rows, SplitRow& out);

void split_bits(const Problem& problem, const SplitRequest& request, SplitRow& out);

}  // namespace survtree
