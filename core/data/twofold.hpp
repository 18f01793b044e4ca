// A running sum in two doubles, for sums of which only differences matter: between two late points
// of an integral whose early part is 1e10 times as large, a difference of plain doubles has lost
// ten digits. With these it is right to its own last digits.
#pragma once

namespace survtree {

struct Twofold {
  double high = 0.0, low = 0.0;  // low is what rounding took from high
};

// Both static: lanes_*.cpp are compiled for other machines and must not share code with the rest.

// Knuth's two-sum: what is added to low is exact, whichever of the two is larger.
[[maybe_unused]] static inline Twofold plus(Twofold sum, double x) {
  const double high = sum.high + x, part = high - sum.high;
  return {high, sum.low + ((sum.high - (high - part)) + (x - part))};
}

[[maybe_unused]] static inline double difference(Twofold a, Twofold b) {
  return (a.high - b.high) + (a.low - b.low);
}

}  // namespace survtree
