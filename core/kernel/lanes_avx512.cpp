// Eight lanes a vector. Compiled with -mavx512f -mavx512dq -mavx512vpopcntdq; runs only
// where lanes.cpp found all three.
#include <immintrin.h>

#include "kernel/lanes_extract.hpp"
#include "kernel/lanes_kernel.hpp"
#include "kernel/lanes_variants.hpp"

namespace survtree {
namespace {

struct Avx512 {
  static constexpr std::size_t width = 8;
  using Mask = __mmask8;

  __m512d x = _mm512_setzero_pd();

  Avx512() = default;
  explicit Avx512(double value) : x(_mm512_set1_pd(value)) {}
  explicit Avx512(__m512d value) : x(value) {}
  static Mask mask(std::uint64_t bits) { return static_cast<Mask>(bits); }
  static Avx512 select(Mask m, Avx512 a, Avx512 b) {
    return Avx512(_mm512_mask_blend_pd(m, b.x, a.x));
  }
  static Avx512 load(const double* from) { return Avx512(_mm512_loadu_pd(from)); }
  void store(double* to) const { _mm512_storeu_pd(to, x); }
  friend Avx512 operator+(Avx512 a, Avx512 b) { return Avx512(_mm512_add_pd(a.x, b.x)); }
  friend Avx512 operator-(Avx512 a, Avx512 b) { return Avx512(_mm512_sub_pd(a.x, b.x)); }
  friend Avx512 operator*(Avx512 a, Avx512 b) { return Avx512(_mm512_mul_pd(a.x, b.x)); }
  friend Avx512 operator/(Avx512 a, Avx512 b) { return Avx512(_mm512_div_pd(a.x, b.x)); }
};

struct VectorCount {
  SURVTREE_INLINE static void together(const std::uint64_t* bits, std::size_t n_words,
                                       const std::uint64_t* column, std::size_t stride,
                                       double* sums) {
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
  }
};

// Eight counts at a time, the kept ones moved together.
void pick_counts_packed(const double* from, std::size_t n, std::size_t stride,
                        const std::uint64_t* keep, std::size_t n_lanes, double* to) {
  for (std::size_t b = 0; b < n; ++b, from += stride, to += padded(n_lanes)) {
    std::size_t lane = 0;
    for (std::size_t q = 0; q < stride; q += Avx512::width) {
      const auto mask = static_cast<__mmask8>(keep[q / 64] >> (q % 64));
      const auto n_kept = static_cast<unsigned>(std::popcount(mask));
      _mm512_mask_storeu_pd(to + lane, static_cast<__mmask8>((1U << n_kept) - 1U),
                            _mm512_maskz_compress_pd(mask, _mm512_loadu_pd(from + q)));
      lane += n_kept;
    }
    for (; lane < padded(n_lanes); ++lane) to[lane] = 0.0;
  }
}

}  // namespace

LaneFunctions avx512_lanes() {
  return {count_ones_of<VectorCount>,
          pack_rows_of<Extract>,
          list_rows_of<Extract>,
          add_where_yes_of<Avx512>,
          row_losses_of<Avx512, 4>,
          count_blocks_of<VectorCount>,
          add_up_of,
          pick_counts_packed,
          block_losses_of<Avx512, 2>};
}

}  // namespace survtree
