#include "search/cache.hpp"

#include <algorithm>

#include "data/contract.hpp"

namespace survtree {

// Places are by key alone: what is known of one subset at several depths stands side by side.
CachedResults Cache::find(const Key& key, std::uint16_t depth,
                          std::span<const std::uint64_t> groups) const {
  CachedResults known;
  const Shard& shard = shards_[shard_of(key)];
  const auto lock = locked(shard);
  if (shard.table.n_slots() == 0) return known;
  shard.table.find(key.low, [&](const Slot& slot) {
    if (!(slot.key == key)) return false;
    if (options_.keeps_groups) {
      const auto held = shard.groups_of.find(key.low);
      require(held != shard.groups_of.end() && std::ranges::equal(held->second, groups),
              "two subsets share a key");
    }
    if (!slot.result.is_depth_cut) known.at_any_depth = slot.result;
    if (slot.result.is_depth_cut && slot.result.depth == depth) known.at_depth = slot.result;
    return false;  // there may be more
  });
  return known;
}

void Cache::prefetch(const Key& key) const {
#ifdef __GNUC__
  const HashTable<Slot>& table = shards_[shard_of(key)].table;
  if (!options_.is_shared && table.n_slots() != 0) __builtin_prefetch(table.first_place(key.low));
#endif
}

void Cache::store(const Key& key, const SubsetResult& result, std::span<const std::uint64_t> groups,
                  std::uint64_t lane_rows) {
  Shard& shard = shards_[shard_of(key)];
  const auto lock = locked(shard);
  const CacheEntry entry{key, result};
  // Results of two levels or more are costly whatever they took last: an earlier run that was
  // stopped, or another process, may have done most of it.
  if (put(shard, entry, groups) && is_listing_)
    shard.listed[lane_rows >= costly_from_ || result.depth >= 2 ? 1 : 0].push_back(entry);
}

bool Cache::put(Shard& shard, const CacheEntry& entry, std::span<const std::uint64_t> groups) {
  // Not a structured binding: Clang 14 lets no lambda capture one.
  const auto& key = entry.key;
  const SubsetResult& result = entry.result;
  const bool is_full = 3 * (shard.table.n_used() + 1) > 2 * shard.table.n_slots();
  if (is_full && !grow(shard.table)) shed(shard.table);
  Slot& slot = shard.table.find(key.low, [&](const Slot& s) { return s.holds(key, result); });
  if (!slot.is_used()) {
    shard.table.fill(slot, {entry});
    if (options_.keeps_groups) shard.groups_of[key.low].assign(groups.begin(), groups.end());
    return true;
  }
  const SubsetResult& old = slot.result;
  const bool is_better = result.is_solved ? !old.is_solved || result.depth < old.depth
                                          : !old.is_solved && result.value > old.value;
  if (is_better) slot.result = result;
  return is_better;
}

std::vector<CacheEntry> Cache::take_new(bool is_costly) {
  std::vector<CacheEntry> out;
  for (Shard& shard : shards_) {
    const auto lock = locked(shard);
    std::vector<CacheEntry>& listed = shard.listed[is_costly ? 1 : 0];
    for (const CacheEntry& entry : listed) {
      const Slot& slot = shard.table.find(
          entry.key.low, [&](const Slot& s) { return s.holds(entry.key, entry.result); });
      if (!slot.is_used() || slot.result == entry.result) out.push_back(entry);
    }
    listed.clear();
  }
  return out;
}

std::vector<CacheEntry> Cache::all() const {
  std::vector<CacheEntry> out;
  for (const Shard& shard : shards_)
    for (const Slot& slot : shard.table.slots())
      if (slot.is_used()) out.push_back(slot);
  return out;
}

void Cache::add(std::span<const CacheEntry> entries) {
  require(!options_.keeps_groups, "a search that compares groups takes no results of others");
  // A place in the table is rarely in a cache of the processor: it is fetched some results ahead.
  constexpr std::size_t kAhead = 12;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i + kAhead < entries.size()) prefetch(entries[i + kAhead].key);
    Shard& shard = shards_[shard_of(entries[i].key)];
    const auto lock = locked(shard);
    put(shard, entries[i], {});
  }
}

bool Cache::grow(HashTable<Slot>& table) {
  const std::size_t n = std::max(kFirstSlots, 2 * table.n_slots());
  const std::size_t more = (n - table.n_slots()) * sizeof(Slot);
  // The smallest table is always granted: a search needs somewhere to put what it found last.
  if (bytes_ + more > max_bytes_ && table.n_slots() != 0) return false;
  table.rebuild(n, Slot::hash);
  bytes_ += more;
  return true;
}

// The less depth a result is about, the less it costs to find it again: the shallow ones go, as
// long as they are not half of all; of the depth with which they would be, every other one goes.
void Cache::shed(HashTable<Slot>& table) {
  std::vector<std::size_t> n_of_depth;
  for (const Slot& slot : table.slots()) {
    if (!slot.is_used()) continue;
    n_of_depth.resize(std::max<std::size_t>(n_of_depth.size(), slot.result.depth + 1U));
    ++n_of_depth[slot.result.depth];
  }
  const std::size_t n_before = table.n_used();
  std::size_t first_kept = 0, n_gone = 0;
  while (2 * (n_gone + n_of_depth[first_kept]) < n_before) n_gone += n_of_depth[first_kept++];
  std::size_t n_met = 0;  // of the depth of which half goes
  table.rebuild(table.n_slots(), Slot::hash, [&](const Slot& slot) {
    return slot.result.depth > first_kept || (slot.result.depth == first_kept && ++n_met % 2 != 0);
  });
  n_shed_ += n_before - table.n_used();
}

std::size_t Cache::size() const {
  std::size_t n = 0;
  for (const Shard& shard : shards_) n += shard.table.n_used();
  return n;
}

}  // namespace survtree
