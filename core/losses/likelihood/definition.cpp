#include <algorithm>
#include <cmath>

#include "data/distinct.hpp"
#include "losses/likelihood/likelihood.hpp"

namespace survtree {

LikelihoodDefinition::LikelihoodDefinition(const WeightedEvents& rows)
    : given_(rows), hazard_(rows.time.size()), order_(iota(rows.time.size())) {
  // From the last row to the first: who is at risk only grows.
  std::vector<std::uint32_t> by_time = order_;
  std::sort(by_time.begin(), by_time.end(),
            [&](std::uint32_t a, std::uint32_t b) { return rows.time[a] < rows.time[b]; });
  std::vector<double> step(by_time.size(), 0.0);  // at the first row of each time
  for (std::size_t end = by_time.size(), begin = end; end > 0; end = begin) {
    double events = 0.0;
    while (begin > 0 && rows.time[by_time[begin - 1]] == rows.time[by_time[end - 1]]) {
      const std::uint32_t row = by_time[--begin];
      total_weight_ += rows.weight[row];
      if (rows.event[row] != 0) events += rows.weight[row];
    }
    step[begin] = events / total_weight_;
  }
  double sum = 0.0, last = -1.0;
  for (std::size_t k = 0; k < by_time.size(); ++k) {
    if (rows.time[by_time[k]] != last) sum += step[k];
    last = rows.time[by_time[k]];
    hazard_[by_time[k]] = sum;
  }
}

double LikelihoodDefinition::of_leaf(std::span<const std::uint32_t> rows) const {
  double events = 0.0, expected = 0.0, loss = 0.0;
  for (const std::uint32_t row : rows) {
    if (given_.event[row] != 0) events += given_.weight[row];
    expected += given_.weight[row] * hazard_[row];
  }
  if (events == 0.0) return 0.0;
  for (const std::uint32_t row : rows) {
    const double ratio = hazard_[row] * (events / expected);
    const double above = ratio - 1.0;
    // The logarithm of what has more digits.
    const double log = ratio < 0.5 ? std::log(ratio) : std::log1p(above);
    loss += given_.weight[row] * (given_.event[row] != 0 ? above - log : ratio);
  }
  return loss / total_weight_;
}

}  // namespace survtree
