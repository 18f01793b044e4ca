// A loss that has nothing to do with survival: the weighted squared distance of one number per row
// from the mean of its leaf, divided by the total weight. Written by the border of a loss alone.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/distinct.hpp"
#include "data/loss.hpp"

namespace toy {

// Values with their weights, in two passes: first the mean.
inline double squares(const std::vector<double>& values, const std::vector<double>& weights) {
  double weight = 0.0, sum = 0.0, out = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    weight += weights[i];
    sum += weights[i] * values[i];
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    out += weights[i] * (values[i] - sum / weight) * (values[i] - sum / weight);
  return out;
}

class Loss : public survtree::Loss {
 public:
  Loss(std::vector<double> value, std::vector<double> weight, std::vector<double> block_value)
      : value_(std::move(value)), weight_(std::move(weight)), block_value_(std::move(block_value)) {
    for (double w : weight_) total_ += w;
  }

  double of_leaf(std::span<const std::uint32_t> rows) const override {
    std::vector<double> values, weights;
    for (std::uint32_t row : rows) {
      values.push_back(value_[row]);
      weights.push_back(weight_[row]);
    }
    return squares(values, weights) / total_;
  }
  // The mean of a leaf serves a group in it no better than the group's own mean.
  double floor(std::span<const std::uint32_t> rows) const override {
    return of_leaf(rows) * (1.0 - 1e-13);
  }
  void of_splits(const survtree::ListedRows& rows,
                 const survtree::SplitLosses& out) const override {
    for (std::size_t lane = 0; lane < out.n_lanes; ++lane) {
      std::vector<std::uint32_t> parts[2];
      for (std::size_t i = 0; i < rows.n; ++i) {
        const std::uint64_t word = rows.packed[i * rows.n_packed + lane / 64];
        parts[word >> (lane % 64) & 1U].push_back(rows.numbers[i]);
      }
      out.no[lane] = of_leaf(parts[0]);
      out.yes[lane] = of_leaf(parts[1]);
    }
  }

  void floors_of_splits(const survtree::ListedRows& rows,
                        const survtree::SplitFloors& out) const override {
    of_splits(rows, {out.kernel, out.n_lanes, out.no, out.yes, out.scratch});
    for (std::size_t lane = 0; lane < out.n_lanes; ++lane) {
      out.no[lane] *= 1.0 - 1e-13;
      out.yes[lane] *= 1.0 - 1e-13;
    }
  }

  bool counts_blocks() const override { return true; }
  void of_block_splits(const survtree::CountedBlocks& blocks,
                       const survtree::SplitLosses& out) const override {
    std::vector<double> values(blocks.n), no(blocks.n), yes(blocks.n);
    for (std::size_t lane = 0; lane < out.n_lanes; ++lane) {
      for (std::size_t k = 0; k < blocks.n; ++k) {
        values[k] = block_value_[blocks.numbers[k]];
        yes[k] = blocks.yes_rows[k * survtree::padded(out.n_lanes) + lane];
        no[k] = blocks.n_rows[k] - yes[k];
      }
      out.no[lane] = squares(values, no) / total_;
      out.yes[lane] = squares(values, yes) / total_;
    }
  }

 private:
  std::vector<double> value_, weight_, block_value_;
  double total_ = 0.0;
};

// Numbers >= 0, one a row.
class Outcome : public survtree::Outcome {
 public:
  explicit Outcome(std::span<const double> values) : values_(survtree::distinct_times(values)) {}

  std::span<const std::uint32_t> ranks() const override { return values_.rank; }
  std::size_t n_ranks() const override { return values_.size(); }
  std::unique_ptr<const survtree::Loss> loss_of(
      const survtree::CollapsedRows& collapsed) const override {
    std::vector<double> value, weight, block_value;
    for (const survtree::CollapsedRow& row : collapsed.rows) {
      const auto here = std::bit_cast<double>(values_.items[row.outcome]);
      if (value.empty() || here != value.back()) block_value.push_back(here);
      value.push_back(here);
      weight.push_back(row.weight);
    }
    return std::make_unique<Loss>(value, weight, block_value);
  }

 private:
  survtree::Distinct values_;
};

// From the rows as they came.
class Definition : public survtree::Definition {
 public:
  Definition(std::vector<double> values, std::vector<double> weights)
      : values_(std::move(values)),
        weights_(std::move(weights)),
        order_(survtree::iota(values_.size())) {
    for (double w : weights_) total_ += w;
  }

  const std::vector<std::uint32_t>& order() const override { return order_; }
  // Half the weighted squared distances of all pairs, which needs no mean.
  double of_leaf(std::span<const std::uint32_t> rows) const override {
    double sum = 0.0, weight = 0.0;
    for (std::uint32_t a : rows) {
      weight += weights_[a];
      for (std::uint32_t b : rows) {
        const double apart = values_[a] - values_[b];
        sum += weights_[a] * weights_[b] * apart * apart / 2.0;
      }
    }
    return rows.empty() ? 0.0 : sum / weight / total_;
  }

 private:
  std::vector<double> values_, weights_;
  std::vector<std::uint32_t> order_;
  double total_ = 0.0;
};

}  // namespace toy
