#include "search/split_row.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "data/contract.hpp"

namespace survtree {
namespace {

using Bits = std::span<const std::uint64_t>;

// Lanes for the questions that leave enough on both sides; ones[q] rows answer q with yes.
template <bool kCountsEvents>
std::size_t fill_lanes(const Problem& p, const SplitRequest& request, SplitRow& out) {
  const SmallestLeaf& smallest = request.smallest;
  std::size_t lane = 0;
  for (std::uint32_t q = request.first_question; q < p.n_questions; ++q) {
    const auto yes = static_cast<std::uint64_t>(out.ones[q]);
    const std::uint64_t no = request.n_rows - yes;
    const std::uint64_t fewest = request.one_child_is_enough ? 1 : smallest.rows;
    bool is_kept = std::min(yes, no) >= fewest && std::max(yes, no) >= smallest.rows;
    if constexpr (kCountsEvents) {
      const auto yes_events = static_cast<std::uint64_t>(out.event_ones[q]);
      const std::uint64_t no_events = request.n_events - yes_events;
      const bool yes_fits = smallest.fits(yes, yes_events), no_fits = smallest.fits(no, no_events);
      is_kept &= request.one_child_is_enough ? yes_fits || no_fits : yes_fits && no_fits;
      out.yes.events[lane] = yes_events;
      out.no.events[lane] = no_events;
    }
    out.question[lane] = q;  // no branch: the next one overwrites what is not kept
    out.yes.rows[lane] = yes;
    out.no.rows[lane] = no;
    out.keep[q / 64] |= std::uint64_t{is_kept} << (q % 64);
    lane += is_kept ? 1 : 0;
  }
  return lane;
}

void choose_lanes(const Problem& p, const SplitRequest& request, SplitRow& out) {
  const bool counts_events = request.smallest.events > 0;
  out.question.resize(p.n_questions);
  for (SplitSide* side : {&out.yes, &out.no}) {
    side->rows.resize(p.n_questions);
    if (counts_events) side->events.resize(p.n_questions);
  }
  out.keep.assign((p.bits.stride + 63) / 64, 0);
  out.n_lanes =
      counts_events ? fill_lanes<true>(p, request, out) : fill_lanes<false>(p, request, out);
  if (out.no.loss.size() < padded(out.n_lanes)) {
    // The one that is asked comes last: memory may run out in between.
    out.yes.loss.resize(padded(p.n_questions));
    out.no.loss.resize(padded(p.n_questions));
  }
}

Answers answers_of(const Problem& p, const SplitRow& out) {
  return {p.answers.data(), p.words_per_row, out.keep.data(), (out.n_lanes + 63) / 64};
}

SplitLosses losses_to(const LaneFunctions& lanes, SplitRow& out) {
  return {lanes.kernel, out.n_lanes, out.no.loss.data(), out.yes.loss.data(), out.loss_scratch};
}

// Counting goes sixteen questions at a time.
std::size_t first_counted(const SplitRequest& request) {
  return std::size_t{request.first_question} / 16 * 16;
}

// By question: a number of each row that answers yes, given by its bits, summed.
void sum_numbers(const BitTable& t, const LaneFunctions& lanes, const SplitRequest& request,
                 const std::vector<std::vector<std::uint64_t>>& number, SplitRow& out,
                 std::vector<double>& sums) {
  const Bits bits = request.bits;
  const std::size_t first = first_counted(request);
  sums.assign(t.stride, 0.0);
  out.bits.resize(bits.size());
  out.plane_ones.resize(t.stride);
  for (std::size_t k = 0; k < number.size(); ++k) {
    for (std::size_t w = 0; w < bits.size(); ++w) out.bits[w] = bits[w] & number[k][w];
    lanes.count_ones(out.bits.data(), bits.size(), t.columns.data(), first, t.stride,
                     out.plane_ones.data());
    const double each = std::ldexp(1.0, static_cast<int>(k));
    for (std::size_t q = first; q < t.stride; ++q) sums[q] += each * out.plane_ones[q];
  }
}

void count_rows(const BitTable& t, const LaneFunctions& lanes, const SplitRequest& request,
                SplitRow& out) {
  if (!t.copies.empty()) return sum_numbers(t, lanes, request, t.copies, out, out.ones);
  out.ones.resize(t.stride);
  lanes.count_ones(request.bits.data(), request.bits.size(), t.columns.data(),
                   first_counted(request), t.stride, out.ones.data());
}

void count_events(const BitTable& t, const LaneFunctions& lanes, const SplitRequest& request,
                  SplitRow& out) {
  if (request.smallest.events > 0) sum_numbers(t, lanes, request, t.events, out, out.event_ones);
}

// The groups of the subset that cost anything: the rows they are booked on, with packed answers.
std::size_t list_groups(const Problem& p, const LaneFunctions& lanes, Bits bits, SplitRow& out) {
  std::size_t n = 0;
  for (std::size_t w = 0; w < bits.size(); ++w) {
    for (std::uint64_t word = bits[w] & p.bits.costly[w]; word != 0; word &= word - 1) {
      const std::size_t place = 64 * w + static_cast<std::size_t>(std::countr_zero(word));
      if (out.numbers.size() <= n) out.numbers.resize(2 * n + 64);
      out.numbers[n++] = p.bits.row_of[place];
    }
  }
  const Answers answers = answers_of(p, out);
  out.packed.resize(std::max(out.packed.size(), n * answers.n_packed));
  lanes.pack_rows(answers, out.numbers.data(), n, out.packed.data());
  return n;
}

// Of the groups listed, what those on each side of a question cost.
void add_up_groups(const LaneFunctions& lanes, const std::vector<double>& group_loss, std::size_t n,
                   SplitRow& out, std::vector<double>& no, std::vector<double>& yes) {
  no.assign(padded(out.n_lanes), 0.0);
  yes.assign(padded(out.n_lanes), 0.0);
  out.values.resize(n);
  double total = 0.0;
  for (std::size_t i = 0; i < n; ++i) total += out.values[i] = group_loss[out.numbers[i]];
  if (total == 0.0) return;
  lanes.add_where_yes(out.packed.data(), (out.n_lanes + 63) / 64, out.values.data(), n, out.n_lanes,
                      yes.data());
  for (std::size_t lane = 0; lane < out.n_lanes; ++lane)
    no[lane] = std::max(0.0, total - yes[lane]);
}

void split_by_rows(const Problem& p, const LaneFunctions& lanes, const SplitRequest& request,
                   SplitRow& out) {
  count_rows(p.bits, lanes, request, out);
  count_events(p.bits, lanes, request, out);
  choose_lanes(p, request, out);
  if (out.n_lanes == 0) return;
  const Answers answers = answers_of(p, out);
  // Collapsed rows are at most as many as rows of the table.
  const std::size_t most = std::min<std::size_t>(p.n_rows(), request.n_rows);
  if (out.numbers.size() < most) out.numbers.resize(most);
  if (out.packed.size() < most * answers.n_packed) out.packed.resize(most * answers.n_packed);
  out.n_steps = lanes.list_rows(request.bits.data(), request.bits.size(), answers,
                                out.numbers.data(), out.packed.data());
  p.loss->of_splits({out.numbers.data(), out.n_steps, out.packed.data(), answers.n_packed},
                    losses_to(lanes, out));
}

void split_by_blocks(const Problem& p, const LaneFunctions& lanes, const SplitRequest& request,
                     SplitRow& out) {
  const BitTable& t = p.bits;
  const std::size_t first = first_counted(request);
  const std::size_t most = t.blocks.size();
  if (out.numbers.size() < most) out.numbers.resize(most);
  out.values.resize(most);
  out.counts.resize(most * t.stride);
  out.ones.resize(t.stride);
  const std::size_t n_blocks =
      lanes.count_blocks(t.blocks.data(), most, request.bits.data(), t.columns.data(), first,
                         t.stride, out.numbers.data(), out.counts.data());
  lanes.add_up(out.counts.data(), n_blocks, first, t.stride, out.ones.data());
  count_events(t, lanes, request, out);
  choose_lanes(p, request, out);
  if (out.n_lanes == 0) return;
  out.n_steps = n_blocks;
  for (std::size_t k = 0; k < n_blocks; ++k)
    out.values[k] = out.counts[k * t.stride + p.n_questions];  // that everyone answers with yes
  out.lane_counts.resize(std::max(out.lane_counts.size(), out.n_steps * padded(out.n_lanes)));
  lanes.pick_counts(out.counts.data(), out.n_steps, t.stride, out.keep.data(), out.n_lanes,
                    out.lane_counts.data());
  p.loss->of_block_splits(
      {out.numbers.data(), out.values.data(), out.n_steps, out.lane_counts.data()},
      losses_to(lanes, out));
}

}  // namespace

std::size_t SplitRow::lane_of(std::uint32_t wanted) const {
  const auto end = question.begin() + static_cast<std::ptrdiff_t>(n_lanes);
  const auto found = std::lower_bound(question.begin(), end, wanted);
  require(found != end && *found == wanted, "the question has a lane");
  return static_cast<std::size_t>(found - question.begin());
}

void SplitRow::order_by_loss(const SplitRules& rules, std::vector<std::uint32_t>& order) const {
  order.resize(n_lanes);
  for (std::uint32_t lane = 0; lane < n_lanes; ++lane) order[lane] = lane;
  const auto sort_by = [&](auto cost_of) {
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const double x = cost_of(a), y = cost_of(b);
      return x != y ? x < y : a < b;
    });
  };
  if (rules.has_penalties())
    sort_by([&](std::uint32_t k) { return no.loss[k] + yes.loss[k] + rules.penalty(question[k]); });
  else
    sort_by([&](std::uint32_t k) { return no.loss[k] + yes.loss[k]; });
}

void split_row(const Problem& p, const LaneFunctions& lanes, const SplitRequest& request,
               SplitRow& out) {
  out.n_steps = 0;
  if (p.bits.is_by_blocks())
    split_by_blocks(p, lanes, request, out);
  else
    split_by_rows(p, lanes, request, out);
  if (!request.wants_groups || out.n_lanes == 0) return;
  const std::size_t n = list_groups(p, lanes, request.bits, out);
  add_up_groups(lanes, p.group_loss, n, out, out.no.groups, out.yes.groups);
  if (p.has_guess) add_up_groups(lanes, p.proven_group_loss, n, out, out.no.proven, out.yes.proven);
}

}  // namespace survtree
