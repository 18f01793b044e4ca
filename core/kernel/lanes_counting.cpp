// The functions of lanes.hpp, compiled once for each instruction set.
#include <bit>

#include "kernel/vector.hpp"

namespace survtree {
namespace {

// A few vectors of lanes at a time, whose sums stay in registers and do not wait for each other.
// Row after row, so that they round alike in every kernel.
void add_where_yes(const std::uint64_t* packed, std::size_t n_packed, const double* values,
                   std::size_t n_rows, std::size_t n_lanes, double* sums) {
  constexpr std::size_t kVectors = 4, kLanes = kVectors * Vector::width;
  static_assert(64 % kLanes == 0 && kLanePadding % kLanes == 0);
  for (std::size_t lane = 0; lane < n_lanes; lane += kLanes) {
    const std::uint64_t* words = packed + lane / 64;
    Vector sum[kVectors];
    for (std::size_t i = 0; i < n_rows; ++i, words += n_packed) {
      const Vector value(values[i]);
      const std::uint64_t bits = *words >> (lane % 64);
      for (std::size_t k = 0; k < kVectors; ++k)
        sum[k] = Vector::select(Vector::mask(bits >> (k * Vector::width)), sum[k] + value, sum[k]);
    }
    for (std::size_t k = 0; k < kVectors; ++k) sum[k].store(sums + lane + k * Vector::width);
  }
}

// Ones of kTogether columns at a time: each column's sum over the words.
constexpr std::size_t kTogether = 16;

SURVTREE_INLINE void count_together(const std::uint64_t* bits, std::size_t n_words,
                                    const std::uint64_t* column, std::size_t stride, double* sums) {
#ifdef SURVTREE_AVX512
  static_assert(kTogether == 16);
  __m512i first = _mm512_setzero_si512(), second = first;
  for (std::size_t w = 0; w < n_words; ++w, column += stride) {
    const __m512i word = _mm512_set1_epi64(static_cast<long long>(bits[w]));
    const __m512i a = _mm512_and_si512(_mm512_loadu_si512(column), word);
    const __m512i b = _mm512_and_si512(_mm512_loadu_si512(column + 8), word);
    first = _mm512_add_epi64(first, _mm512_popcnt_epi64(a));
    second = _mm512_add_epi64(second, _mm512_popcnt_epi64(b));
  }
  _mm512_storeu_pd(sums, _mm512_cvtepi64_pd(first));
  _mm512_storeu_pd(sums + 8, _mm512_cvtepi64_pd(second));
#else
  std::int64_t n_ones[kTogether] = {};
  for (std::size_t w = 0; w < n_words; ++w, column += stride)
    for (std::size_t l = 0; l < kTogether; ++l) n_ones[l] += std::popcount(column[l] & bits[w]);
  for (std::size_t l = 0; l < kTogether; ++l) sums[l] = static_cast<double>(n_ones[l]);
#endif
}

void count_ones(const std::uint64_t* bits, std::size_t n_words, const std::uint64_t* columns,
                std::size_t first, std::size_t stride, double* counts) {
  for (std::size_t j = first; j < stride; j += kTogether)
    count_together(bits, n_words, columns + j, stride, counts + j);
}

// Moves the kept bits of a word side by side, to its low end.
SURVTREE_INLINE std::uint64_t packed_bits(std::uint64_t word, std::uint64_t keep) {
#if defined(SURVTREE_AVX512) || defined(SURVTREE_AVX2)
  return _pext_u64(word, keep);
#else
  std::uint64_t packed = 0;
  for (unsigned n = 0; keep != 0; keep &= keep - 1, ++n)
    packed |= (word >> static_cast<unsigned>(std::countr_zero(keep)) & 1U) << n;
  return packed;
#endif
}

SURVTREE_INLINE void pack_answers(const Answers& a, std::size_t row, std::uint64_t* packed) {
  const std::uint64_t* words = a.words + row * a.n;
  if (a.n == 1) {
    *packed = packed_bits(*words, *a.keep);
    return;
  }
  for (std::size_t w = 0; w < a.n_packed; ++w) packed[w] = 0;
  std::size_t at = 0;
  for (std::size_t w = 0; w < a.n; ++w) {
    if (a.keep[w] == 0) continue;
    const std::uint64_t bits = packed_bits(words[w], a.keep[w]);
    packed[at / 64] |= bits << (at % 64);
    const auto n = static_cast<std::size_t>(std::popcount(a.keep[w]));
    if (at % 64 + n > 64) packed[at / 64 + 1] = bits >> 1U >> (63 - at % 64);
    at += n;
  }
}

void pack_rows(const Answers& answers, const std::uint32_t* numbers, std::size_t n,
               std::uint64_t* packed) {
  for (std::size_t i = 0; i < n; ++i)
    pack_answers(answers, numbers[i], packed + i * answers.n_packed);
}

std::size_t list_rows(const std::uint64_t* bits, std::size_t n_words, const Answers& answers,
                      std::uint32_t* numbers, std::uint64_t* packed) {
  std::size_t n = 0;
  for (std::size_t w = 0; w < n_words; ++w)
    for (std::uint64_t word = bits[w]; word != 0; word &= word - 1)
      numbers[n++] =
          static_cast<std::uint32_t>(64 * w) + static_cast<std::uint32_t>(std::countr_zero(word));
  pack_rows(answers, numbers, n, packed);
  return n;
}

bool is_empty(const std::uint64_t* bits, std::size_t n_words) {
  std::uint64_t any = 0;
  for (std::size_t w = 0; w < n_words; ++w) any |= bits[w];
  return any == 0;
}

std::size_t count_blocks(const Block* blocks, std::size_t n_blocks, const std::uint64_t* bits,
                         const std::uint64_t* columns, std::size_t first, std::size_t stride,
                         std::uint32_t* numbers, double* counts) {
  std::size_t n = 0;
  for (std::size_t b = n_blocks; b-- > 0;) {
    const Block& block = blocks[b];
    if (is_empty(bits + block.first_word, block.n_words)) continue;
    count_ones(bits + block.first_word, block.n_words, columns + block.first_word * stride, first,
               stride, counts + n * stride);
    numbers[n++] = static_cast<std::uint32_t>(b);
  }
  return n;
}

void add_up(const double* counts, std::size_t n, std::size_t first, std::size_t stride,
            double* sums) {
  for (std::size_t j = first; j < stride; j += kTogether) {
    double sum[kTogether] = {};
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t l = 0; l < kTogether; ++l) sum[l] += counts[b * stride + j + l];
    for (std::size_t l = 0; l < kTogether; ++l) sums[j + l] = sum[l];
  }
}

// Numbers whose bit is kept, side by side; returns how many.
SURVTREE_INLINE std::size_t pick_word(const double* from, std::uint64_t keep, double* to) {
  std::size_t n = 0;
#ifdef SURVTREE_AVX512
  for (; keep != 0; keep >>= Vector::width, from += Vector::width) {
    const auto mask = static_cast<__mmask8>(keep);
    const auto n_kept = static_cast<unsigned>(std::popcount(mask));
    _mm512_mask_storeu_pd(to + n, static_cast<__mmask8>((1U << n_kept) - 1U),
                          _mm512_maskz_compress_pd(mask, _mm512_loadu_pd(from)));
    n += n_kept;
  }
#else
  for (; keep != 0; keep &= keep - 1)
    to[n++] = from[static_cast<std::size_t>(std::countr_zero(keep))];
#endif
  return n;
}

void pick_counts(const double* from, std::size_t n, std::size_t stride, const std::uint64_t* keep,
                 std::size_t n_lanes, double* to) {
  for (std::size_t b = 0; b < n; ++b, from += stride, to += padded(n_lanes)) {
    std::size_t lane = 0;
    for (std::size_t w = 0; 64 * w < stride; ++w)
      lane += pick_word(from + 64 * w, keep[w], to + lane);
    for (; lane < padded(n_lanes); ++lane) to[lane] = 0.0;
  }
}

}  // namespace

LaneFunctions lane_functions(ThisVariant) {
  return {ThisVariant::kernel, count_ones,   pack_rows, list_rows,
          add_where_yes,       count_blocks, add_up,    pick_counts};
}

}  // namespace survtree
