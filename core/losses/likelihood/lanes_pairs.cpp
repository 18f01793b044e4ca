// The function of pairs.hpp, compiled once for each instruction set.
#include <limits>

#include "losses/likelihood/pair_cells.hpp"

namespace survtree {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();
// Units in the last place of single precision by which a gain may be off: see best_pair().
constexpr double kScreenError = 16.0 * 0x1p-24;

// Of one cell for the screen: D ln(D/E), or never if it is too small for a leaf.
struct Screened {
  Single gain;

  Screened(const Cell (&halves)[kHalves], const PairFacts& facts, const PairRequest& r,
           float events_in_units) {
    Whole expected[kHalves], events[kHalves], counts[kHalves];
    for (std::size_t h = 0; h < kHalves; ++h) {
      expected[h] = halves[h].expected;
      events[h] = halves[h].events;
      counts[h] = halves[h].counts;
    }
    Single rows, n_events;
    part_counts(counts, rows, n_events);
    const Single d = (facts.is_weighted ? single_of(events) : n_events) * Single(events_in_units);
    const Single zero, never(kNever);
    const Single all =
        Single::select(is_above(d, zero), d * single_log(d / single_of(expected)), zero);
    gain = Single::select(is_above(rows, Single(r.fewest_rows)), all, never);
    if (r.fewest_events > -1.0F)
      gain = Single::select(is_above(n_events, Single(r.fewest_events)), gain, never);
  }
};

SURVTREE_INLINE float largest(Single values) {
  float out[Single::width];
#if defined(SURVTREE_AVX512)
  _mm512_storeu_ps(out, values.x);
#elif defined(SURVTREE_AVX2)
  _mm256_storeu_ps(out, values.x);
#else
  out[0] = values.x;
#endif
  float most = out[0];
  for (std::size_t k = 1; k < Single::width; ++k) most = out[k] > most ? out[k] : most;
  return most;
}

SURVTREE_INLINE Single load_single(const float* from) {
#if defined(SURVTREE_AVX512)
  return Single(_mm512_loadu_ps(from));
#elif defined(SURVTREE_AVX2)
  return Single(_mm256_loadu_ps(from));
#else
  return Single(*from);
#endif
}

SURVTREE_INLINE void raise(float* best, Single values) {
  const Single most = Single::larger(load_single(best), values);
#if defined(SURVTREE_AVX512)
  _mm512_storeu_ps(best, most.x);
#elif defined(SURVTREE_AVX2)
  _mm256_storeu_ps(best, most.x);
#else
  *best = most.x;
#endif
}

// Raises what a question and those after it gain by each other. Two leaves cost one penalty more
// than one, which is taken off.
void screen(const PairFacts& facts, const PairRequest& r, const Scratch& s, const Sums& pair,
            const Cell& all, std::size_t first, float d_unit, float penalty) {
  Single no(kNever), yes(kNever);
  const Single paid(penalty);
  for (std::size_t lane = first / Single::width * Single::width; lane < r.n_questions;
       lane += Single::width) {
    Cell cells[4][kHalves];
    for (std::size_t h = 0; h < kHalves; ++h) {
      const Cells c = cells_of(s, pair, all, first, lane + h * kWidth);
      cells[0][h] = c.yes_yes;
      cells[1][h] = c.yes_no;
      cells[2][h] = c.no_yes;
      cells[3][h] = c.no_no;
    }
    const Screened yes_yes(cells[0], facts, r, d_unit), yes_no(cells[1], facts, r, d_unit);
    const Screened no_yes(cells[2], facts, r, d_unit), no_no(cells[3], facts, r, d_unit);
    yes = Single::larger(yes, yes_yes.gain + yes_no.gain - paid);
    no = Single::larger(no, no_yes.gain + no_no.gain - paid);
    raise(s.yes + lane, yes_yes.gain + no_yes.gain - paid);
    raise(s.no + lane, yes_no.gain + no_no.gain - paid);
  }
  const float best_yes = largest(yes), best_no = largest(no);
  s.yes[first] = best_yes > s.yes[first] ? best_yes : s.yes[first];
  s.no[first] = best_no > s.no[first] ? best_no : s.no[first];
}

// What the rows of a cell gain over hazard ratio 1, and whether they are enough for a leaf.
SURVTREE_INLINE Vector exact_gain(const Cell& cell, const PairFacts& facts, const PairRequest& r) {
  const Vector unit(facts.units.expected), zero, never(-std::numeric_limits<double>::infinity());
  const Whole d = facts.is_weighted ? cell.events : cell.counts.shifted_right(32);
  const Vector events = d.as_double() * Vector(facts.is_weighted ? facts.units.expected : 1.0);
  const Vector expected = cell.expected.as_double() * unit;
  const Vector above =
      facts.is_weighted ? (cell.expected - cell.events).as_double() * unit : expected - events;
  const Vector gain = events * log_excess(above / events, expected / events);
  const Vector kept = Vector::select(is_above(events, zero), gain, expected);
  const Vector rows = cell.counts.shifted_left(32).shifted_right(32).as_double();
  const Vector n_events = cell.counts.shifted_right(32).as_double();
  const auto has_rows = is_above(rows, Vector(static_cast<double>(r.fewest_rows)));
  const auto has_events = is_above(n_events, Vector(static_cast<double>(r.fewest_events)));
  return Vector::select(has_rows, Vector::select(has_events, kept, never), never);
}

double most_of(Vector values) {
  double out[Vector::width];
  values.store(out);
  double most = out[0];
  for (std::size_t k = 1; k < Vector::width; ++k) most = out[k] > most ? out[k] : most;
  return most;
}

// The deviance at hazard ratio 1 of the rows of a side.
std::int64_t deviance_of(const PairFacts& facts, const PairRequest& r, const Side& side) {
  std::int64_t sum = 0;
  for (std::size_t w = 0; w < r.n_words; ++w)
    for (std::uint64_t word = side.word(w); word != 0; word &= word - 1)
      sum += facts.sums[64 * w + static_cast<std::size_t>(std::countr_zero(word))].deviance;
  return sum;
}

// The sums of a question with all others: those with earlier ones are in the rows of these.
void gather(const PairFacts& facts, const PairRequest& r, const std::int64_t* sums,
            std::size_t first, const MutableSums& out) {
  const std::size_t begin = first / Single::width * Single::width;
  for (std::size_t q = 0; q < r.n_questions; ++q) {
    const Sums row = row_of(sums, r.n_questions, facts.is_weighted, q < begin ? q : first);
    const std::size_t at = q < begin ? first : q;
    out.expected[q] = row.expected[at];
    out.counts[q] = row.counts[at];
    out.events[q] = row.events[at];
  }
}

// The objective of the best tree that asks this question first.
double exact_value(const PairFacts& facts, const PairRequest& r, const Scratch& s,
                   const std::int64_t* sums, const Cell& all, std::size_t first) {
  const std::uint64_t* column = r.by_question + first * r.n_words;
  const Side yes_side{r.bits, column, 0}, no_side{r.bits, column, ~std::uint64_t{0}};
  gather(facts, r, sums, first, s.pair);
  const Sums pair{s.pair.expected, s.pair.counts, s.pair.events};
  Vector yes(-std::numeric_limits<double>::infinity()), no = yes;
  for (std::size_t lane = 0; lane < r.n_questions; lane += kWidth) {
    const Cells c = cells_of(s, pair, all, first, lane);
    yes = Vector::larger(yes, exact_gain(c.yes_yes, facts, r) + exact_gain(c.yes_no, facts, r));
    no = Vector::larger(no, exact_gain(c.no_yes, facts, r) + exact_gain(c.no_no, facts, r));
  }
  const Cell a = cell_of(s.single, first);
  const double weight = facts.units.total_weight, penalty = r.penalty;
  const auto side_value = [&](const Side& side, const Cell& whole, Vector split) {
    const double deviance = static_cast<double>(deviance_of(facts, r, side)) * facts.units.deviance;
    const double leaf = deviance - most_of(exact_gain(whole, facts, r));
    const double best = deviance - most_of(split);
    const double one = (leaf > 0.0 ? leaf : 0.0) / weight + penalty;
    const double two = (best > 0.0 ? best : 0.0) / weight + 2.0 * penalty;
    return two < one ? two : one;
  };
  return side_value(yes_side, a, yes) + side_value(no_side, all - a, no);
}

// Rows of a side, as collapsed rows.
std::size_t size_of(const PairRequest& r, const Side& side) {
  std::size_t n = 0;
  for (std::size_t w = 0; w < r.n_words; ++w)
    n += static_cast<std::size_t>(std::popcount(side.word(w)));
  return n;
}

Scratch scratch_of(const PairRequest& r, std::int64_t* whole, float* single) {
  const std::size_t n = padded(r.n_questions);
  Scratch s{};
  s.single = {whole, whole + n, whole + 2 * n};
  s.pair = {whole + 3 * n, whole + 4 * n, whole + 5 * n};
  for (std::size_t i = 0; i < kWholeScratch * n; ++i) whole[i] = 0;
  s.no = single;
  s.yes = s.no + n;
  for (std::size_t q = 0; q < 2 * n; ++q) s.no[q] = kNever;
  return s;
}

// What the rows of one question gain as two leaves, into the screen.
void screen_leaves(const PairFacts& facts, const PairRequest& r, const Scratch& s, const Cell& all,
                   float d_unit) {
  for (std::size_t lane = 0; lane < r.n_questions; lane += Single::width) {
    Cell no[kHalves], yes[kHalves];
    for (std::size_t h = 0; h < kHalves; ++h) {
      yes[h] = cell_at(s.single, lane + h * kWidth);
      no[h] = all - yes[h];
    }
    raise(s.yes + lane, Screened(yes, facts, r, d_unit).gain);
    raise(s.no + lane, Screened(no, facts, r, d_unit).gain);
  }
}

// For each question, sums of the rows that answer it and another with yes, which are made of the
// smaller side of it; and after the last question, sums of all rows.
void add_up_pairs(const PairFacts& facts, const PairRequest& r, std::int64_t* sums) {
  const bool is_weighted = facts.is_weighted;
  const MutableSums all = row_of(sums, r.n_questions, is_weighted, r.n_questions);
  const Side everyone{r.bits, nullptr, 0};
  add_up_from(facts, r, everyone, 0, all);
  for (std::size_t q = 0; q < r.n_questions; ++q) {
    const std::uint64_t* column = r.by_question + q * r.n_words;
    const Side yes{r.bits, column, 0}, no{r.bits, column, ~std::uint64_t{0}};
    const MutableSums row = row_of(sums, r.n_questions, is_weighted, q);
    const bool is_flipped = size_of(r, no) < size_of(r, yes);
    add_up_from(facts, r, is_flipped ? no : yes, q, row);
    if (!is_flipped) continue;
    for (std::size_t k = q / Single::width * Single::width; k < r.n_questions; ++k) {
      row.expected[k] = all.expected[k] - row.expected[k];
      row.counts[k] = all.counts[k] - row.counts[k];
      if (is_weighted) row.events[k] = all.events[k] - row.events[k];
    }
  }
}

// The sums of all rows, beside those of all rows that answer each question with yes.
PairRow total_of(const PairFacts& facts, const PairRequest& r) {
  PairRow total;
  for (std::size_t w = 0; w < r.n_words; ++w)
    for (std::uint64_t word = r.bits[w]; word != 0; word &= word - 1) {
      const PairRow& row = facts.rows[64 * w + static_cast<std::size_t>(std::countr_zero(word))];
      total.expected += row.expected;
      total.events += row.events;
      total.counts += row.counts;
    }
  return total;
}

// Claim: gains of the screen, of whole trees, are off by at most kScreenError times `size`. Proof:
// D and E are rounded once, their quotient again, so that its logarithm is off by 3u and by 8u of
// what is larger, itself or 1 (single_log.hpp), u = 2^-24; the product rounds once more, and four
// of them are added up. The sum of D |ln(D/E)| over leaves is at most D of all times the largest
// logarithm where D > E, and E of all elsewhere, since D ln(E/D) <= E/e.
BestPair best_pair(const PairFacts& facts, const PairRequest& r, const std::int64_t* sums,
                   std::int64_t* whole, float* single) {
  const Scratch s = scratch_of(r, whole, single);
  const PairRow total = total_of(facts, r);
  const Cell all{Whole(total.expected), Whole(total.events), Whole(total.counts)};
  const Sums of_all = row_of(sums, r.n_questions, facts.is_weighted, r.n_questions);
  for (std::size_t q = 0; q < r.n_questions; ++q) {
    s.single.expected[q] = of_all.expected[q];
    s.single.counts[q] = of_all.counts[q];
    s.single.events[q] = of_all.events[q];
  }
  // In units of E: its own unit would leave the range of single precision.
  const auto d_unit = static_cast<float>(facts.is_weighted ? 1.0 : 1.0 / facts.units.expected);
  const double in_units = facts.units.total_weight / facts.units.expected;
  const auto penalty = static_cast<float>(r.penalty * in_units);
  screen_leaves(facts, r, s, all, d_unit);
  for (std::size_t q = 0; q < r.n_questions; ++q) {
    const std::int64_t counts = s.single.counts[q];
    if (counts == 0 || counts == total.counts) continue;
    screen(facts, r, s, row_of(sums, r.n_questions, facts.is_weighted, q), all, q, d_unit, penalty);
  }
  float most = kNever;
  for (std::size_t q = 0; q < r.n_questions; ++q) {
    const float gain = s.no[q] + s.yes[q];
    most = gain > most ? gain : most;
  }
  const auto n_events = static_cast<std::int64_t>(static_cast<std::uint64_t>(total.counts) >> 32U);
  const double events = static_cast<double>(facts.is_weighted ? total.events : n_events) * d_unit;
  const double size = events * (1.0 + facts.largest_log) + static_cast<double>(total.expected);
  const double least = static_cast<double>(most) - 2.0 * kScreenError * size - 1e-6 * penalty;
  BestPair best{std::numeric_limits<double>::infinity(), -1};
  for (std::size_t q = 0; q < r.n_questions; ++q) {
    const float gain = s.no[q] + s.yes[q];
    if (gain == kNever || static_cast<double>(gain) < least) continue;
    const double value = exact_value(facts, r, s, sums, all, q);
    if (value < best.value) best = {value, static_cast<std::int32_t>(q)};
  }
  return best;
}

}  // namespace

PairLanes pair_lanes(ThisVariant) { return {add_up_pairs, best_pair}; }

}  // namespace survtree
