#include "losses/brier/event_table.hpp"

#include "data/contract.hpp"

namespace survtree {
namespace {

// Rows [begin, end) share one time.
struct Block {
  std::size_t begin, end;
  double event_weight, weight;
};

std::vector<Block> blocks_of_equal_time(std::span<const double> time,
                                        std::span<const std::uint8_t> is_event,
                                        std::span<const double> weight) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < time.size(); ++i) {
    if (i == 0 || time[i] != time[i - 1]) blocks.push_back({i, i, 0.0, 0.0});
    Block& block = blocks.back();
    block.end = i + 1;
    block.weight += weight[i];
    if (is_event[i]) block.event_weight += weight[i];
  }
  return blocks;
}

// G after each block. Risk sets are summed from the back, and what is left of one is added up, not
// subtracted: where nearly all weight is censored at once, G keeps its digits, and it reaches 0
// exactly where it should.
std::vector<double> censoring_curve(const std::vector<Block>& blocks) {
  std::vector<double> at_risk(blocks.size());
  double sum = 0.0;
  for (std::size_t k = blocks.size(); k-- > 0;) at_risk[k] = sum += blocks[k].weight;
  std::vector<double> g(blocks.size());
  double current = 1.0;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const double later = k + 1 < blocks.size() ? at_risk[k + 1] : 0.0;
    current *= (blocks[k].event_weight + later) / at_risk[k];
    g[k] = current;
  }
  return g;
}

double sum_of(std::span<const double> values) {
  double sum = 0.0;
  for (double v : values) sum += v;
  return sum;
}

}  // namespace

EventTable make_event_table(std::span<const double> time, std::span<const std::uint8_t> is_event,
                            std::span<const double> weight) {
  require(!time.empty(), "an event table has rows");
  require(time.size() == is_event.size() && time.size() == weight.size(),
          "columns of equal length");
  const std::size_t n = time.size();
  const double last = time.back();
  require(last > 0.0, "the largest time is positive");
  const double total = sum_of(weight);
  const std::vector<Block> blocks = blocks_of_equal_time(time, is_event, weight);
  const std::vector<double> g = censoring_curve(blocks);

  EventTable table;
  table.is_event.assign(is_event.begin(), is_event.end());
  table.weight.assign(weight.begin(), weight.end());
  table.inverse_g.resize(n);
  table.censor_area.resize(n);
  table.g_area.resize(n);
  table.elapsed.resize(n);

  Twofold elapsed, censor_area, g_area;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const double y = time[blocks[k].begin];
    const double inverse_g = g[k] > 0.0 ? 1.0 / g[k] : 0.0;
    for (std::size_t i = blocks[k].begin; i < blocks[k].end; ++i) {
      table.inverse_g[i] = inverse_g;
      table.elapsed[i] = elapsed;
      table.censor_area[i] = censor_area;
      table.g_area[i] = g_area;
    }
    if (k + 1 == blocks.size()) break;
    const double step = (time[blocks[k + 1].begin] - y) / last / total;
    elapsed = plus(elapsed, step);
    censor_area = plus(censor_area, step * inverse_g);
    g_area = plus(g_area, step * g[k]);
  }
  table.end = elapsed;
  return table;
}

}  // namespace survtree
