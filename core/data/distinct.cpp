#include "data/distinct.hpp"

#include <algorithm>
#include <bit>

#include "data/contract.hpp"

namespace survtree {

Numbering::Numbering(std::size_t width, std::size_t n_expected) : slots_(1024) {
  out_.width = width;
  out_.rank.reserve(n_expected);
}

void Numbering::grow() {
  slots_.rebuild(4 * slots_.n_slots(), [&](Slot s) { return hash_of(out_.item(s.number - 1)); });
}

Distinct Numbering::finish() {
  const auto n = static_cast<std::uint32_t>(slots_.n_used());
  // The first word goes along: most items differ in it, and looking them up misses the cache.
  struct Entry {
    std::uint64_t first;
    std::uint32_t number;
  };
  std::vector<Entry> order(n);
  std::vector<std::uint32_t> place(n);
  for (std::uint32_t k = 0; k < n; ++k) order[k] = {out_.width == 0 ? 0 : out_.item(k)[0], k};
  std::sort(order.begin(), order.end(), [&](const Entry& a, const Entry& b) {
    if (a.first != b.first || out_.width < 2) return a.first < b.first;
    const auto x = out_.item(a.number), y = out_.item(b.number);
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  });
  Words items;
  items.reserve(out_.items.size());
  for (std::uint32_t k = 0; k < n; ++k) {
    const auto item = out_.item(order[k].number);
    items.insert(items.end(), item.begin(), item.end());
    place[order[k].number] = k;
  }
  out_.items = std::move(items);
  for (std::uint32_t& rank : out_.rank) rank = place[rank];
  return std::move(out_);
}

Distinct distinct_times(std::span<const double> times) {
  Numbering numbering(1, times.size());
  for (double time : times) {
    // Bits of numbers that are not negative ascend as the numbers do. -0 + 0 is 0.
    require(time >= 0.0, "times are not negative");
    const auto bits = std::bit_cast<std::uint64_t>(time + 0.0);
    numbering.add({&bits, 1});
  }
  return numbering.finish();
}

void transpose(std::span<std::uint64_t, 64> words) {
  // Swaps the off-diagonal quarters, then those of each quarter, and so on.
  std::uint64_t mask = 0x00000000ffffffffULL;
  for (std::size_t half = 32; half != 0; half /= 2, mask ^= mask << half)
    for (std::size_t i = 0; i < 64; i = (i + half + 1) & ~half) {
      const std::uint64_t swap = (words[i] >> half ^ words[i + half]) & mask;
      words[i] ^= swap << half;
      words[i + half] ^= swap;
    }
}

}  // namespace survtree
