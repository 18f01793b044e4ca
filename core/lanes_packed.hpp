// Lanes by the bit-extract instruction, for variants compiled with -mbmi2.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace survtree {
namespace {

// The answers that `keep` selects, packed together, from lane `base` on.
class PackedBits {
 public:
  PackedBits(std::uint64_t keep, std::size_t base) : keep_(keep), base_(base) {}
  std::uint64_t operator()(std::uint64_t word) const { return _pext_u64(word, keep_) >> base_; }

 private:
  std::uint64_t keep_;
  std::size_t base_;
};

}  // namespace
}  // namespace survtree
