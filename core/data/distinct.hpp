// Numbers equal things alike: the linear-time stand-in for sorting a table to find its equal rows.
#pragma once

#include <numeric>
#include <span>

#include "data/hash_table.hpp"

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

// Takes a list item by item, and numbers new ones as they come; the table is at most half full.
class Numbering {
 public:
  Numbering(std::size_t width, std::size_t n_expected);
  void add(std::span<const std::uint64_t> item) {
    Slot& slot = slots_.find(hash_of(item), [&](Slot known) { return is_item(item, known); });
    if (!slot.is_used()) {
      slots_.fill(slot, {static_cast<std::uint32_t>(slots_.n_used()) + 1});
      out_.items.insert(out_.items.end(), item.begin(), item.end());
    }
    out_.rank.push_back(slot.number - 1);
    if (2 * slots_.n_used() > slots_.n_slots()) grow();
  }
  // Renumbers so that items ascend.
  Distinct finish();

 private:
  struct Slot {
    std::uint32_t number = 0;  // from 1 on
    bool is_used() const { return number != 0; }
  };

  static std::uint64_t hash_of(std::span<const std::uint64_t> item) {
    std::uint64_t hash = 0;
    for (std::uint64_t word : item) hash = scramble(hash ^ word);
    return hash;
  }
  bool is_item(std::span<const std::uint64_t> item, Slot known) const {
    const std::uint64_t* words = out_.items.data() + (known.number - 1) * out_.width;
    for (std::size_t k = 0; k < item.size(); ++k)
      if (item[k] != words[k]) return false;
    return true;
  }
  void grow();

  Distinct out_;
  HashTable<Slot> slots_;
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
