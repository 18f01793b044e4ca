// What is proven about (subset, depth left): flat tables of 32-byte entries, named by the 128-bit
// key of the subset; no rows are kept, except in the checking mode that proves keys distinct.
// Several threads may share one: keys are dealt out to shards, each with a lock of its own.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "data/hash_table.hpp"
#include "data/problem.hpp"
#include "search/spin_lock.hpp"

namespace survtree {

constexpr std::int32_t kLeaf = -1;

// A result says itself whether it is solved; that is never inferred from comparing numbers, since
// budgets that were subtracted and added again are off by a rounding step.
struct SubsetResult {
  double value = 0.0;             // solved: the optimum. Otherwise: a lower bound of every tree.
  std::int32_t question = kLeaf;  // solved: the first question of a tree that attains it, or kLeaf
  bool is_solved = false;
  bool is_depth_cut = false;  // deeper trees might do better than this result says
  std::uint16_t depth = 0;    // the depth it was found for; set when it is stored

  bool operator==(const SubsetResult&) const = default;
};

// A result and the subset it is about, as searches of the same problem hand it to each other.
struct CacheEntry {
  static constexpr std::int32_t kEmpty = -2;
  Key key;
  SubsetResult result{0.0, kEmpty, false, false, 0};
};

// What the cache knows of a subset at some depth: a result that was cut by that very depth, and one
// that holds however deep trees may be. If the latter is solved it still needs its own depth to be
// attained: shallower, it is only a lower bound.
struct CachedResults {
  std::optional<SubsetResult> at_depth, at_any_depth;
};

struct CacheOptions {
  bool keeps_groups = false;  // of every subset, to compare them
  bool is_shared = false;     // between threads
};

class Cache {
 public:
  explicit Cache(const CacheOptions& options) : options_(options) {}

  CachedResults find(const Key& key, std::uint16_t depth,
                     std::span<const std::uint64_t> groups) const;
  // `lane_rows` is what it took to find. Solved results replace lower bounds, and solved ones that
  // need more depth; a lower bound replaces a smaller one. Where there is no room left, results
  // that are cheap to find again make way.
  void store(const Key& key, const SubsetResult& result, std::span<const std::uint64_t> groups,
             std::uint64_t lane_rows = 0);
  // From now on what is stored is listed as well, for other searches of the same problem. What took
  // so many lane-rows, or has two levels, is costly: also of use to those who hardly need it.
  void list_new(std::uint64_t costly_from) {
    is_listing_ = true;
    costly_from_ = costly_from;
  }
  // What was listed since the last call and still stands: the costly results, or the others.
  std::vector<CacheEntry> take_new(bool is_costly);
  // Everything that is held.
  std::vector<CacheEntry> all() const;
  // What other searches of the same problem have found; it is not listed.
  void add(std::span<const CacheEntry> entries);
  // While no thread uses the cache. What is held already stays.
  void set_max_bytes(std::size_t max_bytes) { max_bytes_ = max_bytes; }
  // Says that find() will ask for this key soon. Threads that share a cache must not look at
  // another's table without its lock, so there it does nothing.
  void prefetch(const Key& key) const;

  std::size_t size() const;
  std::size_t bytes() const { return bytes_; }
  // Results that had to make way so far.
  std::uint64_t n_shed() const { return n_shed_; }

  static constexpr std::size_t kEntryBytes = 32;

 private:
  struct Slot : CacheEntry {
    bool is_used() const { return result.question != kEmpty; }
    bool holds(const Key& k, const SubsetResult& r) const {
      return key == k && result.is_depth_cut == r.is_depth_cut &&
             (!r.is_depth_cut || result.depth == r.depth);
    }
    static std::uint64_t hash(const Slot& slot) { return slot.key.low; }
  };
  static_assert(sizeof(Slot) == kEntryBytes);

  struct alignas(128) Shard {
    HashTable<Slot> table;
    std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> groups_of;
    std::array<std::vector<CacheEntry>, 2> listed;  // cheap ones, costly ones
    mutable SpinLock spin_lock;
  };
  std::unique_lock<SpinLock> locked(const Shard& shard) const {
    return options_.is_shared ? std::unique_lock(shard.spin_lock) : std::unique_lock<SpinLock>();
  }

  static constexpr std::size_t kShards = 64, kFirstSlots = 16;
  static std::size_t shard_of(const Key& key) { return key.high % kShards; }
  // Whether it says more than what is held already.
  bool put(Shard& shard, const CacheEntry& entry, std::span<const std::uint64_t> groups);
  bool grow(HashTable<Slot>& table);
  void shed(HashTable<Slot>& table);

  CacheOptions options_;
  bool is_listing_ = false;
  std::uint64_t costly_from_ = 0;
  std::size_t max_bytes_ = SIZE_MAX;
  std::vector<Shard> shards_ = std::vector<Shard>(kShards);
  std::atomic<std::size_t> bytes_ = 0;
  std::atomic<std::uint64_t> n_shed_ = 0;
};

}  // namespace survtree
