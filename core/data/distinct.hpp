// Numbers equal things alike: the linear-time stand-in for sorting a table to find its equal rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace survtree {

using Words = std::vector<std::uint64_t>;

// A bijective scramble of 64 bits (SplitMix64): equal seeds give equal keys on every machine.
inline std::uint64_t scramble(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

// The distinct items of a list, ascending (words compared from the first on), and the place of each
// item of the list among them. An item is `width` words; items of no words are all equal.
struct Distinct {
  std::size_t width = 0;
  Words items;
  std::vector<std::uint32_t> rank;

  std::size_t size() const { return width == 0 ? 1 : items.size() / width; }
  std::span<const std::uint64_t> item(std::size_t k) const {
    return {items.data() + k * width, width};
  }
};

// Takes a list item by item, and numbers new ones as they come: a hash table of item numbers, at
// most half full.
class Numbering {
 public:
  Numbering(std::size_t width, std::size_t n_expected);
  void add(std::span<const std::uint64_t> item) {
    std::uint32_t& slot = slots_[place_of(item)];
    if (slot == 0) {
      slot = ++n_;
      out_.items.insert(out_.items.end(), item.begin(), item.end());
    }
    out_.rank.push_back(slot - 1);
    if (2 * std::size_t{n_} > slots_.size()) grow();
  }
  // Renumbers so that items ascend.
  Distinct finish();

 private:
  // Where the item is, or the free slot where it belongs.
  std::size_t place_of(std::span<const std::uint64_t> item) const {
    std::uint64_t hash = 0;
    for (std::uint64_t word : item) hash = scramble(hash ^ word);
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at] != 0 && !is_item(item, slots_[at] - 1)) at = (at + 1) & (slots_.size() - 1);
    return at;
  }
  bool is_item(std::span<const std::uint64_t> item, std::size_t number) const {
    const std::uint64_t* known = out_.items.data() + number * out_.width;
    for (std::size_t k = 0; k < item.size(); ++k)
      if (item[k] != known[k]) return false;
    return true;
  }
  void grow();

  Distinct out_;
  std::vector<std::uint32_t> slots_;  // number + 1; 0 is free
  std::uint32_t n_ = 0;
};

// Numbers that are not negative, as the bits that stand for them.
Distinct distinct_times(std::span<const double> times);

// 0, 1, ..., n - 1.
inline std::vector<std::uint32_t> iota(std::size_t n) {
  std::vector<std::uint32_t> index(n);
  std::iota(index.begin(), index.end(), 0U);
  return index;
}

// The list by ascending key_of(entry) < n_keys, equal keys as they came.
template <class Entry, class KeyOf>
std::vector<Entry> counting_sort(const std::vector<Entry>& list, std::size_t n_keys, KeyOf key_of) {
  std::vector<std::uint32_t> next(n_keys + 1, 0);
  for (const Entry& entry : list) ++next[key_of(entry) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<Entry> sorted(list.size());
  for (const Entry& entry : list) sorted[next[key_of(entry)]++] = entry;
  return sorted;
}

// Bit j of word i becomes bit i of word j.
void transpose(std::span<std::uint64_t, 64> words);

}  // namespace survtree
