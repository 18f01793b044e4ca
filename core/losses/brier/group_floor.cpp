#include "losses/brier/group_floor.hpp"

#include <vector>

namespace survtree {

double best_group_loss(const EventTable& table, std::span<const std::uint32_t> rows) {
  // Summed from the back: subtracting rows as they pass would leave the rounding of heavy rows on
  // light ones, and a bound must not come out too high.
  std::vector<double> later(rows.size(), 0.0);
  for (std::size_t k = rows.size(); k-- > 1;) later[k - 1] = later[k] + table.weight[rows[k]];
  double events = 0.0, loss = 0.0;
  for (std::size_t k = 0; k + 1 < rows.size(); ++k) {
    const std::uint32_t row = rows[k], next = rows[k + 1];
    if (table.is_event[row]) events += table.weight[row] * table.inverse_g[row];
    const double length = difference(table.elapsed[next], table.elapsed[row]);
    if (events == 0.0 || length <= 0.0) continue;
    const double mean_g = difference(table.g_area[next], table.g_area[row]) / length;
    loss += length * later[k] * events / (later[k] + events * mean_g);
  }
  // After the group's last row nothing is at risk: the integrand is 0. What rounding may have added
  // to the sum is taken off again.
  return loss * (1.0 - 1e-13);
}

}  // namespace survtree
