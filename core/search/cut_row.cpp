#include "search/cut_row.hpp"

#include <algorithm>

namespace survtree {
namespace {

// Lanes at a time: their answers stay in the processor's cache, and what is kept of them small.
constexpr std::size_t kMostLanes = 512;

void make_room(CutRow& out, std::size_t n_lanes) {
  if (out.cut.size() < n_lanes) out.cut.resize(n_lanes);
  if (out.lane_of.size() < n_lanes) out.lane_of.resize(n_lanes);
  for (CutSide* side : {&out.no, &out.yes}) {
    if (side->rows.size() < n_lanes) {
      side->rows.resize(n_lanes);
      side->events.resize(n_lanes);
    }
    // A batch begins at any lane, and fills up to kLanePadding lanes more than it has.
    if (side->loss.size() < n_lanes + kLanePadding) {
      side->loss.resize(n_lanes + kLanePadding);
      side->floor.resize(n_lanes + kLanePadding);
      side->weight.resize(n_lanes + kLanePadding);
    }
  }
}

}  // namespace

std::uint64_t CutSplitter::split(std::span<const std::uint32_t> rows,
                                 std::span<const std::uint32_t> cuts, const CutFacts& wanted,
                                 CutRow& out, const std::function<bool()>& should_stop) {
  out.n_lanes = 0;
  make_room(out, cuts.size());
  for (std::size_t first = 0; first < cuts.size(); first += kMostLanes) {
    if (first > 0 && should_stop && should_stop()) break;
    split_some(rows, cuts.subspan(first, std::min(kMostLanes, cuts.size() - first)), wanted,
               out.lane_of.data() + first, out);
  }
  return std::uint64_t{rows.size()} * out.n_lanes;
}

void CutSplitter::split_some(std::span<const std::uint32_t> rows,
                             std::span<const std::uint32_t> cuts, const CutFacts& wanted,
                             std::int32_t* lane_of, CutRow& out) {
  const std::size_t before = out.n_lanes;
  runs_.clear();
  for (std::size_t k = 0; k < cuts.size();) {
    const std::uint32_t column = problem_.column_of(cuts[k]);
    const std::uint32_t next = problem_.first_cut[column + 1];
    const std::size_t first = k;
    while (k < cuts.size() && cuts[k] < next) ++k;
    runs_.push_back({column, first, k, 0, 0});
  }
  n_packed_ = (cuts.size() + 63) / 64;
  packed_.assign(rows.size() * n_packed_, 0);
  for (Run& run : runs_) {
    place_rows(rows, cuts, run);
    run.first_lane = out.n_lanes - before;
    choose_lanes(rows, cuts, run, lane_of, out);
    set_answers(rows.size(), run);
  }
  const std::size_t n = out.n_lanes - before;
  if (n == 0) return;
  const ListedRows listed{rows.data(), rows.size(), packed_.data(), n_packed_};
  const auto from_here = [&](std::vector<double>& numbers) { return numbers.data() + before; };
  if (wanted.losses)
    problem_.loss->of_splits(
        listed, {kernel_, n, from_here(out.no.loss), from_here(out.yes.loss), loss_scratch_});
  if (wanted.floors)
    problem_.loss->floors_of_splits(
        listed,
        {kernel_, n, from_here(out.no.weight), from_here(out.yes.weight), from_here(out.no.floor),
         from_here(out.yes.floor), loss_scratch_, single_scratch_});
}

// Says of each row which of the cuts of the run is the first that it answers with yes.
void CutSplitter::place_rows(std::span<const std::uint32_t> rows,
                             std::span<const std::uint32_t> cuts, const Run& run) {
  const std::uint32_t base = problem_.first_cut[run.column];
  const auto here = cuts.subspan(run.first, run.end - run.first);
  place_.resize(rows.size());
  problem_.with_codes(run.column, [&](const auto* codes) {
    if (here.size() == 1) {
      const std::uint32_t last = here[0] - base;
      for (std::size_t i = 0; i < rows.size(); ++i) place_[i] = codes[rows[i]] > last ? 1 : 0;
      return;
    }
    const std::size_t n_codes = problem_.first_cut[run.column + 1] - base + 1;
    if (n_codes > 4 * rows.size()) {  // a table of all codes would cost more than it spares
      for (std::size_t i = 0; i < rows.size(); ++i)
        place_[i] = static_cast<std::uint16_t>(
            std::lower_bound(here.begin(), here.end(), base + codes[rows[i]]) - here.begin());
      return;
    }
    place_of_.resize(n_codes);
    std::size_t code = 0;
    for (std::size_t k = 0; k < here.size(); ++k)
      for (; base + code <= here[k]; ++code) place_of_[code] = static_cast<std::uint16_t>(k);
    for (; code < n_codes; ++code) place_of_[code] = static_cast<std::uint16_t>(here.size());
    for (std::size_t i = 0; i < rows.size(); ++i) place_[i] = place_of_[codes[rows[i]]];
  });
}

// Rows, events and weights by place.
void CutSplitter::count_rows(std::span<const std::uint32_t> rows, std::size_t n_cuts) {
  n_rows_.assign(n_cuts + 1, 0);
  n_events_.assign(n_cuts + 1, 0);
  const std::size_t n = rows.size();
  if (problem_.has_copies || counts_events_) {
    for (std::size_t i = 0; i < n; ++i) {
      n_rows_[place_[i]] += problem_.n_copies[rows[i]];
      n_events_[place_[i]] += problem_.n_events[rows[i]];
    }
  } else {
    // In two counts: neighbours are often at the same place, and would wait for each other.
    other_.assign(n_cuts + 1, 0);
    for (std::size_t i = 0; i + 1 < n; i += 2) {
      ++n_rows_[place_[i]];
      ++other_[place_[i + 1]];
    }
    if (n % 2 != 0) ++n_rows_[place_[n - 1]];
    for (std::size_t k = 0; k <= n_cuts; ++k) n_rows_[k] += other_[k];
  }
  if (!problem_.is_weighted) return;
  weight_.assign(n_cuts + 1, 0.0);
  for (std::size_t i = 0; i < n; ++i) weight_[place_[i]] += problem_.weight[rows[i]];
  // Summed from the back: taking heavy rows off a sum would leave their rounding on light ones.
  no_weight_.assign(n_cuts + 1, 0.0);
  for (std::size_t k = n_cuts; k-- > 0;) no_weight_[k] = no_weight_[k + 1] + weight_[k + 1];
}

// Lanes for the cuts of a run that part the rows, each differently.
void CutSplitter::choose_lanes(std::span<const std::uint32_t> rows,
                               std::span<const std::uint32_t> cuts, Run& run, std::int32_t* lane_of,
                               CutRow& out) {
  const std::size_t n_cuts = run.end - run.first;
  count_rows(rows, n_cuts);
  std::uint64_t all = 0, all_events = 0;
  for (std::size_t k = 0; k <= n_cuts; ++k) {
    all += n_rows_[k];
    all_events += n_events_[k];
  }
  double yes_weight = 0.0;
  first_yes_.resize(n_cuts + 1);
  std::uint64_t yes = 0, yes_events = 0, before = 0;
  const std::size_t first = out.n_lanes;
  for (std::size_t k = 0; k < n_cuts; ++k) {
    yes += n_rows_[k];
    yes_events += n_events_[k];
    if (problem_.is_weighted) yes_weight += weight_[k];
    first_yes_[k] = static_cast<std::uint32_t>(out.n_lanes - first);
    const bool is_new = yes != before && yes != all;
    const std::size_t lane = out.n_lanes + (is_new ? 0 : std::size_t(-1));
    lane_of[run.first + k] = yes == 0     ? CutRow::kAllNo
                             : yes == all ? CutRow::kAllYes
                                          : static_cast<std::int32_t>(lane);
    if (!is_new) continue;
    before = yes;
    ++out.n_lanes;
    out.cut[lane] = cuts[run.first + k];
    out.yes.rows[lane] = yes;
    out.yes.events[lane] = yes_events;
    out.no.rows[lane] = all - yes;
    out.no.events[lane] = all_events - yes_events;
    out.yes.weight[lane] = problem_.is_weighted ? yes_weight : static_cast<double>(yes);
    out.no.weight[lane] = problem_.is_weighted ? no_weight_[k] : static_cast<double>(all - yes);
  }
  first_yes_[n_cuts] = static_cast<std::uint32_t>(out.n_lanes - first);
  run.n_lanes = out.n_lanes - first;
}

// A row answers the lanes of the run with no up to some lane, and with yes from there on.
void CutSplitter::set_answers(std::size_t n_rows, const Run& run) {
  const std::size_t end = run.first_lane + run.n_lanes;
  for (std::size_t word = run.first_lane / 64; run.n_lanes > 0 && 64 * word < end; ++word) {
    const std::size_t high = std::min(end, 64 * word + 64);
    const std::uint64_t top =
        high == 64 * word + 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (high % 64)) - 1;
    bits_.resize(run.end - run.first + 1);  // by place
    for (std::size_t place = 0; place < bits_.size(); ++place) {
      const std::size_t yes = std::max(64 * word, run.first_lane + first_yes_[place]);
      bits_[place] = yes < high ? top & ~std::uint64_t{0} << (yes % 64) : 0;
    }
    std::uint64_t* to = packed_.data() + word;
    for (std::size_t i = 0; i < n_rows; ++i, to += n_packed_) *to |= bits_[place_[i]];
  }
}

}  // namespace survtree
