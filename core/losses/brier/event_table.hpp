// Times, event flags and weights in time order, with the censoring curve and the prefix sums that
// the losses need. Knows nothing of features.
//
// All lengths of time are divided by (total weight x largest time) here, once, so that losses of
// leaves come out in their final unit and add up to the loss of the tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/twofold.hpp"

namespace survtree {

struct EventTable {
  // One entry per row, rows ordered by time, events before censorings at equal times.
  std::vector<std::uint8_t> is_event;
  std::vector<double> weight;
  std::vector<double> inverse_g;  // 1/G(y_i); 0 where G is 0 (only possible at the last time)
  // From the first time to y_i; only differences of these enter a loss.
  std::vector<Twofold> elapsed;      // y_i - first time
  std::vector<Twofold> censor_area;  // integral of 1/G
  std::vector<Twofold> g_area;       // integral of G
  Twofold end;                       // elapsed at the last time

  std::size_t size() const { return weight.size(); }
};

// Rows must already be in the order described above. Times are finite, not negative, and the last
// one is positive; weights are positive. Tied events stay in the risk set of the censorings.
EventTable make_event_table(std::span<const double> time, std::span<const std::uint8_t> is_event,
                            std::span<const double> weight);

}  // namespace survtree
