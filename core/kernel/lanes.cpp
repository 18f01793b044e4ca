#include "kernel/lanes.hpp"

namespace survtree {

LaneFunctions lane_functions(Plain);
LaneFunctions lane_functions(Avx2);
LaneFunctions lane_functions(Avx512);

LaneFunctions lane_functions(Kernel kernel) {
  return for_kernel(kernel, [](auto variant) { return lane_functions(variant); });
}

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
  constexpr const char* names[] = {"plain", "avx2", "avx512"};
  return names[static_cast<std::size_t>(kernel)];
}

}  // namespace survtree
