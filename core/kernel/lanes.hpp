// The arithmetic of a split row: many questions at once, one question a lane, rows (or blocks of
// rows) one after the other. The same code exists for several instruction sets (lanes_*.cpp); all
// give the same bits, and the best one the machine has is picked at run time.
//
// Plain pointers on purpose: what these files compile for newer machines must not be shared with
// the rest of the program, as an instance of a library template would be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/twofold.hpp"

namespace survtree {

enum class Kernel : std::uint8_t { plain, avx2, avx512 };

// Kernels this machine can run, plain first, best last.
std::vector<Kernel> available_kernels();
const char* name_of(Kernel kernel);

// What a lane reads of a collapsed row; see EventTable.
struct RowFacts {
  double weight, event_mass;  // event_mass is weight / G
  Twofold censor_area, elapsed;
  std::uint64_t is_event;
};

// Rows of a subset, ascending. They pass from the last to the first.
struct ListedRows {
  const RowFacts* facts;  // of all rows
  Twofold end;            // elapsed at the last time of all rows
  const std::uint32_t* numbers;
  std::size_t n;
};

// Rows with the same time and the same end (event or not); their bits start at a word of their own.
struct Block {
  std::size_t first_word, n_words;
  double inverse_g;
  Twofold censor_area, elapsed;
  std::uint64_t is_event;
};

// The part of a block that is in a subset, on its way through the lanes.
struct PassingBlock {
  double weight;  // of all its rows, a whole number
  double area_step, time_step, inverse_g;
  std::uint64_t is_event;
};

// Answers of rows, to be cut down to the questions that have a lane.
struct Answers {
  const std::uint64_t* words;  // `n` a row
  std::size_t n;
  const std::uint64_t* keep;  // `n`: the questions that have a lane
  std::size_t n_packed;       // words that the kept answers fill
};

constexpr std::size_t kLanePadding = 32;
constexpr std::size_t padded(std::size_t n_lanes) {
  return (n_lanes + kLanePadding - 1) / kLanePadding * kLanePadding;
}

// Everything indexed by lane has room for padded(n_lanes).
struct LaneFunctions {
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
  // Losses by lane, of the rows that answer no and of those that answer yes.
  void (*row_losses)(const ListedRows& rows, const std::uint64_t* packed, std::size_t n_lanes,
                     double* no, double* yes);
  // The blocks that are not empty, last first; returns how many. counts[block * stride + j] is how
  // many of the block's rows answer yes to question j >= first; everyone answers yes to
  // n_questions.
  std::size_t (*count_blocks)(const Block* blocks, std::size_t n_blocks, const std::uint64_t* bits,
                              const std::uint64_t* columns, std::size_t first, std::size_t stride,
                              std::size_t n_questions, PassingBlock* passing, double* counts);
  // sums[j] = counts[b * stride + j], summed over b < n; j >= first.
  void (*add_up)(const double* counts, std::size_t n, std::size_t first, std::size_t stride,
                 double* sums);
  // to[lane] = from[the lane's question], in each of n rows, `stride` apart in `from`.
  void (*pick_counts)(const double* from, std::size_t n, std::size_t stride,
                      const std::uint64_t* keep, std::size_t n_lanes, double* to);
  // The same for blocks; yes_weight[block * padded(n_lanes) + lane] is how many answer yes.
  void (*block_losses)(const PassingBlock* blocks, std::size_t n_blocks, const double* yes_weight,
                       std::size_t n_lanes, double* no, double* yes);
};

LaneFunctions lane_functions(Kernel kernel);

}  // namespace survtree
