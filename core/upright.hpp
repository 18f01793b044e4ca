// Counters that stand upright: bit k of 64 counters in one word, so that adding a row of 64 answers
// is a handful of logical operations.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace survtree {

class UprightCounters {
 public:
  void add(std::uint64_t bits, std::uint64_t times) {
    for (std::size_t k = 0; times != 0; ++k, times >>= 1U)
      if ((times & 1U) != 0) add_at(bits, k);
  }

  // Adds 2^k to the counters that `carry` selects.
  void add_at(std::uint64_t carry, std::size_t k) {
    for (; carry != 0; ++k) {
      const std::uint64_t old = planes_[k];
      planes_[k] = old ^ carry;
      carry &= old;
      n_planes_ = std::max(n_planes_, k + 1);
    }
  }

  // Four rows together: three carry-save adders, then one carry.
  void add_four(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
    const std::uint64_t twos_1 = carry_save(planes_[0], a, b);
    const std::uint64_t twos_2 = carry_save(planes_[0], c, d);
    n_planes_ = std::max<std::size_t>(n_planes_, 2);
    add_at(carry_save(planes_[1], twos_1, twos_2), 2);
  }

  std::uint64_t count(std::size_t question) const {
    std::uint64_t n = 0;
    for (std::size_t k = 0; k < n_planes_; ++k) n |= (planes_[k] >> question & 1U) << k;
    return n;
  }

 private:
  static std::uint64_t carry_save(std::uint64_t& sum, std::uint64_t a, std::uint64_t b) {
    const std::uint64_t partial = sum ^ a, carry = (sum & a) | (partial & b);
    sum = partial ^ b;
    return carry;
  }

  std::array<std::uint64_t, 64> planes_{};
  std::size_t n_planes_ = 0;
};

}  // namespace survtree
