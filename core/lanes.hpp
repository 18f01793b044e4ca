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

enum class Kernel : std::uint8_t { plain, avx2, avx512 };

// Kernels this machine can run, plain first, best last.
std::vector<Kernel> available_kernels();
const char* name_of(Kernel kernel);

// Losses by lane, for the rows that answer no and those that answer yes. The spans have room for
// n_lanes rounded up to 16.
void lane_losses(Kernel kernel, const RowStream& stream, std::span<double> no,
                 std::span<double> yes);

// Keys of the rows that answer yes, by lane: the exclusive or of theirs. Same room as above.
void lane_keys(Kernel kernel, const RowStream& stream, std::span<std::uint64_t> high,
               std::span<std::uint64_t> low);

// Fills stream.answers from the rows' answers (`words_in` words each), last row first, keeping only
// the bits that `keep` selects, packed together: lanes that no question needs cost nothing.
void pack_answers(Kernel kernel, std::span<const std::uint64_t> answers, std::size_t words_in,
                  std::span<const std::uint32_t> rows, std::span<const std::uint64_t> keep,
                  RowStream& stream);

constexpr std::size_t kLanePadding = 16;

}  // namespace survtree
