// What the search for all good trees asks, answered by the search over cuts.
#pragma once

#include "search/cut_search.hpp"
#include "search/near_source.hpp"

namespace survtree {

class NearCuts : public NearSource {
 public:
  // Only after a run of the search, which must outlive it.
  explicit NearCuts(CutSearch& search) : search_(search), solver_(search.solver()) {}

  NearPart all_rows() const override {
    const CutSubset& s = solver_.root();
    return {s.key, search_.lower_bound(), s.loss, s.group_loss, s.n_rows, s.n_events};
  }
  void splits_within(std::span<const Step> path, const NearPart& s, int depth, double budget,
                     std::vector<NearSplit>& out) override {
    solver_.splits_within(path, s, depth, budget, out);
  }
  int useful_depth(const NearPart& s) const override { return solver_.useful_depth(s); }
  bool comes_before(std::uint32_t a, std::uint32_t b) override {
    return solver_.comes_before(a, b);
  }
  void start(const RunLimits& limits) override { solver_.start(limits); }
  Limits& limits() override { return solver_.limits(); }
  bool should_stop() override { return solver_.should_stop(); }
  double penalty() const override { return solver_.options().regularization; }
  double tolerance() const override { return solver_.tolerance(); }

 private:
  CutSearch& search_;
  CutSolver& solver_;
};

}  // namespace survtree
