// What is proven about (subset, depth left). One flat table of 32-byte entries, named by the
// 128-bit key of the subset; no rows are kept, except in the checking mode that proves keys
// distinct.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "problem.hpp"

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
  const Answer* at_depth = nullptr;
  const Answer* at_any_depth = nullptr;
};

class Cache {
 public:
  explicit Cache(bool keep_rows) : keep_rows_(keep_rows) {}

  // The pointers are good until the next store().
  Known find(const Key& key, std::uint16_t depth, std::span<const std::uint32_t> rows) const;
  // Solved answers replace bounds, and solved ones that need more depth; a bound replaces a lower
  // one.
  void store(const Key& key, const Answer& answer, std::span<const std::uint32_t> rows);

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return slots_.capacity() * sizeof(Slot); }
  // What bytes() would be after the next growth, should one more entry force it.
  std::size_t bytes_if_stored() const { return must_grow() ? 2 * bytes() : bytes(); }

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

  bool must_grow() const { return 3 * (size_ + 1) > 2 * slots_.size(); }
  std::size_t slot_for(const Key& key, const Answer& answer) const;
  void grow();
  void check_rows(const Key& key, std::span<const std::uint32_t> rows) const;

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
  bool keep_rows_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> rows_of_;
};

}  // namespace survtree
