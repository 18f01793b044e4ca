// Competing risks: worked numbers, the pass and every kernel against the definition, floors, and
// what must not matter: the order of tied causes, and other causes where there are none.
#include <random>

#include "check.hpp"
#include "losses/brier/brier.hpp"
#include "losses/brier/leaf_loss.hpp"
#include "losses/incidence/incidence.hpp"
#include "losses/incidence/leaf_incidence.hpp"

using namespace survtree;

namespace {

// Rows as they come, with answers to some questions.
struct Rows {
  std::size_t n, n_lanes, n_packed;
  std::vector<double> time, weight;
  std::vector<std::uint8_t> cause;
  std::vector<std::uint64_t> packed;

  explicit Rows(unsigned seed) {
    std::mt19937 random(seed);
    n = 2 + random() % 150;
    n_lanes = 1 + random() % 150;
    n_packed = (n_lanes + 63) / 64;
    const unsigned n_times = 1 + random() % 60, n_causes = seed % 4 == 0 ? 2 : 3;
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < n; ++i) {
      time.push_back(1.0 + random() % n_times);
      cause.push_back(static_cast<std::uint8_t>(random() % n_causes));
      weight.push_back(seed % 2 == 0 ? 1.0 : std::exp(3.0 * normal(random)));
    }
    for (std::size_t i = 0; i < n * n_packed; ++i)
      packed.push_back(std::uint64_t{random()} << 32U | random());
    sort();
  }

  // In the order in which rows pass.
  void sort() {
    const IncidenceOutcome outcome(time, cause);
    const std::vector<std::uint32_t> order = counting_sort(
        iota(n), outcome.n_ranks(), [&](std::uint32_t row) { return outcome.ranks()[row]; });
    const Rows old = *this;
    for (std::size_t i = 0; i < n; ++i) {
      time[i] = old.time[order[i]];
      cause[i] = old.cause[order[i]];
      weight[i] = old.weight[order[i]];
    }
  }

  std::vector<std::uint32_t> part(std::size_t lane, bool yes) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < n; ++i)
      if ((packed[i * n_packed + lane / 64] >> (lane % 64) & 1U) == (yes ? 1U : 0U))
        out.push_back(i);
    return out;
  }

  std::unique_ptr<const Loss> loss() const {
    const IncidenceOutcome outcome(time, cause);
    CollapsedRows collapsed;
    for (std::uint32_t i = 0; i < n; ++i)
      collapsed.rows.push_back({i, outcome.ranks()[i], 1, weight[i]});
    return outcome.loss_of(collapsed);
  }
};

double weight_of(const Rows& rows, const std::vector<std::uint32_t>& part) {
  double sum = 0.0;
  for (const std::uint32_t row : part) sum += rows.weight[row];
  return sum;
}

void lanes_give_the_loss_of_leaves(unsigned seed) {
  const Rows rows(seed);
  const IncidenceDefinition definition(rows.time, rows.cause, rows.weight);
  const auto loss = rows.loss();
  const std::vector<std::uint32_t> all = iota(rows.n);
  const double slack = 1e-12 * definition.of_leaf(all);
  check::close(loss->of_leaf(all), definition.of_leaf(all), "the loss of all rows", slack);
  const std::size_t room = padded(rows.n_lanes);
  std::vector<double> no(room), yes(room), no_floor(room), yes_floor(room), scratch;
  std::vector<double> no_weight(room), yes_weight(room), first_no, first_yes;
  std::vector<float> single;
  for (std::size_t lane = 0; lane < rows.n_lanes; ++lane) {
    no_weight[lane] = weight_of(rows, rows.part(lane, false));
    yes_weight[lane] = weight_of(rows, rows.part(lane, true));
  }
  const ListedRows listed{all.data(), rows.n, rows.packed.data(), rows.n_packed};
  for (Kernel kernel : available_kernels()) {
    loss->of_splits(listed, {kernel, rows.n_lanes, no.data(), yes.data(), scratch});
    loss->floors_of_splits(listed, {kernel, rows.n_lanes, no_weight.data(), yes_weight.data(),
                                    no_floor.data(), yes_floor.data(), scratch, single});
    if (first_no.empty()) {
      first_no = no;
      first_yes = yes;
    }
    for (std::size_t lane = 0; lane < rows.n_lanes; ++lane) {
      check::that(no[lane] == first_no[lane] && yes[lane] == first_yes[lane],
                  "all kernels give the same bits");
      for (const bool says_yes : {false, true}) {
        const std::vector<std::uint32_t> part = rows.part(lane, says_yes);
        if (part.empty()) continue;  // such a question has no lane in a search
        const double found = says_yes ? yes[lane] : no[lane];
        const double floor = says_yes ? yes_floor[lane] : no_floor[lane];
        const double best = loss->floor(part);
        check::close(found, definition.of_leaf(part), "the definition says the same", slack);
        check::that(best <= found * (1.0 + 1e-12), "no floor is above its loss");
        check::that(floor <= found * (1.0 + 1e-12), "nor is that of a lane");
        // It takes the mean of G over shorter intervals: between rows of both sides.
        check::that(floor >= best - 1e3 * slack, "which is at least that of its rows");
      }
      const double parts = loss->floor(rows.part(lane, false)) + loss->floor(rows.part(lane, true));
      check::that(parts <= loss->floor(all) * (1.0 + 1e-12), "floors of parts add up to less");
    }
  }
}

// Without rows of another cause both losses are one.
void one_cause_is_the_brier_loss(unsigned seed) {
  Rows rows(seed);
  for (std::uint8_t& cause : rows.cause) cause = cause == kOther ? kCensored : cause;
  rows.sort();
  const EventTable events = make_event_table(rows.time, rows.cause, rows.weight);
  const std::vector<std::uint32_t> all = iota(rows.n);
  const double brier = leaf_loss(events, all), floor = best_loss(events, all);
  check::close(incidence_loss(events, all), brier, "the Brier loss", 1e-13 * brier);
  check::close(best_incidence_loss(events, all), floor, "and its floor", 1e-13 * brier);
}

// Causes of one time may pass in any order: of two causes, each as the target, with the rows of a
// time turned round.
void order_of_tied_causes_does_not_matter(unsigned seed) {
  const Rows rows(seed);
  const std::vector<std::uint32_t> all = iota(rows.n);
  Rows turned = rows;
  for (std::size_t i = 0; i < rows.n;) {
    std::size_t end = i;
    while (end < rows.n && rows.time[end] == rows.time[i] && rows.cause[end] != kCensored) ++end;
    for (std::size_t k = i; k < end; ++k) {
      turned.cause[k] = rows.cause[end - 1 - (k - i)];
      turned.weight[k] = rows.weight[end - 1 - (k - i)];
    }
    i = std::max(end, i + 1);
  }
  const EventTable one = make_event_table(rows.time, rows.cause, rows.weight);
  const EventTable other = make_event_table(turned.time, turned.cause, turned.weight);
  const double loss = incidence_loss(one, all);
  check::close(incidence_loss(other, all), loss, "another order of ties", 1e-12 * loss);
}

void worked_numbers() {
  const std::vector<double> time{1, 2, 3, 3, 5, 6}, weight(6, 1.0);
  const std::vector<std::uint8_t> first{1, 0, 1, 2, 2, 0}, second{2, 0, 2, 1, 1, 0};
  const std::vector<std::uint32_t> all = iota(6), some{0, 1, 3}, others{2, 4, 5};
  const EventTable events = make_event_table(time, first, weight);
  const IncidenceDefinition one(time, first, weight), two(time, second, weight);
  check::close(incidence_loss(events, all), 0.163483796296, "one leaf, cause 1", 1e-12);
  check::close(incidence_loss(events, some), 0.083333333333, "rows 1, 2 and 3'", 1e-12);
  check::close(incidence_loss(events, others), 0.069444444444, "the others", 1e-12);
  check::close(one.of_leaf(all), 0.163483796296, "by definition", 1e-12);
  check::close(one.of_leaf(some), 0.083333333333, "by definition", 1e-12);
  check::close(one.of_leaf(others), 0.069444444444, "by definition", 1e-12);
  check::close(two.of_leaf(all), 0.095486111111, "one leaf, cause 2", 1e-12);
  check::that(one.event_times() == std::vector<double>{1, 3}, "times of the cause");
}

// As in test_leaf_loss.cpp: a row of huge weight must not wash out the others.
void light_rows_keep_their_digits() {
  const std::vector<double> time{1, 2, 3, 3, 5, 6}, wide{1e12, 1, 1, 1, 1, 1};
  const std::vector<std::uint8_t> cause{1, 0, 1, 2, 2, 0};
  const EventTable heavy = make_event_table(time, cause, wide);
  const EventTable five =
      make_event_table(std::vector<double>{2, 3, 3, 5, 6}, std::vector<std::uint8_t>{0, 1, 2, 2, 0},
                       std::vector<double>(5, 1.0));
  const std::vector<std::uint32_t> light{1, 2, 3, 4, 5}, these = iota(5);
  const double ratio =
      incidence_loss(heavy, light) * (1e12 + 5) / (incidence_loss(five, these) * 5);
  check::close(ratio, 1.0, "rows of small weight keep their digits beside one of weight 1e12");
}

}  // namespace

int main() {
  worked_numbers();
  light_rows_keep_their_digits();
  for (unsigned seed = 0; seed < 80; ++seed) {
    lanes_give_the_loss_of_leaves(seed);
    one_cause_is_the_brier_loss(seed);
    order_of_tied_causes_does_not_matter(seed);
  }
  return check::report();
}
