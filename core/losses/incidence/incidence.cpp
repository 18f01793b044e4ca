#include "losses/incidence/incidence.hpp"

#include <bit>

#include "data/contract.hpp"
#include "losses/incidence/incidence_lanes.hpp"
#include "losses/incidence/leaf_incidence.hpp"

namespace survtree {
namespace {

IncidenceLanes lanes_of(Kernel kernel) {
  return for_kernel(kernel, [](auto variant) { return incidence_lanes(variant); });
}

class IncidenceLoss : public Loss {
 public:
  IncidenceLoss(EventTable events, std::span<const CollapsedRow> rows)
      : events_(std::move(events)),
        blocks_(blocks_of(events_, rows)),
        unit_(events_.end.high > 0.0 ? events_.end.high : 1.0) {}

  double of_leaf(std::span<const std::uint32_t> rows) const override {
    return incidence_loss(events_, rows);
  }
  double floor(std::span<const std::uint32_t> rows) const override {
    return best_incidence_loss(events_, rows);
  }
  void of_splits(const ListedRows& rows, const SplitLosses& out) const override {
    const auto row = [&](std::size_t k) -> const EventRow& {
      return events_.rows[rows.numbers[rows.n - 1 - k]];
    };
    const auto place = [&](std::size_t k) { return rows.n - 1 - k; };
    const IncidenceSteps steps = steps_of(rows.n, row, place, out.scratch);
    lanes_of(out.kernel).row_losses(events_.rows.data(), steps, rows, out.n_lanes, out.no, out.yes);
  }
  void floors_of_splits(const ListedRows& rows, const SplitFloors& out) const override {
    lanes_of(out.kernel)
        .row_floors(rows, floor_steps_of(rows, out.scratch), {out.no_weight, out.yes_weight},
                    out.n_lanes, out.no, out.yes);
  }

  bool counts_blocks() const override { return true; }
  void of_block_splits(const CountedBlocks& blocks, const SplitLosses& out) const override {
    const auto block = [&](std::size_t k) -> const EventBlock& {
      return blocks_[blocks.numbers[k]];
    };
    const auto place = [](std::size_t k) { return k; };
    const IncidenceSteps steps = steps_of(blocks.n, block, place, out.scratch);
    lanes_of(out.kernel).block_losses(blocks_.data(), steps, blocks, out.n_lanes, out.no, out.yes);
  }

  LossFacts facts_for_device() const override { return event_facts(events_); }

 private:
  // Of rows or blocks, the k-th to pass being of(k), written to place(k).
  template <class Of, class Place>
  IncidenceSteps steps_of(std::size_t n, Of of, Place place, std::vector<double>& scratch) const {
    scratch.resize(3 * n);
    double *area_steps = scratch.data(), *time_steps = area_steps + n, *left = time_steps + n;
    Twofold area = of(0).censor_area, since = events_.end;
    for (std::size_t k = 0; k < n; ++k) {
      const auto& each = of(k);
      const std::size_t at = place(k);
      area_steps[at] = difference(area, each.censor_area);
      area = each.censor_area;
      time_steps[at] = each.cause != kCensored ? difference(since, each.elapsed) : 0.0;
      if (each.cause != kCensored) since = each.elapsed;
      left[at] = difference(events_.end, each.elapsed);
    }
    return {area_steps, time_steps, left};
  }

  IncidenceFloorSteps floor_steps_of(const ListedRows& rows, std::vector<double>& scratch) const {
    scratch.resize(5 * rows.n);
    double *length = scratch.data(), *g_area = length + rows.n, *weight = g_area + rows.n,
           *mass = weight + rows.n, *cause = mass + rows.n;
    const double per_unit = 1.0 / unit_;
    for (std::size_t i = 0; i < rows.n; ++i) {
      const std::uint32_t number = rows.numbers[i];
      const EventRow& row = events_.rows[number];
      const bool is_last = i + 1 == rows.n;
      const std::uint32_t next = is_last ? number : rows.numbers[i + 1];
      const Twofold& until = is_last ? events_.end : events_.rows[next].elapsed;
      length[i] = difference(until, row.elapsed) * per_unit;
      // After the last row nobody is at risk, and G does not matter.
      g_area[i] =
          is_last ? length[i] : difference(events_.g_area[next], events_.g_area[number]) * per_unit;
      weight[i] = row.weight;
      mass[i] = row.event_mass;
      cause[i] = static_cast<double>(row.cause);
    }
    return {length, g_area, weight, mass, cause, unit_};
  }

  EventTable events_;  // one entry per collapsed row
  std::vector<EventBlock> blocks_;
  double unit_;  // of time, for floors: the whole
};

// By their place in the order of one time.
constexpr std::uint8_t kCauses[] = {kTarget, kOther, kCensored};

}  // namespace

IncidenceOutcome::IncidenceOutcome(std::span<const double> time,
                                   std::span<const std::uint8_t> cause)
    : times_(distinct_times(time)) {
  require(time.size() == cause.size(), "a time and a cause for each row");
  require(times_.size() < UINT32_MAX / 3, "fewer than 2^32 / 3 distinct times");
  for (std::size_t i = 0; i < cause.size(); ++i) {
    require(cause[i] <= kOther, "a cause is 0, 1 or 2");
    times_.rank[i] = 3 * times_.rank[i] + (cause[i] == kCensored ? 2U : cause[i] - 1U);
  }
}

std::unique_ptr<const Loss> IncidenceOutcome::loss_of(const CollapsedRows& collapsed) const {
  std::vector<double> time, weight;
  std::vector<std::uint8_t> cause;
  for (const CollapsedRow& row : collapsed.rows) {
    time.push_back(std::bit_cast<double>(times_.items[row.outcome / 3]));
    weight.push_back(row.weight);
    cause.push_back(kCauses[row.outcome % 3]);
  }
  return std::make_unique<IncidenceLoss>(make_event_table(time, cause, weight), collapsed.rows);
}

}  // namespace survtree
