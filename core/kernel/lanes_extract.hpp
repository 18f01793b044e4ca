// Packing by the bit-extract instruction, for variants compiled with -mbmi2.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace survtree {
namespace {

struct Extract {
  static std::uint64_t pack(std::uint64_t word, std::uint64_t keep) {
    return _pext_u64(word, keep);
  }
};

}  // namespace
}  // namespace survtree
