// The functions of incidence_lanes.hpp, compiled once for each instruction set.
//
// These are incidence_loss() and best_incidence_loss() (leaf_incidence.hpp) side by side. A row
// passes on both sides of a lane, with k = 0, r = 1 and no mass on the side that it is not on,
// which leaves the numbers there as they are, to the last bit.
#include "kernel/vector.hpp"
#include "losses/incidence/incidence_lanes.hpp"

namespace survtree {
namespace {

using V = Vector;

struct LaneCurve {
  V paid, cross, once, squared;
};

// One side of a lane.
struct LaneState {
  V weight, loss;
  LaneCurve had, had_not;
};

SURVTREE_INLINE void pass_time(LaneState& side, V area_step, V time_step) {
  side.had.paid = side.had.paid + side.weight * area_step;
  side.had_not.once = side.had_not.once + time_step;
  side.had_not.squared = side.had_not.squared + time_step;
}

// As pass_end() (leaf_incidence.hpp).
SURVTREE_INLINE void pass_end(V& loss, LaneCurve& pays, LaneCurve& grows, V k, V r, V mass,
                              V left) {
  const V rr = r * r, kp = k * grows.paid, kt = k * left;
  const V crossed = r * grows.cross, once = r * grows.once;
  loss = k * (kp + (crossed + crossed)) + rr * (loss + mass * pays.squared);
  pays.cross = r * (pays.cross + mass * pays.once);
  pays.paid = pays.paid + mass * left;
  grows.cross = kp + crossed;
  grows.squared = k * (kt + (once + once)) + rr * grows.squared;
  grows.once = kt + once;
  pays.once = r * pays.once;
  pays.squared = rr * pays.squared;
}

// The cause is 1 or 2.
SURVTREE_INLINE void pass_end(LaneState& side, std::uint64_t cause, V k, V r, V mass, V left) {
  if (cause == 1)
    pass_end(side.loss, side.had_not, side.had, k, r, mass, left);
  else
    pass_end(side.loss, side.had, side.had_not, k, r, mass, left);
}

void row_losses(const EventRow* facts, const IncidenceSteps& given, const ListedRows& listed,
                std::size_t n_lanes, double* no_loss, double* yes_loss) {
  const ListedRows rows = listed;
  const IncidenceSteps steps = given;
  const V none(0.0), one(1.0);
  for (std::size_t lane = 0; lane < n_lanes; lane += V::width) {
    LaneState no, yes;
    for (std::size_t i = rows.n; i-- > 0;) {
      const EventRow& row = facts[rows.numbers[i]];
      const auto says_yes = V::mask(rows.packed[i * rows.n_packed + lane / 64] >> (lane % 64));
      const V weight(row.weight), area_step(steps.area[i]), time_step(steps.time[i]);
      pass_time(no, area_step, time_step);
      pass_time(yes, area_step, time_step);
      if (row.cause != 0) {
        const V at_risk = V::select(says_yes, yes.weight, no.weight);
        const V inverse = one / (at_risk + weight), mass(row.event_mass), left(steps.left[i]);
        const V k = weight * inverse, r = at_risk * inverse;
        pass_end(yes, row.cause, V::select(says_yes, k, none), V::select(says_yes, r, one),
                 V::select(says_yes, mass, none), left);
        pass_end(no, row.cause, V::select(says_yes, none, k), V::select(says_yes, one, r),
                 V::select(says_yes, none, mass), left);
      }
      yes.weight = V::select(says_yes, yes.weight + weight, yes.weight);
      no.weight = V::select(says_yes, no.weight, no.weight + weight);
    }
    no.loss.store(no_loss + lane);
    yes.loss.store(yes_loss + lane);
  }
}

// A block of one child: as many rows as `weight` says, none perhaps.
SURVTREE_INLINE void pass_block(LaneState& side, const EventBlock& block, V weight, V left) {
  // The dust makes r = 1 where nobody is left and nobody ends, and changes no other sum.
  const V dust(1e-300);
  const V inverse = V(1.0) / ((side.weight + weight) + dust);
  pass_end(side, block.cause, weight * inverse, (side.weight + dust) * inverse,
           weight * V(block.inverse_g), left);
}

void block_losses(const EventBlock* facts, const IncidenceSteps& steps, const CountedBlocks& blocks,
                  std::size_t n_lanes, double* no_loss, double* yes_loss) {
  for (std::size_t lane = 0; lane < n_lanes; lane += V::width) {
    LaneState no, yes;
    for (std::size_t b = 0; b < blocks.n; ++b) {
      const EventBlock& block = facts[blocks.numbers[b]];
      const V yes_count = V::load(blocks.yes_rows + b * padded(n_lanes) + lane);
      const V no_count = V(blocks.n_rows[b]) - yes_count;
      pass_time(no, V(steps.area[b]), V(steps.time[b]));
      pass_time(yes, V(steps.area[b]), V(steps.time[b]));
      if (block.cause != 0) {
        pass_block(no, block, no_count, V(steps.left[b]));
        pass_block(yes, block, yes_count, V(steps.left[b]));
      }
      no.weight = no.weight + no_count;
      yes.weight = yes.weight + yes_count;
    }
    no.loss.store(no_loss + lane);
    yes.loss.store(yes_loss + lane);
  }
}

// One side of a lane: rows at risk, what the cause and the others have ended so far.
struct FloorState {
  V weight, target, other, floor;
};

SURVTREE_INLINE void pass_length(FloorState& side, V length, V g_area, V dust) {
  const V others = length * V::larger(side.weight, V(0.0)) + side.other * g_area;
  const V sum = (others + side.target * g_area) + dust;
  side.floor = side.floor + (length * side.target) * (others / sum);
}

// From the first row to the last. Weights are taken off those of the whole side row by row, and
// rounding must not leave too much: so a little less is where it begins. The dust keeps sums above
// 0 and makes the floor smaller, if anything.
void row_floors(const ListedRows& listed, const IncidenceFloorSteps& given,
                const SplitWeights& weights, std::size_t n_lanes, double* no_floor,
                double* yes_floor) {
  const ListedRows rows = listed;
  const IncidenceFloorSteps steps = given;
  const double unit = 1.2e-16 * static_cast<double>(4 * rows.n + 16);  // of a sum of so many terms
  const V none(0.0), dust(1e-150);
  for (std::size_t lane = 0; lane < n_lanes; lane += V::width) {
    FloorState no, yes;
    no.weight = V::of_doubles(weights.no + lane, 1.0 - unit);
    yes.weight = V::of_doubles(weights.yes + lane, 1.0 - unit);
    for (std::size_t i = 0; i < rows.n; ++i) {
      const auto says_yes = V::mask(rows.packed[i * rows.n_packed + lane / 64] >> (lane % 64));
      const V weight(steps.weight[i]), mass(steps.mass[i]);
      yes.weight = V::select(says_yes, yes.weight - weight, yes.weight);
      no.weight = V::select(says_yes, no.weight, no.weight - weight);
      const V of_yes = V::select(says_yes, mass, none), of_no = V::select(says_yes, none, mass);
      if (steps.cause[i] == 1.0) {
        yes.target = yes.target + of_yes;
        no.target = no.target + of_no;
      } else if (steps.cause[i] == 2.0) {
        yes.other = yes.other + of_yes;
        no.other = no.other + of_no;
      }
      if (!(steps.length[i] > 0.0)) continue;
      const V length(steps.length[i]), g_area(steps.g_area[i]);
      pass_length(no, length, g_area, dust);
      pass_length(yes, length, g_area, dust);
    }
    const double rounded = steps.unit * (1.0 - 2.0 * unit - 1e-13);
    no.floor.store_doubles(no_floor + lane, rounded);
    yes.floor.store_doubles(yes_floor + lane, rounded);
  }
}

}  // namespace

IncidenceLanes incidence_lanes(ThisVariant) { return {row_losses, block_losses, row_floors}; }

}  // namespace survtree
