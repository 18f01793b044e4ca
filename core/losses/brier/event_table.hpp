// Times, event flags and weights in time order, with the censoring curve and the prefix sums that
// the loss needs. Knows nothing of features.
//
// All lengths of time are divided by (total weight x largest time) here, once, so that losses of
// leaves come out in their final unit and add up to the loss of the tree.
#pragma once

#include <span>

#include "data/twofold.hpp"
#include "kernel/lanes.hpp"

namespace survtree {

// From the first time to y_i: only differences of the Twofold numbers enter a loss.
struct EventRow {
  double weight;
  double event_mass;    // weight / G(y_i); 0 where G is 0 (only possible at the last time)
  Twofold censor_area;  // integral of 1/G
  Twofold elapsed;      // y_i - first time
  std::uint64_t is_event;
};

struct EventTable {
  std::vector<EventRow> rows;   // by time, events before censorings at equal times
  std::vector<Twofold> g_area;  // integral of G, as above
  Twofold end;                  // elapsed at the last time
};

// Rows must already be in the order described above. Times are finite, not negative, and the last
// one is positive; weights are positive. Tied events stay in the risk set of the censorings.
EventTable make_event_table(std::span<const double> time, std::span<const std::uint8_t> is_event,
                            std::span<const double> weight);

// The pass of leaf_loss.hpp for many questions side by side, both children in the lane, with code
// for each instruction set (lanes_brier.cpp). What a lane reads of a block: rows with the same time
// and the same end (event or not).
struct BrierBlock {
  double inverse_g;
  Twofold censor_area, elapsed;
  std::uint64_t is_event;
};

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

struct SplitWeights {
  const double *no, *yes;
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
  void (*block_losses)(const BrierBlock* facts, const CountedBlocks& blocks,
                       const BrierSteps& steps, std::size_t n_lanes, double* no, double* yes);
};

BrierLanes brier_lanes(Plain);
BrierLanes brier_lanes(Avx2);
BrierLanes brier_lanes(Avx512);

}  // namespace survtree
