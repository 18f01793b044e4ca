#include "split_row.hpp"

#include <algorithm>
#include <bit>

#include "split_row_parts.hpp"
#include "upright.hpp"

namespace survtree {
namespace {

using Rows = std::span<const std::uint32_t>;

// Adds one word of the rows' answers, each as often as it has copies.
void add_rows(const Problem& p, Rows rows, std::size_t word, UprightCounters& counters) {
  const auto bits = [&](std::size_t i) { return p.answers[rows[i] * p.words_per_row + word]; };
  std::size_t i = 0;
  for (; i + 4 <= rows.size(); i += 4) {
    counters.add_four(bits(i), bits(i + 1), bits(i + 2), bits(i + 3));
    if (!p.has_copies) continue;
    const std::uint32_t copies = p.n_copies[rows[i]] | p.n_copies[rows[i + 1]] |
                                 p.n_copies[rows[i + 2]] | p.n_copies[rows[i + 3]];
    if (copies == 1) continue;
    for (std::size_t k = i; k < i + 4; ++k) counters.add(bits(k), p.n_copies[rows[k]] - 1);
  }
  for (; i < rows.size(); ++i) counters.add(bits(i), p.n_copies[rows[i]]);
}

void count_children(const Problem& p, Rows rows, SplitRow& out) {
  std::uint64_t total = rows.size();
  for (std::size_t i = 0; i < rows.size() && p.has_copies; ++i) total += p.n_copies[rows[i]] - 1;
  for (std::size_t word = 0; word < p.words_per_row; ++word) {
    UprightCounters counters;
    add_rows(p, rows, word, counters);
    const std::size_t end = std::min(p.n_questions, 64 * (word + 1));
    for (std::size_t q = 64 * word; q < end; ++q) {
      out.yes[q].n_rows = counters.count(q % 64);
      out.no[q].n_rows = total - out.yes[q].n_rows;
    }
  }
}

void add_up_groups(const Problem& p, Rows rows, SplitRow& out) {
  double total = 0.0;
  for (std::uint32_t row : rows) {
    if (p.group_loss[row] == 0.0) continue;
    total += p.group_loss[row];
    add_group_loss(p, row, out);
  }
  finish_group_losses(total, out);
}

void find_keys(const SplitRequest& request, const RowStream& stream, SplitRow& out) {
  out.key_high.resize(out.no_loss.size());
  out.key_low.resize(out.no_loss.size());
  lane_keys(request.kernel, stream, out.key_high, out.key_low);
  for (std::size_t k = 0; k < out.n_lanes; ++k) {
    const std::uint32_t q = out.questions[k];
    out.yes[q].key = {out.key_high[out.lanes[k]], out.key_low[out.lanes[k]]};
    out.no[q].key = request.key ^ out.yes[q].key;
  }
}

void split_rows(const Problem& p, const SplitRequest& request, SplitRow& out) {
  count_children(p, request.rows, out);
  choose_lanes(p, request.min_rows, out);
  if (out.n_lanes == 0) return;
  const RowStream stream{p.rows, p.answers, p.words_per_row, request.rows, out.keep};
  lane_losses(request.kernel, stream, out.no_loss, out.yes_loss);
  out.n_steps = request.rows.size();
  if (!request.wants_children) return;
  add_up_groups(p, request.rows, out);
  find_keys(request, stream, out);
}

}  // namespace

void add_group_loss(const Problem& p, std::uint32_t row, SplitRow& out) {
  for (std::size_t w = 0; w < p.words_per_row; ++w)
    for (std::uint64_t bits = p.answers[row * p.words_per_row + w]; bits != 0; bits &= bits - 1)
      out.yes[64 * w + static_cast<std::size_t>(std::countr_zero(bits))].group_loss +=
          p.group_loss[row];
}

void finish_group_losses(double total, SplitRow& out) {
  for (std::size_t q = 0; q < out.yes.size() && total > 0.0; ++q)
    out.no[q].group_loss = std::max(0.0, total - out.yes[q].group_loss);
}

void choose_lanes(const Problem& p, std::uint64_t min_rows, SplitRow& out) {
  const std::uint64_t need = std::max<std::uint64_t>(1, min_rows);
  out.questions.clear();
  out.lanes.clear();
  out.keep.assign(p.words_per_row, 0);
  std::uint32_t lane = 0;
  for (std::uint32_t q = 0; q < p.n_questions; ++q) {
    if (q % 64 == 0) lane = static_cast<std::uint32_t>(padded(lane));
    if (out.no[q].n_rows < need || out.yes[q].n_rows < need) continue;
    out.questions.push_back(q);
    out.lanes.push_back(lane++);
    out.keep[q / 64] |= std::uint64_t{1} << (q % 64);
  }
  out.n_lanes = out.questions.size();
  out.no_loss.resize(padded(lane));
  out.yes_loss.resize(padded(lane));
}

void split_row(const Problem& p, const SplitRequest& request, SplitRow& out) {
  out.no.assign(p.n_questions, Child{});
  out.yes.assign(p.n_questions, Child{});
  out.n_steps = 0;
  if (request.bits.empty())
    split_rows(p, request, out);
  else
    split_bits(p, request, out);
  for (std::size_t k = 0; k < out.n_lanes; ++k) {
    out.no[out.questions[k]].loss = out.no_loss[out.lanes[k]];
    out.yes[out.questions[k]].loss = out.yes_loss[out.lanes[k]];
  }
}

}  // namespace survtree
