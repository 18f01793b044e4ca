// x - ln(1 + x) in lanes, by nothing but sums, products and quotients, so that all kernels and
// machines give the same bits. Like vector.hpp, only for lanes_*.cpp.
#pragma once

#include "kernel/whole_vector.hpp"

namespace survtree {
namespace {

// A positive number as 2^exponent times a number between sqrt(1/2) and sqrt(2).
struct Parted {
  Vector number, exponent;
};

SURVTREE_INLINE Parted parted(Vector z) {
  const Whole bits = Whole::bits_of(z);
  constexpr std::int64_t kOne = 0x3ff0000000000000, kRootOfHalf = 0x3fe6a09e667f3bcd;
  const Whole exponent = (bits + Whole(kOne - kRootOfHalf)).shifted_right(52);
  const Whole number = bits - exponent.shifted_left(52) + Whole(kOne);
  // Beside 2^52 the bits of a small whole number are its value.
  const Vector value = (exponent + Whole(0x4330000000000000)).bits_as_double();
  return {number.bits_as_double(), value - Vector(0x1p52 + 1023.0)};
}

// Given x > -1 and z = 1 + x, which the caller knows better than a sum would: where x is small, its
// digits count, and where it is near -1, those of z.
//
// With f = x where 1 + x is between sqrt(1/2) and sqrt(2), ln(1 + f) = f - (f^2/2 - s (f^2/2 + R)),
// s = f / (2 + f) and R a polynomial in s^2, so that the excess is what is in brackets, and nothing
// cancels. The polynomial is that of the C library of FreeBSD, right to 2^-58.
SURVTREE_INLINE Vector log_excess(Vector x, Vector z) {
  const Parted p = parted(z);
  const Vector one(1.0), half(0.5);
  const auto is_above_half = is_above(z, Vector(0x1.6a09e667f3bccp-1));
  const auto is_below_two = is_above(Vector(0x1.6a09e667f3bcdp0), z);
  const auto pick_near = [&](Vector near, Vector far) {
    return Vector::select(is_above_half, Vector::select(is_below_two, near, far), far);
  };
  const Vector f = pick_near(x, p.number - one);
  const Vector s = f / (Vector(2.0) + f), w = s * s;
  Vector r(1.479819860511658591e-01);
  r = r * w + Vector(1.531383769920937332e-01);
  r = r * w + Vector(1.818357216161805012e-01);
  r = r * w + Vector(2.222219843214978396e-01);
  r = r * w + Vector(2.857142874366239149e-01);
  r = r * w + Vector(3.999999999940941908e-01);
  r = r * w + Vector(6.666666666666735130e-01);
  const Vector squared = half * f * f;
  const Vector excess = squared - s * (squared + r * w);
  const Vector log = p.exponent * Vector(0x1.62e42fefa39efp-1) + (f - excess);
  return pick_near(excess, x - log);
}

}  // namespace
}  // namespace survtree
