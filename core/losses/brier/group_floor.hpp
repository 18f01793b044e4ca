// Equivalent points: what rows with equal features cost at least, in whatever leaf they end.
//
// Claim: for disjoint sets s1, s2 of rows inside one leaf, loss(leaf) >= best(s1) + best(s2), where
// best(s) = integral of a b / (a + b), a(y) = weight of rows of s after y, divided by G(y), and
// b(y) = sum of weight / G(y_i) over events of s up to y.
// Proof: at each y the leaf pays (1-S)^2 a + S^2 b for one number S, with a and b summed over its
// rows. Over all S that is smallest at S = a/(a+b), where it is a b / (a+b). The smallest value of
// a sum of functions is at least the sum of their smallest values.
// So the loss of any tree on a subset is at least the sum of best() over the groups in it. It would
// not hold if a and b were not sums over rows: if G were estimated in each leaf, say.
//
// G changes inside the intervals on which the group is constant. With m = a G constant there, the
// integrand m b / (m + b G) is convex in G, so by Jensen's inequality its mean is at least its
// value at the mean of G: one evaluation per interval instead of one per censoring time, and still
// valid.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "losses/brier/event_table.hpp"

namespace survtree {

inline double best_group_loss(const EventTable& table, std::span<const std::uint32_t> rows) {
  // Summed from the back: subtracting rows as they pass would leave the rounding of heavy rows on
  // light ones, and a bound must not come out too high.
  std::vector<double> later(rows.size(), 0.0);
  for (std::size_t k = rows.size(); k-- > 1;) later[k - 1] = later[k] + table.rows[rows[k]].weight;
  double events = 0.0, loss = 0.0;
  for (std::size_t k = 0; k + 1 < rows.size(); ++k) {
    const EventRow &row = table.rows[rows[k]], &next = table.rows[rows[k + 1]];
    if (row.is_event) events += row.event_mass;
    const double length = difference(next.elapsed, row.elapsed);
    if (events == 0.0 || length <= 0.0) continue;
    const double mean_g = difference(table.g_area[rows[k + 1]], table.g_area[rows[k]]) / length;
    loss += length * later[k] * events / (later[k] + events * mean_g);
  }
  // After the group's last row nothing is at risk: the integrand is 0. What rounding may have added
  // to the sum is taken off again.
  return loss * (1.0 - 1e-13);
}

}  // namespace survtree
