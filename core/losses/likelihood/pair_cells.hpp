// Sums of rows by pairs of questions, and the four cells of each pair, in lanes. Like vector.hpp,
// only for lanes_*.cpp.
#pragma once

#include "kernel/log_excess.hpp"
#include "kernel/single_log.hpp"
#include "losses/likelihood/pairs.hpp"

namespace survtree {
namespace {

constexpr std::size_t kWidth = Whole::width;
constexpr std::size_t kChunk = kWidth == 8 ? 8 : 4;  // vectors whose sums stay in registers
// Sums by question: of the rows that answer it with yes, maybe only those on one side of another.
template <class Number>
struct PairSums {
  Number *expected, *counts, *events;
};
using MutableSums = PairSums<std::int64_t>;
using Sums = PairSums<const std::int64_t>;

// The rows of the matrix of all sums.
template <class Number>
SURVTREE_INLINE PairSums<Number> row_of(Number* sums, std::size_t n_questions, bool is_weighted,
                                        std::size_t question) {
  const std::size_t n = padded(n_questions);
  Number* at = sums + question * n * pair_parts(is_weighted);
  return {at, at + n, at + (is_weighted ? 2 * n : 0)};
}

struct Scratch {
  MutableSums single, pair;  // of one question; of one with all others, before the last step
  float *no, *yes;  // the best gain of the rows that answer no, or yes, by another question
};

// Rows of the subset that answer a question with yes, or those that answer it with no.
struct Side {
  const std::uint64_t* bits;
  const std::uint64_t* column;  // null: everyone
  std::uint64_t flip;

  std::uint64_t word(std::size_t w) const {
    return column == nullptr ? bits[w] : bits[w] & (column[w] ^ flip);
  }
};

template <std::size_t K, bool kWeighted>
SURVTREE_INLINE void add_up(const PairFacts& facts, const PairRequest& r, const Side& side,
                            std::size_t lane, const MutableSums& out) {
  Whole expected[K], events[K], counts[K];
  const std::uint64_t* answers = r.answers + lane / 64;
  const auto shift = static_cast<unsigned>(lane % 64);
  for (std::size_t w = 0; w < r.n_words; ++w) {
    for (std::uint64_t word = side.word(w); word != 0; word &= word - 1) {
      const std::size_t i = 64 * w + static_cast<std::size_t>(std::countr_zero(word));
      const std::uint64_t bits = answers[i * r.words_per_row] >> shift;
      const PairRow& row = facts.rows[i];
      const Whole here(row.expected), there(row.events), n(row.counts);
      for (std::size_t k = 0; k < K; ++k) {
        const auto yes = Vector::mask(bits >> (k * kWidth));
        expected[k].add_where(yes, here);
        if (kWeighted) events[k].add_where(yes, there);
        counts[k].add_where(yes, n);
      }
    }
  }
  for (std::size_t k = 0; k < K; ++k) {
    expected[k].store(out.expected + lane + k * kWidth);
    if (kWeighted) events[k].store(out.events + lane + k * kWidth);
    counts[k].store(out.counts + lane + k * kWidth);
  }
}

template <std::size_t K>
void add_up_some(const PairFacts& facts, const PairRequest& r, const Side& side, std::size_t lane,
                 std::size_t n_vectors, const MutableSums& out) {
  if constexpr (K > 1) {
    if (n_vectors < K) return add_up_some<K - 1>(facts, r, side, lane, n_vectors, out);
  }
  if (facts.is_weighted)
    add_up<K, true>(facts, r, side, lane, out);
  else
    add_up<K, false>(facts, r, side, lane, out);
}

// From a question on, and of those before it that are screened with it.
void add_up_from(const PairFacts& facts, const PairRequest& r, const Side& side, std::size_t first,
                 const MutableSums& out) {
  const std::size_t n_vectors = (r.n_questions + kWidth - 1) / kWidth;
  for (std::size_t v = first / Single::width * kHalves; v < n_vectors;) {
    // Vectors of one chunk are in one word of answers.
    const std::size_t n = kChunk - v % kChunk;
    const std::size_t here = n < n_vectors - v ? n : n_vectors - v;
    add_up_some<kChunk>(facts, r, side, v * kWidth, here, out);
    v += here;
  }
}

// Of the rows of a cell, in lanes.
struct Cell {
  Whole expected, events, counts;

  friend Cell operator-(const Cell& a, const Cell& b) {
    return {a.expected - b.expected, a.events - b.events, a.counts - b.counts};
  }
};

template <class Number>
SURVTREE_INLINE Cell cell_at(const PairSums<Number>& sums, std::size_t lane) {
  return {Whole::load(sums.expected + lane), Whole::load(sums.events + lane),
          Whole::load(sums.counts + lane)};
}

template <class Number>
SURVTREE_INLINE Cell cell_of(const PairSums<Number>& sums, std::size_t question) {
  return {Whole(sums.expected[question]), Whole(sums.events[question]),
          Whole(sums.counts[question])};
}

// The four cells of a pair of questions: first answer, second answer.
struct Cells {
  Cell yes_yes, yes_no, no_yes, no_no;
};

// `pair` are the sums of the rows that answer the first with yes.
SURVTREE_INLINE Cells cells_of(const Scratch& s, const Sums& pair, const Cell& all,
                               std::size_t first, std::size_t lane) {
  const Cell a = cell_of(s.single, first), b = cell_at(s.single, lane);
  const Cell both = cell_at(pair, lane), only_b = b - both;
  return {both, a - both, only_b, all - a - only_b};
}

}  // namespace
}  // namespace survtree
