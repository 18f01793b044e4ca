// The exactly integrated Brier score of a leaf's Kaplan-Meier curve, for both sides of a split in
// one pass from the last row to the first: leaf_loss() of core/losses/brier, rearranged.
//
// There P is the survival from here on relative to here, and an event with weight w among `at_risk`
// later rows multiplies it by r = at_risk / (at_risk + w). Here everything is kept divided by the
// product of all r so far, 1 / grown: with e = grown w / at_risk an event is
//   grown += e,   x += e area,   loss += mass p2 + e (old x + new x),   and nothing shrinks.
// What the pass there calls v, p2 and its sum u + events are x / grown, p2 / grown^2 and
// loss / grown^2. Still nothing is subtracted, and no quotient is taken but w / at_risk, which for
// rows of weight 1 is read from a table. Where nobody is later than an event, the rest of the curve
// is 0: p2 starts anew.

struct Row {
  double area, time, mass;  // area of 1/G and time since the row that passes before; weight / G
#ifdef SURVTREE_WEIGHTED
  double weight;
  u32 copies, events;
#endif
};
constexpr u32 kFacts = 6;  // weight, mass, area and elapsed as two numbers each

SURVTREE_FN double difference(double a_high, double a_low, double b_high, double b_low) {
  return (a_high - b_high) + (a_low - b_low);
}

// Row `at` of the listed ones; those of its cell end at `end`. A row without an event has a time
// of -1.
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
                        : difference(a.end_high, a.end_low, facts[4], facts[5]);
}

struct Side {
  double at_risk, area, grown, grown2, x, p2, loss;
  u32 rows, events;
};

struct Lane {
  Side no, yes;
};

SURVTREE_FN void start(Side& s) {
  s.at_risk = s.area = s.x = s.p2 = s.loss = 0.0;
  s.grown = s.grown2 = 1.0;
  s.rows = s.events = 0;
}

// `e` and `mass` are 0 on the side where the row is not.
SURVTREE_FN void pass_event(Side& s, double k, double mass) {
  const double e = s.grown * k;
  s.grown += e;
  const double old = s.x;
  s.x += e * s.area;
  s.loss += mass * s.p2;
  s.loss += e * (old + s.x);
  s.grown2 = s.grown * s.grown;
}

SURVTREE_FN void pass(const double* inverse, const Row& row, bool says_yes, Lane& lane) {
  Side &no = lane.no, &yes = lane.yes;
  no.area += no.at_risk * row.area;
  yes.area += yes.at_risk * row.area;
  if (row.time >= 0.0) {
    no.p2 += row.time * no.grown2;
    yes.p2 += row.time * yes.grown2;
    const double mass = row.mass;
#ifdef SURVTREE_WEIGHTED
    const double at_risk = says_yes ? yes.at_risk : no.at_risk;
    const bool is_last = at_risk == 0.0;
    const double k = is_last ? 0.0 : row.weight / at_risk;
    (says_yes ? yes : no).events += row.events;
#else
    const u32 later = says_yes ? yes.rows : no.rows;
    const bool is_last = later == 0;
    const double k = inverse[later];
    yes.events += says_yes;
    no.events += !says_yes;
#endif
    if (is_last && says_yes) yes.p2 = 0.0;
    if (is_last && !says_yes) no.p2 = 0.0;
    pass_event(no, says_yes ? 0.0 : k, says_yes ? 0.0 : mass);
    pass_event(yes, says_yes ? k : 0.0, says_yes ? mass : 0.0);
  }
#ifdef SURVTREE_WEIGHTED
  yes.at_risk += says_yes ? row.weight : 0.0;
  no.at_risk += says_yes ? 0.0 : row.weight;
  yes.rows += says_yes ? row.copies : 0;
  no.rows += says_yes ? 0 : row.copies;
#else
  yes.at_risk += says_yes ? 1.0 : 0.0;
  no.at_risk += says_yes ? 0.0 : 1.0;
  yes.rows += says_yes;
  no.rows += !says_yes;
#endif
}

struct Losses {
  double no, yes;
  u32 no_rows, yes_rows, no_events, yes_events;
};

// Both sides of one split: `answer(i)` is that of row i.
template <class Answer>
SURVTREE_FN Losses losses_of(const Arguments& a, const Row* rows, u32 n, Answer answer) {
  Lane lane;
  start(lane.no);
  start(lane.yes);
  const double* inverse = a.inverse;
#ifdef __CUDACC__
#pragma unroll 2
#endif
  for (u32 i = n; i-- > 0;) pass(inverse, rows[i], answer(i), lane);
  return {lane.no.loss / lane.no.grown2, lane.yes.loss / lane.yes.grown2, lane.no.rows,
          lane.yes.rows, lane.no.events, lane.yes.events};
}
