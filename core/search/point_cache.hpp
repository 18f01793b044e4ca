// The best losses by number of leaves, of every (subset, depth) that was solved. Several threads
// may share it: keys are dealt out to shards, each with a lock of its own.
#pragma once

#include <deque>
#include <optional>

#include "search/cache.hpp"

namespace survtree {

// A tree by its number of leaves, and how to read it off: its first question, and how many of the
// leaves are on the side that answers no.
struct Point {
  double loss = 0.0;
  std::int32_t question = kLeaf;
  std::uint16_t n_leaves = 1, no_leaves = 0;
};

// What is known of a subset at a depth, by ascending number of leaves.
struct PointsFound {
  std::span<const Point> points;
  bool is_cut = false;  // deeper trees might do better
};

class PointCache {
 public:
  explicit PointCache(std::size_t n_threads) : is_shared_(n_threads > 1), pools_(n_threads) {}

  std::optional<PointsFound> find(const Key& key, int depth) const;
  // Copies the points to a place that never moves, in the pool of the thread that found them. Two
  // threads may solve the same subset; what came first stays.
  PointsFound store(std::size_t thread, const Key& key, int depth, const PointsFound& found);

  std::size_t bytes() const { return bytes_; }
  // While no thread uses it.
  std::size_t size() const;

 private:
  struct Slot {
    Key key;
    const Point* points = nullptr;
    std::uint16_t n_points = 0, depth = 0;
    bool is_cut = false;

    bool is_used() const { return points != nullptr; }
    static std::uint64_t hash(const Slot& slot) { return slot.key.low; }
  };
  struct alignas(128) Shard {
    HashTable<Slot> table = HashTable<Slot>(kFirstSlots);
    mutable SpinLock spin_lock;
  };
  using Pool = std::deque<std::vector<Point>>;  // chunks that never move

  std::unique_lock<SpinLock> locked(const Shard& shard) const {
    return is_shared_ ? std::unique_lock(shard.spin_lock) : std::unique_lock<SpinLock>();
  }
  std::span<const Point> copied(Pool& pool, std::span<const Point> points);

  static constexpr std::size_t kShards = 64, kFirstSlots = 16, kChunk = 4096;

  bool is_shared_;
  std::vector<Shard> shards_ = std::vector<Shard>(kShards);
  std::vector<Pool> pools_;  // by thread
  std::atomic<std::size_t> bytes_ = kShards * kFirstSlots * sizeof(Slot);
};

}  // namespace survtree
