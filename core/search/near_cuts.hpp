// What the search for all good trees asks, answered by the search over cuts.
#pragma once

#include "search/cut_search.hpp"
#include "search/near_source.hpp"

namespace survtree {

class NearCuts : public NearSource {
 public:
  // The search must outlive it; it need not have run.
  explicit NearCuts(CutSearch& search) : solver_(search.solver()) {}

  NearPart all_rows() const override {
    const CutSubset& s = solver_.root();
    return {s.key, 0.0, s.loss, s.group_loss, s.n_rows, s.n_events};
  }
  void splits_within(std::span<const Step> path, const NearPart& s, int depth, double budget,
                     std::vector<NearSplit>& out) override {
    solver_.splits_within(path, s, depth, budget, optima_of(path, depth), out);
  }
  bool must_split() const override { return solver_.must_split(); }
  int max_depth() const override { return solver_.options().max_depth; }
  int useful_depth(const NearPart& s) const override { return solver_.useful_depth(s); }
  bool comes_before(std::uint32_t a, std::uint32_t b) override {
    return solver_.comes_before(a, b);
  }
  void start(const RunLimits& limits) override { solver_.start(limits); }
  Limits& limits() override { return solver_.limits(); }
  bool should_stop() override { return solver_.should_stop(); }
  double penalty() const override { return solver_.options().regularization; }
  // Sums with large penalties are rounded more.
  double tolerance() const override {
    return solver_.tolerance() + 4e-15 * solver_.problem().rules.largest_penalty();
  }

 private:
  CutSolver& solver_;
};

}  // namespace survtree
