// Floors of many cuts at a time, in single precision: search/floor_table.hpp. A cut is closed if
// the floors of its sides add up to more than `closed`.
#pragma once

#include <cfloat>

#include "kernel/lanes.hpp"

namespace survtree {

constexpr float kNoFloor = FLT_MAX;

struct FloorFunctions {
  // The larger of both, into `floors`.
  void (*raise_to)(float* floors, const float* others, std::size_t n);
  // The numbers of those that are open, ascending; `out` has room for n + 16.
  std::size_t (*list_open)(const float* no, const float* yes, std::size_t n, float closed,
                           std::uint32_t* out);
  // The least sum of those that are closed; kNoFloor if none is.
  float (*least_closed)(const float* no, const float* yes, std::size_t n, float closed);
};

FloorFunctions floor_functions(Plain);
FloorFunctions floor_functions(Avx2);
FloorFunctions floor_functions(Avx512);

}  // namespace survtree
