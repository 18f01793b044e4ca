#include "search/point_cache.hpp"

#include <algorithm>

namespace survtree {

std::optional<PointsFound> PointCache::find(const Key& key, int depth) const {
  const Shard& shard = shards_[key.high % kShards];
  const auto lock = locked(shard);
  const Slot& slot = shard.table.find(
      key.low, [&](const Slot& known) { return known.key == key && known.depth == depth; });
  if (!slot.is_used()) return std::nullopt;
  return PointsFound{{slot.points, slot.n_points}, slot.is_cut};
}

PointsFound PointCache::store(std::size_t thread, const Key& key, int depth,
                              const PointsFound& found) {
  const PointsFound kept{copied(pools_[thread], found.points), found.is_cut};
  Shard& shard = shards_[key.high % kShards];
  const auto lock = locked(shard);
  HashTable<Slot>& table = shard.table;
  if (3 * (table.n_used() + 1) > 2 * table.n_slots()) {
    bytes_ += table.n_slots() * sizeof(Slot);
    table.rebuild(2 * table.n_slots(), Slot::hash);
  }
  Slot& slot = table.find(
      key.low, [&](const Slot& known) { return known.key == key && known.depth == depth; });
  if (!slot.is_used())
    table.fill(slot, {key, kept.points.data(), static_cast<std::uint16_t>(kept.points.size()),
                      static_cast<std::uint16_t>(depth), kept.is_cut});
  return kept;
}

std::span<const Point> PointCache::copied(Pool& pool, std::span<const Point> points) {
  if (pool.empty() || pool.back().size() + points.size() > pool.back().capacity()) {
    pool.emplace_back().reserve(std::max(kChunk, points.size()));
    bytes_ += pool.back().capacity() * sizeof(Point);
  }
  std::vector<Point>& chunk = pool.back();
  const std::size_t first = chunk.size();
  chunk.insert(chunk.end(), points.begin(), points.end());
  return std::span<const Point>(chunk).subspan(first);
}

std::size_t PointCache::size() const {
  std::size_t n = 0;
  for (const Shard& shard : shards_) n += shard.table.n_used();
  return n;
}

}  // namespace survtree
