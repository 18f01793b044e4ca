// What is proven about (subset, depth left): flat tables of 32-byte entries, named by the 128-bit
// key of the subset; no rows are kept, except in the checking mode that proves keys distinct.
// Several threads may share one: keys are dealt out to shards, each with a lock of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "data/bit_table.hpp"

namespace survtree {

constexpr std::int32_t kLeaf = -1;

// An answer says itself whether it is solved; that is never inferred from comparing numbers, since
// budgets that were subtracted and added again are off by a rounding step.
struct Answer {
  double value = 0.0;             // solved: the optimum. Otherwise: a number no tree beats.
  std::int32_t question = kLeaf;  // solved: the first question of a tree that attains it, or kLeaf
  bool is_solved = false;
  bool is_depth_cut = false;  // deeper trees might do better than this answer says
  std::uint16_t depth = 0;    // the depth it was found for; set when it is filed
};

// What the cache knows of a subset at some depth: an answer that was cut by that very depth, and
// one that holds however deep trees may be. If the latter is solved it still needs its own depth to
// be attained: shallower, it is only a lower bound.
struct Known {
  std::optional<Answer> at_depth, at_any_depth;
};

struct CacheOptions {
  bool keeps_groups = false;  // of every subset, to compare them
  bool is_shared = false;     // between threads
};

class Cache {
 public:
  explicit Cache(const CacheOptions& options) : options_(options) {}

  Known find(const Key& key, std::uint16_t depth, std::span<const std::uint64_t> groups) const;
  // Solved answers replace bounds, and solved ones that need more depth; a bound replaces a lower
  // one. Where there is no room left, answers that are cheap to find again make way.
  void store(const Key& key, const Answer& answer, std::span<const std::uint64_t> groups);
  // While no thread uses the cache. What is held already stays.
  void set_max_bytes(std::size_t max_bytes) { max_bytes_ = max_bytes; }
  // Says that find() will ask for this key soon. Threads that share a cache must not look at
  // another's table without its lock, so there it does nothing.
  void prefetch(const Key& key) const;

  std::size_t size() const;
  std::size_t bytes() const { return bytes_; }
  // Answers that had to make way so far.
  std::uint64_t n_shed() const { return n_shed_; }

 private:
  static constexpr std::int32_t kEmpty = -2;
  struct Slot {
    Key key;
    Answer answer{0.0, kEmpty, false, false, 0};

    bool is_used() const { return answer.question != kEmpty; }
    bool holds(const Key& k, const Answer& a) const {
      return key == k && answer.is_depth_cut == a.is_depth_cut &&
             (!a.is_depth_cut || answer.depth == a.depth);
    }
  };
  static_assert(sizeof(Slot) == 32);

  struct alignas(128) Shard {
    std::vector<Slot> slots;
    std::size_t size = 0;
    std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> groups_of;
    mutable std::atomic_flag is_taken;

    bool must_grow() const { return 3 * (size + 1) > 2 * slots.size(); }
    std::size_t slot_for(const Key& key, const Answer& answer) const;
    void check_groups(const Key& key, std::span<const std::uint64_t> groups) const;
  };
  class Lock;

  static constexpr std::size_t kShards = 64, kFirstSlots = 16;
  static std::size_t shard_of(const Key& key) { return key.high % kShards; }
  bool grow(Shard& shard);
  void shed(Shard& shard);

  CacheOptions options_;
  std::size_t max_bytes_ = SIZE_MAX;
  std::vector<Shard> shards_ = std::vector<Shard>(kShards);
  std::atomic<std::size_t> bytes_ = 0;
  std::atomic<std::uint64_t> n_shed_ = 0;
};

}  // namespace survtree
