#include "cache.hpp"

#include <algorithm>

#include "contract.hpp"

namespace survtree {

// Linear probing by key alone: what is known of one subset at several depths stands side by side.
Known Cache::find(const Key& key, std::uint16_t depth, std::span<const std::uint32_t> rows) const {
  Known known;
  if (slots_.empty()) return known;
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = key.low & mask; slots_[at].is_used(); at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (!(slot.key == key)) continue;
    if (keep_rows_) check_rows(key, rows);
    if (!slot.answer.is_depth_cut) known.at_any_depth = &slot.answer;
    if (slot.answer.is_depth_cut && slot.answer.depth == depth) known.at_depth = &slot.answer;
  }
  return known;
}

std::size_t Cache::slot_for(const Key& key, const Answer& answer) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = key.low & mask;
  while (slots_[at].is_used() && !slots_[at].holds(key, answer)) at = (at + 1) & mask;
  return at;
}

void Cache::store(const Key& key, const Answer& answer, std::span<const std::uint32_t> rows) {
  if (must_grow()) grow();
  Slot& slot = slots_[slot_for(key, answer)];
  if (!slot.is_used()) {
    slot = {key, answer};
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
    if (slot.is_used()) slots_[slot_for(slot.key, slot.answer)] = slot;
}

void Cache::check_rows(const Key& key, std::span<const std::uint32_t> rows) const {
  const auto known = rows_of_.find(key.low);
  require(known != rows_of_.end() && std::ranges::equal(known->second, rows),
          "two subsets share a key");
}

}  // namespace survtree
