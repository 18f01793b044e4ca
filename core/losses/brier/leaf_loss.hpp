// What rows cost: as one leaf, and at least, in whatever leaf they end.
#pragma once

#include "data/event_table.hpp"

namespace survtree {

// The loss of one leaf is the exactly integrated Brier score of the Kaplan-Meier curve of its rows,
// in one pass from the last row to the first. At time y the leaf pays
//   (1 - S(y))^2 a(y) + S(y)^2 b(y),   a = weight of later rows / G(y),   b = past events / G.
// Let P be the survival from here on, relative to here: putting an event with survival factor r in
// front turns P into r P everywhere later. With q = 1 - P, the integrals from here to the end
//   at_risk_area = int a,   v = int q a,   u = int q^2 a,   events = int P^2 b,   p2 = int P^2
// follow from their old values by sums and products of numbers that are not negative, and the loss
// of the leaf is u + events when the first row has been passed. Nothing but points in time, which
// are twofold, is ever subtracted: the result is accurate to its own last digits, whatever the
// weights and times, and 0 exactly when it should be. (The same pass in time order needs one number
// less, but subtracts sums that nearly cancel.)
// `rows` ascending (rows of an EventTable are in time order, events before censorings at ties).
inline double leaf_loss(const EventTable& table, std::span<const std::uint32_t> rows) {
  double weight = 0.0;        // weight of the rows passed, which are the later ones
  double at_risk_area = 0.0;  // up to `area`
  Twofold area;               // censor_area of the row passed last
  double p2 = 0.0;            // up to `since`
  Twofold since = table.end;  // elapsed at the event passed last
  double v = 0.0, u = 0.0, events = 0.0;
  for (std::size_t i = rows.size(); i-- > 0;) {
    const EventRow& row = table.rows[rows[i]];
    const double w = row.weight;
    at_risk_area += weight * difference(area, row.censor_area);  // weight is 0 before the first row
    area = row.censor_area;
    if (row.cause != 0) {
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
  return u + events;
}

// What rows of one leaf cost at least, whoever is in the leaf with them: the loss of the pointwise
// best curve for these rows alone.
//
// Claim: for disjoint sets s1, s2 of rows inside one leaf, loss(leaf) >= best(s1) + best(s2), where
// best(s) = integral of a b / (a + b), a(y) = weight of rows of s after y, divided by G(y), and
// b(y) = sum of weight / G(y_i) over events of s up to y.
// Proof: at each y the leaf pays (1-S)^2 a + S^2 b for one number S, with a and b summed over its
// rows. Over all S that is smallest at S = a/(a+b), where it is a b / (a+b). The smallest value of
// a sum of functions is at least the sum of their smallest values.
// So best() never falls when rows are added, and the loss of any tree on a subset is at least the
// sum of best() over the groups of equal rows in it. It would not hold if a and b were not sums
// over rows: if G were estimated in each leaf, say.
//
// G changes inside the intervals on which the rows at risk are the same. With m = a G constant
// there, the integrand m b / (m + b G) is convex in G, so by Jensen's inequality its mean is at
// least its value at the mean of G: one evaluation per interval instead of one per censoring time,
// and still valid.
inline double best_loss(const EventTable& table, std::span<const std::uint32_t> rows) {
  // Summed from the back: subtracting rows as they pass would leave the rounding of heavy rows on
  // light ones, and a bound must not come out too high.
  std::vector<double> later(rows.size(), 0.0);
  for (std::size_t k = rows.size(); k-- > 1;) later[k - 1] = later[k] + table.rows[rows[k]].weight;
  double events = 0.0, loss = 0.0;
  for (std::size_t k = 0; k + 1 < rows.size(); ++k) {
    const EventRow &row = table.rows[rows[k]], &next = table.rows[rows[k + 1]];
    if (row.cause != 0) events += row.event_mass;
    const double length = difference(next.elapsed, row.elapsed);
    if (events == 0.0 || length <= 0.0) continue;
    const double mean_g = difference(table.g_area[rows[k + 1]], table.g_area[rows[k]]) / length;
    loss += length * later[k] * events / (later[k] + events * mean_g);
  }
  // After the last row nothing is at risk: the integrand is 0. What rounding may have added
  // to the sum is taken off again.
  return loss * (1.0 - 1e-13);
}

}  // namespace survtree
