// The functions of brier_lanes.hpp, compiled once for each instruction set.
//
// This is leaf_loss() (leaf_loss.hpp) side by side, with two differences: `u` and `events` are kept
// as their sum, since both shrink alike; and areas are brought forward at every row for both
// children instead of lazily, because a multiplication and an addition cost less than the selection
// they would spare. K vectors go together, so that the branch on the cause, which nobody can
// predict, is paid for rarely.
#include "kernel/vector.hpp"
#include "losses/brier/brier_lanes.hpp"

namespace survtree {
namespace {

using V = Vector;
// As many as registers hold.
constexpr std::size_t kRowVectors = V::width == 8 ? 4 : V::width == 4 ? 2 : 1;
constexpr std::size_t kBlockVectors = V::width == 8 ? 2 : 1;

struct LaneState {
  V weight, area, p2, v, loss;
};

SURVTREE_INLINE void pass_event(LaneState& no, LaneState& yes, V::Mask says_yes, V weight,
                                V time_step, V event_mass) {
  no.p2 = no.p2 + time_step;
  yes.p2 = yes.p2 + time_step;
  const V at_risk = V::select(says_yes, yes.weight, no.weight);
  const V area = V::select(says_yes, yes.area, no.area);
  const V p2 = V::select(says_yes, yes.p2, no.p2);
  const V v = V::select(says_yes, yes.v, no.v);
  const V loss = V::select(says_yes, yes.loss, no.loss);

  const V inverse = V(1.0) / (at_risk + weight);
  const V r = at_risk * inverse, k = weight * inverse;
  const V rr = r * r, ka = k * area, rv = r * v;
  const V new_v = ka + rv;
  const V new_loss = k * (new_v + rv) + rr * (loss + event_mass * p2);
  const V new_p2 = rr * p2;

  yes.p2 = V::select(says_yes, new_p2, yes.p2);
  no.p2 = V::select(says_yes, no.p2, new_p2);
  yes.v = V::select(says_yes, new_v, yes.v);
  no.v = V::select(says_yes, no.v, new_v);
  yes.loss = V::select(says_yes, new_loss, yes.loss);
  no.loss = V::select(says_yes, no.loss, new_loss);
}

// What K vectors of lanes are given: the first lane is bit `shift` of the packed answers.
struct RowPass {
  const EventRow* facts;
  Twofold end;
  const ListedRows& rows;
  const std::uint64_t* packed;
  unsigned shift;
  double *no, *yes;
};

// By value: what is behind a reference would be loaded again at every row.
template <std::size_t K>
void pass_rows(const RowPass p) {
  const ListedRows rows = p.rows;
  LaneState no[K], yes[K];
  Twofold area = p.facts[rows.numbers[rows.n - 1]].censor_area;
  Twofold since = p.end;  // elapsed at the event passed last
  for (std::size_t i = rows.n; i-- > 0;) {
    const EventRow& row = p.facts[rows.numbers[i]];
    const std::uint64_t bits = p.packed[i * rows.n_packed] >> p.shift;
    const V weight(row.weight), area_step(difference(area, row.censor_area));
    area = row.censor_area;
    for (std::size_t k = 0; k < K; ++k) {
      no[k].area = no[k].area + no[k].weight * area_step;
      yes[k].area = yes[k].area + yes[k].weight * area_step;
    }
    if (row.cause != 0) {
      const V time_step(difference(since, row.elapsed)), event_mass(row.event_mass);
      since = row.elapsed;
      for (std::size_t k = 0; k < K; ++k)
        pass_event(no[k], yes[k], V::mask(bits >> (k * V::width)), weight, time_step, event_mass);
    }
    for (std::size_t k = 0; k < K; ++k) {
      const auto says_yes = V::mask(bits >> (k * V::width));
      yes[k].weight = V::select(says_yes, yes[k].weight + weight, yes[k].weight);
      no[k].weight = V::select(says_yes, no[k].weight, no[k].weight + weight);
    }
  }
  for (std::size_t k = 0; k < K; ++k) {
    no[k].loss.store(p.no + k * V::width);
    yes[k].loss.store(p.yes + k * V::width);
  }
}

// As many vectors together as there are lanes left, up to K.
template <std::size_t K>
void pass_rows_upto(std::size_t n_lanes, const RowPass& p) {
  if constexpr (K > 1) {
    if (n_lanes <= (K - 1) * V::width) return pass_rows_upto<K - 1>(n_lanes, p);
  }
  pass_rows<K>(p);
}

void row_losses(const EventRow* facts, Twofold end, const ListedRows& rows, std::size_t n_lanes,
                double* no, double* yes) {
  constexpr std::size_t width = kRowVectors * V::width;
  static_assert(64 % width == 0 && kLanePadding % width == 0);
  for (std::size_t lane = 0; lane < n_lanes; lane += width)
    pass_rows_upto<kRowVectors>(n_lanes - lane,
                                {facts, end, rows, rows.packed + lane / 64,
                                 static_cast<unsigned>(lane % 64), no + lane, yes + lane});
}

// What K vectors of lanes are given for floors.
template <class Number>
struct FloorPass {
  const ListedRows& rows;
  const FloorSteps<Number>& steps;
  const std::uint64_t* packed;
  unsigned shift;
  const double *no_weight, *yes_weight;
  double *no, *yes;
};

// One side of a lane: rows at risk, events so far.
template <class W>
struct FloorState {
  W weight, events, floor;
};

// From the first row to the last. Weights are taken off those of the whole side row by row, and
// rounding must not leave too much: so a little less is where it begins, unless they are whole
// numbers. Two divisions become one by way of the product of both divisors; the dust keeps it above
// 0 and makes the floor smaller, if anything.
template <class W, std::size_t K, class Number>
void pass_floors(const FloorPass<Number>& p) {
  constexpr bool is_single = sizeof(Number) == sizeof(float);
  const ListedRows rows = p.rows;
  const FloorSteps<Number> steps = p.steps;
  // What rounding may add to a sum of so many terms.
  const double unit = (is_single ? 6e-8 : 1.2e-16) * static_cast<double>(4 * rows.n + 16);
  const W none(Number{0}), dust(static_cast<Number>(is_single ? 1e-18 : 1e-150));
  FloorState<W> no[K], yes[K];
  for (std::size_t k = 0; k < K; ++k) {
    const double less = is_single ? 1.0 : 1.0 - unit;
    no[k].weight = W::of_doubles(p.no_weight + k * W::width, less);
    yes[k].weight = W::of_doubles(p.yes_weight + k * W::width, less);
  }
  for (std::size_t i = 0; i + 1 < rows.n; ++i) {
    const std::uint64_t bits = p.packed[i * rows.n_packed] >> p.shift;
    const W weight(steps.weight[i]);
    const Number mass = steps.event_mass[i];
    for (std::size_t k = 0; k < K; ++k) {
      const auto says_yes = W::mask(bits >> (k * W::width));
      yes[k].weight = W::select(says_yes, yes[k].weight - weight, yes[k].weight);
      no[k].weight = W::select(says_yes, no[k].weight, no[k].weight - weight);
      if (mass > 0) {
        yes[k].events = W::select(says_yes, yes[k].events + W(mass), yes[k].events);
        no[k].events = W::select(says_yes, no[k].events, no[k].events + W(mass));
      }
    }
    if (!(steps.length[i] > 0)) continue;
    const W length(steps.length[i]), g_area(steps.g_area[i]);
    const W squared(steps.length[i] * steps.length[i]);
    for (std::size_t k = 0; k < K; ++k) {
      const W no_weight = W::larger(no[k].weight, none),
              yes_weight = W::larger(yes[k].weight, none);
      const W no_sum = (length * no_weight + no[k].events * g_area) + dust;
      const W yes_sum = (length * yes_weight + yes[k].events * g_area) + dust;
      const W inverse = squared / (no_sum * yes_sum);
      no[k].floor = no[k].floor + (no_weight * no[k].events) * (yes_sum * inverse);
      yes[k].floor = yes[k].floor + (yes_weight * yes[k].events) * (no_sum * inverse);
    }
  }
  const double rounded = steps.unit * (1.0 - 2.0 * unit - 1e-13);
  for (std::size_t k = 0; k < K; ++k) {
    no[k].floor.store_doubles(p.no + k * W::width, rounded);
    yes[k].floor.store_doubles(p.yes + k * W::width, rounded);
  }
}

template <class W, std::size_t K, class Number>
void pass_floors_upto(std::size_t n_lanes, const FloorPass<Number>& p) {
  if constexpr (K > 1) {
    if (n_lanes <= (K - 1) * W::width) return pass_floors_upto<W, K - 1>(n_lanes, p);
  }
  pass_floors<W, K>(p);
}

template <class W, std::size_t K, class Number>
void floors_of_rows(const ListedRows& rows, const FloorSteps<Number>& steps,
                    const SplitWeights& weights, std::size_t n_lanes, double* no, double* yes) {
  constexpr std::size_t width = K * W::width;
  static_assert(64 % width == 0 && kLanePadding % width == 0);
  for (std::size_t lane = 0; lane < n_lanes; lane += width)
    pass_floors_upto<W, K, Number>(
        n_lanes - lane, {rows, steps, rows.packed + lane / 64, static_cast<unsigned>(lane % 64),
                         weights.no + lane, weights.yes + lane, no + lane, yes + lane});
}

// An event block of one child: as many events as `weight` says, none perhaps.
SURVTREE_INLINE void pass_block(LaneState& child, V weight, V time_step, V inverse_g) {
  child.p2 = child.p2 + time_step;
  // The dust makes r = 1 where nobody is left and nobody has an event, and changes no other sum.
  const V dust(1e-300);
  const V inverse = V(1.0) / ((child.weight + weight) + dust);
  const V r = (child.weight + dust) * inverse, k = weight * inverse;
  const V rr = r * r, ka = k * child.area, rv = r * child.v;
  child.v = ka + rv;
  child.loss = k * (child.v + rv) + rr * (child.loss + weight * inverse_g * child.p2);
  child.p2 = rr * child.p2;
}

void block_losses(const EventBlock* facts, const CountedBlocks& blocks, const BrierSteps& steps,
                  std::size_t n_lanes, double* no_loss, double* yes_loss) {
  constexpr std::size_t K = kBlockVectors;
  for (std::size_t base = 0; base < n_lanes; base += K * V::width) {
    LaneState no[K], yes[K];
    const double* counts = blocks.yes_rows + base;
    for (std::size_t b = 0; b < blocks.n; ++b, counts += padded(n_lanes)) {
      const EventBlock& block = facts[blocks.numbers[b]];
      const V all(blocks.n_rows[b]), area_step(steps.area[b]), time_step(steps.time[b]);
      for (std::size_t k = 0; k < K; ++k) {
        const V yes_count = V::load(counts + k * V::width);
        const V no_count = all - yes_count;
        no[k].area = no[k].area + no[k].weight * area_step;
        yes[k].area = yes[k].area + yes[k].weight * area_step;
        if (block.cause != 0) {
          pass_block(no[k], no_count, time_step, V(block.inverse_g));
          pass_block(yes[k], yes_count, time_step, V(block.inverse_g));
        }
        no[k].weight = no[k].weight + no_count;
        yes[k].weight = yes[k].weight + yes_count;
      }
    }
    for (std::size_t k = 0; k < K; ++k) {
      no[k].loss.store(no_loss + base + k * V::width);
      yes[k].loss.store(yes_loss + base + k * V::width);
    }
  }
}

}  // namespace

BrierLanes brier_lanes(ThisVariant) {
  // Two vectors of sixteen lanes, or four of eight, fill the registers.
  constexpr std::size_t n_single = Single::width == 1 ? 1 : 2;
  return {row_losses, floors_of_rows<V, kRowVectors, double>,
          floors_of_rows<Single, n_single, float>, block_losses};
}

}  // namespace survtree
