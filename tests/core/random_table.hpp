// A made-up table for tests: random answers, of which the first matters.
#pragma once

#include <random>
#include <vector>

#include "data/problem.hpp"
#include "losses/brier/brier.hpp"

struct RandomTable {
  std::size_t n, p;
  std::vector<std::uint8_t> x, event;
  std::vector<double> time, weight;
  std::vector<std::uint32_t> rank;

  RandomTable(std::size_t n_rows, std::size_t n_columns, unsigned seed) : n(n_rows), p(n_columns) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < n * p; ++i) x.push_back(random() % 2);
    for (std::size_t i = 0; i < n; ++i) {
      time.push_back(1.0 + static_cast<double>(random() % 50) + 20.0 * x[i * p]);
      event.push_back(random() % 3 != 0);
      weight.push_back(1.0);
    }
    for (std::uint32_t j = 0; j < p; ++j) rank.push_back(j);
  }

  survtree::Problem problem(survtree::Layout layout = survtree::Layout::cheaper) const {
    return survtree::make_problem({n, p, x, weight, rank, {}}, survtree::BrierOutcome(time, event),
                                  layout);
  }
};
