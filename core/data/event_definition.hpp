// What definitions of losses of curves share: rows by time, and the censoring curve. They make it
// by themselves, apart from EventTable, which they are to check.
#pragma once

#include "data/loss.hpp"
#include "data/twofold.hpp"

namespace survtree {

class EventDefinition : public Definition {
 public:
  // By row of the table; must outlive this. Causes are those of EventRow: 0 is censored.
  EventDefinition(std::span<const double> time, std::span<const std::uint8_t> cause,
                  std::span<const double> weight);

  const std::vector<std::uint32_t>& order() const override { return order_; }

  const std::vector<double>& times() const { return times_; }  // distinct, ascending
  // Those at which a row had cause 1.
  std::vector<double> event_times() const;

 protected:
  // Parts of the last time: sums of them times weights stay in range, however large times are.
  double length(std::size_t from, std::size_t to) const {
    return (times_[to] - times_[from]) / times_.back();
  }

  std::span<const std::uint8_t> cause_;
  std::span<const double> weight_;
  double total_weight_ = 0.0;
  std::vector<double> times_;
  std::vector<std::uint32_t> when_, order_;  // the place of each row's time; rows by time
  std::vector<double> inverse_g_;            // from each time on
  std::vector<Twofold> area_;                // the integral of it up to there

 private:
  void set_censoring_curve();
};

}  // namespace survtree
