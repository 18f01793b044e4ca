// The pass of leaf_loss.hpp for many questions side by side, both children in the lane, with code
// for each instruction set (lanes_brier.cpp).
#pragma once

#include "data/event_table.hpp"

namespace survtree {

// From the block that passed before to this one.
struct BrierSteps {
  const double *area, *time;
};

// From each listed row to the next, in units of `unit`: the time between them, and the integral of
// G. `weight` and `event_mass` are those of the rows.
template <class Number>
struct FloorSteps {
  const Number *length, *g_area, *weight, *event_mass;
  double unit;
};

struct BrierLanes {
  // Losses by lane, of the rows that answer no and of those that answer yes. Rows pass from the
  // last to the first; `end` is elapsed at the last time of all rows.
  void (*row_losses)(const EventRow* facts, Twofold end, const ListedRows& rows,
                     std::size_t n_lanes, double* no, double* yes);
  // Floors: best_loss() (leaf_loss.hpp) side by side, given the weights of both sides. In single
  // precision for few rows whose weights are whole numbers, so that these stay exact.
  void (*row_floors)(const ListedRows& rows, const FloorSteps<double>& steps,
                     const SplitWeights& weights, std::size_t n_lanes, double* no, double* yes);
  void (*single_row_floors)(const ListedRows& rows, const FloorSteps<float>& steps,
                            const SplitWeights& weights, std::size_t n_lanes, double* no,
                            double* yes);
  void (*block_losses)(const EventBlock* facts, const CountedBlocks& blocks,
                       const BrierSteps& steps, std::size_t n_lanes, double* no, double* yes);
};

BrierLanes brier_lanes(Plain);
BrierLanes brier_lanes(Avx2);
BrierLanes brier_lanes(Avx512);

}  // namespace survtree
