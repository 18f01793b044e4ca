// The best tree of two levels on some rows, for all pairs of questions at once.
//
// Sums of rows add up, so for a pair of questions only the rows that answer both with yes are added
// up; those of the other three cells follow by subtraction, which is exact. A tree of two levels
// loses F of all its rows less what its leaves gain, so that sums of D and E decide which is best.
// Gains are first computed in single precision, with a bound on the error; only first questions
// that come as near to the best as that are computed again, in double precision.
#pragma once

#include "losses/likelihood/hazard_table.hpp"

namespace survtree {

// What the pairs add up of a row.
struct PairRow {
  std::int64_t expected = 0, events = 0;  // E and D in their units
  std::int64_t counts = 0;                // rows, and events in the upper 32 bits
};

struct PairFacts {
  const PairRow* rows;
  const HazardSums* sums;
  HazardUnits units;
  double largest_log;  // of D/E of any rows
  bool is_weighted;    // otherwise D is the number of events
};

// Numbers of scratch for each question: six whole ones and two of single precision.
constexpr std::size_t kWholeScratch = 6, kSingleScratch = 2;

// Of each pair of questions: E and counts and, where there are weights, D.
constexpr std::size_t pair_parts(bool is_weighted) { return is_weighted ? 3 : 2; }
// A row for each question, and one for the rows that answer each of them with yes.
constexpr std::size_t pair_sums_size(std::size_t n_questions, bool is_weighted) {
  return (n_questions + 1) * padded(n_questions) * pair_parts(is_weighted);
}

struct PairLanes {
  void (*add_up_pairs)(const PairFacts& facts, const PairRequest& request, std::int64_t* sums);
  BestPair (*best_pair)(const PairFacts& facts, const PairRequest& request,
                        const std::int64_t* sums, std::int64_t* whole, float* single);
};

PairLanes pair_lanes(Plain);
PairLanes pair_lanes(Avx2);
PairLanes pair_lanes(Avx512);

}  // namespace survtree
