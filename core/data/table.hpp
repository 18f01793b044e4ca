// What crosses the border of the core, whatever the loss; the outcome of the rows comes beside it
// (loss.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace survtree {

// `features` is row-major, one byte (0 or 1) per row and column.
struct Table {
  std::size_t n_rows = 0;
  std::size_t n_columns = 0;
  std::span<const std::uint8_t> features;
  std::span<const double> weight;
  std::span<const std::uint32_t> column_rank;  // breaks ties between columns that do equally well
  std::span<const double> guessed_loss;        // of each row by a reference model, or empty
};

// One or more equal rows of the table.
struct CollapsedRow {
  std::uint32_t pattern;  // number of its answers (collapse.hpp)
  std::uint32_t outcome;  // rank of its outcome (loss.hpp)
  std::uint32_t n_copies;
  double weight;
};

}  // namespace survtree
