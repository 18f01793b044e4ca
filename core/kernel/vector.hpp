// Vectors of the instruction set that a lanes_*.cpp is compiled for: a type `Vector` (width, load
// from one number, + - * /, select by mask, the larger of two: the second if the first is NaN) of
// doubles, and `Single`, which has numbers of half the precision and twice as many of them. The
// build defines SURVTREE_AVX512 or SURVTREE_AVX2, or neither; code that uses this is in unnamed
// namespaces, so that no two instruction sets share it, and comes out as an overload for
// ThisVariant.
#pragma once

#include "kernel/lanes.hpp"

#if defined(SURVTREE_AVX512) || defined(SURVTREE_AVX2)
#include <immintrin.h>
#endif

// A call would send the vectors through memory.
#ifdef __GNUC__
#define SURVTREE_INLINE [[gnu::always_inline]] inline
#else
#define SURVTREE_INLINE inline
#endif

namespace survtree {
namespace {

#if defined(SURVTREE_AVX512)

using ThisVariant = Avx512;

struct Vector {
  static constexpr std::size_t width = 8;
  using Mask = __mmask8;

  __m512d x = _mm512_setzero_pd();

  Vector() = default;
  explicit Vector(double value) : x(_mm512_set1_pd(value)) {}
  explicit Vector(__m512d value) : x(value) {}
  static Mask mask(std::uint64_t bits) { return static_cast<Mask>(bits); }
  static Vector select(Mask m, Vector a, Vector b) {
    return Vector(_mm512_mask_blend_pd(m, b.x, a.x));
  }
  static Vector larger(Vector a, Vector b) { return Vector(_mm512_maskz_max_pd(0xff, a.x, b.x)); }
  static Vector load(const double* from) { return Vector(_mm512_loadu_pd(from)); }
  void store(double* to) const { _mm512_storeu_pd(to, x); }
  static Vector of_doubles(const double* from, double factor) {
    return load(from) * Vector(factor);
  }
  void store_doubles(double* to, double factor) const { (*this * Vector(factor)).store(to); }
  friend Vector operator+(Vector a, Vector b) { return Vector(_mm512_add_pd(a.x, b.x)); }
  friend Vector operator-(Vector a, Vector b) { return Vector(_mm512_sub_pd(a.x, b.x)); }
  friend Vector operator*(Vector a, Vector b) { return Vector(_mm512_mul_pd(a.x, b.x)); }
  friend Vector operator/(Vector a, Vector b) { return Vector(_mm512_div_pd(a.x, b.x)); }
};

struct Single {
  static constexpr std::size_t width = 16;
  using Mask = __mmask16;

  __m512 x = _mm512_setzero_ps();

  Single() = default;
  explicit Single(float value) : x(_mm512_set1_ps(value)) {}
  explicit Single(__m512 value) : x(value) {}
  static Mask mask(std::uint64_t bits) { return static_cast<Mask>(bits); }
  static Single select(Mask m, Single a, Single b) {
    return Single(_mm512_mask_blend_ps(m, b.x, a.x));
  }
  static Single larger(Single a, Single b) { return Single(_mm512_maskz_max_ps(0xffff, a.x, b.x)); }
  // Once a pass: plain code will do.
  static Single of_doubles(const double* from, double factor) {
    float to[width];
    for (std::size_t k = 0; k < width; ++k) to[k] = static_cast<float>(from[k] * factor);
    return Single(_mm512_loadu_ps(to));
  }
  void store_doubles(double* to, double factor) const {
    float from[width];
    _mm512_storeu_ps(from, x);
    for (std::size_t k = 0; k < width; ++k) to[k] = static_cast<double>(from[k]) * factor;
  }
  friend Single operator+(Single a, Single b) { return Single(_mm512_add_ps(a.x, b.x)); }
  friend Single operator-(Single a, Single b) { return Single(_mm512_sub_ps(a.x, b.x)); }
  friend Single operator*(Single a, Single b) { return Single(_mm512_mul_ps(a.x, b.x)); }
  friend Single operator/(Single a, Single b) { return Single(_mm512_div_ps(a.x, b.x)); }
};

#elif defined(SURVTREE_AVX2)

using ThisVariant = Avx2;

struct Vector {
  static constexpr std::size_t width = 4;
  using Mask = __m256d;

  __m256d x = _mm256_setzero_pd();

  Vector() = default;
  explicit Vector(double value) : x(_mm256_set1_pd(value)) {}
  explicit Vector(__m256d value) : x(value) {}
  // Bit l of `bits` becomes the sign of lane l, which is all that a blend looks at.
  static Mask mask(std::uint64_t bits) {
    const __m256i spread = _mm256_sllv_epi64(_mm256_set1_epi64x(static_cast<long long>(bits)),
                                             _mm256_set_epi64x(60, 61, 62, 63));
    return _mm256_castsi256_pd(spread);
  }
  static Vector select(Mask m, Vector a, Vector b) { return Vector(_mm256_blendv_pd(b.x, a.x, m)); }
  static Vector larger(Vector a, Vector b) { return Vector(_mm256_max_pd(a.x, b.x)); }
  static Vector load(const double* from) { return Vector(_mm256_loadu_pd(from)); }
  void store(double* to) const { _mm256_storeu_pd(to, x); }
  static Vector of_doubles(const double* from, double factor) {
    return load(from) * Vector(factor);
  }
  void store_doubles(double* to, double factor) const { (*this * Vector(factor)).store(to); }
  friend Vector operator+(Vector a, Vector b) { return Vector(_mm256_add_pd(a.x, b.x)); }
  friend Vector operator-(Vector a, Vector b) { return Vector(_mm256_sub_pd(a.x, b.x)); }
  friend Vector operator*(Vector a, Vector b) { return Vector(_mm256_mul_pd(a.x, b.x)); }
  friend Vector operator/(Vector a, Vector b) { return Vector(_mm256_div_pd(a.x, b.x)); }
};

struct Single {
  static constexpr std::size_t width = 8;
  using Mask = __m256;

  __m256 x = _mm256_setzero_ps();

  Single() = default;
  explicit Single(float value) : x(_mm256_set1_ps(value)) {}
  explicit Single(__m256 value) : x(value) {}
  static Mask mask(std::uint64_t bits) {
    const __m256i spread = _mm256_sllv_epi32(_mm256_set1_epi32(static_cast<int>(bits)),
                                             _mm256_set_epi32(24, 25, 26, 27, 28, 29, 30, 31));
    return _mm256_castsi256_ps(spread);
  }
  static Single select(Mask m, Single a, Single b) { return Single(_mm256_blendv_ps(b.x, a.x, m)); }
  static Single larger(Single a, Single b) { return Single(_mm256_max_ps(a.x, b.x)); }
  // Once a pass: plain code will do.
  static Single of_doubles(const double* from, double factor) {
    float to[width];
    for (std::size_t k = 0; k < width; ++k) to[k] = static_cast<float>(from[k] * factor);
    return Single(_mm256_loadu_ps(to));
  }
  void store_doubles(double* to, double factor) const {
    float from[width];
    _mm256_storeu_ps(from, x);
    for (std::size_t k = 0; k < width; ++k) to[k] = static_cast<double>(from[k]) * factor;
  }
  friend Single operator+(Single a, Single b) { return Single(_mm256_add_ps(a.x, b.x)); }
  friend Single operator-(Single a, Single b) { return Single(_mm256_sub_ps(a.x, b.x)); }
  friend Single operator*(Single a, Single b) { return Single(_mm256_mul_ps(a.x, b.x)); }
  friend Single operator/(Single a, Single b) { return Single(_mm256_div_ps(a.x, b.x)); }
};

#else

using ThisVariant = Plain;

// What every machine can run, and what the others must equal.
struct Vector {
  static constexpr std::size_t width = 1;
  using Mask = bool;

  double x = 0.0;

  Vector() = default;
  explicit Vector(double value) : x(value) {}
  static Mask mask(std::uint64_t bits) { return (bits & 1U) != 0; }
  static Vector select(Mask m, Vector a, Vector b) { return m ? a : b; }
  static Vector larger(Vector a, Vector b) { return a.x > b.x ? a : b; }
  static Vector load(const double* from) { return Vector(*from); }
  void store(double* to) const { *to = x; }
  static Vector of_doubles(const double* from, double factor) {
    return load(from) * Vector(factor);
  }
  void store_doubles(double* to, double factor) const { (*this * Vector(factor)).store(to); }
  friend Vector operator+(Vector a, Vector b) { return Vector(a.x + b.x); }
  friend Vector operator-(Vector a, Vector b) { return Vector(a.x - b.x); }
  friend Vector operator*(Vector a, Vector b) { return Vector(a.x * b.x); }
  friend Vector operator/(Vector a, Vector b) { return Vector(a.x / b.x); }
};

struct Single {
  static constexpr std::size_t width = 1;
  using Mask = bool;

  float x = 0.0F;

  Single() = default;
  explicit Single(float value) : x(value) {}
  static Mask mask(std::uint64_t bits) { return (bits & 1U) != 0; }
  static Single select(Mask m, Single a, Single b) { return m ? a : b; }
  static Single larger(Single a, Single b) { return a.x > b.x ? a : b; }
  static Single of_doubles(const double* from, double factor) {
    return Single(static_cast<float>(*from * factor));
  }
  void store_doubles(double* to, double factor) const { *to = static_cast<double>(x) * factor; }
  friend Single operator+(Single a, Single b) { return Single(a.x + b.x); }
  friend Single operator-(Single a, Single b) { return Single(a.x - b.x); }
  friend Single operator*(Single a, Single b) { return Single(a.x * b.x); }
  friend Single operator/(Single a, Single b) { return Single(a.x / b.x); }
};

#endif

}  // namespace
}  // namespace survtree
