// The losses of both children of many questions at once: one question a lane, rows one after the
// other. The same arithmetic exists for several instruction sets (lanes_*.cpp); all give the same
// bits, and the best one the machine has is picked at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "problem.hpp"

namespace survtree {

// A subset as the kernels read it. Lanes come word after word of the answers, for each the
// questions that `keep` selects; the lanes of a word are padded to a multiple of 16.
struct RowStream {
  std::span<const RowFacts> facts;         // of all rows
  std::span<const std::uint64_t> answers;  // of all rows, `words` each
  std::size_t words = 0;
  std::span<const std::uint32_t> rows;  // the subset, ascending; read from the last to the first
  std::span<const std::uint64_t> keep;  // by word
};

// The same when times are few: rows with the same time and the same end form a block, and only how
// many of them answer yes matters.
struct BlockStream {
  struct Block {
    double weight;  // of all its rows, a whole number
    double area_step, tail_step, inverse_g;
    std::uint64_t is_event;
  };
  std::vector<Block> blocks;
  std::vector<double> yes_weight;  // by lane, `stride` a block
  std::size_t stride = 0;
  std::size_t n_lanes = 0;
};

enum class Kernel : std::uint8_t { plain, avx2, avx512 };

// Kernels this machine can run, plain first, best last.
std::vector<Kernel> available_kernels();
const char* name_of(Kernel kernel);

// Losses by lane, for the rows that answer no and those that answer yes. The spans have room for
// the padded lanes.
void lane_losses(Kernel kernel, const RowStream& stream, std::span<double> no,
                 std::span<double> yes);

void block_losses(Kernel kernel, const BlockStream& stream, std::span<double> no,
                  std::span<double> yes);

// Keys of the rows that answer yes, by lane: the exclusive or of theirs. Same room as above.
void lane_keys(Kernel kernel, const RowStream& stream, std::span<std::uint64_t> high,
               std::span<std::uint64_t> low);

// counts[j] = ones in (bits[w] and columns[w * n + j]), summed over all w: rows of a block that
// answer yes, n questions side by side; n is a multiple of 16.
void count_ones(Kernel kernel, std::span<const std::uint64_t> bits,
                std::span<const std::uint64_t> columns, std::span<double> counts);

constexpr std::size_t kLanePadding = 16;
constexpr std::size_t padded(std::size_t n_lanes) {
  return (n_lanes + kLanePadding - 1) / kLanePadding * kLanePadding;
}

}  // namespace survtree
