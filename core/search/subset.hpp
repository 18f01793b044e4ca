// Which rows are here. Knows how a part follows from the whole, not why it is looked at.
#pragma once

#include "search/bounds.hpp"
#include "search/cache.hpp"
#include "search/split_row.hpp"

namespace survtree {

constexpr int kMaxDepth = 1000;  // recursion is one frame a level; no useful tree comes near

// Most subsets are closed by what the split of their parent told about them, or by the cache, so
// groups and key, and then bits, are made only when needed.
struct Subset {
  SubsetFacts facts{};
  std::uint64_t n_rows = 0;    // of the table
  std::uint64_t n_events = 0;  // among them, if splits count them

  Key key;
  std::span<const std::uint64_t> groups;  // empty until made
  std::span<const std::uint64_t> bits;    // likewise; by rows or blocks

  bool is_looked_up = false;           // in the cache, just now,
  std::optional<SubsetResult> cached;  // with this result

  const Subset* parent = nullptr;
  std::uint32_t question = 0;
  bool says_yes = false;
  struct Buffers {
    std::vector<std::uint64_t> bits, groups;
  };
  Buffers* buffers = nullptr;  // where they go when they are made
};

// The rows that answer a question with no, and those that answer it with yes.
struct Parts {
  Subset no, yes;
};
struct PartBuffers {
  Subset::Buffers no, yes;
};

Subset all_rows(const Problem& problem);
// By the question of a lane of the split row of `s`, which must have the groups' losses.
Parts parts_of(const Subset& s, const SplitRow& split, std::size_t lane, PartBuffers& buffers);
SubsetFacts facts_of(const SplitSide& side, std::size_t lane);

// If they are not there yet; those of the parent must be.
void make_groups(const Problem& problem, Subset& s);
void make_bits(const Problem& problem, Subset& s);

}  // namespace survtree
