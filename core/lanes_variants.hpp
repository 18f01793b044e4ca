// The compiled variants behind lanes.hpp. SURVTREE_X86_VARIANTS says whether the x86 ones exist.
#pragma once

#include "lanes.hpp"

namespace survtree {

struct LaneFunctions {
  void (*lane_losses)(const RowStream&, std::span<double>, std::span<double>);
  void (*block_losses)(const BlockStream&, std::span<double>, std::span<double>);
  void (*lane_keys)(const RowStream&, std::span<std::uint64_t>, std::span<std::uint64_t>);
  void (*count_ones)(std::span<const std::uint64_t>, std::span<const std::uint64_t>,
                     std::span<double>);
};

LaneFunctions plain_lanes();
#ifdef SURVTREE_X86_VARIANTS
LaneFunctions avx2_lanes();
LaneFunctions avx512_lanes();
#endif

}  // namespace survtree
