// Competing risks: the exactly integrated Brier score of the incidence of one cause, for both sides
// of a split in one pass from the last row to the first: incidence_loss() of core/losses/incidence,
// which says what the integrals are.

struct alignas(16) Row {
  double area, time;  // of 1/G, and passed, since the row before; time is -1 where a row is censored
  double mass, left;  // weight / G; the time to the end
  u32 is_target, events;
#ifdef SURVTREE_WEIGHTED
  double weight;
  u32 copies;
#endif
};
constexpr u32 kFacts = 7;  // weight, mass, area and elapsed as two numbers each, cause

SURVTREE_FN double difference(double a_high, double a_low, double b_high, double b_low) {
  return (a_high - b_high) + (a_low - b_low);
}

SURVTREE_FN const double* facts_of(const Arguments& a, u32 row) {
  return a.facts + (u64)row * kFacts;
}

// Row `at` of the listed ones; those of its cell end at `end`.
SURVTREE_FN void make_row(const Arguments& a, const u32* numbers, u32 at, u32 end, Row& out) {
  const u32 row = numbers[at];
  const double* facts = facts_of(a, row);
  out.area = 0.0;  // nobody is at risk yet when the last row passes
  if (at + 1 < end) {
    const double* next = facts_of(a, numbers[at + 1]);
    out.area = difference(next[2], next[3], facts[2], facts[3]);
  }
  out.mass = facts[1];
  out.left = difference(a.common[0], a.common[1], facts[4], facts[5]);
  out.is_target = facts[6] == 1.0;
  out.events = a.events[row];
  out.time = -1.0;
#ifdef SURVTREE_WEIGHTED
  out.weight = facts[0];
  out.copies = a.copies[row];
#endif
  if (facts[6] == 0.0) return;
  u32 next = at + 1;
  while (next < end && facts_of(a, numbers[next])[6] == 0.0) ++next;
  const double* since = facts_of(a, numbers[next < end ? next : at]);
  out.time = next < end ? difference(since[4], since[5], facts[4], facts[5]) : out.left;
}

typedef Row TileRow;
constexpr u32 kParts = 1;
SURVTREE_FN void fetch(const Arguments&, const Row& row, u32, TileRow& out) { out = row; }

struct Curve {
  double paid, cross, once, squared;
};
struct Side {
  double at_risk, loss;
  Curve had, had_not;
};

SURVTREE_FN void start(Side& s) {
  s.at_risk = s.loss = 0.0;
  s.had = s.had_not = {0.0, 0.0, 0.0, 0.0};
}

// pass_end() of leaf_incidence.hpp.
SURVTREE_FN void pass_end(double& loss, Curve& pays, Curve& grows, double k, double r, double mass,
                          double left) {
  const double rr = r * r, kp = k * grows.paid, kt = k * left;
  const double crossed = r * grows.cross, once = r * grows.once;
  loss = k * (kp + (crossed + crossed)) + rr * (loss + mass * pays.squared);
  pays.cross = r * (pays.cross + mass * pays.once);
  pays.paid += mass * left;
  grows.cross = kp + crossed;
  grows.squared = k * (kt + (once + once)) + rr * grows.squared;
  grows.once = kt + once;
  pays.once *= r;
  pays.squared *= rr;
}

SURVTREE_FN void pass_row(Side& s, const Row& row, double weight) {
  const double inverse = 1.0 / (s.at_risk + weight);
  const double k = weight * inverse, r = s.at_risk * inverse;
  if (row.is_target != 0)
    pass_end(s.loss, s.had_not, s.had, k, r, row.mass, row.left);
  else
    pass_end(s.loss, s.had, s.had_not, k, r, row.mass, row.left);
}

struct Lane {
  Side no, yes;
  u32 yes_rows, yes_events;
};

SURVTREE_FN void start(const Arguments&, Lane& lane) {
  start(lane.no);
  start(lane.yes);
  lane.yes_rows = lane.yes_events = 0;
}
SURVTREE_FN void end_part(const Arguments&, Team, const Row*, u32, u32, Lane&) {}

SURVTREE_FN void pass_time(Side& s, const Row& row) {
  s.had_not.once += row.time;
  s.had_not.squared += row.time;
}

SURVTREE_FN void pass(const TileRow& row, bool says_yes, Lane& lane) {
  Side &no = lane.no, &yes = lane.yes;
#ifdef SURVTREE_WEIGHTED
  const double weight = row.weight;
  if (says_yes) lane.yes_rows += row.copies;
#else
  const double weight = 1.0;
  if (says_yes) ++lane.yes_rows;
#endif
  if (says_yes) lane.yes_events += row.events;
  no.had.paid += no.at_risk * row.area;
  yes.had.paid += yes.at_risk * row.area;
  if (!is_negative(row.time)) {
    pass_time(no, row);
    pass_time(yes, row);
    if (says_yes)
      pass_row(yes, row, weight);
    else
      pass_row(no, row, weight);
  }
  yes.at_risk += only_if(says_yes, weight);
  no.at_risk += only_if(!says_yes, weight);
}

SURVTREE_FN Losses losses_of_lane(const Arguments&, Team, const Row*, u32, const Lane& lane) {
  return {lane.no.loss, lane.yes.loss, lane.yes_rows, lane.yes_events};
}
