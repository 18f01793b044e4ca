#include "losses/brier/brier.hpp"

#include <bit>
#include <cmath>

#include "data/contract.hpp"
#include "losses/brier/brier_lanes.hpp"
#include "losses/brier/leaf_loss.hpp"

namespace survtree {
namespace {

BrierLanes lanes_of(Kernel kernel) {
  return for_kernel(kernel, [](auto variant) { return brier_lanes(variant); });
}

class BrierLoss : public Loss {
 public:
  BrierLoss(EventTable events, std::span<const CollapsedRow> rows)
      : events_(std::move(events)), blocks_(blocks_of(events_, rows)) {
    double total = 0.0;
    for (const CollapsedRow& row : rows) {
      total += row.weight;
      has_whole_weights_ &= row.weight == std::floor(row.weight);
    }
    has_whole_weights_ &= total < 16'000'000.0;  // and their sums are exact in single precision
    unit_ = events_.end.high > 0.0 ? events_.end.high : 1.0;
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
  // In single precision while the rows are few enough for its rounding, which is taken off the
  // floors, to be small beside them.
  void floors_of_splits(const ListedRows& rows, const SplitFloors& out) const override {
    const BrierLanes lanes = lanes_of(out.kernel);
    const SplitWeights weights{out.no_weight, out.yes_weight};
    if (has_whole_weights_ && rows.n <= kMostInSingle)
      lanes.single_row_floors(rows, steps_of(rows, out.single_scratch), weights, out.n_lanes,
                              out.no, out.yes);
    else
      lanes.row_floors(rows, steps_of(rows, out.scratch), weights, out.n_lanes, out.no, out.yes);
  }

  bool counts_blocks() const override { return true; }
  void of_block_splits(const CountedBlocks& blocks, const SplitLosses& out) const override {
    out.scratch.resize(2 * blocks_.size());
    double* area_steps = out.scratch.data();
    double* time_steps = area_steps + blocks_.size();
    Twofold area = blocks_[blocks.numbers[0]].censor_area, since = events_.end;
    for (std::size_t k = 0; k < blocks.n; ++k) {
      const EventBlock& block = blocks_[blocks.numbers[k]];
      area_steps[k] = difference(area, block.censor_area);
      area = block.censor_area;
      time_steps[k] = block.cause != 0 ? difference(since, block.elapsed) : 0.0;
      if (block.cause != 0) since = block.elapsed;
    }
    lanes_of(out.kernel)
        .block_losses(blocks_.data(), blocks, {area_steps, time_steps}, out.n_lanes, out.no,
                      out.yes);
  }

  LossFacts facts_for_device() const override { return event_facts(events_); }

 private:
  static constexpr std::size_t kMostInSingle = 2000;

  template <class Number>
  FloorSteps<Number> steps_of(const ListedRows& rows, std::vector<Number>& scratch) const {
    scratch.resize(4 * rows.n);
    Number *length = scratch.data(), *g_area = length + rows.n, *weight = g_area + rows.n,
           *event_mass = weight + rows.n;
    const double per_unit = 1.0 / unit_;
    for (std::size_t i = 0; i < rows.n; ++i) {
      const EventRow& facts = events_.rows[rows.numbers[i]];
      weight[i] = static_cast<Number>(facts.weight);
      event_mass[i] = facts.cause != 0 ? static_cast<Number>(facts.event_mass) : Number{0};
      if (i == 0) continue;
      const std::uint32_t last = rows.numbers[i - 1], row = rows.numbers[i];
      const double length_here = difference(facts.elapsed, events_.rows[last].elapsed);
      const double g_here = difference(events_.g_area[row], events_.g_area[last]);
      length[i - 1] = static_cast<Number>(length_here * per_unit);
      g_area[i - 1] = static_cast<Number>(g_here * per_unit);
    }
    return {length, g_area, weight, event_mass, unit_};
  }

  EventTable events_;  // one entry per collapsed row
  std::vector<EventBlock> blocks_;
  double unit_ = 1.0;  // of time, for floors: the whole
  bool has_whole_weights_ = true;
};

}  // namespace

BrierOutcome::BrierOutcome(std::span<const double> time, std::span<const std::uint8_t> event)
    : times_(distinct_times(time)) {
  require(time.size() == event.size(), "a time and an event flag for each row");
  require(times_.size() < UINT32_MAX / 2, "fewer than 2^31 distinct times");
  for (std::size_t i = 0; i < event.size(); ++i)
    times_.rank[i] = 2 * times_.rank[i] + (event[i] != 0 ? 0U : 1U);
}

std::unique_ptr<const Loss> BrierOutcome::loss_of(const CollapsedRows& collapsed) const {
  std::vector<double> time, weight;
  std::vector<std::uint8_t> cause;
  for (const CollapsedRow& row : collapsed.rows) {
    time.push_back(std::bit_cast<double>(times_.items[row.outcome / 2]));
    weight.push_back(row.weight);
    cause.push_back(row.outcome % 2 == 0 ? 1 : 0);
  }
  return std::make_unique<BrierLoss>(make_event_table(time, cause, weight), collapsed.rows);
}

}  // namespace survtree
