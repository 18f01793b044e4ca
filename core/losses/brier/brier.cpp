#include "losses/brier/brier.hpp"

#include <bit>

#include "data/contract.hpp"
#include "losses/brier/leaf_loss.hpp"

namespace survtree {
namespace {

BrierLanes lanes_of(Kernel kernel) {
  return for_kernel(kernel, [](auto variant) { return brier_lanes(variant); });
}

class BrierLoss : public Loss {
 public:
  BrierLoss(EventTable events, std::span<const CollapsedRow> rows) : events_(std::move(events)) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const EventRow& row = events_.rows[i];
      if (i == 0 || rows[i].outcome != rows[i - 1].outcome)
        blocks_.push_back(
            {row.event_mass / row.weight, row.censor_area, row.elapsed, row.is_event});
    }
  }

  double of_leaf(std::span<const std::uint32_t> rows) const override {
    return leaf_loss(events_, rows);
  }
  double floor(std::span<const std::uint32_t> rows) const override {
    return best_loss(events_, rows);
  }
  void of_splits(const ListedRows& rows, const SplitLosses& out) const override {
    lanes_of(out.kernel)
        .row_losses(events_.rows.data(), events_.end, rows, out.n_lanes, out.no, out.yes);
  }
  void of_splits_with_floors(const ListedRows& rows, const SplitLosses& out,
                             const SplitFloors& floors) const override {
    out.scratch.resize(2 * rows.n);
    double *length = out.scratch.data(), *mean_g = length + rows.n;
    for (std::size_t i = 0; i + 1 < rows.n; ++i) {
      const std::uint32_t row = rows.numbers[i], next = rows.numbers[i + 1];
      length[i] = difference(events_.rows[next].elapsed, events_.rows[row].elapsed);
      if (length[i] > 0.0)
        mean_g[i] = difference(events_.g_area[next], events_.g_area[row]) / length[i];
    }
    lanes_of(out.kernel)
        .row_losses_and_floors(events_.rows.data(), events_.end, rows, {length, mean_g},
                               out.n_lanes, out.no, out.yes, floors.no, floors.yes);
  }

  bool counts_blocks() const override { return true; }
  void of_block_splits(const CountedBlocks& blocks, const SplitLosses& out) const override {
    out.scratch.resize(2 * blocks_.size());
    double* area_steps = out.scratch.data();
    double* time_steps = area_steps + blocks_.size();
    Twofold area = blocks_[blocks.numbers[0]].censor_area, since = events_.end;
    for (std::size_t k = 0; k < blocks.n; ++k) {
      const BrierBlock& block = blocks_[blocks.numbers[k]];
      area_steps[k] = difference(area, block.censor_area);
      area = block.censor_area;
      time_steps[k] = block.is_event ? difference(since, block.elapsed) : 0.0;
      if (block.is_event) since = block.elapsed;
    }
    lanes_of(out.kernel)
        .block_losses(blocks_.data(), blocks, {area_steps, time_steps}, out.n_lanes, out.no,
                      out.yes);
  }

 private:
  EventTable events_;  // one entry per collapsed row
  std::vector<BrierBlock> blocks_;
};

}  // namespace

BrierOutcome::BrierOutcome(std::span<const double> time, std::span<const std::uint8_t> event)
    : times_(distinct_times(time)) {
  require(time.size() == event.size(), "a time and an event flag for each row");
  require(times_.size() < UINT32_MAX / 2, "fewer than 2^31 distinct times");
  for (std::size_t i = 0; i < event.size(); ++i)
    times_.rank[i] = 2 * times_.rank[i] + (event[i] != 0 ? 0U : 1U);
}

std::unique_ptr<const Loss> BrierOutcome::loss_of(std::span<const CollapsedRow> rows) const {
  std::vector<double> time, weight;
  std::vector<std::uint8_t> is_event;
  for (const CollapsedRow& row : rows) {
    time.push_back(std::bit_cast<double>(times_.items[row.outcome / 2]));
    weight.push_back(row.weight);
    is_event.push_back(row.outcome % 2 == 0);
  }
  return std::make_unique<BrierLoss>(make_event_table(time, is_event, weight), rows);
}

}  // namespace survtree
