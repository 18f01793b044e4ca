// Four lanes a vector. Compiled with -mavx2 -mbmi2 -mpopcnt; runs only where lanes.cpp found all.
#include <immintrin.h>

#include "lanes_kernel.hpp"
#include "lanes_packed.hpp"
#include "lanes_variants.hpp"

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

struct Avx2Key {
  static constexpr std::size_t width = 4;
  __m256i x = _mm256_setzero_si256();

  static __m256i mask(std::uint64_t bits) {
    const __m256i one_each = _mm256_set_epi64x(8, 4, 2, 1);
    const __m256i all = _mm256_set1_epi64x(static_cast<long long>(bits));
    return _mm256_cmpeq_epi64(_mm256_and_si256(all, one_each), one_each);
  }
  void flip_if(__m256i m, std::uint64_t value) {
    const __m256i all = _mm256_set1_epi64x(static_cast<long long>(value));
    x = _mm256_xor_si256(x, _mm256_and_si256(m, all));
  }
  void store(std::uint64_t* to) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), x); }
};

}  // namespace

LaneFunctions avx2_lanes() {
  return {lane_losses_of<Avx2, 1, PackedBits>, block_losses_of<Avx2, 1>,
          lane_keys_of<Avx2Key, 2, PackedBits>, count_ones_of};
}

}  // namespace survtree
