// The integrated Brier score of Kaplan-Meier leaves as a loss: its outcome is a time and whether
// the event was seen then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "data/distinct.hpp"
#include "data/loss.hpp"

namespace survtree {

class BrierOutcome : public Outcome {
 public:
  // By row of the table. Times are finite, not negative, and one of them is positive.
  BrierOutcome(std::span<const double> time, std::span<const std::uint8_t> event);

  // By time, events before censorings.
  std::span<const std::uint32_t> ranks() const override { return times_.rank; }
  std::size_t n_ranks() const override { return 2 * times_.size(); }
  std::unique_ptr<const Loss> loss_of(std::span<const CollapsedRow> rows) const override;

 private:
  Distinct times_;  // with ranks of outcomes: twice that of the time, and one more if censored
};

}  // namespace survtree
