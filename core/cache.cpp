#include "cache.hpp"

#include <algorithm>

#include "contract.hpp"

namespace survtree {

// Linear probing from a slot picked by the key; depths of one subset start apart.
std::size_t Cache::slot_of(const Key& key, std::uint16_t depth) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = (key.low + depth * 0x9e3779b97f4a7c15ULL) & mask;
  while (slots_[at].is_used && !(slots_[at].key == key && slots_[at].depth == depth))
    at = (at + 1) & mask;
  return at;
}

const Answer* Cache::find(const Key& key, std::uint16_t depth,
                          std::span<const std::uint32_t> rows) const {
  if (slots_.empty()) return nullptr;
  const Slot& slot = slots_[slot_of(key, depth)];
  if (!slot.is_used) return nullptr;
  if (keep_rows_) check_rows(key, rows);
  return &slot.answer;
}

void Cache::store(const Key& key, std::uint16_t depth, const Answer& answer,
                  std::span<const std::uint32_t> rows) {
  if (must_grow()) grow();
  Slot& slot = slots_[slot_of(key, depth)];
  if (!slot.is_used) {
    slot = {key, answer, depth, true};
    ++size_;
    if (keep_rows_) rows_of_[key.low].assign(rows.begin(), rows.end());
    return;
  }
  const Answer& old = slot.answer;
  const bool is_better = answer.is_solved ? !old.is_solved || answer.depth < old.depth
                                          : !old.is_solved && answer.value > old.value;
  if (is_better) slot.answer = answer;
}

void Cache::grow() {
  std::vector<Slot> old = std::move(slots_);
  slots_.assign(std::max<std::size_t>(1024, 2 * old.size()), Slot{});
  for (const Slot& slot : old)
    if (slot.is_used) slots_[slot_of(slot.key, slot.depth)] = slot;
}

void Cache::check_rows(const Key& key, std::span<const std::uint32_t> rows) const {
  const auto known = rows_of_.find(key.low);
  require(known != rows_of_.end() && std::ranges::equal(known->second, rows),
          "two subsets share a key");
}

}  // namespace survtree
