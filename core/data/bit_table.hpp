// The answers by columns: a subset of rows is a row of bits, the yes-rows of a question are
// another, and how many rows answer yes is a matter of counting ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/lanes.hpp"

namespace survtree {

// 128-bit name of a set of rows: two hashes of the bits of its groups.
struct Key {
  std::uint64_t high = 0, low = 0;
  bool operator==(const Key&) const = default;
};

struct BitTable {
  // Two layouts. By rows: bit i is collapsed row i. By blocks, where times are few: a bit for each
  // copy of each row, so that counting ones counts rows; `blocks` is empty in the other layout.
  std::vector<Block> blocks;
  std::vector<std::uint64_t> everyone;  // the bits that stand for a row
  std::vector<std::uint32_t> row_of;    // bit -> collapsed row
  // First rows of groups that cost anything (see Problem::group_loss), one bit each.
  std::vector<std::uint64_t> costly;
  // Word after word, all questions side by side, then one that everyone answers with yes; `stride`
  // of them, a multiple of 16.
  std::vector<std::uint64_t> columns;
  std::size_t stride = 0;
  std::vector<std::uint64_t> by_question;  // the same bits, question after question
  // By rows, if some stand for several rows of the table: bit k of their number of copies.
  std::vector<std::vector<std::uint64_t>> copies;

  bool is_by_blocks() const { return !blocks.empty(); }
  std::size_t n_words() const { return everyone.size(); }
};

// Rows with equal features go the same way in every tree, so a subset is known by its groups, which
// are often far fewer than its rows: one bit a group.
struct GroupBits {
  std::vector<std::uint64_t> everyone;
  std::vector<std::uint64_t> by_question;  // question after question

  std::size_t n_words() const { return everyone.size(); }
};

struct Problem;

// Whether counting by blocks beats going through rows, by estimated costs of both; weighted rows
// cannot be counted.
bool are_blocks_cheaper(const Problem& problem);
BitTable make_bit_table(const Problem& problem, bool by_blocks);

GroupBits make_group_bits(const Problem& problem);

Key key_of(std::span<const std::uint64_t> groups);
// Those of `groups` that answer a question with yes, or with no; and their key.
Key pick_groups(const GroupBits& table, std::span<const std::uint64_t> groups, std::size_t question,
                bool yes, std::span<std::uint64_t> out);
// The same for rows.
void pick_bits(const BitTable& table, std::span<const std::uint64_t> bits, std::size_t question,
               bool yes, std::span<std::uint64_t> out);

}  // namespace survtree
