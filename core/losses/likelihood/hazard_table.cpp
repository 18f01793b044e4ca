#include "losses/likelihood/hazard_table.hpp"

#include <algorithm>
#include <cmath>

#include "data/contract.hpp"
#include "data/distinct.hpp"

namespace survtree {
namespace {

constexpr int kBits = 61;                // of a sum over all rows
constexpr double kMostRounding = 2e-13;  // of the loss of one leaf; ties are at 1e-12

// By time, then weight, so that no sum depends on the order of rows in the table.
std::vector<std::uint32_t> rows_in_order(const WeightedEvents& rows, const Distinct& times) {
  std::vector<std::uint32_t> order = iota(rows.time.size());
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (times.rank[a] != times.rank[b]) return times.rank[a] < times.rank[b];
    if (rows.weight[a] != rows.weight[b]) return rows.weight[a] < rows.weight[b];
    return rows.event[a] < rows.event[b];
  });
  return order;
}

// The Nelson-Aalen cumulative hazard of all rows at the time of each.
std::vector<double> cumulative_hazard(const WeightedEvents& rows, const Distinct& times,
                                      const std::vector<std::uint32_t>& order) {
  std::vector<double> at_risk(times.size() + 1, 0.0), hazard(times.size(), 0.0);
  for (const std::uint32_t row : order) {
    at_risk[times.rank[row]] += rows.weight[row];
    if (rows.event[row] != 0) hazard[times.rank[row]] += rows.weight[row];
  }
  for (std::size_t k = times.size(); k-- > 0;) at_risk[k] += at_risk[k + 1];
  double sum = 0.0;
  for (std::size_t k = 0; k < times.size(); ++k) hazard[k] = sum += hazard[k] / at_risk[k];
  std::vector<double> of_row(order.size());
  for (std::size_t i = 0; i < of_row.size(); ++i) of_row[i] = hazard[times.rank[i]];
  return of_row;
}

// The power of 2 in which numbers that add up to `sum` have kBits bits.
double unit_of(double sum) {
  int exponent = 0;
  std::frexp(sum, &exponent);
  return sum > 0.0 ? std::ldexp(1.0, exponent - kBits) : 1.0;
}

std::int64_t in_units(double number, double unit) { return std::llrint(number / unit); }

// One row: its weight, whether it is one of an event, H, and what it adds to F.
struct Row {
  double weight, hazard, deviance;
  bool is_event;

  double expected() const { return weight * hazard; }
};

// Claim: sums of rounded E are off so little that losses are off by at most this. Proof: the loss
// has the derivative D/E there, which is at most the largest 1/H of an event; and rounding moves a
// row by at most half a unit. Added up over single rows, since leaves may be as small.
double rounding_of(const std::vector<Row>& rows, double unit) {
  double sum = 0.0;
  for (const Row& row : rows)
    if (row.is_event) sum += unit / row.hazard;
  return sum;
}

HazardSums rounded(const Row& row, const HazardUnits& units) {
  HazardSums out;
  out.events = row.is_event ? in_units(row.weight, units.expected) : 0;
  out.expected = in_units(row.expected(), units.expected);
  out.deviance = in_units(row.deviance, units.deviance);
  if (units.expected_low > 0.0) {
    const double left = row.expected() - static_cast<double>(out.expected) * units.expected;
    out.expected_low = in_units(left, units.expected_low);
  }
  // A leaf with events has E > 0.
  if (row.is_event && out.expected == 0 && out.expected_low <= 0)
    (units.expected_low > 0.0 ? out.expected_low : out.expected) = 1;
  return out;
}

}  // namespace

HazardTable::HazardTable(const WeightedEvents& given) {
  const std::size_t n = given.time.size();
  require(n > 0 && given.event.size() == n && given.weight.size() == n, "one of each a row");
  const Distinct times = distinct_times(given.time);
  const std::vector<std::uint32_t> order = rows_in_order(given, times);
  const std::vector<double> hazard = cumulative_hazard(given, times, order);
  double events = 0.0, expected = 0.0, deviance = 0.0;
  units_.total_weight = 0.0;
  for (const std::uint32_t i : order) {
    events += given.event[i] != 0 ? given.weight[i] : 0.0;
    expected += given.weight[i] * hazard[i];
    units_.total_weight += given.weight[i];
  }
  const double scale = events > 0.0 ? events / expected : 1.0;
  const LikelihoodLanes lanes = likelihood_lanes(Plain{});
  std::vector<Row> rows(n);
  for (const std::uint32_t i : order) {
    Row& row = rows[i];
    row = {given.weight[i], hazard[i] * scale, 0.0, given.event[i] != 0};
    row.deviance =
        row.weight * (row.is_event ? lanes.log_excess(row.hazard - 1.0, row.hazard) : row.hazard);
    deviance += row.deviance;
  }
  units_.expected = unit_of(2.0 * events);  // E adds up to as much as D, but for rounding
  units_.deviance = unit_of(2.0 * deviance);
  if (rounding_of(rows, units_.expected) > kMostRounding * deviance) {
    int exponent = 0;
    std::frexp(static_cast<double>(n), &exponent);
    units_.expected_low = std::ldexp(units_.expected, exponent - kBits);
  }
  for (const Row& row : rows) rows_.push_back(rounded(row, units_));
}

}  // namespace survtree
