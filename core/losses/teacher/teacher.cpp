#include "losses/teacher/teacher.hpp"

#include <bit>

#include "data/contract.hpp"
#include "losses/teacher/vector_table.hpp"

namespace survtree {
namespace {

class TeacherLoss : public Loss {
 public:
  TeacherLoss(std::span<const double> components, std::span<const CollapsedRow> rows)
      : table_(components, rows) {}

  // The same steps as in the lanes, so that both come out alike.
  double of_leaf(std::span<const std::uint32_t> rows) const override {
    std::vector<double> sums;
    add_up(rows.data(), rows.size(), sums);
    const std::size_t k = facts().n_components();
    double squared = 0.0;
    for (std::size_t c = 0; c < k; ++c) squared += sums[c] * sums[c];
    const double loss = sums[k] - squared / sums[k + 1];
    return (loss > 0.0 ? loss : 0.0) / facts().total_weight;
  }

  // Claim: the mean of a leaf serves some of its rows no better than their own mean does. So the
  // floor is the loss of these rows as a leaf; about their own mean, since small groups are many,
  // and errors that are small beside the loss of all rows would add up.
  double floor(std::span<const std::uint32_t> rows) const override {
    std::vector<double> sums;
    add_up(rows.data(), rows.size(), sums);
    const std::size_t k = facts().n_components();
    double loss = 0.0;
    for (std::uint32_t i : rows) {
      const double* row = facts().row(i);
      const double weight = row[k + 1];
      for (std::size_t c = 0; c < k; ++c) {
        const double apart = row[c] / weight - sums[c] / sums[k + 1];
        loss += weight * apart * apart;
      }
    }
    // What rounding may have added is taken off again.
    return loss / facts().total_weight * (1.0 - 1e-13);
  }

  void of_splits(const ListedRows& rows, const SplitLosses& out) const override {
    add_up(rows.numbers, rows.n, out.scratch);
    for_kernel(out.kernel, [](auto variant) {
      return teacher_lanes(variant);
    }).split_losses(facts(), rows, out.scratch.data(), out.n_lanes, out.no, out.yes);
  }
  // The losses are the floors but for rounding, which is far below what the search calls a tie.
  void floors_of_splits(const ListedRows& rows, const SplitFloors& out) const override {
    of_splits(rows, {out.kernel, out.n_lanes, out.no, out.yes, out.scratch});
    for (std::size_t lane = 0; lane < out.n_lanes; ++lane) {
      out.no[lane] *= 1.0 - 1e-13;
      out.yes[lane] *= 1.0 - 1e-13;
    }
  }
  // By row: the components times the weight, their squares, the weight; then the total weight.
  LossFacts facts_for_device() const override {
    const double* first = facts().numbers;
    return {facts().stride(), {first, first + table_.size()}, {facts().total_weight}};
  }

 private:
  const VectorFacts& facts() const { return table_.facts(); }
  // Components, squares and weights.
  void add_up(const std::uint32_t* rows, std::size_t n, std::vector<double>& sums) const {
    const std::size_t stride = facts().stride();
    sums.assign(stride, 0.0);
    double* to = sums.data();
    for (std::size_t i = 0; i < n; ++i) {
      const double* row = facts().row(rows[i]);
      for (std::size_t c = 0; c < stride; ++c) to[c] += row[c];
    }
  }

  VectorTable table_;  // one row per collapsed row
};

}  // namespace

TeacherOutcome::TeacherOutcome(std::span<const double> targets, std::size_t n_components) {
  require(n_components > 0 && targets.size() % n_components == 0, "a vector for each row");
  Numbering numbering(n_components, targets.size() / n_components);
  Words bits(n_components);
  for (std::size_t at = 0; at < targets.size(); at += n_components) {
    for (std::size_t c = 0; c < n_components; ++c)
      bits[c] = std::bit_cast<std::uint64_t>(targets[at + c] + 0.0);  // -0 + 0 is 0
    numbering.add(bits);
  }
  vectors_ = numbering.finish();
}

std::unique_ptr<const Loss> TeacherOutcome::loss_of(const CollapsedRows& collapsed) const {
  const std::vector<CollapsedRow>& rows = collapsed.rows;
  std::vector<double> components;
  components.reserve(rows.size() * vectors_.width);
  for (const CollapsedRow& row : rows)
    for (std::uint64_t bits : vectors_.item(row.outcome))
      components.push_back(std::bit_cast<double>(bits));
  return std::make_unique<TeacherLoss>(components, rows);
}

}  // namespace survtree
