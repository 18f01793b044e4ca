#include <algorithm>
#include <array>
#include <bit>

#include "data/distinct.hpp"
#include "data/problem.hpp"

namespace survtree {
namespace {

// Calls put(question, answers), one bit for each of up to 64 rows, for every question.
template <class Put>
void for_each_question(const Problem& p, std::span<const std::uint32_t> rows, Put put) {
  for (std::size_t j = 0; j < p.words_per_row; ++j) {
    std::array<std::uint64_t, 64> words{};
    for (std::size_t i = 0; i < rows.size(); ++i)
      words[i] = p.answers[rows[i] * p.words_per_row + j];
    transpose(words);
    for (std::size_t q = 64 * j; q < std::min(p.n_questions, 64 * (j + 1)); ++q)
      put(q, words[q % 64]);
  }
}

std::uint64_t ones(std::size_t n) {
  return n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

// Rows for a bit each, in words of their own.
void add_bits(std::span<const std::uint32_t> rows, BitTable& t) {
  t.row_of.insert(t.row_of.end(), rows.begin(), rows.end());
  for (std::size_t n = rows.size(); n > 0; n -= std::min<std::size_t>(64, n))
    t.everyone.push_back(ones(std::min<std::size_t>(64, n)));
  t.row_of.resize(64 * t.everyone.size(), UINT32_MAX);
}

void add_blocks(const Problem& p, BitTable& t) {
  std::vector<std::uint32_t> rows;  // of one block, with copies
  for (std::uint32_t row = 0; row < p.n_rows(); ++row) {
    rows.insert(rows.end(), p.n_copies[row], row);
    if (row + 1 < p.n_rows() && p.outcome[row] == p.outcome[row + 1]) continue;
    t.blocks.push_back({t.n_words(), (rows.size() + 63) / 64});
    add_bits(rows, t);
    rows.clear();
  }
}

// The word of every column that holds the same rows as this word of `everyone`.
void set_word(const Problem& p, std::size_t w, BitTable& t) {
  const auto n = static_cast<std::size_t>(std::popcount(t.everyone[w]));
  const auto rows = std::span(t.row_of).subspan(64 * w, n);
  std::uint64_t* columns = t.columns.data() + w * t.stride;
  for_each_question(p, rows, [&](std::size_t q, std::uint64_t word) { columns[q] = word; });
  columns[p.n_questions] = t.everyone[w];
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_first = 64 * w + i == 0 || t.row_of[64 * w + i - 1] != rows[i];
    t.costly[w] |= std::uint64_t{is_first && p.group_loss[rows[i]] > 0.0} << i;
  }
}

// A number of each collapsed row, by its bits: bit k of all of them, then bit k + 1.
std::vector<Words> bits_of(const std::vector<std::uint32_t>& numbers, std::size_t n_words) {
  std::uint32_t all = 0;
  for (std::uint32_t number : numbers) all |= number;
  std::vector<Words> bits(static_cast<std::size_t>(std::bit_width(all)), Words(n_words, 0));
  for (std::size_t row = 0; row < numbers.size(); ++row)
    for (std::size_t k = 0; k < bits.size(); ++k)
      bits[k][row / 64] |= std::uint64_t{numbers[row] >> k & 1U} << (row % 64);
  return bits;
}

// By blocks: of the copies of a row, which go the same way in every tree, the first are the events.
Words event_bits(const Problem& p, const BitTable& t) {
  Words bits(t.n_words(), 0);
  std::vector<std::uint32_t> left = p.n_events;
  for (std::size_t place = 0; place < t.row_of.size(); ++place) {
    if (t.row_of[place] == UINT32_MAX || left[t.row_of[place]] == 0) continue;
    --left[t.row_of[place]];
    bits[place / 64] |= std::uint64_t{1} << (place % 64);
  }
  return bits;
}

// One step of a hash: a multiplication by an odd number, the high half folded back.
std::uint64_t mix(std::uint64_t hash, std::uint64_t word, std::uint64_t factor) {
  hash = (hash ^ word) * factor;
  return hash ^ (hash >> 32U);
}

constexpr std::uint64_t kHigh = 0xff51afd7ed558ccdULL, kLow = 0xc4ceb9fe1a85ec53ULL;

// Words go to four hashes in turn, which do not wait for each other's multiplications.
struct Hash {
  std::array<std::uint64_t, 4> high{1, 2, 3, 4}, low{5, 6, 7, 8};

  void add(std::size_t lane, std::uint64_t word) {
    high[lane] = mix(high[lane], word, kHigh);
    low[lane] = mix(low[lane], word, kLow);
  }
  Key key() const {
    Key out;
    for (std::size_t k = 0; k < 4; ++k) {
      out.high = mix(out.high, high[k], kHigh);
      out.low = mix(out.low, low[k], kLow);
    }
    return out;
  }
};

// Hashes word_of(0), word_of(1), ...
template <class WordOf>
Key hash_words(std::size_t n, WordOf word_of) {
  Hash hash;
  std::size_t w = 0;
  for (; w + 4 <= n; w += 4)
    for (std::size_t k = 0; k < 4; ++k) hash.add(k, word_of(w + k));
  for (; w < n; ++w) hash.add(w % 4, word_of(w));
  return hash.key();
}

}  // namespace

// Rough costs per subset: what counts is their ratio. A word costs 0.4 and a block 3 a question; a
// row costs 25 and another 1.2 a question. Subsets hold an eighth of the rows, say.
bool are_blocks_cheaper(const Problem& p) {
  std::size_t n_words = 0, n_blocks = 0, n = 0;  // n: bits of a block
  for (std::uint32_t row = 0; row < p.n_rows(); ++row) {
    n += p.n_copies[row];
    if (row + 1 < p.n_rows() && p.outcome[row] == p.outcome[row + 1]) continue;
    n_words += (n + 63) / 64;
    ++n_blocks;
    n = 0;
  }
  const auto lanes = static_cast<double>(p.n_questions);
  const double by_blocks =
      lanes * (0.4 * static_cast<double>(n_words) + 3.0 * static_cast<double>(n_blocks));
  const double by_rows = static_cast<double>(p.n_rows()) / 8 * (25.0 + 1.2 * lanes);
  return by_blocks < by_rows;
}

BitTable make_bit_table(const Problem& p, bool by_blocks) {
  BitTable t;
  if (by_blocks)
    add_blocks(p, t);
  else
    add_bits(iota(p.n_rows()), t);
  t.costly.assign(t.n_words(), 0);
  t.stride = (p.n_questions + 1 + 15) / 16 * 16;
  t.columns.assign(t.n_words() * t.stride, 0);
  for (std::size_t w = 0; w < t.n_words(); ++w) set_word(p, w, t);
  if (!by_blocks && p.has_copies) t.copies = bits_of(p.n_copies, t.n_words());
  if (by_blocks)
    t.events = {event_bits(p, t)};
  else
    t.events = bits_of(p.n_events, t.n_words());
  t.by_question.resize(p.n_questions * t.n_words());
  for (std::size_t w = 0; w < t.n_words(); ++w)
    for (std::size_t q = 0; q < p.n_questions; ++q)
      t.by_question[q * t.n_words() + w] = t.columns[w * t.stride + q];
  return t;
}

GroupBits make_group_bits(const Problem& p) {
  GroupBits out;
  const std::size_t n_words = (p.first_of_group.size() + 63) / 64;
  out.everyone.assign(n_words, 0);
  out.by_question.assign(p.n_questions * n_words, 0);
  for (std::size_t w = 0; w < n_words; ++w) {
    const std::size_t n = std::min<std::size_t>(64, p.first_of_group.size() - 64 * w);
    const auto rows = std::span(p.first_of_group).subspan(64 * w, n);
    out.everyone[w] = ones(n);
    for_each_question(p, rows, [&](std::size_t q, std::uint64_t word) {
      out.by_question[q * n_words + w] = word;
    });
  }
  return out;
}

Key key_of(std::span<const std::uint64_t> groups) {
  return hash_words(groups.size(), [&](std::size_t w) { return groups[w]; });
}

Key pick_groups(const GroupBits& t, std::span<const std::uint64_t> groups, std::size_t question,
                bool yes, std::span<std::uint64_t> out) {
  const std::uint64_t flip = yes ? 0 : ~std::uint64_t{0};
  const std::uint64_t* column = t.by_question.data() + question * groups.size();
  return hash_words(groups.size(),
                    [&](std::size_t w) { return out[w] = groups[w] & (column[w] ^ flip); });
}

void pick_bits(const BitTable& t, std::span<const std::uint64_t> bits, std::size_t question,
               bool yes, std::span<std::uint64_t> out) {
  const std::uint64_t flip = yes ? 0 : ~std::uint64_t{0};
  const std::uint64_t* column = t.by_question.data() + question * t.n_words();
  for (std::size_t w = 0; w < bits.size(); ++w) out[w] = bits[w] & (column[w] ^ flip);
}

}  // namespace survtree
