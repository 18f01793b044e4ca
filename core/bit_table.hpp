// The problem by columns, for data with few distinct times: a subset is a row of bits, and how many
// of its rows share a time, an end and an answer is a matter of counting ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "event_table.hpp"

namespace survtree {

struct BitTable {
  // Rows with the same time and the same end (event or not). Each starts at a word of its own.
  struct Block {
    std::size_t first_word, n_words;
    double censor_area, tail, inverse_g;
    bool is_event;
  };
  // The first row of a group (see Problem::group_loss) that costs anything.
  struct Group {
    std::size_t word;
    std::uint64_t bit;
    std::uint32_t row;
    double loss;
  };

  bool is_used = false;
  std::vector<Block> blocks;
  std::vector<Group> groups;
  std::vector<std::uint64_t> everyone;  // the bits that stand for a row, one for each copy
  // Word after word, all questions side by side, then one that everyone answers with yes; `stride`
  // of them, a multiple of 16.
  std::vector<std::uint64_t> columns;
  std::size_t stride = 0;

  std::size_t n_words() const { return everyone.size(); }
};

struct Problem;

// Whether counting ones beats going through rows, by estimated costs of both; weighted rows cannot
// be counted.
bool are_bits_cheaper(const Problem& problem);
BitTable make_bit_table(const Problem& problem);

}  // namespace survtree
