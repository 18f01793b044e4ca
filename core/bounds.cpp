#include "bounds.hpp"

namespace survtree {

double best_group_loss(const EventTable& table, std::span<const std::uint32_t> rows) {
  double at_risk = 0.0;
  for (std::uint32_t row : rows) at_risk += table.weight[row];
  double events = 0.0, loss = 0.0;
  for (std::size_t k = 0; k + 1 < rows.size(); ++k) {
    const std::uint32_t row = rows[k], next = rows[k + 1];
    at_risk -= table.weight[row];
    if (table.is_event[row]) events += table.weight[row] * table.inverse_g[row];
    const double length = table.tail[row] - table.tail[next];
    if (events == 0.0 || length <= 0.0 || at_risk <= 0.0) continue;
    const double mean_g = (table.g_area[next] - table.g_area[row]) / length;
    loss += length * at_risk * events / (at_risk + events * mean_g);
  }
  return loss;  // after the group's last row nothing is at risk: the integrand is 0
}

}  // namespace survtree
