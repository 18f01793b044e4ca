#include "lanes.hpp"

#include "contract.hpp"
#include "lanes_variants.hpp"

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

namespace {

LaneFunctions functions_of(Kernel kernel) {
#ifdef SURVTREE_X86_VARIANTS
  if (kernel == Kernel::avx512) return avx512_lanes();
  if (kernel == Kernel::avx2) return avx2_lanes();
#endif
  require(kernel == Kernel::plain, "the kernel was built");
  return plain_lanes();
}

}  // namespace

void lane_losses(Kernel kernel, const RowStream& stream, std::span<double> no,
                 std::span<double> yes) {
  functions_of(kernel).lane_losses(stream, no, yes);
}

void block_losses(Kernel kernel, const BlockStream& stream, std::span<double> no,
                  std::span<double> yes) {
  functions_of(kernel).block_losses(stream, no, yes);
}

void lane_keys(Kernel kernel, const RowStream& stream, std::span<std::uint64_t> high,
               std::span<std::uint64_t> low) {
  functions_of(kernel).lane_keys(stream, high, low);
}

void count_ones(Kernel kernel, std::span<const std::uint64_t> bits,
                std::span<const std::uint64_t> columns, std::span<double> counts) {
  functions_of(kernel).count_ones(bits, columns, counts);
}

}  // namespace survtree
