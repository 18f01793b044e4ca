// Competing risks: the integrated Brier score of the cumulative incidence of one cause as a loss.
// The outcome of a row is a time and how the row ended then: censored, by the cause, or by another.
#pragma once

#include "data/distinct.hpp"
#include "data/event_definition.hpp"
#include "data/loss.hpp"

namespace survtree {

// How a row ends.
enum : std::uint8_t { kCensored = 0, kTarget = 1, kOther = 2 };

class IncidenceOutcome : public Outcome {
 public:
  // By row of the table. Times are finite, not negative, and one of them is positive.
  IncidenceOutcome(std::span<const double> time, std::span<const std::uint8_t> cause);

  // By time: the cause, other causes, censorings.
  std::span<const std::uint32_t> ranks() const override { return times_.rank; }
  std::size_t n_ranks() const override { return 3 * times_.size(); }
  std::unique_ptr<const Loss> loss_of(const CollapsedRows& collapsed) const override;

 private:
  Distinct times_;  // with ranks of outcomes: three times that of the time, and 0, 1 or 2 more
};

// The loss straight from its definition, for the check of finished trees.
class IncidenceDefinition : public EventDefinition {
 public:
  using EventDefinition::EventDefinition;

  double of_leaf(std::span<const std::uint32_t> rows) const override;

 private:
  // Weight of some rows at one of their distinct times.
  struct Ends {
    std::uint32_t when;
    double present = 0.0, by_cause[3] = {0.0, 0.0, 0.0};
  };

  std::vector<Ends> ends_of(std::span<const std::uint32_t> rows) const;
};

}  // namespace survtree
