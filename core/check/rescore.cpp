#include "check/rescore.hpp"

#include <bit>
#include <utility>

#include "data/contract.hpp"
#include "data/distinct.hpp"
#include "data/twofold.hpp"

namespace survtree {
namespace {

// Distinct times, the place of each row's time among them, and the censoring curve on them. Lengths
// are parts of the last time: sums of them times weights stay in range, however large times are.
struct Clock {
  double length(std::size_t from, std::size_t to) const {
    return (times[to] - times[from]) / times.back();
  }

  std::vector<double> times;
  std::vector<std::uint32_t> when;
  std::vector<double> inverse_g;  // from each time on
  std::vector<Twofold> area;      // the integral of it up to there
};

// Weight present and weight of events at each distinct time of some rows, ascending.
struct Step {
  std::uint32_t when;
  double present = 0.0, events = 0.0, censored = 0.0;
};

Clock clock_of(const Table& t) {
  Distinct distinct = distinct_times(t.time);
  Clock clock;
  clock.when = std::move(distinct.rank);
  for (std::uint64_t bits : distinct.items) clock.times.push_back(std::bit_cast<double>(bits));
  return clock;
}

void set_censoring_curve(const Table& t, Clock& clock) {
  const std::size_t n = clock.times.size();
  std::vector<double> at_risk(n + 1, 0.0), events(n, 0.0);
  for (std::size_t i = 0; i < t.n_rows; ++i) {
    at_risk[clock.when[i]] += t.weight[i];
    if (t.event[i] != 0) events[clock.when[i]] += t.weight[i];
  }
  for (std::size_t k = n; k-- > 0;) at_risk[k] += at_risk[k + 1];
  double g = 1.0;
  Twofold area;
  for (std::size_t k = 0; k < n; ++k) {
    g *= (events[k] + at_risk[k + 1]) / at_risk[k];  // adding up: light rows keep their digits
    clock.area.push_back(area);
    clock.inverse_g.push_back(g > 0.0 ? 1.0 / g : 0.0);
    if (k + 1 < n) area = plus(area, clock.length(k, k + 1) * clock.inverse_g[k]);
  }
}

std::vector<std::uint32_t> leaf_of_rows(const Table& t, const FlatTree& tree) {
  std::vector<std::uint32_t> leaf(t.n_rows);
  for (std::size_t i = 0; i < t.n_rows; ++i) {
    std::size_t node = 0;
    while (tree.column[node] >= 0) {
      const auto column = static_cast<std::size_t>(tree.column[node]);
      const bool yes = t.features[i * t.n_columns + column] != 0;
      node = static_cast<std::size_t>(yes ? tree.yes[node] : tree.no[node]);
    }
    leaf[i] = static_cast<std::uint32_t>(node);
  }
  return leaf;
}

// Rows in time order.
std::vector<Step> steps_of(const Table& t, const Clock& clock,
                           std::span<const std::uint32_t> rows) {
  std::vector<Step> steps;
  for (std::uint32_t row : rows) {
    if (steps.empty() || steps.back().when != clock.when[row]) steps.push_back({clock.when[row]});
    steps.back().present += t.weight[row];
    (t.event[row] != 0 ? steps.back().events : steps.back().censored) += t.weight[row];
  }
  return steps;
}

// From each distinct time of the leaf to the next, survival S, those at risk and past events b stay
// as they are: the leaf pays (1 - S)^2 (later rows) int 1/G + S^2 b (length).
double leaf_loss_of(const Clock& clock, const std::vector<Step>& steps) {
  std::vector<double> at_risk(steps.size() + 1, 0.0);
  for (std::size_t k = steps.size(); k-- > 0;) at_risk[k] = at_risk[k + 1] + steps[k].present;
  double survival = 1.0, b = 0.0, loss = 0.0;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const Step& step = steps[k];
    const std::size_t next = k + 1 < steps.size() ? steps[k + 1].when : clock.times.size() - 1;
    survival *= (step.censored + at_risk[k + 1]) / at_risk[k];
    b += step.events * clock.inverse_g[step.when];
    const double q = 1.0 - survival;
    loss += q * q * at_risk[k + 1] * difference(clock.area[next], clock.area[step.when]) +
            survival * survival * b * clock.length(step.when, next);
  }
  return loss;
}

}  // namespace

Rescored rescore(const Table& t, const FlatTree& tree) {
  require(tree.column.size() == tree.no.size() && tree.no.size() == tree.yes.size(), "a tree");
  const std::size_t n_nodes = tree.column.size();
  Clock clock = clock_of(t);
  set_censoring_curve(t, clock);
  const auto by_time = counting_sort(iota(t.n_rows), clock.times.size(),
                                     [&](std::uint32_t row) { return clock.when[row]; });
  const std::vector<std::uint32_t> leaf = leaf_of_rows(t, tree);
  const auto by_leaf =
      counting_sort(by_time, n_nodes, [&](std::uint32_t row) { return leaf[row]; });
  double total_weight = 0.0;
  for (double weight : t.weight) total_weight += weight;

  Rescored out;
  out.rows_of_node.assign(n_nodes, 0);
  for (std::uint32_t node : leaf) ++out.rows_of_node[node];
  std::size_t first = 0;
  for (std::int64_t n_rows : out.rows_of_node) {
    const auto n = static_cast<std::size_t>(n_rows);
    out.loss += leaf_loss_of(clock, steps_of(t, clock, std::span(by_leaf).subspan(first, n))) /
                total_weight;
    first += n;
  }
  const std::vector<Step> all = steps_of(t, clock, by_time);
  out.one_leaf_loss = leaf_loss_of(clock, all) / total_weight;
  for (const Step& step : all)
    if (step.events > 0.0) out.event_times.push_back(clock.times[step.when]);
  out.times = std::move(clock.times);
  return out;
}

}  // namespace survtree
