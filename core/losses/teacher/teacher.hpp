// The squared distance of vectors from the mean of their leaf as a loss: with weights w_i and total
// weight W, a leaf with mean m pays sum of w_i |x_i - m|^2 / W. The vectors are the curves that a
// teacher predicts, in coordinates in which this distance is the integrated squared difference.
#pragma once

#include "data/distinct.hpp"
#include "data/loss.hpp"

namespace survtree {

class TeacherOutcome : public Outcome {
 public:
  // Row-major, `n_components` > 0 finite numbers per row of the table.
  TeacherOutcome(std::span<const double> targets, std::size_t n_components);

  // Any order serves, as long as it does not depend on the order of rows.
  std::span<const std::uint32_t> ranks() const override { return vectors_.rank; }
  std::size_t n_ranks() const override { return vectors_.size(); }
  std::unique_ptr<const Loss> loss_of(const CollapsedRows& collapsed) const override;

 private:
  Distinct vectors_;  // as the bits of their numbers
};

// From the rows as they came, in two passes: first the mean.
class TeacherDefinition : public Definition {
 public:
  // By row of the table; must outlive this.
  TeacherDefinition(std::span<const double> targets, std::span<const double> weight);

  const std::vector<std::uint32_t>& order() const override { return order_; }
  double of_leaf(std::span<const std::uint32_t> rows) const override;

 private:
  std::span<const double> targets_, weight_;
  double total_weight_ = 0.0;
  std::vector<std::uint32_t> order_;
};

}  // namespace survtree
