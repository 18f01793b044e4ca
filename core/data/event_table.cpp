#include "data/event_table.hpp"

#include <numeric>

#include "data/contract.hpp"
#include "data/loss.hpp"

namespace survtree {
namespace {

// Rows [begin, end) share one time.
struct Ties {
  std::size_t begin, end;
  double event_weight, weight;
};

std::vector<Ties> rows_of_equal_time(std::span<const double> time,
                                     std::span<const std::uint8_t> cause,
                                     std::span<const double> weight) {
  std::vector<Ties> ties;
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (i == 0 || time[i] != time[i - 1]) ties.push_back({i, i, 0.0, 0.0});
    Ties& here = ties.back();
    here.end = i + 1;
    here.weight += weight[i];
    if (cause[i] != 0) here.event_weight += weight[i];
  }
  return ties;
}

// G after each time. Risk sets are summed from the back, and what is left of one is added up, not
// subtracted: where nearly all weight is censored at once, G keeps its digits, and it reaches 0
// exactly where it should.
std::vector<double> censoring_curve(const std::vector<Ties>& ties) {
  std::vector<double> at_risk(ties.size() + 1, 0.0), g(ties.size());
  for (std::size_t k = ties.size(); k-- > 0;) at_risk[k] = at_risk[k + 1] + ties[k].weight;
  double current = 1.0;
  for (std::size_t k = 0; k < ties.size(); ++k)
    g[k] = current *= (ties[k].event_weight + at_risk[k + 1]) / at_risk[k];
  return g;
}

}  // namespace

EventTable make_event_table(std::span<const double> time, std::span<const std::uint8_t> cause,
                            std::span<const double> weight) {
  require(!time.empty(), "an event table has rows");
  require(time.size() == cause.size() && time.size() == weight.size(), "columns of equal length");
  const std::size_t n = time.size();
  const double last = time.back();
  require(last > 0.0, "the largest time is positive");
  const double total = std::accumulate(weight.begin(), weight.end(), 0.0);
  const std::vector<Ties> ties = rows_of_equal_time(time, cause, weight);
  const std::vector<double> g = censoring_curve(ties);

  EventTable table;
  table.rows.reserve(n);
  table.g_area.reserve(n);
  Twofold elapsed, censor_area, g_area;
  for (std::size_t k = 0; k < ties.size(); ++k) {
    const double inverse_g = g[k] > 0.0 ? 1.0 / g[k] : 0.0;
    for (std::size_t i = ties[k].begin; i < ties[k].end; ++i) {
      table.rows.push_back({weight[i], weight[i] * inverse_g, censor_area, elapsed, cause[i]});
      table.g_area.push_back(g_area);
    }
    if (k + 1 == ties.size()) break;
    const double step = (time[ties[k + 1].begin] - time[ties[k].begin]) / last / total;
    elapsed = plus(elapsed, step);
    censor_area = plus(censor_area, step * inverse_g);
    g_area = plus(g_area, step * g[k]);
  }
  table.end = elapsed;
  return table;
}

std::vector<EventBlock> blocks_of(const EventTable& events, std::span<const CollapsedRow> rows) {
  std::vector<EventBlock> blocks;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const EventRow& row = events.rows[i];
    if (i == 0 || rows[i].outcome != rows[i - 1].outcome)
      blocks.push_back({row.event_mass / row.weight, row.censor_area, row.elapsed, row.cause});
  }
  return blocks;
}

LossFacts event_facts(const EventTable& events) {
  LossFacts facts{7, {}, {events.end.high, events.end.low}};
  facts.rows.reserve(7 * events.rows.size());
  for (const EventRow& row : events.rows)
    facts.rows.insert(facts.rows.end(),
                      {row.weight, row.event_mass, row.censor_area.high, row.censor_area.low,
                       row.elapsed.high, row.elapsed.low, static_cast<double>(row.cause)});
  return facts;
}

}  // namespace survtree
