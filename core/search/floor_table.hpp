// What is proven about both sides of every cut of a subset, whatever rows are added to it: floors
// of the relaxed problem, in which a leaf pays the floor of its loss and may be of any size.
//
// Claim: let R(s, d) be the least sum, over the leaves of a tree of at most d splits in depth, of
// floor + penalty, and over its splits of the penalties of their columns. Then R(s, d) <= R(t, d)
// for s inside t. Proof: take the best relaxed tree of t and keep the rows of s only. Floors do not
// rise when rows leave (data/loss.hpp), and a leaf that is left empty is dropped with the split
// above it, which saves a penalty, or two. And R(t, d) is at most the objective of every tree on t,
// since no loss is below its floor. So what is found here of the sides of a cut holds for the same
// cut, and on the yes-side for every later cut and on the no-side for every earlier cut, in every
// subset that has these rows and perhaps others. Cuts of one column have the same penalty, which is
// added to the floors of both sides when they are compared with a budget.
//
// It would not hold if leaves paid their losses: that of a Kaplan-Meier leaf may fall when rows are
// added.
#pragma once

#include <algorithm>
#include <memory>

#include "data/cut_problem.hpp"

namespace survtree {

// Floors are kept in single precision, rounded down. Numbers below kTiny have fewer digits there.
constexpr double kTiny = 1e-37;
inline float rounded_down(double x) {
  return static_cast<float>(std::max(0.0, x * (1.0 - 1.2e-7) - kTiny));
}
// Above this sums of them are above the budget, however they were rounded.
inline float closing_sum(double budget) {
  return static_cast<float>(budget * (1.0 + 4e-7) + kTiny);
}

struct FloorTable {
  // By cut: of the rows that answer no, and of those that answer yes; penalties included.
  std::vector<float> no, yes;
  std::uint64_t n_rows = 0;  // of the table, in the subset
  // The tables of both sides of the cuts that were solved, by cut, if they were kept.
  struct Sides {
    std::uint32_t cut;
    std::shared_ptr<const FloorTable> no, yes;
  };
  std::vector<Sides> sides;

  // Of the yes-side of a cut: the table of the same side of that cut or of the nearest before it.
  const FloorTable* yes_table(std::uint32_t cut, std::uint32_t first_of_column) const {
    auto at = std::upper_bound(sides.begin(), sides.end(), cut,
                               [](std::uint32_t c, const Sides& s) { return c < s.cut; });
    while (at != sides.begin()) {
      --at;
      if (at->cut < first_of_column) return nullptr;
      if (at->yes != nullptr) return at->yes.get();
    }
    return nullptr;
  }
  // Of the no-side: of that cut or of the nearest after it.
  const FloorTable* no_table(std::uint32_t cut, std::uint32_t end_of_column) const {
    auto at = std::lower_bound(sides.begin(), sides.end(), cut,
                               [](const Sides& s, std::uint32_t c) { return s.cut < c; });
    for (; at != sides.end() && at->cut < end_of_column; ++at)
      if (at->no != nullptr) return at->no.get();
    return nullptr;
  }

  static std::size_t bytes(std::size_t n_cuts) { return 2 * n_cuts * sizeof(float); }
};

}  // namespace survtree
