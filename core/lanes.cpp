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

void lane_losses(Kernel kernel, const RowStream& stream, std::span<double> no,
                 std::span<double> yes) {
#ifdef SURVTREE_X86_VARIANTS
  if (kernel == Kernel::avx512) return lane_losses_avx512(stream, no, yes);
  if (kernel == Kernel::avx2) return lane_losses_avx2(stream, no, yes);
#endif
  require(kernel == Kernel::plain, "the kernel was built");
  lane_losses_plain(stream, no, yes);
}

void block_losses(Kernel kernel, const BlockStream& stream, std::span<double> no,
                  std::span<double> yes) {
#ifdef SURVTREE_X86_VARIANTS
  if (kernel == Kernel::avx512) return block_losses_avx512(stream, no, yes);
  if (kernel == Kernel::avx2) return block_losses_avx2(stream, no, yes);
#endif
  require(kernel == Kernel::plain, "the kernel was built");
  block_losses_plain(stream, no, yes);
}

void count_ones(Kernel kernel, std::span<const std::uint64_t> bits,
                std::span<const std::uint64_t> columns, std::span<double> counts) {
#ifdef SURVTREE_X86_VARIANTS
  if (kernel == Kernel::avx512) return count_ones_avx512(bits, columns, counts);
  if (kernel == Kernel::avx2) return count_ones_avx2(bits, columns, counts);
#endif
  require(kernel == Kernel::plain, "the kernel was built");
  count_ones_plain(bits, columns, counts);
}

void lane_keys(Kernel kernel, const RowStream& stream, std::span<std::uint64_t> high,
               std::span<std::uint64_t> low) {
#ifdef SURVTREE_X86_VARIANTS
  if (kernel == Kernel::avx512) return lane_keys_avx512(stream, high, low);
  if (kernel == Kernel::avx2) return lane_keys_avx2(stream, high, low);
#endif
  require(kernel == Kernel::plain, "the kernel was built");
  lane_keys_plain(stream, high, low);
}

}  // namespace survtree
