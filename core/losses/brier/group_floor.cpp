#include "losses/brier/group_floor.hpp"

#include <vector>

namespace survtree {

double best_group_loss(const EventTable& table, std::span<const std::uint32_t> rows) {
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
