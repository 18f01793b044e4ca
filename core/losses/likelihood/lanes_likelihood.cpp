// The functions of hazard_table.hpp, compiled once for each instruction set.
//
// A chunk of lanes keeps the sums of the rows that answer yes in registers while all rows pass;
// those that answer no follow by subtraction, which is exact.
#include "kernel/log_excess.hpp"
#include "losses/likelihood/hazard_table.hpp"

namespace survtree {
namespace {

using V = Vector;
constexpr std::size_t kVectors = V::width == 1 ? 2 : 4;

// Of the lanes of a vector.
struct Sums {
  Whole events, expected, deviance, expected_low;
};

SURVTREE_INLINE V loss_of(const HazardUnits& units, const Sums& sums) {
  const V unit(units.expected), low(units.expected_low), zero;
  const V events = sums.events.as_double() * unit;
  const V below = sums.expected_low.as_double() * low;
  const V above = (sums.expected - sums.events).as_double() * unit + below;  // E - D
  const V expected = sums.expected.as_double() * unit + below;
  const V gain = events * log_excess(above / events, expected / events);
  const V loss = sums.deviance.as_double() * V(units.deviance) - gain;
  const V kept = V::select(is_above(events, zero), V::larger(loss, zero), zero);
  return kept / V(units.total_weight);
}

struct Pass {
  const HazardFacts& facts;
  const ListedRows& rows;
  const HazardSums& all;
  std::size_t lane;  // the first
  double *no, *yes;
};

template <std::size_t K, bool kHasLow>
SURVTREE_INLINE void pass_chunk(const Pass& p) {
  const ListedRows rows = p.rows;
  const std::uint64_t* words = rows.packed + p.lane / 64;
  Sums sums[K];
  for (std::size_t i = 0; i < rows.n; ++i, words += rows.n_packed) {
    const HazardSums& row = p.facts.rows[rows.numbers[i]];
    const std::uint64_t bits = *words >> (p.lane % 64);
    const Whole events(row.events), expected(row.expected), deviance(row.deviance);
    const Whole low(kHasLow ? row.expected_low : 0);
    for (std::size_t k = 0; k < K; ++k) {
      const auto yes = V::mask(bits >> (k * V::width));
      sums[k].events.add_where(yes, events);
      sums[k].expected.add_where(yes, expected);
      sums[k].deviance.add_where(yes, deviance);
      if (kHasLow) sums[k].expected_low.add_where(yes, low);
    }
  }
  const HazardUnits units = p.facts.units;
  const Sums all{Whole(p.all.events), Whole(p.all.expected), Whole(p.all.deviance),
                 Whole(p.all.expected_low)};
  for (std::size_t k = 0; k < K; ++k) {
    const Sums no{all.events - sums[k].events, all.expected - sums[k].expected,
                  all.deviance - sums[k].deviance, all.expected_low - sums[k].expected_low};
    loss_of(units, no).store(p.no + p.lane + k * V::width);
    loss_of(units, sums[k]).store(p.yes + p.lane + k * V::width);
  }
}

template <std::size_t K>
void pass_upto(std::size_t n_lanes, const Pass& p) {
  if constexpr (K > 1) {
    if (n_lanes <= (K - 1) * V::width) return pass_upto<K - 1>(n_lanes, p);
  }
  if (p.facts.units.expected_low > 0.0)
    pass_chunk<K, true>(p);
  else
    pass_chunk<K, false>(p);
}

void split_losses(const HazardFacts& facts, const ListedRows& rows, const HazardSums& all,
                  std::size_t n_lanes, double* no, double* yes) {
  constexpr std::size_t width = kVectors * V::width;
  static_assert(64 % width == 0 && kLanePadding % width == 0);
  for (std::size_t lane = 0; lane < n_lanes; lane += width)
    pass_upto<kVectors>(n_lanes - lane, {facts, rows, all, lane, no, yes});
}

// One number, which all lanes have.
double first_of(V values) {
  double out[V::width];
  values.store(out);
  return out[0];
}

double leaf_loss(const HazardUnits& units, const HazardSums& sums) {
  return first_of(loss_of(units, {Whole(sums.events), Whole(sums.expected), Whole(sums.deviance),
                                  Whole(sums.expected_low)}));
}

double one_log_excess(double x, double z) { return first_of(log_excess(V(x), V(z))); }

}  // namespace

LikelihoodLanes likelihood_lanes(ThisVariant) { return {leaf_loss, one_log_excess, split_losses}; }

}  // namespace survtree
