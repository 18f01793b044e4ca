// The pass of leaf_loss.hpp for many questions side by side, both children in the lane: what it
// reads, and where the code for each instruction set is (lanes_brier.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernel/lanes.hpp"
#include "losses/brier/event_table.hpp"

namespace survtree {

// What a lane reads of a block: rows with the same time and the same end (event or not).
struct BrierBlock {
  double inverse_g;
  Twofold censor_area, elapsed;
  std::uint64_t is_event;
};

// From the block that passed before to this one.
struct BrierSteps {
  const double *area, *time;
};

struct BrierLanes {
  // Losses by lane, of the rows that answer no and of those that answer yes. Rows pass from the
  // last to the first; `end` is elapsed at the last time of all rows.
  void (*row_losses)(const EventRow* facts, Twofold end, const ListedRows& rows,
                     std::size_t n_lanes, double* no, double* yes);
  void (*block_losses)(const BrierBlock* facts, const CountedBlocks& blocks,
                       const BrierSteps& steps, std::size_t n_lanes, double* no, double* yes);
};

BrierLanes brier_lanes(Plain);
BrierLanes brier_lanes(Avx2);
BrierLanes brier_lanes(Avx512);

}  // namespace survtree
