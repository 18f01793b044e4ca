#include "bit_table.hpp"

#include <numeric>

#include "problem.hpp"

namespace survtree {
namespace {

// Rows [begin, end) of one block.
struct Run {
  std::size_t begin, end, n_words;
};

std::vector<Run> runs_of(const Problem& p) {
  std::vector<Run> runs;
  for (std::size_t begin = 0, end; begin < p.n_rows(); begin = end) {
    std::size_t n = 0;
    for (end = begin; end < p.n_rows() && p.block[end] == p.block[begin]; ++end)
      n += p.n_copies[end];
    runs.push_back({begin, end, (n + 63) / 64});
  }
  return runs;
}

}  // namespace

// Rough costs per subset: what counts is their ratio. A word costs 0.4 and a block 3 a question; a
// row costs 25 and another 1.2 a question. Subsets hold an eighth of the rows, say.
bool are_bits_cheaper(const Problem& p) {
  if (p.is_weighted) return false;
  double n_words = 0;
  for (const Run& run : runs_of(p)) n_words += static_cast<double>(run.n_words);
  const auto lanes = static_cast<double>(p.n_questions);
  const double by_bits = lanes * (0.4 * n_words + 3.0 * static_cast<double>(p.n_blocks));
  const double by_rows = static_cast<double>(p.n_rows()) / 8 * (25.0 + 1.2 * lanes);
  return by_bits < by_rows;
}

BitTable make_bit_table(const Problem& p) {
  BitTable t;
  t.is_used = true;
  const std::vector<Run> runs = runs_of(p);
  const std::size_t n_words =
      std::accumulate(runs.begin(), runs.end(), std::size_t{0},
                      [](std::size_t sum, const Run& run) { return sum + run.n_words; });
  t.everyone.assign(n_words, 0);
  t.stride = (p.n_questions + 1 + 15) / 16 * 16;
  t.columns.assign(n_words * t.stride, 0);
  std::size_t first_word = 0;
  for (const Run& run : runs) {
    const RowFacts& facts = p.rows[run.begin];
    t.blocks.push_back({first_word, run.n_words, facts.censor_area, facts.tail,
                        facts.event_mass / facts.weight, facts.is_event});
    std::size_t at = 64 * first_word;
    for (auto row = static_cast<std::uint32_t>(run.begin); row < run.end; ++row) {
      if (p.group_loss[row] > 0.0)
        t.groups.push_back({at / 64, std::uint64_t{1} << (at % 64), row, p.group_loss[row]});
      for (std::uint32_t copy = 0; copy < p.n_copies[row]; ++copy, ++at) {
        t.everyone[at / 64] |= std::uint64_t{1} << (at % 64);
        for (std::size_t q = 0; q < p.n_questions; ++q)
          t.columns[at / 64 * t.stride + q] |= std::uint64_t{p.answer(row, q)} << (at % 64);
        t.columns[at / 64 * t.stride + p.n_questions] |= std::uint64_t{1} << (at % 64);
      }
    }
    first_word += run.n_words;
  }
  return t;
}

}  // namespace survtree
