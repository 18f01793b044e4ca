// What users say about splits, beside what the loss says of them: by question, or by column of
// cuts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace survtree {

struct SplitRules {
  std::vector<double> penalties;   // added to the objective for every split; empty: none
  std::vector<bool> may_be_first;  // which may split all rows; empty: any, and none needs to

  bool has_penalties() const { return !penalties.empty(); }
  double penalty(std::size_t place) const { return penalties.empty() ? 0.0 : penalties[place]; }
  // Claim: no split costs less. It is above 0 only if all have a penalty.
  double least_penalty() const {
    return penalties.empty() ? 0.0 : *std::min_element(penalties.begin(), penalties.end());
  }

  bool has_first() const { return !may_be_first.empty(); }
  // Of those that may split all rows, which the tree pays whatever else it does; others are paid
  // only if they are worth it.
  double largest_first_penalty() const {
    double largest = 0.0;
    for (std::size_t k = 0; k < may_be_first.size(); ++k)
      if (may_be_first[k]) largest = std::max(largest, penalty(k));
    return largest;
  }
  double largest_penalty() const {
    return penalties.empty() ? 0.0 : *std::max_element(penalties.begin(), penalties.end());
  }
};

}  // namespace survtree
