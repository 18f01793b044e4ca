// What is proven about (subset, depth left) where splits are cuts. Results that are cheap to find
// again make way when there is no room left.
#pragma once

#include "data/hash_table.hpp"
#include "search/cache.hpp"

namespace survtree {

// Like SubsetResult, with a floor of the relaxed problem (floor_table.hpp).
struct CutResult {
  double value = 0.0;  // solved: the optimum. Otherwise: a lower bound of every tree.
  double floor = 0.0;
  std::int32_t cut =
      kLeaf;  // solved: the first cut of the tree that the tie rule chooses, or kLeaf
  bool is_solved = false;
};

// A result and what it is about, as searches of the same problem hand it to each other.
struct CutEntry {
  Key key;
  CutResult result;
  int depth = -1;
};

class CutCache {
 public:
  const CutResult* find(const Key& key, int depth) const {
    if (table_.n_slots() == 0) return nullptr;
    const Slot& slot =
        table_.find(hash_of(key, depth), [&](const Slot& s) { return s.is(key, depth); });
    return slot.is_used() ? &slot.result : nullptr;
  }

  void store(const Key& key, int depth, const CutResult& result) {
    put(key, depth, result);
    if (is_listing_) listed_.push_back({key, result, depth});
  }

  // As in Cache.
  void list_new(std::uint64_t) { is_listing_ = true; }
  // Of a search over cuts all results count as costly.
  std::vector<CutEntry> take_new(bool is_costly) {
    return is_costly ? std::exchange(listed_, {}) : std::vector<CutEntry>{};
  }
  std::vector<CutEntry> all() const {
    std::vector<CutEntry> out;
    for (const Slot& slot : table_.slots())
      if (slot.is_used()) out.push_back(slot);
    return out;
  }
  void add(std::span<const CutEntry> entries) {
    for (const CutEntry& entry : entries) put(entry.key, entry.depth, entry.result);
  }

  // What is held already stays.
  void set_max_bytes(std::size_t max_bytes) { max_bytes_ = max_bytes; }
  std::size_t size() const { return table_.n_used(); }
  std::size_t bytes() const { return table_.n_slots() * sizeof(Slot); }
  std::uint64_t n_shed() const { return n_shed_; }

 private:
  struct Slot : CutEntry {
    bool is_used() const { return depth >= 0; }
    bool is(const Key& k, int d) const { return key == k && depth == d; }
  };
  void put(const Key& key, int depth, const CutResult& result) {
    if (3 * (table_.n_used() + 1) > 2 * table_.n_slots()) make_room();
    Slot& slot = table_.find(hash_of(key, depth), [&](const Slot& s) { return s.is(key, depth); });
    if (!slot.is_used()) return table_.fill(slot, {{key, result, depth}});
    const CutResult& old = slot.result;
    const double floor = std::max(old.floor, result.floor);
    if (!old.is_solved && (result.is_solved || result.value > old.value)) slot.result = result;
    slot.result.floor = floor;
  }

  static std::uint64_t hash_of(const Key& key, int depth) {
    return key.low + static_cast<std::uint64_t>(depth);
  }
  static std::uint64_t hash(const Slot& slot) { return hash_of(slot.key, slot.depth); }

  // Twice as many slots, or half of the results about one split less: the others cost more to find.
  void make_room() {
    constexpr std::size_t kFirstSlots = 1024;
    const std::size_t n = std::max(kFirstSlots, 2 * table_.n_slots());
    if (n * sizeof(Slot) <= max_bytes_ || table_.n_slots() == 0) return table_.rebuild(n, hash);
    const std::size_t before = table_.n_used();
    std::size_t n_met = 0;
    table_.rebuild(table_.n_slots(), hash,
                   [&](const Slot& slot) { return slot.depth > 1 || ++n_met % 2 == 0; });
    if (4 * table_.n_used() > 3 * before)
      table_.rebuild(table_.n_slots(), hash, [&](const Slot&) { return ++n_met % 2 == 0; });
    n_shed_ += before - table_.n_used();
  }

  HashTable<Slot> table_;
  bool is_listing_ = false;
  std::vector<CutEntry> listed_;
  std::size_t max_bytes_ = SIZE_MAX;
  std::uint64_t n_shed_ = 0;
};

}  // namespace survtree
