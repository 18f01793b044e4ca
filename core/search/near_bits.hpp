// What the search for all good trees asks, answered by the search over bits.
#pragma once

#include <deque>
#include <optional>

#include "search/near_source.hpp"
#include "search/search.hpp"

namespace survtree {

class NearBits : public NearSource {
 public:
  // The search must outlive it; it need not have run.
  explicit NearBits(Search& search) : solver_(search.solver()) {}

  NearPart all_rows() const override;
  void splits_within(std::span<const Step> path, const NearPart& s, int depth, double budget,
                     std::vector<NearSplit>& out) override;
  bool must_split() const override { return solver_.must_split(); }
  int max_depth() const override { return solver_.options().max_depth; }
  int useful_depth(const NearPart& s) const override;
  bool comes_before(std::uint32_t a, std::uint32_t b) override { return a < b; }
  void start(const RunLimits& limits) override { solver_.start(limits); }
  Limits& limits() override { return solver_.limits(); }
  bool should_stop() override { return solver_.should_stop(solver_.worker()); }
  double penalty() const override { return solver_.options().regularization; }
  // Sums with large penalties are rounded more.
  double tolerance() const override {
    return solver_.tolerance() + 4e-15 * solver_.problem().rules.largest_penalty();
  }

 private:
  Subset& subset_at(std::span<const Step> path, const NearPart& s);
  std::optional<NearSplit> split_within(Subset& s, const SplitRow& split, std::size_t lane,
                                        int depth, double budget);

  SubsetSolver& solver_;
  // From all rows down to the subset that was asked about; they refer to each other.
  std::deque<Subset> chain_;
  std::deque<Subset::Buffers> buffers_;
  std::vector<double> optima_;  // of that subset, if somebody else solved it
};

}  // namespace survtree
