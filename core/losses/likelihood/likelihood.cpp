#include "losses/likelihood/likelihood.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "losses/likelihood/pairs.hpp"

namespace survtree {
namespace {

// Of what is subtracted rounding may have left out some; taken off the larger number again.
constexpr double kRounding = 1e-14;

class LikelihoodLoss : public Loss {
 public:
  LikelihoodLoss(std::vector<HazardSums> rows, const HazardUnits& units,
                 const CollapsedRows& collapsed, double largest_log)
      : rows_(std::move(rows)), facts_{rows_.data(), units} {
    // Whether D is the number of events, in each row: weights of other rows matter for E alone.
    bool is_weighted = false;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const CollapsedRow& row = collapsed.rows[i];
      const auto counts =
          static_cast<std::int64_t>(row.n_copies + (std::uint64_t{row.n_events} << 32U));
      pair_rows_.push_back({rows_[i].expected, rows_[i].events, counts});
      n_rows_ += row.n_copies;
      is_weighted |= static_cast<double>(rows_[i].events) * units.expected !=
                     static_cast<double>(row.n_events);
    }
    pair_facts_ = {pair_rows_.data(), rows_.data(), units, largest_log, is_weighted};
  }

  double of_leaf(std::span<const std::uint32_t> rows) const override {
    return likelihood_lanes(Plain{}).leaf_loss(facts_.units, sums_of(rows.data(), rows.size()));
  }
  // Claim: the hazard ratio of a leaf serves some of its rows no better than their own does.
  double floor(std::span<const std::uint32_t> rows) const override {
    const HazardSums sums = sums_of(rows.data(), rows.size());
    const double loss = likelihood_lanes(Plain{}).leaf_loss(facts_.units, sums);
    const double deviance = static_cast<double>(sums.deviance) * facts_.units.deviance;
    const double floor = loss - kRounding * deviance / facts_.units.total_weight;
    return floor > 0.0 ? floor : 0.0;
  }
  void of_splits(const ListedRows& rows, const SplitLosses& out) const override {
    for_kernel(out.kernel, [](auto variant) {
      return likelihood_lanes(variant);
    }).split_losses(facts_, rows, sums_of(rows.numbers, rows.n), out.n_lanes, out.no, out.yes);
  }
  // The losses are the floors but for rounding, which is far below what the search calls a tie.
  void floors_of_splits(const ListedRows& rows, const SplitFloors& out) const override {
    of_splits(rows, {out.kernel, out.n_lanes, out.no, out.yes, out.scratch});
    for (std::size_t lane = 0; lane < out.n_lanes; ++lane) {
      out.no[lane] *= 1.0 - 1e-13;
      out.yes[lane] *= 1.0 - 1e-13;
    }
  }

  // Where E needs two numbers a row, pairs are not worth it; and counts of rows and sums of weights
  // must be exact in single precision.
  bool judges_pairs() const override {
    const bool are_exact = n_rows_ < (1U << 24U) && facts_.units.total_weight < 0x1p24;
    return facts_.units.expected_low == 0.0 && are_exact;
  }
  void add_up_pairs(const PairRequest& request, std::vector<std::int64_t>& sums) const override {
    sums.resize(pair_sums_size(request.n_questions, pair_facts_.is_weighted));
    lanes_of(request.kernel).add_up_pairs(pair_facts_, request, sums.data());
  }
  BestPair best_pair(const PairRequest& request,
                     std::span<const std::int64_t> sums) const override {
    const std::size_t n = padded(request.n_questions);
    request.whole_scratch.resize(kWholeScratch * n);
    request.single_scratch.resize(kSingleScratch * n);
    return lanes_of(request.kernel)
        .best_pair(pair_facts_, request, sums.data(), request.whole_scratch.data(),
                   request.single_scratch.data());
  }

  // By row: the sums, whole numbers, as their bits; then the units and the total weight.
  LossFacts facts_for_device() const override {
    const HazardUnits& units = facts_.units;
    LossFacts facts{
        4, {}, {units.expected, units.expected_low, units.deviance, units.total_weight}};
    for (const HazardSums& row : rows_)
      for (const std::int64_t sum : {row.events, row.expected, row.deviance, row.expected_low})
        facts.rows.push_back(std::bit_cast<double>(sum));
    return facts;
  }

 private:
  static PairLanes lanes_of(Kernel kernel) {
    return for_kernel(kernel, [](auto variant) { return pair_lanes(variant); });
  }
  HazardSums sums_of(const std::uint32_t* rows, std::size_t n) const {
    HazardSums sums;
    for (std::size_t i = 0; i < n; ++i) sums += rows_[rows[i]];
    return sums;
  }

  std::vector<HazardSums> rows_;  // of each collapsed row
  std::uint64_t n_rows_ = 0;      // of the table
  HazardFacts facts_;
  std::vector<PairRow> pair_rows_;
  PairFacts pair_facts_{};
};

// The largest logarithm of D/E that rows can have: that of the row of an event that has the
// largest.
double largest_log(const std::vector<HazardSums>& rows) {
  double largest = 1.0;
  for (const HazardSums& row : rows)
    if (row.events > 0)
      largest = std::max(largest, static_cast<double>(row.events) /
                                      static_cast<double>(std::max<std::int64_t>(1, row.expected)));
  return std::log(largest);
}

}  // namespace

std::unique_ptr<const Loss> LikelihoodOutcome::loss_of(const CollapsedRows& collapsed) const {
  std::vector<HazardSums> sums(collapsed.rows.size());
  for (std::size_t i = 0; i < ranks_.size(); ++i) sums[collapsed.number_of[i]] += table_.rows()[i];
  return std::make_unique<LikelihoodLoss>(std::move(sums), table_.units(), collapsed,
                                          largest_log(table_.rows()));
}

}  // namespace survtree
