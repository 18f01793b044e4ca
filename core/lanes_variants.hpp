// The compiled variants behind lane_losses(). SURVTREE_X86_VARIANTS says whether the x86 ones
// exist.
#pragma once

#include "lanes.hpp"

namespace survtree {

void lane_losses_plain(const RowStream& stream, std::span<double> no, std::span<double> yes);
void lane_keys_plain(const RowStream& stream, std::span<std::uint64_t> high,
                     std::span<std::uint64_t> low);
#ifdef SURVTREE_X86_VARIANTS
void lane_keys_avx2(const RowStream& stream, std::span<std::uint64_t> high,
                    std::span<std::uint64_t> low);
void lane_keys_avx512(const RowStream& stream, std::span<std::uint64_t> high,
                      std::span<std::uint64_t> low);
void lane_losses_avx2(const RowStream& stream, std::span<double> no, std::span<double> yes);
void lane_losses_avx512(const RowStream& stream, std::span<double> no, std::span<double> yes);
void pack_answers_bmi2(std::span<const std::uint64_t> answers, std::size_t words_in,
                       std::span<const std::uint32_t> rows, std::span<const std::uint64_t> keep,
                       RowStream& stream);
#endif

}  // namespace survtree
