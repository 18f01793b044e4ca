// The likelihood of proportional hazards as a loss (LeBlanc and Crowley 1992). With H the
// Nelson-Aalen cumulative hazard of all rows, weights w and total weight W, a leaf with D = sum of
// w over its events and E = sum of w H over its rows pays
//
//     -(D ln(D/E) + sum over its events of w ln H) / W,    0 if D = 0.
//
// D/E, its hazard ratio, is what pays least. So a split never hurts, and some rows of a leaf never
// lose more than all of them: the floor of rows is their own loss.
#pragma once

#include "losses/likelihood/hazard_table.hpp"

namespace survtree {

class LikelihoodOutcome : public Outcome {
 public:
  // By row of the table. Times are finite and not negative.
  explicit LikelihoodOutcome(const WeightedEvents& rows)
      : table_(rows), ranks_(rows.time.size(), 0) {}

  // All that matters of rows adds up, so rows with equal features become one whatever happened.
  std::span<const std::uint32_t> ranks() const override { return ranks_; }
  std::size_t n_ranks() const override { return 1; }
  std::unique_ptr<const Loss> loss_of(const CollapsedRows& collapsed) const override;

 private:
  HazardTable table_;
  std::vector<std::uint32_t> ranks_;
};

// From the rows as they came: the deviance of each row at the hazard ratio of its leaf, added up.
class LikelihoodDefinition : public Definition {
 public:
  // By row of the table; must outlive this.
  explicit LikelihoodDefinition(const WeightedEvents& rows);

  const std::vector<std::uint32_t>& order() const override { return order_; }
  double of_leaf(std::span<const std::uint32_t> rows) const override;

 private:
  WeightedEvents given_;
  std::vector<double> hazard_;
  double total_weight_ = 0.0;
  std::vector<std::uint32_t> order_;
};

}  // namespace survtree
