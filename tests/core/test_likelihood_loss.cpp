// The loss by the likelihood: worked numbers, every kernel against the definition, losses that do
// not depend on the way to a set of rows, and all trees of two levels at once against one by one.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "check.hpp"
#include "data/distinct.hpp"
#include "data/problem.hpp"
#include "losses/likelihood/likelihood.hpp"

using namespace survtree;

namespace {

struct Rows {
  std::size_t n, p;
  std::vector<std::uint8_t> x, event;
  std::vector<double> time, weight;
  std::vector<std::uint32_t> rank;

  explicit Rows(unsigned seed) {
    std::mt19937 random(seed);
    n = 4 + random() % 150;
    p = 1 + random() % 40;
    const bool has_ties = random() % 2 == 0, is_weighted = seed % 3 == 1, is_wide = seed % 9 == 4;
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_copy = i > 0 && random() % 4 == 0;
      const std::size_t like = is_copy ? random() % i : 0;
      for (std::size_t j = 0; j < p; ++j) x.push_back(is_copy ? x[like * p + j] : random() % 2);
      time.push_back(has_ties ? random() % 5 : 1e-3 * static_cast<double>(random() % 10'000));
      event.push_back(i == 0 || random() % 3 != 0);
      const double power = static_cast<double>(random() % 20) - 10.0;
      weight.push_back(is_wide ? std::exp(power) : is_weighted ? 0.5 + random() % 3 : 1.0);
    }
    for (std::uint32_t j = 0; j < p; ++j) rank.push_back(j);
  }

  WeightedEvents events() const { return {time, event, weight}; }
  Table table() const { return {n, p, x, weight, rank, {}, event}; }
  Problem problem() const { return make_problem(table(), LikelihoodOutcome(events())); }
  // Rows of the table that answer some questions in some way.
  std::vector<std::uint32_t> of(const std::vector<std::pair<std::size_t, bool>>& path) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < n; ++i)
      if (std::all_of(path.begin(), path.end(),
                      [&](auto step) { return (x[i * p + step.first] != 0) == step.second; }))
        out.push_back(i);
    return out;
  }
};

void kernels_give_the_loss_of_leaves(unsigned seed) {
  const Rows rows(seed);
  const Problem p = rows.problem();
  const LikelihoodDefinition definition(rows.events());
  const std::vector<std::uint32_t> all = iota(p.n_rows());
  const double root = p.loss->of_leaf(all), slack = 1e-11 * root + 1e-16;
  check::close(root, definition.of_leaf(iota(rows.n)), "all rows", slack);
  std::vector<double> first;
  for (const Kernel kernel : available_kernels()) {
    std::vector<double> no(padded(p.n_questions)), yes = no, scratch;
    p.loss->of_splits({all.data(), all.size(), p.answers.data(), p.words_per_row},
                      {kernel, p.n_questions, no.data(), yes.data(), scratch});
    if (first.empty()) first = yes;
    for (std::size_t q = 0; q < p.n_questions; ++q) {
      const std::size_t column = p.column_of[q];
      check::close(no[q], definition.of_leaf(rows.of({{column, false}})), "no", slack);
      check::close(yes[q], definition.of_leaf(rows.of({{column, true}})), "yes", slack);
      check::that(no[q] + yes[q] <= root + slack, "a split never hurts");
      check::that(yes[q] == first[q], "kernels give the same bits");
    }
  }
}

// The least objective of trees that begin with a question and have at most one more on either side.
double least_of_two_levels(const Rows& rows, const Problem& p, const LikelihoodDefinition& loss,
                           std::size_t first, std::size_t fewest, double penalty) {
  double sum = 0.0;
  for (const bool answer : {false, true}) {
    const std::size_t a = p.column_of[first];
    const auto side = rows.of({{a, answer}});
    if (side.size() < fewest) return std::numeric_limits<double>::infinity();
    double best = loss.of_leaf(side) + penalty;
    for (const std::size_t b : p.column_of) {
      const auto no = rows.of({{a, answer}, {b, false}}), yes = rows.of({{a, answer}, {b, true}});
      if (std::min(no.size(), yes.size()) < fewest) continue;
      best = std::min(best, loss.of_leaf(no) + loss.of_leaf(yes) + 2.0 * penalty);
    }
    sum += best;
  }
  return sum;
}

void pairs_give_the_best_tree_of_two_levels(unsigned seed) {
  const Rows rows(seed);
  const Problem p = rows.problem();
  if (!p.loss->judges_pairs()) return;
  const LikelihoodDefinition definition(rows.events());
  const double root = definition.of_leaf(iota(rows.n));
  const double penalty = seed % 2 == 0 ? 0.0 : 0.01 * root;
  const std::size_t fewest = 1 + seed % 4;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t q = 0; q < p.n_questions; ++q)
    least = std::min(least, least_of_two_levels(rows, p, definition, q, fewest, penalty));
  std::vector<std::int64_t> whole, sums;
  std::vector<float> single;
  for (const Kernel kernel : available_kernels()) {
    const PairRequest request{kernel,
                              p.bits.everyone.data(),
                              p.bits.n_words(),
                              p.bits.by_question.data(),
                              p.answers.data(),
                              p.words_per_row,
                              p.n_questions,
                              static_cast<float>(fewest) - 1.0F,
                              -1.0F,
                              penalty,
                              whole,
                              single};
    p.loss->add_up_pairs(request, sums);
    const BestPair found = p.loss->best_pair(request, sums);
    check::that((found.question < 0) == std::isinf(least), "there is a tree, or none");
    if (found.question < 0) continue;
    check::close(found.value, least, "the least objective", 1e-11 * root + 1e-15);
    const double here = least_of_two_levels(
        rows, p, definition, static_cast<std::size_t>(found.question), fewest, penalty);
    check::close(here, least, "is that of the question", 1e-11 * root + 1e-15);
  }
}

// The six rows of the definition.
void worked_numbers() {
  const std::vector<double> time{1, 2, 3, 3, 5, 6}, ones(6, 1.0);
  const std::vector<std::uint8_t> event{1, 0, 1, 0, 1, 0};
  const LikelihoodDefinition definition({time, event, ones});
  const LikelihoodOutcome outcome({time, event, ones});
  std::vector<CollapsedRow> rows;
  for (std::uint32_t i = 0; i < 6; ++i) rows.push_back({i, 0, 1, 1.0, event[i]});
  const auto loss = outcome.loss_of({rows, iota(6)});
  const std::vector<std::uint32_t> all = iota(6), yes{0, 1, 3}, no{2, 4, 5}, censored{1, 3, 5};
  const auto both = [&](std::span<const std::uint32_t> some, double expected) {
    check::close(definition.of_leaf(some), expected, "by definition", 1e-11);
    check::close(loss->of_leaf(some), expected, "by sums", 1e-11);
  };
  both(all, 0.459039930595);
  both(yes, 0.250679566129);
  both(no, 0.199674364276);
  check::that(loss->of_leaf(censored) == 0.0, "nothing is lost without an event");
  check::that(definition.of_leaf(censored) == 0.0, "by definition either");
}

// One light row with an event among heavy ones: what it loses keeps its digits.
void light_rows_keep_their_digits() {
  const std::vector<double> time{1, 2, 3, 4}, weight{1e-9, 1e3, 2e3, 3e3};
  const std::vector<std::uint8_t> event{1, 0, 1, 1};
  const LikelihoodOutcome outcome({time, event, weight});
  const LikelihoodDefinition definition({time, event, weight});
  std::vector<CollapsedRow> rows;
  for (std::uint32_t i = 0; i < 4; ++i) rows.push_back({i, 0, 1, weight[i], event[i]});
  const auto loss = outcome.loss_of({rows, iota(4)});
  check::that(!loss->judges_pairs(), "such rows need two numbers each");
  const double root = definition.of_leaf(iota(4));
  for (const auto& some : {std::vector<std::uint32_t>{0}, {0, 1}, {0, 2}, {1, 2, 3}, {0, 3}})
    check::close(loss->of_leaf(some), definition.of_leaf(some), "as defined", 1e-12 * root);
}

}  // namespace

int main() {
  worked_numbers();
  light_rows_keep_their_digits();
  for (unsigned seed = 0; seed < 120; ++seed) {
    kernels_give_the_loss_of_leaves(seed);
    pairs_give_the_best_tree_of_two_levels(seed);
  }
  return check::report();
}
