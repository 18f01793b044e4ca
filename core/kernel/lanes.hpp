// Counting for many questions at once, one question a lane, rows (or blocks of rows) one after the
// other; and how rows reach a loss. The same code exists for several instruction sets: every
// lanes_*.cpp, of this room and of the losses, is compiled once for each (see vector.hpp). All give
// the same bits, and the best one the machine has is picked at run time.
//
// Plain pointers on purpose: what these files compile for newer machines must not be shared with
// the rest of the program, as an instance of a library template would be.
//
// The rooms of the core are kernel <- data <- losses <- search <- check: files include those of
// their own room and of rooms further left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace survtree {

enum class Kernel : std::uint8_t { plain, avx2, avx512 };

// Kernels this machine can run, plain first, best last; no other may be asked for.
std::vector<Kernel> available_kernels();
const char* name_of(Kernel kernel);

// Answers of rows, to be cut down to the questions that have a lane.
struct Answers {
  const std::uint64_t* words;  // `n` a row
  std::size_t n;
  const std::uint64_t* keep;  // `n`: the questions that have a lane
  std::size_t n_packed;       // words that the kept answers fill
};

// Rows that look the same to the loss; their bits start at a word of their own.
struct Block {
  std::size_t first_word, n_words;
};

// Rows of a subset, ascending. Lane l of row i is bit l % 64 of packed[i * n_packed + l / 64].
struct ListedRows {
  const std::uint32_t* numbers;
  std::size_t n;
  const std::uint64_t* packed;
  std::size_t n_packed;
};

// Of the rows that answer no and of those that answer yes, by lane.
struct SplitWeights {
  const double *no, *yes;
};

// Blocks of a subset that are not empty, the last one first.
struct CountedBlocks {
  const std::uint32_t* numbers;
  const double* n_rows;  // of the subset, in each block
  std::size_t n;
  const double* yes_rows;  // those that answer yes, at [block * padded(n_lanes) + lane]
};

constexpr std::size_t kLanePadding = 32;
constexpr std::size_t padded(std::size_t n_lanes) {
  return (n_lanes + kLanePadding - 1) / kLanePadding * kLanePadding;
}

// Everything indexed by lane has room for padded(n_lanes).
struct LaneFunctions {
  Kernel kernel;
  // counts[j] = ones in (bits[w] and columns[w * stride + j]), summed over w; first <= j < stride,
  // where `first` is a multiple of 16.
  void (*count_ones)(const std::uint64_t* bits, std::size_t n_words, const std::uint64_t* columns,
                     std::size_t first, std::size_t stride, double* counts);
  // The kept answers of some rows, each row's side by side in n_packed words.
  void (*pack_rows)(const Answers& answers, const std::uint32_t* numbers, std::size_t n,
                    std::uint64_t* packed);
  // Numbers of the rows whose bits are set, ascending, with their packed answers; returns how many.
  std::size_t (*list_rows)(const std::uint64_t* bits, std::size_t n_words, const Answers& answers,
                           std::uint32_t* numbers, std::uint64_t* packed);
  // sums[lane] = values of the rows whose packed answer is yes, added up.
  void (*add_where_yes)(const std::uint64_t* packed, std::size_t n_packed, const double* values,
                        std::size_t n_rows, std::size_t n_lanes, double* sums);
  // Numbers and counts of the blocks that are not empty, last first; returns how many.
  // counts[k * stride + j] is how many rows of the k-th answer yes to question j >= first; question
  // n_questions is answered with yes by every row, so there it is how many there are.
  std::size_t (*count_blocks)(const Block* blocks, std::size_t n_blocks, const std::uint64_t* bits,
                              const std::uint64_t* columns, std::size_t first, std::size_t stride,
                              std::uint32_t* numbers, double* counts);
  // sums[j] = counts[b * stride + j], summed over b < n; j >= first.
  void (*add_up)(const double* counts, std::size_t n, std::size_t first, std::size_t stride,
                 double* sums);
  // to[lane] = from[the lane's question], in each of n rows, `stride` apart in `from`.
  void (*pick_counts)(const double* from, std::size_t n, std::size_t stride,
                      const std::uint64_t* keep, std::size_t n_lanes, double* to);
};

LaneFunctions lane_functions(Kernel kernel);

// Functions that exist once for each instruction set are overloads for these, and called by way of
// for_kernel(kernel, [](auto variant) { return functions(variant); }).
template <Kernel K>
struct Variant {
  static constexpr Kernel kernel = K;
};
using Plain = Variant<Kernel::plain>;
using Avx2 = Variant<Kernel::avx2>;
using Avx512 = Variant<Kernel::avx512>;

template <class Make>
auto for_kernel([[maybe_unused]] Kernel kernel, Make make) {
#ifdef SURVTREE_X86_VARIANTS  // the build has them
  if (kernel == Kernel::avx512) return make(Avx512{});
  if (kernel == Kernel::avx2) return make(Avx2{});
#endif
  return make(Plain{});
}

}  // namespace survtree
