// The likelihood of one hazard ratio per leaf: core/losses/likelihood. What matters of rows are whole
// numbers that add up, so the order of rows does not matter, and the rows that say no are all rows
// less the others. The loss is that of lanes_likelihood.cpp, step by step.

// D, E, F and the digits of E below its unit: HazardSums of core/losses/likelihood.
struct Sums {
  i64 events, expected, deviance, expected_low;
};
constexpr u32 kFacts = 4;

struct alignas(16) Row {
  Sums sums;
  u32 copies, events;
};

SURVTREE_FN void make_row(const Arguments& a, const u32* numbers, u32 at, u32, Row& out) {
  const u32 row = numbers[at];
  const i64* facts = (const i64*)a.facts + (u64)row * kFacts;
  out.sums = {facts[0], facts[1], facts[2], facts[3]};
  out.copies = a.copies[row];
  out.events = a.events[row];
}

typedef Row TileRow;
constexpr u32 kParts = 1;
SURVTREE_FN void fetch(const Arguments&, const Row& row, u32, TileRow& out) { out = row; }

// Of the rows that say yes.
struct Lane {
  Sums sums;
  u32 copies, events;
};

SURVTREE_FN void start(const Arguments&, Lane& lane) { lane = {{0, 0, 0, 0}, 0, 0}; }
SURVTREE_FN void end_part(const Arguments&, Team, const Row*, u32, u32, Lane&) {}

SURVTREE_FN void add(Sums& to, const Sums& more) {
  to.events += more.events;
  to.expected += more.expected;
  to.deviance += more.deviance;
  to.expected_low += more.expected_low;
}

SURVTREE_FN void pass(const TileRow& row, bool says_yes, Lane& lane) {
  if (!says_yes) return;
  add(lane.sums, row.sums);
  lane.copies += row.copies;
  lane.events += row.events;
}

// x - ln(1 + x), given x > -1 and z = 1 + x: core/kernel/log_excess.hpp, which says how.
SURVTREE_FN double log_excess(double x, double z) {
  constexpr i64 kOne = 0x3ff0000000000000, kRootOfHalf = 0x3fe6a09e667f3bcd;
  const i64 bits = (i64)bits_of(z), exponent = (bits + (kOne - kRootOfHalf)) >> 52;
  const bool is_near = z > 0x1.6a09e667f3bccp-1 && z < 0x1.6a09e667f3bcdp0;
  const double number = double_of((u64)(bits - (exponent - 1023) * (i64)0x0010000000000000));
  const double f = is_near ? x : number - 1.0;
  const double s = f / (2.0 + f), w = s * s;
  double r = 1.479819860511658591e-01;
  r = r * w + 1.531383769920937332e-01;
  r = r * w + 1.818357216161805012e-01;
  r = r * w + 2.222219843214978396e-01;
  r = r * w + 2.857142874366239149e-01;
  r = r * w + 3.999999999940941908e-01;
  r = r * w + 6.666666666666735130e-01;
  const double squared = 0.5 * f * f, excess = squared - s * (squared + r * w);
  const double log = (double)(exponent - 1023) * 0x1.62e42fefa39efp-1 + (f - excess);
  return is_near ? excess : x - log;
}

SURVTREE_FN double loss_of(const Arguments& a, const Sums& sums) {
  const double unit = a.common[0], low_unit = a.common[1], deviance_unit = a.common[2];
  const double events = (double)sums.events * unit, below = (double)sums.expected_low * low_unit;
  if (!(events > 0.0)) return 0.0;
  const double above = (double)(sums.expected - sums.events) * unit + below;  // E - D
  const double expected = (double)sums.expected * unit + below;
  const double gain = events * log_excess(above / events, expected / events);
  const double loss = (double)sums.deviance * deviance_unit - gain;
  return (loss > 0.0 ? loss : 0.0) / a.common[3];
}

SURVTREE_FN Losses losses_of_lane(const Arguments& a, Team t, const Row* rows, u32 n,
                                  const Lane& lane) {
  Sums all = {0, 0, 0, 0};
  for (u32 i = t.lane; i < n; i += t.width) add(all, rows[i].sums);
  const Sums& yes = lane.sums;
  const Sums no = {sum_of_warp(all.events) - yes.events, sum_of_warp(all.expected) - yes.expected,
                   sum_of_warp(all.deviance) - yes.deviance,
                   sum_of_warp(all.expected_low) - yes.expected_low};
  return {loss_of(a, no), loss_of(a, yes), lane.copies, lane.events};
}
