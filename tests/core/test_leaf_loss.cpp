#include <array>

#include "check.hpp"
#include "losses/brier/leaf_loss.hpp"
#include "search/split_row.hpp"
#include "worked_example.hpp"

using namespace survtree;

int main() {
  const Problem p = worked::problem();
  const EventTable events = make_event_table(worked::time, worked::event, worked::weight);
  const std::array<std::uint32_t, 6> all{0, 1, 2, 3, 4, 5};
  check::close(leaf_loss(events, all), 0.163845486111, "loss of one leaf", 1e-12);
  check::that(p.loss->of_leaf(all) == leaf_loss(events, all), "the problem has that loss");
  SplitRow split;
  split_row(p, lane_functions(available_kernels().back()), {p.bits.everyone, 6, 0, {}, false},
            split);
  check::close(split.yes.loss[0], 0.071759259259, "loss of x = 1", 1e-12);
  check::close(split.no.loss[0], 0.092592592593, "loss of x = 0", 1e-12);
  check::that(split.yes.rows[0] == 3 && split.no.rows[0] == 3, "rows of both children");
  check::that(split.no.loss[0] + split.yes.loss[0] > leaf_loss(events, all),
              "this split raises the loss: Kaplan-Meier leaves do not minimise it");
  check::that(leaf_loss(events, std::span<const std::uint32_t>()) == 0.0, "no rows, no loss");

  // Weights from 1 to 1e12: a row of huge weight must not wash out the others.
  const std::vector<double> weight{1e12, 1, 1, 1, 1, 1};
  const EventTable wide = make_event_table(worked::time, worked::event, weight);
  const std::array<std::uint32_t, 5> light{1, 2, 3, 4, 5};
  const EventTable five =
      make_event_table(std::vector<double>{2, 3, 3, 5, 6}, std::vector<std::uint8_t>{0, 1, 0, 1, 0},
                       std::vector<double>(5, 1.0));
  const std::array<std::uint32_t, 5> these{0, 1, 2, 3, 4};
  const double ratio = leaf_loss(wide, light) * (1e12 + 5) / (leaf_loss(five, these) * 5);
  check::close(ratio, 1.0, "rows of small weight keep their digits beside one of weight 1e12");
  return check::report();
}
