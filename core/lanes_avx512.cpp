// Eight lanes a vector. Compiled with -mavx512f -mavx512dq -mavx512vpopcntdq; runs only
// where lanes.cpp found all three.
#include <immintrin.h>

#include "lanes_kernel.hpp"
#include "lanes_packed.hpp"
#include "lanes_variants.hpp"

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

struct Avx512Key {
  static constexpr std::size_t width = 8;
  __m512i x = _mm512_setzero_si512();

  static __mmask8 mask(std::uint64_t bits) { return static_cast<__mmask8>(bits); }
  void flip_if(__mmask8 m, std::uint64_t value) {
    x = _mm512_mask_xor_epi64(x, m, x, _mm512_set1_epi64(static_cast<long long>(value)));
  }
  void store(std::uint64_t* to) const { _mm512_storeu_si512(to, x); }
};

}  // namespace

LaneFunctions avx512_lanes() {
  return {lane_losses_of<Avx512, 2, PackedBits>, block_losses_of<Avx512, 2>,
          lane_keys_of<Avx512Key, 2, PackedBits>, count_ones_of};
}

}  // namespace survtree
