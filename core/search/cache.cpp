#include "search/cache.hpp"

#include <algorithm>
#include <utility>

#include "data/contract.hpp"

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

void Cache::store(const Key& key, const Answer& answer, std::span<const std::uint64_t> groups) {
  Shard& shard = shards_[shard_of(key)];
  const Lock lock(shard, options_.is_shared);
  if (shard.must_grow() && !grow(shard)) shed(shard);
  Slot& slot = shard.slots[shard.slot_for(key, answer)];
  if (!slot.is_used()) {
    slot = {key, answer};
    ++shard.size;
    if (options_.keeps_groups) shard.groups_of[key.low].assign(groups.begin(), groups.end());
    return;
  }
  const Answer& old = slot.answer;
  const bool is_better = answer.is_solved ? !old.is_solved || answer.depth < old.depth
                                          : !old.is_solved && answer.value > old.value;
  if (is_better) slot.answer = answer;
}

bool Cache::grow(Shard& shard) {
  const std::size_t n = std::max(kFirstSlots, 2 * shard.slots.size());
  const std::size_t more = (n - shard.slots.size()) * sizeof(Slot);
  // The smallest table is always granted: a search needs somewhere to put what it found last.
  if (bytes_ + more > max_bytes_ && !shard.slots.empty()) return false;
  std::vector<Slot> old = std::exchange(shard.slots, std::vector<Slot>(n));
  bytes_ += more;
  for (const Slot& slot : old)
    if (slot.is_used()) shard.slots[shard.slot_for(slot.key, slot.answer)] = slot;
  return true;
}

// The less depth an answer is about, the less it costs to find it again: the shallow ones go, as
// long as they are not half of all; of the depth with which they would be, every other one goes.
void Cache::shed(Shard& shard) {
  std::vector<std::size_t> n_of_depth;
  for (const Slot& slot : shard.slots) {
    if (!slot.is_used()) continue;
    n_of_depth.resize(std::max<std::size_t>(n_of_depth.size(), slot.answer.depth + 1U));
    ++n_of_depth[slot.answer.depth];
  }
  std::size_t first_kept = 0, n_gone = 0;
  while (2 * (n_gone + n_of_depth[first_kept]) < shard.size) n_gone += n_of_depth[first_kept++];
  std::vector<Slot> old = std::exchange(shard.slots, std::vector<Slot>(shard.slots.size()));
  const std::size_t n_before = std::exchange(shard.size, 0);
  std::size_t n_met = 0;  // of the depth of which half goes
  for (const Slot& slot : old) {
    if (!slot.is_used() || slot.answer.depth < first_kept) continue;
    if (slot.answer.depth == first_kept && ++n_met % 2 == 0) continue;
    shard.slots[shard.slot_for(slot.key, slot.answer)] = slot;
    ++shard.size;
  }
  n_shed_ += n_before - shard.size;
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
