// Whole numbers of 64 bits in lanes, beside Vector: sums of them are exact in whatever order. Like
// vector.hpp, only for lanes_*.cpp.
#pragma once

#include <bit>

#include "kernel/vector.hpp"

namespace survtree {
namespace {

#if defined(SURVTREE_AVX512)

struct Whole {
  using Mask = Vector::Mask;
  static constexpr std::size_t width = Vector::width;

  __m512i x = _mm512_setzero_si512();

  Whole() = default;
  explicit Whole(std::int64_t value) : x(_mm512_set1_epi64(value)) {}
  explicit Whole(__m512i value) : x(value) {}
  static Whole load(const std::int64_t* from) { return Whole(_mm512_loadu_si512(from)); }
  void store(std::int64_t* to) const { _mm512_storeu_si512(to, x); }
  // Adds the value where the mask is set.
  void add_where(Mask m, Whole a) { x = _mm512_mask_add_epi64(x, m, x, a.x); }
  Vector as_double() const { return Vector(_mm512_cvtepi64_pd(x)); }
  friend Whole operator+(Whole a, Whole b) { return Whole(_mm512_add_epi64(a.x, b.x)); }
  friend Whole operator-(Whole a, Whole b) { return Whole(_mm512_sub_epi64(a.x, b.x)); }
  Whole shifted_right(int n) const {
    return Whole(_mm512_maskz_srli_epi64(0xff, x, static_cast<unsigned>(n)));
  }
  Whole shifted_left(int n) const {
    return Whole(_mm512_maskz_slli_epi64(0xff, x, static_cast<unsigned>(n)));
  }
  static Whole bits_of(Vector v) { return Whole(_mm512_castpd_si512(v.x)); }
  Vector bits_as_double() const { return Vector(_mm512_castsi512_pd(x)); }
};

// Where a is larger than b.
inline Vector::Mask is_above(Vector a, Vector b) {
  return _mm512_cmp_pd_mask(a.x, b.x, _CMP_GT_OQ);
}

#elif defined(SURVTREE_AVX2)

struct Whole {
  using Mask = Vector::Mask;
  static constexpr std::size_t width = Vector::width;

  __m256i x = _mm256_setzero_si256();

  Whole() = default;
  explicit Whole(std::int64_t value) : x(_mm256_set1_epi64x(value)) {}
  explicit Whole(__m256i value) : x(value) {}
  static Whole load(const std::int64_t* from) {
    return Whole(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  }
  void store(std::int64_t* to) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), x); }
  void add_where(Mask m, Whole a) {
    const __m256d kept = _mm256_blendv_pd(_mm256_setzero_pd(), _mm256_castsi256_pd(a.x), m);
    x = _mm256_add_epi64(x, _mm256_castpd_si256(kept));
  }
  // In two halves, each exact beside a power of 2 that is taken off again; rounds once, at the end.
  Vector as_double() const {
    const __m256i high = _mm256_blend_epi16(_mm256_srai_epi32(x, 16), _mm256_setzero_si256(), 0x33);
    const __m256i beside = _mm256_castpd_si256(_mm256_set1_pd(0x3p67));
    const __m256i low = _mm256_blend_epi16(x, _mm256_castpd_si256(_mm256_set1_pd(0x1p52)), 0x88);
    const __m256d a = _mm256_sub_pd(_mm256_castsi256_pd(_mm256_add_epi64(high, beside)),
                                    _mm256_set1_pd(0x3p67 + 0x1p52));
    return Vector(_mm256_add_pd(a, _mm256_castsi256_pd(low)));
  }
  friend Whole operator+(Whole a, Whole b) { return Whole(_mm256_add_epi64(a.x, b.x)); }
  friend Whole operator-(Whole a, Whole b) { return Whole(_mm256_sub_epi64(a.x, b.x)); }
  Whole shifted_right(int n) const { return Whole(_mm256_srli_epi64(x, n)); }
  Whole shifted_left(int n) const { return Whole(_mm256_slli_epi64(x, n)); }
  static Whole bits_of(Vector v) { return Whole(_mm256_castpd_si256(v.x)); }
  Vector bits_as_double() const { return Vector(_mm256_castsi256_pd(x)); }
};

inline Vector::Mask is_above(Vector a, Vector b) { return _mm256_cmp_pd(a.x, b.x, _CMP_GT_OQ); }

#else

struct Whole {
  using Mask = Vector::Mask;
  static constexpr std::size_t width = 1;

  std::int64_t x = 0;

  Whole() = default;
  explicit Whole(std::int64_t value) : x(value) {}
  static Whole load(const std::int64_t* from) { return Whole(*from); }
  void store(std::int64_t* to) const { *to = x; }
  void add_where(Mask m, Whole a) { x += m ? a.x : 0; }
  Vector as_double() const { return Vector(static_cast<double>(x)); }
  friend Whole operator+(Whole a, Whole b) { return Whole(a.x + b.x); }
  friend Whole operator-(Whole a, Whole b) { return Whole(a.x - b.x); }
  Whole shifted_right(int n) const {
    return Whole(
        static_cast<std::int64_t>(static_cast<std::uint64_t>(x) >> static_cast<unsigned>(n)));
  }
  Whole shifted_left(int n) const {
    return Whole(
        static_cast<std::int64_t>(static_cast<std::uint64_t>(x) << static_cast<unsigned>(n)));
  }
  static Whole bits_of(Vector v) { return Whole(std::bit_cast<std::int64_t>(v.x)); }
  Vector bits_as_double() const { return Vector(std::bit_cast<double>(x)); }
};

inline Vector::Mask is_above(Vector a, Vector b) { return a.x > b.x; }

#endif

}  // namespace
}  // namespace survtree
