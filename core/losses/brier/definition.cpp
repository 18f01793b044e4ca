#include <bit>

#include "data/contract.hpp"
#include "losses/brier/brier.hpp"

namespace survtree {

BrierDefinition::BrierDefinition(std::span<const double> time, std::span<const std::uint8_t> event,
                                 std::span<const double> weight)
    : event_(event), weight_(weight) {
  require(time.size() == event.size() && time.size() == weight.size(), "arrays of equal length");
  Distinct distinct = distinct_times(time);
  when_ = std::move(distinct.rank);
  for (std::uint64_t bits : distinct.items) times_.push_back(std::bit_cast<double>(bits));
  order_ = counting_sort(iota(when_.size()), times_.size(),
                         [&](std::uint32_t row) { return when_[row]; });
  for (double w : weight) total_weight_ += w;
  set_censoring_curve();
}

void BrierDefinition::set_censoring_curve() {
  const std::size_t n = times_.size();
  std::vector<double> at_risk(n + 1, 0.0), events(n, 0.0);
  for (std::size_t i = 0; i < when_.size(); ++i) {
    at_risk[when_[i]] += weight_[i];
    if (event_[i] != 0) events[when_[i]] += weight_[i];
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

std::vector<BrierDefinition::Step> BrierDefinition::steps_of(
    std::span<const std::uint32_t> rows) const {
  std::vector<Step> steps;
  for (std::uint32_t row : rows) {
    if (steps.empty() || steps.back().when != when_[row]) steps.push_back({when_[row]});
    steps.back().present += weight_[row];
    (event_[row] != 0 ? steps.back().events : steps.back().censored) += weight_[row];
  }
  return steps;
}

// From each distinct time of the leaf to the next, survival S, those at risk and past events b stay
// as they are: the leaf pays (1 - S)^2 (later rows) int 1/G + S^2 b (length).
double BrierDefinition::of_leaf(std::span<const std::uint32_t> rows) const {
  const std::vector<Step> steps = steps_of(rows);
  std::vector<double> at_risk(steps.size() + 1, 0.0);
  for (std::size_t k = steps.size(); k-- > 0;) at_risk[k] = at_risk[k + 1] + steps[k].present;
  double survival = 1.0, b = 0.0, loss = 0.0;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const Step& step = steps[k];
    const std::size_t next = k + 1 < steps.size() ? steps[k + 1].when : times_.size() - 1;
    survival *= (step.censored + at_risk[k + 1]) / at_risk[k];
    b += step.events * inverse_g_[step.when];
    const double q = 1.0 - survival;
    loss += q * q * at_risk[k + 1] * difference(area_[next], area_[step.when]) +
            survival * survival * b * length(step.when, next);
  }
  return loss / total_weight_;
}

std::vector<double> BrierDefinition::event_times() const {
  std::vector<double> out;
  for (const Step& step : steps_of(order_))
    if (step.events > 0.0) out.push_back(times_[step.when]);
  return out;
}

}  // namespace survtree
