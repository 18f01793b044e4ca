#include "kernel/lanes.hpp"

#include "data/contract.hpp"
#include "kernel/lanes_variants.hpp"

namespace survtree {

std::vector<Kernel> available_kernels() {
  std::vector<Kernel> kernels{Kernel::plain};
#ifdef SURVTREE_X86_VARIANTS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
      __builtin_cpu_supports("popcnt")) {
    kernels.push_back(Kernel::avx2);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vpopcntdq"))
      kernels.push_back(Kernel::avx512);
  }
#endif
  return kernels;
}

const char* name_of(Kernel kernel) {
  switch (kernel) {
    case Kernel::plain:
      return "plain";
    case Kernel::avx2:
      return "avx2";
    case Kernel::avx512:
      return "avx512";
  }
  throw ContractError("unknown kernel");
}

LaneFunctions lane_functions(Kernel kernel) {
#ifdef SURVTREE_X86_VARIANTS
  if (kernel == Kernel::avx512) return avx512_lanes();
  if (kernel == Kernel::avx2) return avx2_lanes();
#endif
  require(kernel == Kernel::plain, "the kernel was built");
  return plain_lanes();
}

}  // namespace survtree
