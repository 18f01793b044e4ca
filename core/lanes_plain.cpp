// Lanes without vector instructions: what every machine can run, and what the others must equal.
#include "lanes_kernel.hpp"
#include "lanes_variants.hpp"

namespace survtree {
namespace {

struct Plain {
  static constexpr std::size_t width = 1;
  using Mask = bool;

  double x = 0.0;

  Plain() = default;
  explicit Plain(double value) : x(value) {}
  static Mask mask(std::uint64_t bits) { return (bits & 1U) != 0; }
  static Plain select(Mask m, Plain a, Plain b) { return m ? a : b; }
  static Plain load(const double* from) { return Plain(*from); }
  void store(double* to) const { *to = x; }
  friend Plain operator+(Plain a, Plain b) { return Plain(a.x + b.x); }
  friend Plain operator-(Plain a, Plain b) { return Plain(a.x - b.x); }
  friend Plain operator*(Plain a, Plain b) { return Plain(a.x * b.x); }
  friend Plain operator/(Plain a, Plain b) { return Plain(a.x / b.x); }
};

// One lane at a time: its question's answer comes first.
class PlainBits {
 public:
  PlainBits(std::uint64_t keep, std::size_t base) {
    for (; base > 0; --base) keep &= keep - 1;
    shift_ = static_cast<unsigned>(std::countr_zero(keep));
  }
  std::uint64_t operator()(std::uint64_t word) const { return word >> shift_; }

 private:
  unsigned shift_;
};

struct PlainKey {
  static constexpr std::size_t width = 1;
  std::uint64_t x = 0;

  static bool mask(std::uint64_t bits) { return (bits & 1U) != 0; }
  void flip_if(bool m, std::uint64_t value) { x ^= m ? value : 0; }
  void store(std::uint64_t* to) const { *to = x; }
};

}  // namespace

LaneFunctions plain_lanes() {
  return {lane_losses_of<Plain, 1, PlainBits>, block_losses_of<Plain, 1>,
          lane_keys_of<PlainKey, 1, PlainBits>, count_ones_of};
}

}  // namespace survtree
