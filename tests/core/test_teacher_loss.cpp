// Vectors and their sums: worked numbers, every kernel against the definition, and losses that do
// not depend on the way to a set of rows.
#include <random>

#include "check.hpp"
#include "losses/teacher/teacher.hpp"
#include "losses/teacher/vector_table.hpp"

using namespace survtree;

namespace {

struct Rows {
  std::size_t n, k, n_lanes, n_packed;
  std::vector<double> targets, weight;
  std::vector<std::uint64_t> packed;

  explicit Rows(unsigned seed) {
    std::mt19937 random(seed);
    n = 2 + random() % 200;
    k = 1 + random() % 20;
    n_lanes = 1 + random() % 150;
    n_packed = (n_lanes + 63) / 64;
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < n * k; ++i) targets.push_back(3.0 + normal(random));
    for (std::size_t i = 0; i < n; ++i)
      weight.push_back(seed % 2 == 0 ? 1.0 : std::exp(3.0 * normal(random)));
    for (std::size_t i = 0; i < n * n_packed; ++i)
      packed.push_back(std::uint64_t{random()} << 32U | random());
  }

  std::vector<std::uint32_t> part(std::size_t lane, bool yes) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < n; ++i)
      if ((packed[i * n_packed + lane / 64] >> (lane % 64) & 1U) == (yes ? 1U : 0U))
        out.push_back(i);
    return out;
  }

  // Each row for itself, as it came.
  std::unique_ptr<const Loss> loss() const {
    const TeacherOutcome outcome(targets, k);
    std::vector<CollapsedRow> rows;
    for (std::uint32_t i = 0; i < n; ++i) rows.push_back({i, outcome.ranks()[i], 1, weight[i]});
    return outcome.loss_of({rows, iota(n)});
  }
};

void lanes_give_the_loss_of_leaves(unsigned seed) {
  const Rows rows(seed);
  const TeacherDefinition definition(rows.targets, rows.weight);
  const auto loss = rows.loss();
  const std::vector<std::uint32_t> all = iota(rows.n);
  const double slack = 1e-13 * definition.of_leaf(all);
  check::close(loss->of_leaf(all), definition.of_leaf(all), "the loss of all rows", slack);
  std::vector<double> no(padded(rows.n_lanes)), yes(padded(rows.n_lanes)), scratch;
  for (Kernel kernel : available_kernels()) {
    loss->of_splits({all.data(), rows.n, rows.packed.data(), rows.n_packed},
                    {kernel, rows.n_lanes, no.data(), yes.data(), scratch});
    for (std::size_t lane = 0; lane < rows.n_lanes; ++lane)
      for (const bool says_yes : {false, true}) {
        const std::vector<std::uint32_t> part = rows.part(lane, says_yes);
        if (part.empty()) continue;  // such a question has no lane in a search
        const double found = says_yes ? yes[lane] : no[lane];
        check::close(found, definition.of_leaf(part), "the definition says the same", slack);
        check::that(found == loss->of_leaf(part), "lanes and leaves agree to the last bit");
        check::that(loss->floor(part) <= found + slack, "no floor is above its loss");
        check::close(loss->floor(part), found, "nor far below", 2.0 * slack);
      }
  }
}

void sums_are_exact(unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> numbers(1000);
  for (double& number : numbers) number = std::exp(5.0 * normal(random)) * normal(random);
  const std::vector<double> given = numbers;
  round_for_sums(numbers, 0, 1);
  double forward = 0.0, backward = 0.0, sizes = 0.0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    forward += numbers[i];
    backward += numbers[numbers.size() - 1 - i];
    sizes += std::fabs(given[i]);
  }
  check::that(forward == backward, "sums do not depend on the order");
  for (std::size_t i = 0; i < numbers.size(); ++i)
    check::close(numbers[i], given[i], "numbers are hardly changed", 1e-15 * sizes);
}

void equal_vectors_lose_nothing() {
  const std::vector<double> targets{0.1, 0.7, 0.1, 0.7, 0.1, 0.7}, weight{0.3, 1.0, 7.0};
  const TeacherOutcome outcome(targets, 2);
  check::that(outcome.n_ranks() == 1, "equal vectors have one rank");
  const std::vector<std::uint32_t> all = iota(3);
  const auto loss =
      outcome.loss_of({{{0, 0, 1, weight[0]}, {1, 0, 1, weight[1]}, {2, 0, 1, weight[2]}}, all});
  check::that(loss->of_leaf(all) == 0.0, "no loss");
  check::that(TeacherDefinition(targets, weight).of_leaf(all) == 0.0, "by definition either");
}

// Corners of a rectangle: (0, 0), (2, 0), (0, 4), (2, 4).
void worked_numbers() {
  const std::vector<double> targets{0, 0, 2, 0, 0, 4, 2, 4}, ones(4, 1.0), weight{1, 1, 1, 3};
  const std::vector<std::uint32_t> all = iota(4), low{0, 1}, high{2, 3}, left{0, 2};
  const TeacherDefinition even(targets, ones), weighted(targets, weight);
  check::close(even.of_leaf(all), 5.0, "all four, 5 from the centre each");
  check::close(even.of_leaf(low), 0.5, "two rows, 1 from their mean each, of weight 4 in all");
  check::close(even.of_leaf(left), 2.0, "two rows, 4 from their mean each");
  check::close(weighted.of_leaf(all), 40.0 / 9.0, "with weights");
  check::close(weighted.of_leaf(high), 0.5, "2.25 + 3 x 0.25, of weight 6 in all");
}

}  // namespace

int main() {
  for (unsigned seed = 0; seed < 60; ++seed) lanes_give_the_loss_of_leaves(seed);
  for (unsigned seed = 0; seed < 20; ++seed) sums_are_exact(seed);
  equal_vectors_lose_nothing();
  worked_numbers();
  return check::report();
}
