// The squared distance of a row's vector from the mean of its leaf: core/losses/teacher. Numbers are
// rounded there so that all sums of components are exact; the order of rows does not matter.

struct Row {
  u32 number, copies, events, spare;
};
constexpr u32 kTogether = 6;  // components that are added up in one pass over the rows

SURVTREE_FN void make_row(const Arguments& a, const u32* numbers, u32 at, u32, Row& out) {
  const u32 row = numbers[at];
  out = {row, a.copies[row], a.events[row], 0};
}

// Weights, squares and counts of both sides.
struct Totals {
  double no_weight, yes_weight, no_squares, yes_squares;
  Losses losses;
};

SURVTREE_FN Totals totals_of(const Arguments& a, const Row* rows, u32 n, Answers answers) {
  Totals t = {0.0, 0.0, 0.0, 0.0, {0.0, 0.0, 0, 0}};
  for (u32 i = 0; i < n; ++i) {
    const Row row = rows[i];
    const double* last = a.facts + ((u64)row.number + 1) * a.n_facts - 2;
    const bool says_yes = answers.says_yes(i);
    (says_yes ? t.yes_squares : t.no_squares) += last[0];
    (says_yes ? t.yes_weight : t.no_weight) += last[1];
    if (says_yes) t.losses.yes_rows += row.copies;
    if (says_yes) t.losses.yes_events += row.events;
  }
  return t;
}

// Adds the squared lengths of both sums of some components, from `first` on.
SURVTREE_FN void add_squared(const Arguments& a, const Row* rows, u32 n, u32 first, Answers answers,
                             double& no_squared, double& yes_squared) {
  double no[kTogether], yes[kTogether];
  const u32 n_components = (u32)a.n_facts - 2, left = n_components - first;
  const u32 n_here = left < kTogether ? left : kTogether;
  for (u32 c = 0; c < kTogether; ++c) no[c] = yes[c] = 0.0;
  for (u32 i = 0; i < n; ++i) {
    const double* from = a.facts + (u64)rows[i].number * a.n_facts + first;
    const bool says_yes = answers.says_yes(i);
#ifdef __CUDACC__
#pragma unroll
#endif
    for (u32 c = 0; c < kTogether; ++c) {
      const double x = c < n_here ? from[c] : 0.0;
      yes[c] += says_yes ? x : 0.0;
      no[c] += says_yes ? 0.0 : x;
    }
  }
  for (u32 c = 0; c < kTogether; ++c) {
    no_squared += no[c] * no[c];
    yes_squared += yes[c] * yes[c];
  }
}

// Both sides of one split. A side without rows has weight 0 and loss
// 0: it is no leaf.
SURVTREE_FN Losses losses_of(const Arguments& a, Team, const Row* rows, u32 n, Answers answers,
                             Row*) {
  Totals t = totals_of(a, rows, n, answers);
  double no_squared = 0.0, yes_squared = 0.0;
  for (u32 first = 0; first + 2 < a.n_facts; first += kTogether)
    add_squared(a, rows, n, first, answers, no_squared, yes_squared);
  const double no = t.no_weight > 0.0 ? t.no_squares - no_squared / t.no_weight : 0.0;
  const double yes = t.yes_weight > 0.0 ? t.yes_squares - yes_squared / t.yes_weight : 0.0;
  t.losses.no = (no > 0.0 ? no : 0.0) / a.total_weight;
  t.losses.yes = (yes > 0.0 ? yes : 0.0) / a.total_weight;
  return t.losses;
}
