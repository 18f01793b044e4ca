// The integrated Brier score of Kaplan-Meier leaves as a loss: its outcome is a time and whether
// the event was seen then.
#pragma once

#include "data/distinct.hpp"
#include "data/loss.hpp"
#include "data/twofold.hpp"

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
class BrierDefinition : public Definition {
 public:
  // By row of the table; must outlive this.
  BrierDefinition(std::span<const double> time, std::span<const std::uint8_t> event,
                  std::span<const double> weight);

  const std::vector<std::uint32_t>& order() const override { return order_; }
  double of_leaf(std::span<const std::uint32_t> rows) const override;

  const std::vector<double>& times() const { return times_; }  // distinct, ascending
  std::vector<double> event_times() const;                     // those at which an event was seen

 private:
  // Weight of some rows at one of their distinct times.
  struct Step {
    std::uint32_t when;
    double present = 0.0, events = 0.0, censored = 0.0;
  };

  void set_censoring_curve();
  std::vector<Step> steps_of(std::span<const std::uint32_t> rows) const;
  // Parts of the last time: sums of them times weights stay in range, however large times are.
  double length(std::size_t from, std::size_t to) const {
    return (times_[to] - times_[from]) / times_.back();
  }

  std::span<const std::uint8_t> event_;
  std::span<const double> weight_;
  double total_weight_ = 0.0;
  std::vector<double> times_;
  std::vector<std::uint32_t> when_, order_;  // the place of each row's time; rows by time
  std::vector<double> inverse_g_;            // from each time on
  std::vector<Twofold> area_;                // the integral of it up to there
};

}  // namespace survtree
