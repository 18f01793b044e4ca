// Six rows whose curves and losses were worked out by hand.
#pragma once

#include <cstdint>
#include <vector>

#include "data/problem.hpp"
#include "losses/brier/brier.hpp"

namespace worked {

inline const std::vector<double> time{1, 2, 3, 3, 5, 6};
inline const std::vector<std::uint8_t> event{1, 0, 1, 0, 1, 0};
inline const std::vector<std::uint8_t> x{1, 1, 0, 1, 0, 0};
inline const std::vector<double> weight(6, 1.0);
inline const std::vector<std::uint32_t> rank{0};

inline survtree::Problem problem() {
  return survtree::make_problem({6, 1, x, weight, rank, {}}, survtree::BrierOutcome(time, event));
}

}  // namespace worked
