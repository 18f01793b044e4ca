// Times, causes and weights in time order, with the censoring curve and the prefix sums that losses
// of curves need. Knows nothing of features.
//
// All lengths of time are divided by (total weight x largest time) here, once, so that losses of
// leaves come out in their final unit and add up to the loss of the tree.
#pragma once

#include <span>

#include "data/twofold.hpp"
#include "kernel/lanes.hpp"

namespace survtree {

struct CollapsedRow;  // loss.hpp
struct LossFacts;

// From the first time to y_i: only differences of the Twofold numbers enter a loss.
struct EventRow {
  double weight;
  double event_mass;    // weight / G(y_i); 0 where G is 0 (only possible at the last time)
  Twofold censor_area;  // integral of 1/G
  Twofold elapsed;      // y_i - first time
  std::uint64_t cause;  // 0: censored; 1: the event; 2: another cause (losses/incidence)
};

struct EventTable {
  std::vector<EventRow> rows;   // by time, events before censorings at equal times
  std::vector<Twofold> g_area;  // integral of G, as above
  Twofold end;                  // elapsed at the last time
};

// Rows must already be in the order described above. Times are finite, not negative, and the last
// one is positive; weights are positive. Tied events stay in the risk set of the censorings, and so
// do rows that ended by another cause: these are not censored.
EventTable make_event_table(std::span<const double> time, std::span<const std::uint8_t> cause,
                            std::span<const double> weight);

// What a lane reads of a block: rows with the same time and the same end.
struct EventBlock {
  double inverse_g;
  Twofold censor_area, elapsed;
  std::uint64_t cause;
};

// Of collapsed rows: one for each outcome.
std::vector<EventBlock> blocks_of(const EventTable& events, std::span<const CollapsedRow> rows);

// For a device, by row: weight, event mass, area and elapsed time as two numbers each, the cause;
// of all rows the end, as two numbers.
LossFacts event_facts(const EventTable& events);

}  // namespace survtree
