// Open addressing with linear probing, in a power of two of slots: the one hash table of the core.
// Whoever uses it says when it grows, and to what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace survtree {

// A Slot that was not written to says !is_used().
template <class Slot>
class HashTable {
 public:
  explicit HashTable(std::size_t n_slots = 0) : slots_(n_slots) {}

  std::size_t n_slots() const { return slots_.size(); }
  std::size_t n_used() const { return n_used_; }
  const std::vector<Slot>& slots() const { return slots_; }
  const Slot* first_place(std::uint64_t hash) const {
    return slots_.data() + (hash & (slots_.size() - 1));
  }

  // The slot that is_it, or the free one where that belongs. There must be slots, not all used.
  template <class IsIt>
  Slot& find(std::uint64_t hash, IsIt is_it) {
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].is_used() && !is_it(slots_[at])) at = (at + 1) & (slots_.size() - 1);
    return slots_[at];
  }
  template <class IsIt>
  const Slot& find(std::uint64_t hash, IsIt is_it) const {
    return const_cast<HashTable*>(this)->find(hash, is_it);
  }
  // Into a free slot that find() gave.
  void fill(Slot& free, const Slot& slot) {
    free = slot;
    ++n_used_;
  }

  // Moves the slots that are kept to a table of another size, or of the same.
  template <class HashOf, class IsKept = bool (*)(const Slot&)>
  void rebuild(std::size_t n_slots, HashOf hash_of, IsKept is_kept = all) {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(n_slots));
    n_used_ = 0;
    for (const Slot& slot : old)
      if (slot.is_used() && is_kept(slot))
        fill(find(hash_of(slot), [](const Slot&) { return false; }), slot);
  }

 private:
  static bool all(const Slot&) { return true; }

  std::vector<Slot> slots_;
  std::size_t n_used_ = 0;
};

}  // namespace survtree
