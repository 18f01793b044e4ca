// The border between a loss and everything else. A loss is a folder in losses/; the search knows it
// by the classes below and leans on no more than this:
//   1. The loss of a leaf is not negative, and the loss of a tree is the sum over its leaves.
//   2. floor() holds: for disjoint sets of rows inside one leaf, the loss of the leaf is at least
//   the
//      sum of their floors, and so is the floor of the leaf. So floors are not negative, at most
//      the loss, and never larger for some rows than for more rows.
// It does not lean on "a split never hurts" or on "a subset never loses more than its superset".
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "kernel/lanes.hpp"

namespace survtree {

// What crosses the border of the core, whatever the loss; the outcome of the rows comes beside it.
// `features` is row-major, one byte (0 or 1) per row and column.
struct Table {
  std::size_t n_rows = 0;
  std::size_t n_columns = 0;
  std::span<const std::uint8_t> features;
  std::span<const double> weight;
  std::span<const std::uint32_t> column_rank;  // breaks ties between columns that do equally well
  std::span<const double> guessed_loss;        // of each row by a reference model, or empty
  std::span<const std::uint8_t> event;         // 1 where a row is one of an event. Empty: none is
  // Rules of the user (split_rules.hpp), by column; empty: none.
  std::span<const double> column_penalty;
  std::span<const std::uint8_t> may_be_first;
  // How many rows of the user's each row stands for, where equal ones were counted before they
  // came; its weight is that of all of them. Empty: one each.
  std::span<const std::uint32_t> copies;

  bool answer(std::size_t row, std::size_t column) const {
    return features[row * n_columns + column] != 0;
  }
};

// One or more equal rows of the table.
struct CollapsedRow {
  std::uint32_t pattern;  // number of its answers (collapse.hpp)
  std::uint32_t outcome;  // rank of its outcome (Outcome::ranks)
  std::uint32_t n_copies;
  double weight;
  std::uint32_t n_events = 0;  // of the copies
};

// All of them, and which of them each row of the table is part of.
struct CollapsedRows {
  std::vector<CollapsedRow> rows;
  std::vector<std::uint32_t> number_of;
};

// Where the losses of both children of each lane go; no and yes have room for padded(n_lanes).
struct SplitLosses {
  Kernel kernel;
  std::size_t n_lanes;
  double *no, *yes;
  std::vector<double>& scratch;  // for whatever the loss needs on the way; kept between calls
};

// Likewise for their floors. The weights of both sides are given.
struct SplitFloors {
  Kernel kernel;
  std::size_t n_lanes;
  const double *no_weight, *yes_weight;  // with room for padded(n_lanes)
  double *no, *yes;
  std::vector<double>& scratch;
  std::vector<float>& single_scratch;
};

// What a loss knows of each collapsed row, as numbers: for a device that computes losses by itself.
struct LossFacts {
  std::size_t n_per_row = 0;   // 0: no device computes this loss
  std::vector<double> rows;    // n_per_row numbers for each
  std::vector<double> common;  // of all rows
};

// Some rows and all questions, for losses that judge trees of two levels at once.
struct PairRequest {
  Kernel kernel;
  const std::uint64_t* bits;  // the rows; bit i of the words is collapsed row i
  std::size_t n_words;
  const std::uint64_t* by_question;  // who answers yes, question after question, n_words each
  const std::uint64_t* answers;      // the same row after row, words_per_row each
  std::size_t words_per_row, n_questions;
  float fewest_rows, fewest_events;  // each leaf has more rows and events than this
  double penalty;                    // per leaf
  std::vector<std::int64_t>& whole_scratch;
  std::vector<float>& single_scratch;
};

// The least objective of the trees that begin with a question and have at most one more on either
// side; without a question if there is none.
struct BestPair {
  double value;
  std::int32_t question;
};

// Knows what it needs of each collapsed row, by number. Never changes once made: threads share it.
class Loss {
 public:
  virtual ~Loss() = default;

  // Of rows, ascending, as one leaf.
  virtual double of_leaf(std::span<const std::uint32_t> rows) const = 0;
  // What rows, ascending, that one leaf holds lose at least, whoever is there with them. 0 always
  // holds, and prunes nothing.
  virtual double floor(std::span<const std::uint32_t> rows) const = 0;
  // The losses of the rows that answer no, and of those that answer yes, for every lane.
  virtual void of_splits(const ListedRows& rows, const SplitLosses& out) const = 0;
  // The floors of both, for every lane.
  virtual void floors_of_splits(const ListedRows& rows, const SplitFloors& out) const = 0;

  // Some losses see no more of a block (rows with the same outcome, block k being the k-th outcome
  // there is) than how many of its rows are in a leaf. For these, counting may replace listing.
  virtual bool counts_blocks() const { return false; }
  virtual void of_block_splits(const CountedBlocks&, const SplitLosses&) const {}

  // Where all that matters of rows adds up, sums for pairs of questions give all trees of two
  // levels. The value is that of two such levels of splits, but for rounding, which is far below
  // what the search calls a tie.
  virtual bool judges_pairs() const { return false; }
  // Whole numbers that add up: those of some rows are those of more rows less those of the others.
  virtual void add_up_pairs(const PairRequest&, std::vector<std::int64_t>&) const {}
  virtual BestPair best_pair(const PairRequest&, std::span<const std::int64_t>) const {
    return {0.0, -1};
  }

  virtual LossFacts facts_for_device() const { return {}; }
};

// What the loss sees of each row of a table; makes the loss once equal rows have become one.
class Outcome {
 public:
  virtual ~Outcome() = default;

  // Row by row: equal ranks are the same outcome, and rows pass in the order of ranks < n_ranks().
  // Where all that matters of rows adds up, they may be the same whatever happened.
  virtual std::span<const std::uint32_t> ranks() const = 0;
  virtual std::size_t n_ranks() const = 0;
  virtual std::unique_ptr<const Loss> loss_of(const CollapsedRows& collapsed) const = 0;
};

// The loss once more, straight from its definition and from the table as it came, to check finished
// trees: shares neither rows, nor order, nor formulas with the above.
class Definition {
 public:
  virtual ~Definition() = default;

  // All rows of the table, in the order in which of_leaf() wants them.
  virtual const std::vector<std::uint32_t>& order() const = 0;
  virtual double of_leaf(std::span<const std::uint32_t> rows) const = 0;
};

}  // namespace survtree
