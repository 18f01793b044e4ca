// The vectors of the rows in the form that sums of them take: centred, weighted, and rounded so
// that all sums are exact.
//
// A leaf with weight w pays (squares - |sum|^2 / w) / total, with sum = sum of w_i x_i and squares
// = sum of w_i |x_i|^2. What is subtracted may cancel, but both are about the mean of all rows: the
// error is some 1e-16 of the loss of one leaf, which is below what the search calls a tie.
//
// The numbers that are added up are first rounded to multiples of a power of 2 so large that no sum
// of them needs more than 53 bits. So sums are exact in whatever order, and the sum of the rows
// that answer no is that of all rows minus that of the others: a set of rows has the same loss, to
// the last bit, however the search gets there and whichever instruction set adds up. The rounding
// moves a vector by at most n 1e-16 of the mean size of all; squares are taken of what is left.
#pragma once

#include <cmath>
#include <span>

#include "data/loss.hpp"

namespace survtree {

// What the lanes read. A row has n_blocks * block_size components of w x, then its squares, then
// its weight. Components come in blocks that fit into registers; zeros fill the last one.
struct VectorFacts {
  const double* numbers;
  std::size_t n_blocks, block_size;
  double total_weight;

  std::size_t n_components() const { return n_blocks * block_size; }
  std::size_t stride() const { return n_components() + 2; }
  const double* row(std::size_t i) const { return numbers + i * stride(); }
};

struct TeacherLanes {
  // Losses by lane, of the rows that answer no and of those that answer yes. `sums` has those of
  // the components and squares of all rows listed.
  void (*split_losses)(const VectorFacts& facts, const ListedRows& rows, const double* sums,
                       std::size_t n_lanes, double* no, double* yes);
};

TeacherLanes teacher_lanes(Plain);
TeacherLanes teacher_lanes(Avx2);
TeacherLanes teacher_lanes(Avx512);

constexpr std::size_t kMostTogether = 6;  // components of a block

// Rounds numbers so that all their sums are exact: adding and taking off 3 * 2^e, where the sum of
// their sizes is below 2^e, leaves multiples of 2^(e - 51).
inline void round_for_sums(std::span<double> numbers, std::size_t first, std::size_t stride) {
  double sizes = 0.0;
  for (std::size_t at = first; at < numbers.size(); at += stride) sizes += std::abs(numbers[at]);
  int exponent = 0;
  std::frexp(sizes, &exponent);
  const double large = sizes > 0.0 ? std::ldexp(3.0, exponent) : 0.0;
  for (std::size_t at = first; at < numbers.size(); at += stride)
    numbers[at] = (numbers[at] + large) - large;
}

class VectorTable {
 public:
  // `components` of each row, row-major.
  VectorTable(std::span<const double> components, std::span<const CollapsedRow> rows) {
    const std::size_t k = components.size() / rows.size();
    facts_.n_blocks = (k + kMostTogether - 1) / kMostTogether;
    facts_.block_size = (k + facts_.n_blocks - 1) / facts_.n_blocks;
    facts_.total_weight = 0.0;
    for (const CollapsedRow& row : rows) facts_.total_weight += row.weight;
    numbers_.assign(rows.size() * facts_.stride(), 0.0);
    facts_.numbers = numbers_.data();
    for (std::size_t c = 0; c < k; ++c) set_component(c, components, k, rows);
    set_squares(rows);
  }
  VectorTable(const VectorTable&) = delete;  // the facts refer to the numbers
  VectorTable& operator=(const VectorTable&) = delete;

  const VectorFacts& facts() const { return facts_; }
  std::size_t size() const { return numbers_.size(); }

 private:
  void set_component(std::size_t c, std::span<const double> components, std::size_t k,
                     std::span<const CollapsedRow> rows) {
    // From the first number on: the mean of equal numbers is what they are.
    double sum = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      sum += rows[i].weight * (components[i * k + c] - components[c]);
    const double mean = components[c] + sum / facts_.total_weight;
    for (std::size_t i = 0; i < rows.size(); ++i)
      numbers_[i * facts_.stride() + c] = rows[i].weight * (components[i * k + c] - mean);
    round_for_sums(numbers_, c, facts_.stride());
  }

  void set_squares(std::span<const CollapsedRow> rows) {
    const std::size_t k = facts_.n_components();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double* row = numbers_.data() + i * facts_.stride();
      for (std::size_t c = 0; c < k; ++c) row[k] += row[c] * row[c] / rows[i].weight;
      row[k + 1] = rows[i].weight;
    }
    round_for_sums(numbers_, k, facts_.stride());
  }

  VectorFacts facts_{};
  std::vector<double> numbers_;
};

}  // namespace survtree
