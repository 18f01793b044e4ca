// The loss of one leaf: the exactly integrated Brier score of the Kaplan-Meier curve of its rows.
#pragma once

#include <cstdint>
#include <span>

#include "event_table.hpp"

namespace survtree {

// The running state of the one-pass loss. Rows come in time order; `weight` and `area` are sums
// over the rows of the leaf that have not come yet.
struct LeafPass {
  double weight = 0.0;       // weight still at risk
  double area = 0.0;         // sum of weight x censor_area of those rows
  double past_events = 0.0;  // sum of weight / G(y) of the events that came
  double survival = 1.0;
  double loss = 0.0;

  void expect(const EventTable& t, std::uint32_t row) {
    weight += t.weight[row];
    area += t.weight[row] * t.censor_area[row];
  }

  // Between two events the curve is flat, so the loss changes only at events, by
  //   rows still at risk: ((1-S')^2 - (1-S)^2) x what is left of their integrals of 1/G, and
  //   events so far:      S'^2 - S^2 on the whole tail, plus the new event's own S'^2 / G.
  void pass(const EventTable& t, std::uint32_t row) {
    const double w = t.weight[row];
    weight -= w;
    area -= w * t.censor_area[row];
    if (!t.is_event[row]) return;
    // The last row leaves rounding dust behind; survival must reach exactly 0 then, as it does for
    // the definition, and never go below.
    const double at_risk = weight > 0.0 ? weight : 0.0;
    const double next = survival * at_risk / (at_risk + w);
    const double mass = w * t.inverse_g[row];
    const double failed = 1.0 - survival, next_failed = 1.0 - next;
    loss += (next_failed * next_failed - failed * failed) * (area - t.censor_area[row] * weight) +
            t.tail[row] * (next * next * (past_events + mass) - survival * survival * past_events);
    past_events += mass;
    survival = next;
  }
};

// `rows` ascending (rows of an EventTable are in time order).
double leaf_loss(const EventTable& table, std::span<const std::uint32_t> rows);

}  // namespace survtree
