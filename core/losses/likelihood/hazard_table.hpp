// What the likelihood loss adds up, as whole numbers, so that all sums are exact: a set of rows has
// the same loss, to the last bit, however the search gets there and whichever instruction set adds
// up, and the rows that answer no are all rows minus the others.
//
// Let H be the Nelson-Aalen cumulative hazard of all rows, in units of E/D of all rows, and w the
// weights. A leaf has D = sum of w over its events, E = sum of w H, and F = sum of w (H - 1 - ln H)
// over its events plus sum of w H over its other rows: the deviance at hazard ratio 1. It loses
//
//     (F - D g(E/D - 1)) / W,    g(x) = x - ln(1 + x),
//
// which is the definition (-(D ln(D/E) + sum of w ln H) / W) with other words. F and D g are not
// negative, all rows together have E = D and lose F, and so errors are some 1e-16 of the loss of
// one leaf, which is below what the search calls a tie.
//
// Units are powers of 2, such that sums of all rows have 61 bits. That is too coarse for E where
// very light rows have events at very small H: then a second number a row has the digits below.
#pragma once

#include <span>
#include <vector>

#include "data/loss.hpp"

namespace survtree {

// Of a set of rows.
struct HazardSums {
  std::int64_t events = 0, expected = 0, deviance = 0, expected_low = 0;

  void operator+=(const HazardSums& other) {
    events += other.events;
    expected += other.expected;
    deviance += other.deviance;
    expected_low += other.expected_low;
  }
};

// What the units are.
struct HazardUnits {
  double expected = 1.0;      // of D and E
  double expected_low = 0.0;  // of the digits below; 0: there are none
  double deviance = 1.0;
  double total_weight = 1.0;
};

struct HazardFacts {
  const HazardSums* rows;
  HazardUnits units;
};

struct LikelihoodLanes {
  double (*leaf_loss)(const HazardUnits& units, const HazardSums& sums);
  double (*log_excess)(double x, double z);  // z = 1 + x
  // By lane, of the rows that answer no and of those that answer yes; `all` are the sums of both.
  void (*split_losses)(const HazardFacts& facts, const ListedRows& rows, const HazardSums& all,
                       std::size_t n_lanes, double* no, double* yes);
};

LikelihoodLanes likelihood_lanes(Plain);
LikelihoodLanes likelihood_lanes(Avx2);
LikelihoodLanes likelihood_lanes(Avx512);

// Times, event flags and weights, by row of the table.
struct WeightedEvents {
  std::span<const double> time;
  std::span<const std::uint8_t> event;
  std::span<const double> weight;
};

// The numbers of each row of the table; does not depend on the order of rows.
class HazardTable {
 public:
  explicit HazardTable(const WeightedEvents& rows);

  const std::vector<HazardSums>& rows() const { return rows_; }
  const HazardUnits& units() const { return units_; }

 private:
  std::vector<HazardSums> rows_;
  HazardUnits units_;
};

}  // namespace survtree
