#include "losses/brier/brier.hpp"

namespace survtree {

std::vector<BrierDefinition::Step> BrierDefinition::steps_of(
    std::span<const std::uint32_t> rows) const {
  std::vector<Step> steps;
  for (std::uint32_t row : rows) {
    if (steps.empty() || steps.back().when != when_[row]) steps.push_back({when_[row]});
    steps.back().present += weight_[row];
    (cause_[row] != 0 ? steps.back().events : steps.back().censored) += weight_[row];
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

}  // namespace survtree
