// Lanes without vector instructions: what every machine can run, and what the others must equal.
#include "kernel/lanes_kernel.hpp"
#include "kernel/lanes_variants.hpp"

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

struct Gather {
  static std::uint64_t pack(std::uint64_t word, std::uint64_t keep) {
    std::uint64_t packed = 0;
    for (unsigned n = 0; keep != 0; keep &= keep - 1, ++n)
      packed |= (word >> static_cast<unsigned>(std::countr_zero(keep)) & 1U) << n;
    return packed;
  }
};

}  // namespace

LaneFunctions plain_lanes() {
  return {count_ones_of<ScalarCount>,
          pack_rows_of<Gather>,
          list_rows_of<Gather>,
          add_where_yes_of<Plain>,
          row_losses_of<Plain, 1>,
          count_blocks_of<ScalarCount>,
          add_up_of,
          pick_counts_of,
          block_losses_of<Plain, 1>};
}

}  // namespace survtree
