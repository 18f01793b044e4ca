// The squared distance of a row's vector from the mean of its leaf: core/losses/teacher. Numbers are
// rounded there so that sums of components and squares are exact: the order of rows does not matter,
// and the rows that say no are all rows less the others. Weights are not, and are added up for both.

constexpr u32 kComponents = SURVTREE_COMPONENTS;
constexpr u32 kMostTogether = 12;  // components whose sums a thread keeps in registers
constexpr u32 kParts = (kComponents + kMostTogether - 1) / kMostTogether;
constexpr u32 kTogether = (kComponents + kParts - 1) / kParts;

struct Row {
  u32 number, copies, events, spare;
};

SURVTREE_FN void make_row(const Arguments& a, const u32* numbers, u32 at, u32, Row& out) {
  const u32 row = numbers[at];
  out = {row, a.copies[row], a.events[row], 0};
}

// Some components of a row times its weight; with the first ones go squares and weight.
struct alignas(16) TileRow {
  double x[kTogether];
  double squares, weight;
  u32 copies, events;
};

SURVTREE_FN double component_of(const Arguments& a, u32 row, u32 c) {
  return c < kComponents ? a.facts[row * (u64)(kComponents + 2) + c] : 0.0;
}
SURVTREE_FN double squares_of(const Arguments& a, u32 row) {
  return a.facts[row * (u64)(kComponents + 2) + kComponents];
}
SURVTREE_FN double weight_of(const Arguments& a, u32 row) {
  return a.facts[row * (u64)(kComponents + 2) + kComponents + 1];
}

SURVTREE_FN void fetch(const Arguments& a, const Row& row, u32 part, TileRow& out) {
  for (u32 c = 0; c < kTogether; ++c) out.x[c] = component_of(a, row.number, part * kTogether + c);
  const bool is_first = part == 0;  // nothing is added up twice
  out.squares = is_first ? squares_of(a, row.number) : 0.0;
  out.weight = is_first ? weight_of(a, row.number) : 0.0;
  out.copies = is_first ? row.copies : 0;
  out.events = is_first ? row.events : 0;
}

// Sums of the rows that say yes; of both sides the weights and the squared lengths of the sums.
struct Lane {
  double x[kTogether], squares, no_weight, yes_weight, no_squared, yes_squared;
  u32 copies, events;
};

SURVTREE_FN void clear_components(Lane& lane) {
  for (u32 c = 0; c < kTogether; ++c) lane.x[c] = 0.0;
}

SURVTREE_FN void start(const Arguments&, Lane& lane) {
  clear_components(lane);
  lane.squares = lane.no_weight = lane.yes_weight = lane.no_squared = lane.yes_squared = 0.0;
  lane.copies = lane.events = 0;
}

SURVTREE_FN void pass(const TileRow& row, bool says_yes, Lane& lane) {
  if (!says_yes) {
    lane.no_weight += row.weight;
    return;
  }
#ifdef __CUDACC__
#pragma unroll
#endif
  for (u32 c = 0; c < kTogether; ++c) lane.x[c] += row.x[c];
  lane.squares += row.squares;
  lane.yes_weight += row.weight;
  lane.copies += row.copies;
  lane.events += row.events;
}

SURVTREE_FN void end_part(const Arguments& a, Team t, const Row* rows, u32 n, u32 part,
                          Lane& lane) {
  for (u32 c = 0; c < kTogether; ++c) {
    double all = 0.0;
    for (u32 i = t.lane; i < n; i += t.width)
      all += component_of(a, rows[i].number, part * kTogether + c);
    const double yes = lane.x[c], no = sum_of_warp(all) - yes;
    lane.no_squared += no * no;
    lane.yes_squared += yes * yes;
  }
  clear_components(lane);
}

// A side without rows has weight 0 and loss 0: it is no leaf.
SURVTREE_FN double loss_of(const Arguments& a, double squares, double squared, double weight) {
  const double loss = weight > 0.0 ? squares - squared / weight : 0.0;
  return (loss > 0.0 ? loss : 0.0) / a.common[0];
}

SURVTREE_FN Losses losses_of_lane(const Arguments& a, Team t, const Row* rows, u32 n,
                                  const Lane& lane) {
  double squares = 0.0;
  for (u32 i = t.lane; i < n; i += t.width) squares += squares_of(a, rows[i].number);
  const double no_squares = sum_of_warp(squares) - lane.squares;
  return {loss_of(a, no_squares, lane.no_squared, lane.no_weight),
          loss_of(a, lane.squares, lane.yes_squared, lane.yes_weight), lane.copies, lane.events};
}
