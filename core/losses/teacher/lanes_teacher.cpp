// The function of vector_table.hpp, compiled once for each instruction set.
//
// A chunk of lanes keeps the sums of a block of components in registers while all rows pass; a
// row's answers become masks once for the whole block. All sums are exact, but those of weights,
// which are added up for both answers; so results do not depend on how lanes are put together.
#include "kernel/vector.hpp"
#include "losses/teacher/vector_table.hpp"

namespace survtree {
namespace {

using V = Vector;
// As many as registers hold, together with kMostTogether components.
constexpr std::size_t kVectors = V::width == 8 ? 4 : V::width == 4 ? 2 : 1;

// The first lane of a chunk is bit `shift` of the packed answers.
struct Pass {
  const VectorFacts& facts;
  const ListedRows& rows;
  const double* sums;
  const std::uint64_t* packed;
  unsigned shift;
  double *no, *yes;
};

// Of K vectors of lanes: the squared length of the sums, so far.
template <std::size_t K>
struct Squared {
  V no[K], yes[K];
};

// Adds what C components, from the first on, contribute to the squared lengths.
template <std::size_t K, std::size_t C>
SURVTREE_INLINE void pass_components(const Pass& p, std::size_t first, Squared<K>& squared) {
  const ListedRows rows = p.rows;
  const double* numbers = p.facts.numbers + first;
  const std::size_t stride = p.facts.stride();
  const std::uint64_t* packed = p.packed;
  const unsigned shift = p.shift;
  V sums[K][C];
  for (std::size_t i = 0; i < rows.n; ++i) {
    const double* row = numbers + rows.numbers[i] * stride;
    const std::uint64_t bits = packed[i * rows.n_packed] >> shift;
    for (std::size_t k = 0; k < K; ++k) {
      const auto says_yes = V::mask(bits >> (k * V::width));
      for (std::size_t c = 0; c < C; ++c)
        sums[k][c] = V::select(says_yes, sums[k][c] + V(row[c]), sums[k][c]);
    }
  }
  for (std::size_t c = 0; c < C; ++c) {
    const V all(p.sums[first + c]);
    for (std::size_t k = 0; k < K; ++k) {
      const V no = all - sums[k][c];
      squared.no[k] = squared.no[k] + no * no;
      squared.yes[k] = squared.yes[k] + sums[k][c] * sums[k][c];
    }
  }
}

// Adds up squares and weights, and stores the losses.
template <std::size_t K>
SURVTREE_INLINE void finish(const Pass& p, const Squared<K>& squared) {
  const ListedRows rows = p.rows;
  const std::size_t first = p.facts.n_components(), stride = p.facts.stride();
  V squares[K], no_weight[K], yes_weight[K];
  for (std::size_t i = 0; i < rows.n; ++i) {
    const double* row = p.facts.numbers + rows.numbers[i] * stride + first;
    const std::uint64_t bits = p.packed[i * rows.n_packed] >> p.shift;
    const V here(row[0]), weight(row[1]);
    for (std::size_t k = 0; k < K; ++k) {
      const auto says_yes = V::mask(bits >> (k * V::width));
      squares[k] = V::select(says_yes, squares[k] + here, squares[k]);
      yes_weight[k] = V::select(says_yes, yes_weight[k] + weight, yes_weight[k]);
      no_weight[k] = V::select(says_yes, no_weight[k], no_weight[k] + weight);
    }
  }
  const V all(p.sums[first]), total(p.facts.total_weight), zero;
  for (std::size_t k = 0; k < K; ++k) {
    const V no = (all - squares[k]) - squared.no[k] / no_weight[k];
    const V yes = squares[k] - squared.yes[k] / yes_weight[k];
    (V::larger(no, zero) / total).store(p.no + k * V::width);
    (V::larger(yes, zero) / total).store(p.yes + k * V::width);
  }
}

template <std::size_t C, std::size_t K>
void pass_chunk(const Pass& p) {
  Squared<K> squared;
  for (std::size_t first = 0; first < p.facts.n_components(); first += C)
    pass_components<K, C>(p, first, squared);
  finish<K>(p, squared);
}

// As many vectors together as there are lanes left, up to K.
template <std::size_t C, std::size_t K>
void pass_chunk_upto(std::size_t n_lanes, const Pass& p) {
  if constexpr (K > 1) {
    if (n_lanes <= (K - 1) * V::width) return pass_chunk_upto<C, K - 1>(n_lanes, p);
  }
  pass_chunk<C, K>(p);
}

// Blocks of C components, or of fewer.
template <std::size_t C>
void split_losses_upto(const VectorFacts& facts, const ListedRows& rows, const double* sums,
                       std::size_t n_lanes, double* no, double* yes) {
  if constexpr (C > 1) {
    if (facts.block_size < C) return split_losses_upto<C - 1>(facts, rows, sums, n_lanes, no, yes);
  }
  constexpr std::size_t width = kVectors * V::width;
  static_assert(64 % width == 0 && kLanePadding % width == 0);
  for (std::size_t lane = 0; lane < n_lanes; lane += width)
    pass_chunk_upto<C, kVectors>(n_lanes - lane,
                                 {facts, rows, sums, rows.packed + lane / 64,
                                  static_cast<unsigned>(lane % 64), no + lane, yes + lane});
}

}  // namespace

TeacherLanes teacher_lanes(ThisVariant) { return {split_losses_upto<kMostTogether>}; }

}  // namespace survtree
