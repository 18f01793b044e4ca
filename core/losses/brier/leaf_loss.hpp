// The loss of one leaf: the exactly integrated Brier score of the Kaplan-Meier curve of its rows.
#pragma once

#include <cstdint>
#include <span>

#include "losses/brier/event_table.hpp"

namespace survtree {

// The loss in one pass, from the last row to the first. At time y the leaf pays
//   (1 - S(y))^2 a(y) + S(y)^2 b(y),   a = weight of later rows / G(y),   b = past events / G.
// Let P be the survival from here on, relative to here: putting an event with survival factor r in
// front turns P into r P everywhere later. With q = 1 - P, the integrals from here to the end
//   at_risk_area = int a,   v = int q a,   u = int q^2 a,   events = int P^2 b,   p2 = int P^2
// follow from their old values by sums and products of numbers that are not negative, and the loss
// of the leaf is u + events when the first row has been passed. Nothing but points in time, which
// are twofold, is ever subtracted: the result is accurate to its own last digits, whatever the
// weights and times, and 0 exactly when it should be. (The same pass in time order needs one number
// less, but subtracts sums that nearly cancel.)
struct LeafPass {
  double weight = 0.0;        // weight of the rows passed, which are the later ones
  double at_risk_area = 0.0;  // up to `area`
  Twofold area;               // censor_area of the row passed last
  double p2 = 0.0;            // up to `since`
  Twofold since;              // elapsed at the event passed last, the end at first
  double v = 0.0, u = 0.0, events = 0.0;

  explicit LeafPass(const EventTable& t) : since(t.end) {}

  void pass(const EventRow& row) {
    const double w = row.weight;
    at_risk_area += weight * difference(area, row.censor_area);  // weight is 0 before the first row
    area = row.censor_area;
    if (row.is_event) {
      p2 += difference(since, row.elapsed);
      since = row.elapsed;
      const double r = weight / (weight + w), k = w / (weight + w);
      u = k * k * at_risk_area + 2.0 * k * r * v + r * r * u;
      v = k * at_risk_area + r * v;
      events = r * r * (events + row.event_mass * p2);
      p2 *= r * r;
    }
    weight += w;
  }

  double loss() const { return u + events; }
};

// `rows` ascending (rows of an EventTable are in time order, events before censorings at ties).
inline double leaf_loss(const EventTable& table, std::span<const std::uint32_t> rows) {
  LeafPass leaf(table);
  for (std::size_t k = rows.size(); k-- > 0;) leaf.pass(table.rows[rows[k]]);
  return leaf.loss();
}

}  // namespace survtree
