// The integrated Brier score of Kaplan-Meier leaves as a loss: its outcome is a time and whether
// the event was seen then.
#pragma once

#include "data/distinct.hpp"
#include "data/event_definition.hpp"
#include "data/loss.hpp"

namespace survtree {

class BrierOutcome : public Outcome {
 public:
  // By row of the table. Times are finite, not negative, and one of them is positive.
  BrierOutcome(std::span<const double> time, std::span<const std::uint8_t> event);

  // By time, events before censorings.
  std::span<const std::uint32_t> ranks() const override { return times_.rank; }
  std::size_t n_ranks() const override { return 2 * times_.size(); }
  std::unique_ptr<const Loss> loss_of(const CollapsedRows& collapsed) const override;

 private:
  Distinct times_;  // with ranks of outcomes: twice that of the time, and one more if censored
};

// The loss straight from its definition, for the check of finished trees. (The oracle in Python is
// a third reading, for tests and for verify().)
class BrierDefinition : public EventDefinition {
 public:
  using EventDefinition::EventDefinition;

  double of_leaf(std::span<const std::uint32_t> rows) const override;

 private:
  // Weight of some rows at one of their distinct times.
  struct Step {
    std::uint32_t when;
    double present = 0.0, events = 0.0, censored = 0.0;
  };

  std::vector<Step> steps_of(std::span<const std::uint32_t> rows) const;
};

}  // namespace survtree
