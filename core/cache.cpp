#include "cache.hpp"

#include <algorithm>
#include <utility>

#include "contract.hpp"

namespace survtree {

// Held for a few dozen instructions, so waiting in a loop is cheaper than going to sleep.
class Cache::Lock {
 public:
  Lock(const Shard& shard, bool is_needed) : flag_(is_needed ? &shard.is_taken : nullptr) {
    while (flag_ != nullptr && flag_->test_and_set(std::memory_order_acquire)) {
    }
  }
  ~Lock() {
    if (flag_ != nullptr) flag_->clear(std::memory_order_release);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  std::atomic_flag* flag_;
};

// Linear probing by key alone: what is known of one subset at several depths stands side by side.
Known Cache::find(const Key& key, std::uint16_t depth,
                  std::span<const std::uint64_t> groups) const {
  Known known;
  const Shard& shard = shards_[shard_of(key)];
  const Lock lock(shard, options_.is_shared);
  if (shard.slots.empty()) return known;
  const std::size_t mask = shard.slots.size() - 1;
  for (std::size_t at = key.low & mask; shard.slots[at].is_used(); at = (at + 1) & mask) {
    const Slot& slot = shard.slots[at];
    if (!(slot.key == key)) continue;
    if (options_.keeps_groups) shard.check_groups(key, groups);
    if (!slot.answer.is_depth_cut) known.at_any_depth = slot.answer;
    if (slot.answer.is_depth_cut && slot.answer.depth == depth) known.at_depth = slot.answer;
  }
  return known;
}

void Cache::prefetch(const Key& key) const {
#ifdef __GNUC__
  const std::vector<Slot>& slots = shards_[shard_of(key)].slots;
  if (!options_.is_shared && !slots.empty())
    __builtin_prefetch(slots.data() + (key.low & (slots.size() - 1)));
#endif
}

std::size_t Cache::Shard::slot_for(const Key& key, const Answer& answer) const {
  const std::size_t mask = slots.size() - 1;
  std::size_t at = key.low & mask;
  while (slots[at].is_used() && !slots[at].holds(key, answer)) at = (at + 1) & mask;
  return at;
}

bool Cache::store(const Key& key, const Answer& answer, std::span<const std::uint64_t> groups) {
  Shard& shard = shards_[shard_of(key)];
  const Lock lock(shard, options_.is_shared);
  if (shard.must_grow() && !grow(shard)) return false;
  Slot& slot = shard.slots[shard.slot_for(key, answer)];
  if (!slot.is_used()) {
    slot = {key, answer};
    ++shard.size;
    if (options_.keeps_groups) shard.groups_of[key.low].assign(groups.begin(), groups.end());
    return true;
  }
  const Answer& old = slot.answer;
  const bool is_better = answer.is_solved ? !old.is_solved || answer.depth < old.depth
                                          : !old.is_solved && answer.value > old.value;
  if (is_better) slot.answer = answer;
  return true;
}

bool Cache::grow(Shard& shard) {
  const std::size_t n = std::max(kFirstSlots, 2 * shard.slots.size());
  const std::size_t more = (n - shard.slots.size()) * sizeof(Slot);
  if (bytes_ + more > options_.max_bytes) return false;
  bytes_ += more;
  std::vector<Slot> old = std::exchange(shard.slots, std::vector<Slot>(n));
  for (const Slot& slot : old)
    if (slot.is_used()) shard.slots[shard.slot_for(slot.key, slot.answer)] = slot;
  return true;
}

std::size_t Cache::size() const {
  std::size_t n = 0;
  for (const Shard& shard : shards_) n += shard.size;
  return n;
}

void Cache::Shard::check_groups(const Key& key, std::span<const std::uint64_t> groups) const {
  const auto known = groups_of.find(key.low);
  require(known != groups_of.end() && std::ranges::equal(known->second, groups),
          "two subsets share a key");
}

}  // namespace survtree
