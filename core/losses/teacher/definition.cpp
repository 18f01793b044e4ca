#include "data/contract.hpp"
#include "losses/teacher/teacher.hpp"

namespace survtree {

TeacherDefinition::TeacherDefinition(std::span<const double> targets,
                                     std::span<const double> weight)
    : targets_(targets), weight_(weight), order_(iota(weight.size())) {
  require(!weight.empty() && targets.size() % weight.size() == 0, "a vector for each row");
  for (double w : weight) total_weight_ += w;
}

double TeacherDefinition::of_leaf(std::span<const std::uint32_t> rows) const {
  const std::size_t k = targets_.size() / weight_.size();
  double weight = 0.0, loss = 0.0;
  for (std::uint32_t row : rows) weight += weight_[row];
  for (std::size_t c = 0; c < k; ++c) {
    // Both from the first row on: numbers that are nearly equal keep what sets them apart.
    const double first = rows.empty() ? 0.0 : targets_[rows[0] * k + c];
    double mean = 0.0;
    for (std::uint32_t row : rows) mean += weight_[row] / weight * (targets_[row * k + c] - first);
    for (std::uint32_t row : rows) {
      const double apart = targets_[row * k + c] - first - mean;
      loss += weight_[row] * apart * apart;
    }
  }
  return loss / total_weight_;
}

}  // namespace survtree
