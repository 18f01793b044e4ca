// Logarithms in single precision in lanes, right to 3e-7 of what is larger, the result or 1: to
// screen, not to add up. Like vector.hpp, only for lanes_*.cpp.
#pragma once

#include <cmath>

#include "kernel/whole_vector.hpp"

namespace survtree {
namespace {

constexpr std::size_t kHalves = Single::width / Whole::width;  // whole numbers are twice as wide

#if defined(SURVTREE_AVX512)

SURVTREE_INLINE Single single_of(const Whole (&halves)[kHalves]) {
  const __m256 low = _mm512_maskz_cvtpd_ps(0xff, halves[0].as_double().x);
  const __m256 high = _mm512_maskz_cvtpd_ps(0xff, halves[1].as_double().x);
  return Single(_mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1));
}
// The lower and the upper 32 bits, each a number below 2^31.
SURVTREE_INLINE void part_counts(const Whole (&halves)[kHalves], Single& low, Single& high) {
  const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  const __m512i odd = _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
  low.x =
      _mm512_maskz_cvtepi32_ps(0xffff, _mm512_permutex2var_epi32(halves[0].x, even, halves[1].x));
  high.x =
      _mm512_maskz_cvtepi32_ps(0xffff, _mm512_permutex2var_epi32(halves[0].x, odd, halves[1].x));
}
SURVTREE_INLINE Single::Mask is_above(Single a, Single b) {
  return _mm512_cmp_ps_mask(a.x, b.x, _CMP_GT_OQ);
}
SURVTREE_INLINE void part(Single z, Single& number, Single& exponent) {
  const __m512i bits = _mm512_castps_si512(z.x);
  const __m512i moved = _mm512_add_epi32(bits, _mm512_set1_epi32(0x3f800000 - 0x3f3504f3));
  const __m512i power = _mm512_maskz_srli_epi32(0xffff, moved, 23);
  const __m512i shift = _mm512_maskz_slli_epi32(0xffff, power, 23);
  number.x = _mm512_castsi512_ps(
      _mm512_add_epi32(_mm512_sub_epi32(bits, shift), _mm512_set1_epi32(0x3f800000)));
  exponent.x = _mm512_maskz_cvtepi32_ps(0xffff, _mm512_sub_epi32(power, _mm512_set1_epi32(127)));
}

#elif defined(SURVTREE_AVX2)

SURVTREE_INLINE Single single_of(const Whole (&halves)[kHalves]) {
  const __m128 low = _mm256_cvtpd_ps(halves[0].as_double().x);
  const __m128 high = _mm256_cvtpd_ps(halves[1].as_double().x);
  return Single(_mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1));
}
SURVTREE_INLINE void part_counts(const Whole (&halves)[kHalves], Single& low, Single& high) {
  const __m256 a = _mm256_castsi256_ps(halves[0].x), b = _mm256_castsi256_ps(halves[1].x);
  const __m256i even = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88));
  const __m256i odd = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xdd));
  low.x = _mm256_cvtepi32_ps(_mm256_permute4x64_epi64(even, 0xd8));
  high.x = _mm256_cvtepi32_ps(_mm256_permute4x64_epi64(odd, 0xd8));
}
SURVTREE_INLINE Single::Mask is_above(Single a, Single b) {
  return _mm256_cmp_ps(a.x, b.x, _CMP_GT_OQ);
}
SURVTREE_INLINE void part(Single z, Single& number, Single& exponent) {
  const __m256i bits = _mm256_castps_si256(z.x);
  const __m256i moved = _mm256_add_epi32(bits, _mm256_set1_epi32(0x3f800000 - 0x3f3504f3));
  const __m256i power = _mm256_srli_epi32(moved, 23);
  number.x = _mm256_castsi256_ps(_mm256_add_epi32(
      _mm256_sub_epi32(bits, _mm256_slli_epi32(power, 23)), _mm256_set1_epi32(0x3f800000)));
  exponent.x = _mm256_cvtepi32_ps(_mm256_sub_epi32(power, _mm256_set1_epi32(127)));
}

#else

SURVTREE_INLINE Single single_of(const Whole (&halves)[kHalves]) {
  return Single(static_cast<float>(halves[0].x));
}
SURVTREE_INLINE void part_counts(const Whole (&halves)[kHalves], Single& low, Single& high) {
  const auto counts = static_cast<std::uint64_t>(halves[0].x);
  low.x = static_cast<float>(counts & 0xffffffffU);
  high.x = static_cast<float>(counts >> 32U);
}
SURVTREE_INLINE Single::Mask is_above(Single a, Single b) { return a.x > b.x; }
SURVTREE_INLINE void part(Single z, Single& number, Single& exponent) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(z.x);
  const std::uint32_t power = (bits + (0x3f800000U - 0x3f3504f3U)) >> 23U;
  number.x = std::bit_cast<float>(bits - (power << 23U) + 0x3f800000U);
  exponent.x = static_cast<float>(power) - 127.0F;
}

#endif

// Of a positive number. With f between sqrt(1/2) - 1 and sqrt(2) - 1, ln(1 + f) = f - f^2/2 + f^3 P
// with the polynomial of the Cephes library.
SURVTREE_INLINE Single single_log(Single z) {
  Single number, exponent;
  part(z, number, exponent);
  const Single f = number - Single(1.0F), squared = f * f;
  Single r(7.0376836292e-2F);
  r = r * f + Single(-1.1514610310e-1F);
  r = r * f + Single(1.1676998740e-1F);
  r = r * f + Single(-1.2420140846e-1F);
  r = r * f + Single(1.4249322787e-1F);
  r = r * f + Single(-1.6668057665e-1F);
  r = r * f + Single(2.0000714765e-1F);
  r = r * f + Single(-2.4999993993e-1F);
  r = r * f + Single(3.3333331174e-1F);
  const Single small = r * f * squared - Single(0.5F) * squared;
  return exponent * Single(0.693147181F) + (f + small);
}

}  // namespace
}  // namespace survtree
