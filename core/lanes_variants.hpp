// The compiled variants behind lane_losses(). SURVTREE_X86_VARIANTS says whether the x86 ones
// exist.
#pragma once

#include "lanes.hpp"

namespace survtree {

void lane_losses_plain(const RowStream& stream, std::span<double> no, std::span<double> yes);
void lane_keys_plain(const RowStream& stream, std::span<std::uint64_t> high,
                     std::span<std::uint64_t> low);
void block_losses_plain(const BlockStream& stream, std::span<double> no, std::span<double> yes);
void count_ones_plain(std::span<const std::uint64_t> bits, std::span<const std::uint64_t> columns,
                      std::span<double> counts);
#ifdef SURVTREE_X86_VARIANTS
void count_ones_avx2(std::span<const std::uint64_t> bits, std::span<const std::uint64_t> columns,
                     std::span<double> counts);
void count_ones_avx512(std::span<const std::uint64_t> bits, std::span<const std::uint64_t> columns,
                       std::span<double> counts);
void lane_keys_avx2(const RowStream& stream, std::span<std::uint64_t> high,
                    std::span<std::uint64_t> low);
void lane_keys_avx512(const RowStream& stream, std::span<std::uint64_t> high,
                      std::span<std::uint64_t> low);
void lane_losses_avx2(const RowStream& stream, std::span<double> no, std::span<double> yes);
void lane_losses_avx512(const RowStream& stream, std::span<double> no, std::span<double> yes);
void block_losses_avx2(const BlockStream& stream, std::span<double> no, std::span<double> yes);
void block_losses_avx512(const BlockStream& stream, std::span<double> no, std::span<double> yes);
#endif

}  // namespace survtree
