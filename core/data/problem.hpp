// Everything the answer depends on except the options: the loss, collapsed rows in the order of
// their outcomes, and the questions (columns) worth asking, in the order that breaks ties. Never
// changes once made.
#pragma once

#include "data/loss.hpp"
#include "data/split_rules.hpp"

namespace survtree {

// 128-bit name of a set of rows: two hashes of the bits of its groups.
struct Key {
  std::uint64_t high = 0, low = 0;
  bool operator==(const Key&) const = default;
};

// The answers by columns: a subset of rows is a row of bits, the yes-rows of a question are
// another, and how many rows answer yes is a matter of counting ones.
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
  // The same for the number of events among them; by blocks one set of bits, a bit an event.
  std::vector<std::vector<std::uint64_t>> events;

  bool is_by_blocks() const { return !blocks.empty(); }
  std::size_t n_words() const { return everyone.size(); }
};

// Rows with equal features go the same way in every tree, so a subset is known by its groups, which
// are often far fewer than its rows: one bit a group.
struct GroupBits {
  std::vector<std::uint64_t> everyone, by_question;  // the latter question after question
};

struct Problem {
  std::unique_ptr<const Loss> loss;
  // Of each collapsed row: the rows of the table it stands for, how many of them are events, and
  // the rank of its outcome.
  std::vector<std::uint32_t> n_copies, n_events, outcome;
  bool has_copies = false;   // does any row stand for several?
  bool is_weighted = false;  // does any weight differ from the number of copies?

  // Rows with equal features form a group; no tree can part them. What a group costs at least
  // (Loss::floor) is booked on the group's first row, so that sums over a subset count it
  // once. With a guess group_loss is the larger of the guessed and the proven loss.
  std::vector<double> group_loss, proven_group_loss;
  std::vector<std::uint32_t> first_of_group;
  bool has_guess = false;

  // Answers, one bit per question, row after row.
  std::size_t n_questions = 0;
  std::size_t words_per_row = 0;
  std::vector<std::uint64_t> answers;
  // Question -> column of the table. Constant columns are left out; of columns that part the rows
  // alike (equal or complementary) the one with the smallest penalty, then the smallest rank,
  // stays; and of those that may be first, one as well.
  std::vector<std::uint32_t> column_of;
  SplitRules rules;  // by question

  BitTable bits;
  GroupBits groups;

  std::size_t n_rows() const { return n_copies.size(); }
};

enum class Layout : std::uint8_t { cheaper, rows, blocks };

// `layout` forces one or the other, for tests; blocks cannot hold weights, and not every loss can
// count them.
Problem make_problem(const Table& table, const Outcome& outcome, Layout layout = Layout::cheaper);

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
