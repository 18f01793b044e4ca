#include <array>

#include "check.hpp"
#include "data/collapse.hpp"
#include "data/distinct.hpp"

using namespace survtree;

namespace {

void numbers_ascend() {
  Numbering numbering(2, 4);
  const std::array<std::array<std::uint64_t, 2>, 4> list{{{5, 1}, {2, 9}, {5, 1}, {5, 0}}};
  for (const auto& item : list) numbering.add(item);
  const Distinct d = numbering.finish();
  check::that(d.size() == 3, "equal items are one");
  check::that(d.rank == std::vector<std::uint32_t>{2, 0, 2, 1}, "places are by first word first");
  check::that(d.item(0)[1] == 9 && d.item(2)[1] == 1, "items ascend");
}

void many_items_outgrow_the_table() {
  Numbering numbering(1, 0);
  constexpr std::uint64_t n = 5000;
  for (std::uint64_t i = 0; i < 2 * n; ++i) {
    const std::uint64_t item = (i * 7) % n;
    numbering.add({&item, 1});
  }
  const Distinct d = numbering.finish();
  bool is_right = d.size() == n;
  for (std::uint64_t i = 0; i < 2 * n; ++i) is_right &= d.items[d.rank[i]] == (i * 7) % n;
  check::that(is_right, "each item of many finds itself");
}

void items_of_no_words_are_one() {
  Numbering numbering(0, 2);
  numbering.add({});
  numbering.add({});
  const Distinct d = numbering.finish();
  check::that(d.size() == 1 && d.rank == std::vector<std::uint32_t>{0, 0}, "no words, one item");
}

void transposed_twice_is_as_before() {
  std::array<std::uint64_t, 64> words{}, once{};
  for (std::size_t i = 0; i < 64; ++i) once[i] = words[i] = scramble(i);
  transpose(once);
  bool is_right = true;
  for (std::size_t i = 0; i < 64; ++i)
    for (std::size_t j = 0; j < 64; ++j) is_right &= (words[i] >> j & 1U) == (once[j] >> i & 1U);
  check::that(is_right, "bit j of word i is bit i of word j");
}

// 67 columns and 70 rows: neither fills its words.
void patterns_hold_the_answers() {
  constexpr std::size_t n = 70, p = 67;
  std::vector<std::uint8_t> x(n * p);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = scramble(k) & 1U;
  const std::vector<double> weight(n, 1.0);
  const std::vector<std::uint32_t> rank(p);
  const Patterns patterns = pack({n, p, x, weight, rank, {}});
  bool is_right = patterns.size() == n;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < p; ++j) {
      const std::uint32_t at = patterns.rows.rank[i];
      is_right &= (patterns.rows.item(at)[j / 64] >> (j % 64) & 1U) == x[i * p + j];
      is_right &= (patterns.column(at / 64, j) >> (at % 64) & 1U) == x[i * p + j];
    }
  check::that(is_right, "by rows and by columns");
}

}  // namespace

int main() {
  numbers_ascend();
  many_items_outgrow_the_table();
  items_of_no_words_are_one();
  transposed_twice_is_as_before();
  patterns_hold_the_answers();
  return check::report();
}
