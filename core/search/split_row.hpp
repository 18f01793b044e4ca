// All one-question splits of a subset at once: the losses of both children of every question.
#pragma once

#include <algorithm>

#include "data/problem.hpp"

namespace survtree {

// What a leaf must have at least. All rows together are a leaf of their own even if they have less.
struct SmallestLeaf {
  std::uint64_t rows = 1;    // of the table, at least 1
  std::uint64_t events = 0;  // among them; 0: nobody counts them

  bool fits(std::uint64_t n_rows, std::uint64_t n_events) const {
    return n_rows >= rows && n_events >= events;
  }
  // Claim: no tree splits so few rows or events. Proof: each of two leaves has its own.
  bool is_leaf_at_most(std::uint64_t n_rows, std::uint64_t n_events) const {
    return n_rows < 2 * rows || n_events < 2 * events;
  }
  // Claim: no tree has more leaves than this. Proof: as above.
  std::uint64_t most_leaves(std::uint64_t n_rows, std::uint64_t n_events) const {
    const std::uint64_t by_rows = n_rows / rows;
    return events == 0 ? by_rows : std::min(by_rows, n_events / events);
  }
};

// One entry a lane: the rows that answer its question with no, or those that answer it with yes.
struct SplitSide {
  std::vector<std::uint64_t> rows;    // of the table
  std::vector<std::uint64_t> events;  // among them, if the smallest leaf asks for any
  std::vector<double> loss;           // as one leaf
  std::vector<double> groups;         // their floors by equivalent points, if wanted,
  std::vector<double> proven;         // and, if some are guessed, without the guess

  std::uint64_t n_events(std::size_t lane) const { return events.empty() ? 0 : events[lane]; }
};

// The questions that leave enough rows and events on both sides have a lane, ascending.
struct SplitRow {
  std::size_t n_lanes = 0;
  std::size_t n_steps = 0;  // rows, or blocks of rows, that went through each lane
  std::vector<std::uint32_t> question;
  SplitSide no, yes;
  std::vector<double> ones;        // by question: rows that answer yes,
  std::vector<double> event_ones;  // and events among them, if they are counted

  const SplitSide& side(bool says_yes) const { return says_yes ? yes : no; }
  // Of a question that has one.
  std::size_t lane_of(std::uint32_t wanted) const;
  // Lanes by the loss of their split and the penalty of its question, least first.
  void order_by_loss(const SplitRules& rules, std::vector<std::uint32_t>& order) const;

  // Scratch.
  std::vector<std::uint64_t> keep, bits, packed;
  std::vector<std::uint32_t> numbers;
  std::vector<double> plane_ones, counts, lane_counts, values, loss_scratch;
};

struct SplitRequest {
  std::span<const std::uint64_t> bits;  // the subset
  std::uint64_t n_rows = 0;             // of the table, in the subset
  std::uint64_t n_events = 0;           // among them
  SmallestLeaf smallest;                // what each child must have
  bool wants_groups = true;
  // For those who want every set of rows, not every split: from this question on, and one child
  // that is large enough is enough, as long as the other has any rows.
  std::uint32_t first_question = 0;
  bool one_child_is_enough = false;
};

void split_row(const Problem& problem, const LaneFunctions& lanes, const SplitRequest& request,
               SplitRow& out);

}  // namespace survtree
