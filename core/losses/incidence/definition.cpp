#include "losses/incidence/incidence.hpp"

namespace survtree {

std::vector<IncidenceDefinition::Ends> IncidenceDefinition::ends_of(
    std::span<const std::uint32_t> rows) const {
  std::vector<Ends> ends;
  for (std::uint32_t row : rows) {
    if (ends.empty() || ends.back().when != when_[row]) ends.push_back({when_[row]});
    ends.back().present += weight_[row];
    ends.back().by_cause[cause_[row]] += weight_[row];
  }
  return ends;
}

// From each distinct time of the leaf to the next, the incidences of the cause and of the others,
// those at risk and what ended before stay as they are: the leaf pays
//   had^2 ((later rows) int 1/G + (others so far) length) + (1 - had)^2 (cause so far) length.
double IncidenceDefinition::of_leaf(std::span<const std::uint32_t> rows) const {
  const std::vector<Ends> ends = ends_of(rows);
  std::vector<double> at_risk(ends.size() + 1, 0.0);
  for (std::size_t k = ends.size(); k-- > 0;) at_risk[k] = at_risk[k + 1] + ends[k].present;
  double free = 1.0, had = 0.0, other = 0.0, target_mass = 0.0, other_mass = 0.0, loss = 0.0;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const auto& [when, present, by_cause] = ends[k];
    const std::size_t next = k + 1 < ends.size() ? ends[k + 1].when : times_.size() - 1;
    had += free * by_cause[kTarget] / at_risk[k];
    other += free * by_cause[kOther] / at_risk[k];
    free *= (by_cause[kCensored] + at_risk[k + 1]) / at_risk[k];
    target_mass += by_cause[kTarget] * inverse_g_[when];
    other_mass += by_cause[kOther] * inverse_g_[when];
    const double had_not = free + other, time = length(when, next);
    loss +=
        had * had * (at_risk[k + 1] * difference(area_[next], area_[when]) + other_mass * time) +
        had_not * had_not * target_mass * time;
  }
  return loss / total_weight_;
}

}  // namespace survtree
