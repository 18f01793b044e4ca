// What is proven about (subset, depth left). One flat table of 40-byte entries, named by the
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
// Depth under which an answer is filed when its proof holds however deep trees may be. A solved one
// still needs `Answer::depth` levels to be attained: shallower, it is only a lower bound.
constexpr std::uint16_t kAnyDepth = 0xffff;

// An answer says itself whether it is solved; that is never inferred from comparing numbers, since
// budgets that were subtracted and added again are off by a rounding step.
struct Answer {
  double value = 0.0;             // solved: the optimum. Otherwise: a number no tree beats.
  std::int32_t question = kLeaf;  // solved: the first question of a tree that attains it, or kLeaf
  bool is_solved = false;
  bool is_depth_cut = false;  // deeper trees might do better than this answer says
  std::uint16_t depth = 0;    // the depth it was found for; set when it is filed
};

class Cache {
 public:
  explicit Cache(bool keep_rows) : keep_rows_(keep_rows) {}

  // Null when nothing is known. The pointer is good until the next store().
  const Answer* find(const Key& key, std::uint16_t depth,
                     std::span<const std::uint32_t> rows) const;
  // Solved answers replace bounds, and solved ones that need more depth; a bound replaces a lower
  // one.
  void store(const Key& key, std::uint16_t depth, const Answer& answer,
             std::span<const std::uint32_t> rows);

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return slots_.capacity() * sizeof(Slot); }
  // What bytes() would be after the next growth, should one more entry force it.
  std::size_t bytes_if_stored() const { return must_grow() ? 2 * bytes() : bytes(); }

 private:
  struct Slot {
    Key key;
    Answer answer;
    std::uint16_t depth = 0;
    bool is_used = false;
  };

  bool must_grow() const { return 10 * (size_ + 1) > 7 * slots_.size(); }
  std::size_t slot_of(const Key& key, std::uint16_t depth) const;
  void grow();
  void check_rows(const Key& key, std::span<const std::uint32_t> rows) const;

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
  bool keep_rows_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> rows_of_;
};

}  // namespace survtree
