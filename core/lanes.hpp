// The losses of both children of many questions at once: one question a lane, rows one after the
// other. The same arithmetic exists for several instruction sets (lanes_*.cpp); all give the same
// bits, and the best one the machine has is picked at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace survtree {

// The rows of a subset from the last to the first, as the kernels read them.
struct RowStream {
  struct Row {
    double weight;
    double area_step;   // censor_area of the row before in the stream - that of this one
    double tail_step;   // events: tail of this row - that of the event before in the stream
    double event_mass;  // weight / G
    std::uint64_t is_event;
    std::uint64_t key_high, key_low;
  };
  std::vector<Row> rows;
  std::vector<std::uint64_t> answers;  // one bit a lane, `words` a row
  std::size_t words = 0;
  std::size_t n_lanes = 0;
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
  std::size_t stride = 0;          // n_lanes rounded up to 16
  std::size_t n_lanes = 0;
};

enum class Kernel : std::uint8_t { plain, avx2, avx512 };

// Kernels this machine can run, plain first, best last.
std::vector<Kernel> available_kernels();
const char* name_of(Kernel kernel);

// Losses by lane, for the rows that answer no and those that answer yes. The spans have room for
// n_lanes rounded up to 16.
void lane_losses(Kernel kernel, const RowStream& stream, std::span<double> no,
                 std::span<double> yes);

void block_losses(Kernel kernel, const BlockStream& stream, std::span<double> no,
                  std::span<double> yes);

// Keys of the rows that answer yes, by lane: the exclusive or of theirs. Same room as above.
void lane_keys(Kernel kernel, const RowStream& stream, std::span<std::uint64_t> high,
               std::span<std::uint64_t> low);

// counts[j] += ones in (bits[w] and columns[w * n + j]), over all w: rows of a block that answer
// yes, n questions side by side.
void count_ones(Kernel kernel, std::span<const std::uint64_t> bits,
                std::span<const std::uint64_t> columns, std::span<std::uint64_t> counts);

// Keeps of each row of bits (`words_in` words) only those that `keep` selects, packed together.
void pack_lanes(Kernel kernel, std::span<const std::uint64_t> bits, std::size_t words_in,
                std::span<const std::uint64_t> keep, std::span<std::uint64_t> out,
                std::size_t words_out);

constexpr std::size_t kLanePadding = 16;

}  // namespace survtree
