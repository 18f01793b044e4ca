// The compiled variants behind lanes.hpp. SURVTREE_X86_VARIANTS says whether the x86 ones exist.
#pragma once

#include "kernel/lanes.hpp"

namespace survtree {

LaneFunctions plain_lanes();
#ifdef SURVTREE_X86_VARIANTS
LaneFunctions avx2_lanes();
LaneFunctions avx512_lanes();
#endif

}  // namespace survtree
