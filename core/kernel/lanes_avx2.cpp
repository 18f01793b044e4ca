// Four lanes a vector. Compiled with -mavx2 -mbmi2 -mpopcnt; runs only where lanes.cpp found all.
#include <immintrin.h>

#include "kernel/lanes_extract.hpp"
#include "kernel/lanes_kernel.hpp"
#include "kernel/lanes_variants.hpp"

namespace survtree {
namespace {

struct Avx2 {
  static constexpr std::size_t width = 4;
  using Mask = __m256d;

  __m256d x = _mm256_setzero_pd();

  Avx2() = default;
  explicit Avx2(double value) : x(_mm256_set1_pd(value)) {}
  explicit Avx2(__m256d value) : x(value) {}
  // Bit l of `bits` becomes the sign of lane l, which is all that a blend looks at.
  static Mask mask(std::uint64_t bits) {
    const __m256i spread = _mm256_sllv_epi64(_mm256_set1_epi64x(static_cast<long long>(bits)),
                                             _mm256_set_epi64x(60, 61, 62, 63));
    return _mm256_castsi256_pd(spread);
  }
  static Avx2 select(Mask m, Avx2 a, Avx2 b) { return Avx2(_mm256_blendv_pd(b.x, a.x, m)); }
  static Avx2 load(const double* from) { return Avx2(_mm256_loadu_pd(from)); }
  void store(double* to) const { _mm256_storeu_pd(to, x); }
  friend Avx2 operator+(Avx2 a, Avx2 b) { return Avx2(_mm256_add_pd(a.x, b.x)); }
  friend Avx2 operator-(Avx2 a, Avx2 b) { return Avx2(_mm256_sub_pd(a.x, b.x)); }
  friend Avx2 operator*(Avx2 a, Avx2 b) { return Avx2(_mm256_mul_pd(a.x, b.x)); }
  friend Avx2 operator/(Avx2 a, Avx2 b) { return Avx2(_mm256_div_pd(a.x, b.x)); }
};

}  // namespace

LaneFunctions avx2_lanes() {
  return {count_ones_of<ScalarCount>,
          pack_rows_of<Extract>,
          list_rows_of<Extract>,
          add_where_yes_of<Avx2>,
          row_losses_of<Avx2, 2>,
          count_blocks_of<ScalarCount>,
          add_up_of,
          pick_counts_of,
          block_losses_of<Avx2, 1>};
}

}  // namespace survtree
