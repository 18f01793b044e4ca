// The exactly integrated Brier score of a leaf's Kaplan-Meier curve, for both sides of a split in
// one pass from the last row to the first: leaf_loss() of core/losses/brier, rearranged.
//
// There P is the survival from here on relative to here, and an event with weight w among `at_risk`
// later rows multiplies it by r = at_risk / (at_risk + w). Here everything is kept divided by the
// product of all r so far, 1 / grown: with e = grown w / at_risk an event is
//   grown += e,   x += e area,   loss += mass p2 + e (old x + new x),   and nothing shrinks.
// What the pass there calls v, p2 and its sum u + events are x / grown, p2 / grown^2 and
// loss / grown^2. Still nothing is subtracted, and no quotient is taken but w / at_risk.
//
// Where nobody is later than an event, the curve would be 0 from there on. Each side has a speck of
// dust at risk from the beginning, so far below the weights of rows that no sum with one of them
// shows it: the curve stays a speck above 0, and the first row needs no rule of its own.

struct alignas(16) Row {
  double area, time;  // of 1/G, and passed, since the row before; time is -1 without an event
  double mass;        // weight / G
#ifdef SURVTREE_WEIGHTED
  double weight;
  u32 copies, events;
#endif
};
constexpr u32 kFacts = 7;  // weight, mass, area and elapsed as two numbers each, cause

SURVTREE_FN double difference(double a_high, double a_low, double b_high, double b_low) {
  return (a_high - b_high) + (a_low - b_low);
}

// Row `at` of the listed ones; those of its cell end at `end`.
SURVTREE_FN void make_row(const Arguments& a, const u32* numbers, u32 at, u32 end, Row& out) {
  const u32 row = numbers[at];
  const double* facts = a.facts + (u64)row * kFacts;
  out.area = 0.0;  // nobody is at risk yet when the last row passes
  if (at + 1 < end) {
    const double* next = a.facts + (u64)numbers[at + 1] * kFacts;
    out.area = difference(next[2], next[3], facts[2], facts[3]);
  }
  out.mass = facts[1];
  out.time = -1.0;
#ifdef SURVTREE_WEIGHTED
  out.weight = facts[0];
  out.copies = a.copies[row];
  out.events = a.events[row];
#endif
  if (a.events[row] == 0) return;
  u32 next = at + 1;
  while (next < end && a.events[numbers[next]] == 0) ++next;
  const double* since = a.facts + (u64)numbers[next < end ? next : at] * kFacts;
  out.time = next < end ? difference(since[4], since[5], facts[4], facts[5])
                        : difference(a.common[0], a.common[1], facts[4], facts[5]);
}

typedef Row TileRow;
constexpr u32 kParts = 1;
SURVTREE_FN void fetch(const Arguments&, const Row& row, u32, TileRow& out) { out = row; }

// 1 / x for x > 0, to the last digit or the one before it.
SURVTREE_FN double inverse_of(double x) {
#ifdef __CUDACC__
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double off = fma(-x, y, 1.0);  // about 2^-20; its third power is nothing
  return fma(y, fma(off, off, off), y);
#else
  return 1.0 / x;
#endif
}

struct Side {
  double at_risk, area, grown, grown2, x, p2, loss;
};

SURVTREE_FN void start(Side& s, double dust) {
  s.at_risk = dust;
  s.area = s.x = s.p2 = s.loss = 0.0;
  s.grown = s.grown2 = 1.0;
}

SURVTREE_FN void pass_event(Side& s, double k, double mass) {
  const double e = s.grown * k;
  s.grown += e;
  s.loss += mass * s.p2;
  s.loss += e * s.x;
  s.x += e * s.area;
  s.loss += e * s.x;
  s.grown2 = s.grown * s.grown;
}

struct Lane {
  Side no, yes;
  u32 yes_rows, yes_events;
};

SURVTREE_FN void start(const Arguments& a, Lane& lane) {
  start(lane.no, a.dust);
  start(lane.yes, a.dust);
  lane.yes_rows = lane.yes_events = 0;
}
SURVTREE_FN void end_part(const Arguments&, Team, const Row*, u32, u32, Lane&) {}

SURVTREE_FN void pass(const TileRow& row, bool says_yes, Lane& lane) {
  Side &no = lane.no, &yes = lane.yes;
#ifdef SURVTREE_WEIGHTED
  const double weight = row.weight;
  const u32 n_events = row.events;
  if (says_yes) lane.yes_rows += row.copies;
#else
  const double weight = 1.0;
  const u32 n_events = 1;
#endif
  no.area += no.at_risk * row.area;
  yes.area += yes.at_risk * row.area;
  if (!is_negative(row.time)) {
    const double mass = row.mass;
    const double k = weight * inverse_of(says_yes ? yes.at_risk : no.at_risk);
    no.p2 += row.time * no.grown2;
    yes.p2 += row.time * yes.grown2;
    if (says_yes) {
      pass_event(yes, k, mass);
      lane.yes_events += n_events;
    } else {
      pass_event(no, k, mass);
    }
  }
  yes.at_risk += only_if(says_yes, weight);
  no.at_risk += only_if(!says_yes, weight);
}

SURVTREE_FN Losses losses_of_lane(const Arguments&, Team, const Row*, u32, const Lane& lane) {
#ifdef SURVTREE_WEIGHTED
  const u32 yes_rows = lane.yes_rows;
#else
  const u32 yes_rows = (u32)lane.yes.at_risk;
#endif
  return {lane.no.loss / lane.no.grown2, lane.yes.loss / lane.yes.grown2, yes_rows,
          lane.yes_events};
}
