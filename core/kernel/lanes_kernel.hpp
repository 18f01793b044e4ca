// The arithmetic of lanes.hpp, once, for any vector type V (width, load from one number, + - * /,
// select by mask). Included only by lanes_*.cpp, each compiled for its own instruction set.
//
// This is LeafPass (leaf_loss.hpp) side by side, with two differences: `u` and `events` are kept as
// their sum, since both shrink alike; and areas are brought forward at every row for both children
// instead of lazily, because a multiplication and an addition cost less than the selection they
// would spare. K vectors go together, so that the branch on is_event, which nobody can predict, is
// paid for rarely.
#pragma once

#include <algorithm>
#include <bit>

#include "kernel/lanes.hpp"

// A call would send the vectors through memory.
#ifdef __GNUC__
#define SURVTREE_INLINE [[gnu::always_inline]] inline
#else
#define SURVTREE_INLINE inline
#endif

namespace survtree {
namespace {

template <class V>
struct LaneState {
  V weight{}, area{}, p2{}, v{}, loss{};
};

template <class V>
SURVTREE_INLINE void pass_event(LaneState<V>& no, LaneState<V>& yes, typename V::Mask says_yes,
                                V weight, V time_step, V event_mass) {
  no.p2 = no.p2 + time_step;
  yes.p2 = yes.p2 + time_step;
  const V at_risk = V::select(says_yes, yes.weight, no.weight);
  const V area = V::select(says_yes, yes.area, no.area);
  const V p2 = V::select(says_yes, yes.p2, no.p2);
  const V v = V::select(says_yes, yes.v, no.v);
  const V loss = V::select(says_yes, yes.loss, no.loss);

  const V inverse = V(1.0) / (at_risk + weight);
  const V r = at_risk * inverse, k = weight * inverse;
  const V rr = r * r, ka = k * area, rv = r * v;
  const V new_v = ka + rv;
  const V new_loss = k * (new_v + rv) + rr * (loss + event_mass * p2);
  const V new_p2 = rr * p2;

  yes.p2 = V::select(says_yes, new_p2, yes.p2);
  no.p2 = V::select(says_yes, no.p2, new_p2);
  yes.v = V::select(says_yes, new_v, yes.v);
  no.v = V::select(says_yes, no.v, new_v);
  yes.loss = V::select(says_yes, new_loss, yes.loss);
  no.loss = V::select(says_yes, no.loss, new_loss);
}

// K vectors of lanes; the first of them is bit `shift` of the packed answers.
template <class V, std::size_t K>
void pass_rows(const ListedRows& rows, const std::uint64_t* packed, std::size_t n_packed,
               unsigned shift, double* no_loss, double* yes_loss) {
  LaneState<V> no[K], yes[K];
  Twofold area = rows.facts[rows.numbers[rows.n - 1]].censor_area;
  Twofold since = rows.end;  // elapsed at the event passed last
  for (std::size_t i = rows.n; i-- > 0;) {
    const RowFacts& row = rows.facts[rows.numbers[i]];
    const std::uint64_t bits = packed[i * n_packed] >> shift;
    const V weight(row.weight), area_step(difference(area, row.censor_area));
    area = row.censor_area;
    for (std::size_t k = 0; k < K; ++k) {
      no[k].area = no[k].area + no[k].weight * area_step;
      yes[k].area = yes[k].area + yes[k].weight * area_step;
    }
    if (row.is_event) {
      const V time_step(difference(since, row.elapsed)), event_mass(row.event_mass);
      since = row.elapsed;
      for (std::size_t k = 0; k < K; ++k)
        pass_event<V>(no[k], yes[k], V::mask(bits >> (k * V::width)), weight, time_step,
                      event_mass);
    }
    for (std::size_t k = 0; k < K; ++k) {
      const auto says_yes = V::mask(bits >> (k * V::width));
      yes[k].weight = V::select(says_yes, yes[k].weight + weight, yes[k].weight);
      no[k].weight = V::select(says_yes, no[k].weight, no[k].weight + weight);
    }
  }
  for (std::size_t k = 0; k < K; ++k) {
    no[k].loss.store(no_loss + k * V::width);
    yes[k].loss.store(yes_loss + k * V::width);
  }
}

// As many vectors together as there are lanes left, up to K.
template <class V, std::size_t K>
void pass_rows_upto(std::size_t n_lanes, const ListedRows& rows, const std::uint64_t* packed,
                    std::size_t n_packed, unsigned shift, double* no, double* yes) {
  if constexpr (K > 1) {
    if (n_lanes <= (K - 1) * V::width)
      return pass_rows_upto<V, K - 1>(n_lanes, rows, packed, n_packed, shift, no, yes);
  }
  pass_rows<V, K>(rows, packed, n_packed, shift, no, yes);
}

template <class V, std::size_t K>
void row_losses_of(const ListedRows& rows, const std::uint64_t* packed, std::size_t n_lanes,
                   double* no, double* yes) {
  constexpr std::size_t width = K * V::width;
  static_assert(64 % width == 0 && kLanePadding % width == 0);
  const std::size_t n_packed = (n_lanes + 63) / 64;
  for (std::size_t lane = 0; lane < n_lanes; lane += width)
    pass_rows_upto<V, K>(n_lanes - lane, rows, packed + lane / 64, n_packed,
                         static_cast<unsigned>(lane % 64), no + lane, yes + lane);
}

// An event block of one child: as many events as `weight` says, none perhaps.
template <class V>
SURVTREE_INLINE void pass_block(LaneState<V>& child, V weight, V time_step, V inverse_g) {
  child.p2 = child.p2 + time_step;
  // The dust makes r = 1 where nobody is left and nobody has an event, and changes no other sum.
  const V dust(1e-300);
  const V inverse = V(1.0) / ((child.weight + weight) + dust);
  const V r = (child.weight + dust) * inverse, k = weight * inverse;
  const V rr = r * r, ka = k * child.area, rv = r * child.v;
  child.v = ka + rv;
  child.loss = k * (child.v + rv) + rr * (child.loss + weight * inverse_g * child.p2);
  child.p2 = rr * child.p2;
}

template <class V, std::size_t K>
void block_losses_of(const PassingBlock* blocks, std::size_t n_blocks, const double* yes_weight,
                     std::size_t n_lanes, double* no_loss, double* yes_loss) {
  for (std::size_t base = 0; base < n_lanes; base += K * V::width) {
    LaneState<V> no[K], yes[K];
    const double* counts = yes_weight + base;
    for (std::size_t b = 0; b < n_blocks; ++b, counts += padded(n_lanes)) {
      const PassingBlock& block = blocks[b];
      const V all(block.weight), area_step(block.area_step);
      for (std::size_t k = 0; k < K; ++k) {
        const V yes_count = V::load(counts + k * V::width);
        const V no_count = all - yes_count;
        no[k].area = no[k].area + no[k].weight * area_step;
        yes[k].area = yes[k].area + yes[k].weight * area_step;
        if (block.is_event) {
          pass_block<V>(no[k], no_count, V(block.time_step), V(block.inverse_g));
          pass_block<V>(yes[k], yes_count, V(block.time_step), V(block.inverse_g));
        }
        no[k].weight = no[k].weight + no_count;
        yes[k].weight = yes[k].weight + yes_count;
      }
    }
    for (std::size_t k = 0; k < K; ++k) {
      no[k].loss.store(no_loss + base + k * V::width);
      yes[k].loss.store(yes_loss + base + k * V::width);
    }
  }
}

// A few vectors of lanes at a time, whose sums stay in registers and do not wait for each other.
// Row after row, so that they round alike in every kernel.
template <class V>
void add_where_yes_of(const std::uint64_t* packed, std::size_t n_packed, const double* values,
                      std::size_t n_rows, std::size_t n_lanes, double* sums) {
  constexpr std::size_t kVectors = 4, kLanes = kVectors * V::width;
  static_assert(64 % kLanes == 0 && kLanePadding % kLanes == 0);
  for (std::size_t lane = 0; lane < n_lanes; lane += kLanes) {
    const std::uint64_t* words = packed + lane / 64;
    V sum[kVectors];
    for (std::size_t i = 0; i < n_rows; ++i, words += n_packed) {
      const V value(values[i]);
      const std::uint64_t bits = *words >> (lane % 64);
      for (std::size_t k = 0; k < kVectors; ++k)
        sum[k] = V::select(V::mask(bits >> (k * V::width)), sum[k] + value, sum[k]);
    }
    for (std::size_t k = 0; k < kVectors; ++k) sum[k].store(sums + lane + k * V::width);
  }
}

// Ones of kTogether columns at a time. Count::together gives each column's sum over the words.
constexpr std::size_t kTogether = 16;

struct ScalarCount {
  SURVTREE_INLINE static void together(const std::uint64_t* bits, std::size_t n_words,
                                       const std::uint64_t* column, std::size_t stride,
                                       double* sums) {
    std::int64_t whole[kTogether] = {};
    for (std::size_t w = 0; w < n_words; ++w, column += stride)
      for (std::size_t l = 0; l < kTogether; ++l) whole[l] += std::popcount(column[l] & bits[w]);
    for (std::size_t l = 0; l < kTogether; ++l) sums[l] = static_cast<double>(whole[l]);
  }
};

template <class Count>
void count_ones_of(const std::uint64_t* bits, std::size_t n_words, const std::uint64_t* columns,
                   std::size_t first, std::size_t stride, double* counts) {
  for (std::size_t j = first; j < stride; j += kTogether)
    Count::together(bits, n_words, columns + j, stride, counts + j);
}

// Pack(word, keep) moves the kept bits of a word side by side, to its low end.
template <class Pack>
SURVTREE_INLINE void pack_answers_of(const Answers& a, std::size_t row, std::uint64_t* packed) {
  const std::uint64_t* words = a.words + row * a.n;
  if (a.n == 1) {
    *packed = Pack::pack(*words, *a.keep);
    return;
  }
  for (std::size_t w = 0; w < a.n_packed; ++w) packed[w] = 0;
  std::size_t at = 0;
  for (std::size_t w = 0; w < a.n; ++w) {
    if (a.keep[w] == 0) continue;
    const std::uint64_t bits = Pack::pack(words[w], a.keep[w]);
    packed[at / 64] |= bits << (at % 64);
    const auto n = static_cast<std::size_t>(std::popcount(a.keep[w]));
    if (at % 64 + n > 64) packed[at / 64 + 1] = bits >> (64 - at % 64);
    at += n;
  }
}

template <class Pack>
void pack_rows_of(const Answers& answers, const std::uint32_t* numbers, std::size_t n,
                  std::uint64_t* packed) {
  for (std::size_t i = 0; i < n; ++i)
    pack_answers_of<Pack>(answers, numbers[i], packed + i * answers.n_packed);
}

template <class Pack>
std::size_t list_rows_of(const std::uint64_t* bits, std::size_t n_words, const Answers& answers,
                         std::uint32_t* numbers, std::uint64_t* packed) {
  std::size_t n = 0;
  for (std::size_t w = 0; w < n_words; ++w)
    for (std::uint64_t word = bits[w]; word != 0; word &= word - 1)
      numbers[n++] =
          static_cast<std::uint32_t>(64 * w) + static_cast<std::uint32_t>(std::countr_zero(word));
  pack_rows_of<Pack>(answers, numbers, n, packed);
  return n;
}

inline bool is_empty(const std::uint64_t* bits, std::size_t n_words) {
  std::uint64_t any = 0;
  for (std::size_t w = 0; w < n_words; ++w) any |= bits[w];
  return any == 0;
}

template <class Count>
std::size_t count_blocks_of(const Block* blocks, std::size_t n_blocks, const std::uint64_t* bits,
                            const std::uint64_t* columns, std::size_t first, std::size_t stride,
                            std::size_t n_questions, PassingBlock* passing, double* counts) {
  std::size_t n = 0;
  Twofold area, since = blocks[n_blocks - 1].elapsed;
  for (std::size_t b = n_blocks; b-- > 0;) {  // from the last time to the first
    const Block& block = blocks[b];
    if (is_empty(bits + block.first_word, block.n_words)) continue;
    count_ones_of<Count>(bits + block.first_word, block.n_words,
                         columns + block.first_word * stride, first, stride, counts);
    if (n == 0) area = block.censor_area;
    passing[n++] = {counts[n_questions], difference(area, block.censor_area),
                    block.is_event ? difference(since, block.elapsed) : 0.0, block.inverse_g,
                    block.is_event};
    area = block.censor_area;
    if (block.is_event) since = block.elapsed;
    counts += stride;
  }
  return n;
}

inline void add_up_of(const double* counts, std::size_t n, std::size_t first, std::size_t stride,
                      double* sums) {
  for (std::size_t j = first; j < stride; j += kTogether) {
    double sum[kTogether] = {};
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t l = 0; l < kTogether; ++l) sum[l] += counts[b * stride + j + l];
    for (std::size_t l = 0; l < kTogether; ++l) sums[j + l] = sum[l];
  }
}

inline void pick_counts_of(const double* from, std::size_t n, std::size_t stride,
                           const std::uint64_t* keep, std::size_t n_lanes, double* to) {
  for (std::size_t b = 0; b < n; ++b, from += stride, to += padded(n_lanes)) {
    std::size_t lane = 0;
    for (std::size_t w = 0; 64 * w < stride; ++w)
      for (std::uint64_t bits = keep[w]; bits != 0; bits &= bits - 1)
        to[lane++] = from[64 * w + static_cast<std::size_t>(std::countr_zero(bits))];
    for (; lane < padded(n_lanes); ++lane) to[lane] = 0.0;
  }
}

}  // namespace
}  // namespace survtree
