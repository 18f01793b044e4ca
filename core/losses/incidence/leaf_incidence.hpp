// What rows cost under competing risks: as one leaf, and at least, in whatever leaf they end.
#pragma once

#include "data/event_table.hpp"
#include "losses/incidence/incidence.hpp"

namespace survtree {

// Integrals from here to the end with one of two curves: f, the incidence of the cause from here on
// among those free of all causes here, or 1 - f. Each curve is what some rows pay for, by its
// square: f is paid for by those that do not have the cause, 1 - f by those that had it.
struct CurveIntegrals {
  double paid = 0.0;     // of what the rows pay, over G
  double cross = 0.0;    // of that times the curve
  double once = 0.0;     // of the curve
  double squared = 0.0;  // of its square
};

// A row in front that ends here, with `mass` = weight / G. `left` is the time to the end. `r` of
// those at risk here stay, `k` = 1 - r end by the row's cause. The row pays for the curve `pays`
// from here on; the other curve, `grows`, which was c, becomes k + r c, and `pays`, which was
// 1 - c, becomes r (1 - c).
inline void pass_end(double k, double r, double mass, double left, double& loss,
                     CurveIntegrals& pays, CurveIntegrals& grows) {
  loss += mass * pays.squared;
  pays.cross += mass * pays.once;
  pays.paid += mass * left;

  loss = k * k * grows.paid + 2.0 * k * r * grows.cross + r * r * loss;
  grows.cross = k * grows.paid + r * grows.cross;
  grows.squared = k * k * left + 2.0 * k * r * grows.once + r * r * grows.squared;
  grows.once = k * left + r * grows.once;
  pays.cross *= r;
  pays.once *= r;
  pays.squared *= r * r;
}

// The loss of one leaf is the exactly integrated Brier score of the Aalen-Johansen incidence of the
// cause, in one pass from the last row to the first. At time y the leaf pays
//   F(y)^2 a(y) + (1 - F(y))^2 b(y),   a = weight of later rows / G(y) + past others / G,
//   b = past rows of the cause / G.
// Seen from a time at which u of the rows are free of all causes, v had the cause and w another,
// the future is F = v + u f and 1 - F = w + u (1 - f): a quadratic form in (u, v, w) whose
// coefficients, the integrals above, are not negative, and follow from those of the next row by
// sums and products. At the start u = 1, and the loss is the coefficient of u^2. As in the Brier
// loss (losses/brier/leaf_loss.hpp) nothing but points in time is subtracted.
//
// Rows leave one after the other. Of rows with equal times each takes the same part of those free
// before: after one of weight w has left m + w, the part of the next is u m/(m+w) x w'/m, which is
// u w'/(m+w). So it does not matter in which order the causes of one time pass, and all of them
// have the risk set that Aalen and Johansen give them, which censored rows of that time belong to.
// `rows` ascending (in time order, censorings last at ties).
inline double incidence_loss(const EventTable& table, std::span<const std::uint32_t> rows) {
  double weight = 0.0, loss = 0.0;  // weight of the rows passed, which are the later ones
  Twofold area, since = table.end;  // of the row passed last; elapsed at the end passed last
  CurveIntegrals had, had_not;      // f and 1 - f
  for (std::size_t i = rows.size(); i-- > 0;) {
    const EventRow& row = table.rows[rows[i]];
    const double w = row.weight;
    had.paid += weight * difference(area, row.censor_area);  // weight is 0 before the first row
    area = row.censor_area;
    if (row.cause != kCensored) {
      const double step = difference(since, row.elapsed);  // before the next end f is 0
      had_not.once += step;
      had_not.squared += step;
      since = row.elapsed;
      const bool is_target = row.cause == kTarget;
      pass_end(w / (weight + w), weight / (weight + w), row.event_mass,
               difference(table.end, row.elapsed), loss, is_target ? had_not : had,
               is_target ? had : had_not);
    }
    weight += w;
  }
  return loss;
}

// What rows of one leaf cost at least, whoever is in the leaf with them: the loss of the pointwise
// best curve for these rows alone, the integral of a b / (a + b) with a and b as above. Proof: as
// of best_loss() (losses/brier/leaf_loss.hpp): a and b are sums over rows, and the leaf pays F^2 a
// + (1-F)^2 b for one number F at each time.
//
// With m = weight of later rows and o = mass of past others, a = m/G + o, and the integrand is
//   b (m + o G) / (m + (o + b) G) = b o/(o+b) + b^2 m / ((o+b) (m + (o+b) G)),
// which is convex in G: its mean is at least its value at the mean of G (Jensen). After the last
// row m = 0, and G does not matter.
inline double best_incidence_loss(const EventTable& table, std::span<const std::uint32_t> rows) {
  std::vector<double> later(rows.size(), 0.0);  // summed from the back, as in best_loss()
  for (std::size_t k = rows.size(); k-- > 1;) later[k - 1] = later[k] + table.rows[rows[k]].weight;
  double mass[3] = {0.0, 0.0, 0.0}, loss = 0.0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const EventRow& row = table.rows[rows[k]];
    if (row.cause != kCensored) mass[row.cause] += row.event_mass;
    const bool is_last = k + 1 == rows.size();
    const Twofold& until = is_last ? table.end : table.rows[rows[k + 1]].elapsed;
    const double length = difference(until, row.elapsed);
    if (mass[kTarget] == 0.0 || length <= 0.0) continue;
    const double mean_g =
        is_last ? 1.0 : difference(table.g_area[rows[k + 1]], table.g_area[rows[k]]) / length;
    const double others = later[k] + mass[kOther] * mean_g;
    if (others > 0.0) loss += length * mass[kTarget] * others / (others + mass[kTarget] * mean_g);
  }
  return loss * (1.0 - 1e-13);  // less what rounding may have added
}

}  // namespace survtree
