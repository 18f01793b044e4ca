#include "data/event_definition.hpp"

#include <bit>

#include "data/contract.hpp"
#include "data/distinct.hpp"

namespace survtree {

EventDefinition::EventDefinition(std::span<const double> time, std::span<const std::uint8_t> cause,
                                 std::span<const double> weight)
    : cause_(cause), weight_(weight) {
  require(time.size() == cause.size() && time.size() == weight.size(), "arrays of equal length");
  Distinct distinct = distinct_times(time);
  when_ = std::move(distinct.rank);
  for (std::uint64_t bits : distinct.items) times_.push_back(std::bit_cast<double>(bits));
  order_ = counting_sort(iota(when_.size()), times_.size(),
                         [&](std::uint32_t row) { return when_[row]; });
  for (double w : weight) total_weight_ += w;
  set_censoring_curve();
}

void EventDefinition::set_censoring_curve() {
  const std::size_t n = times_.size();
  std::vector<double> at_risk(n + 1, 0.0), events(n, 0.0);
  for (std::size_t i = 0; i < when_.size(); ++i) {
    at_risk[when_[i]] += weight_[i];
    if (cause_[i] != 0) events[when_[i]] += weight_[i];
  }
  for (std::size_t k = n; k-- > 0;) at_risk[k] += at_risk[k + 1];
  double g = 1.0;
  Twofold area;
  for (std::size_t k = 0; k < n; ++k) {
    g *= (events[k] + at_risk[k + 1]) / at_risk[k];  // adding up: light rows keep their digits
    area_.push_back(area);
    inverse_g_.push_back(g > 0.0 ? 1.0 / g : 0.0);
    if (k + 1 < n) area = plus(area, length(k, k + 1) * inverse_g_[k]);
  }
}

std::vector<double> EventDefinition::event_times() const {
  std::vector<double> out;
  for (const std::uint32_t row : order_)
    if (cause_[row] == 1 && (out.empty() || out.back() != times_[when_[row]]))
      out.push_back(times_[when_[row]]);
  return out;
}

}  // namespace survtree
