#include "split_row.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace survtree {
namespace {

// Byte -> its eight bits, one to a byte: adding these counts eight questions at once.
constexpr std::array<std::uint64_t, 256> make_spread() {
  std::array<std::uint64_t, 256> table{};
  for (std::uint64_t byte = 0; byte < 256; ++byte)
    for (std::uint64_t bit = 0; bit < 8; ++bit)
      table[byte] |= (byte >> bit & 1U) << (8 * bit);
  return table;
}
constexpr std::array<std::uint64_t, 256> kSpread = make_spread();

// Moves the byte counters, which hold at most 255, to the real ones.
void flush_counts(SplitRow& out) {
  for (std::size_t q = 0; q < out.yes.size(); ++q)
    out.yes[q].n_rows += out.byte_counts[q / 8] >> (8 * (q % 8)) & 0xffU;
  std::ranges::fill(out.byte_counts, 0);
}

void add_rows(const Problem& p, std::uint32_t row, std::uint64_t n_copies, SplitRow& out) {
  const std::uint64_t* answers = p.answers.data() + row * p.words_per_row;
  for (std::size_t b = 0; b < out.byte_counts.size(); ++b)
    out.byte_counts[b] += n_copies * kSpread[answers[b / 8] >> (8 * (b % 8)) & 0xffU];
}

void add_group_loss(const Problem& p, std::uint32_t row, SplitRow& out) {
  for (std::size_t w = 0; w < p.words_per_row; ++w) {
    std::uint64_t bits = p.answers[row * p.words_per_row + w];
    for (; bits != 0; bits &= bits - 1)
      out.yes[64 * w + static_cast<std::size_t>(std::countr_zero(bits))].group_loss +=
          p.group_loss[row];
  }
}

// Rows and group losses of the yes-children; those of the no-children follow from the totals.
void count_children(const Problem& p, std::span<const std::uint32_t> rows, SplitRow& out) {
  out.byte_counts.assign((p.n_questions + 7) / 8, 0);
  std::uint64_t total = 0, in_bytes = 0;
  double total_group_loss = 0.0;
  for (std::uint32_t row : rows) {
    std::uint64_t copies = p.n_copies[row];
    total += copies;
    for (; copies > 0; flush_counts(out), in_bytes = 0) {
      const std::uint64_t fit = std::min<std::uint64_t>(copies, 255 - in_bytes);
      add_rows(p, row, fit, out);
      in_bytes += fit;
      copies -= fit;
      if (copies == 0 && in_bytes < 255) break;
    }
    if (p.group_loss[row] == 0.0) continue;
    total_group_loss += p.group_loss[row];
    add_group_loss(p, row, out);
  }
  flush_counts(out);
  for (std::size_t q = 0; q < p.n_questions; ++q) {
    out.no[q].n_rows = total - out.yes[q].n_rows;
    out.no[q].group_loss = std::max(0.0, total_group_loss - out.yes[q].group_loss);
  }
}

void choose_lanes(const Problem& p, std::uint64_t min_rows, SplitRow& out) {
  const std::uint64_t need = std::max<std::uint64_t>(1, min_rows);
  out.question_of_lane.clear();
  out.keep.assign(p.words_per_row, 0);
  for (std::uint32_t q = 0; q < p.n_questions; ++q) {
    if (out.no[q].n_rows < need || out.yes[q].n_rows < need) continue;
    out.question_of_lane.push_back(q);
    out.keep[q / 64] |= std::uint64_t{1} << (q % 64);
  }
  out.n_lanes = out.question_of_lane.size();
}

void fill_stream(const Problem& p, std::span<const std::uint32_t> rows, Kernel kernel,
                 SplitRow& out) {
  const EventTable& t = p.events;
  RowStream& stream = out.stream;
  stream.n_lanes = out.n_lanes;
  stream.words = (out.n_lanes + 63) / 64;
  stream.answers.assign(rows.size() * stream.words, 0);
  pack_answers(kernel, p.answers, p.words_per_row, rows, out.keep, stream);
  stream.rows.resize(rows.size());
  double area = t.censor_area[rows.back()], tail = 0.0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::uint32_t row = rows[rows.size() - 1 - k];
    const bool is_event = t.is_event[row] != 0;
    stream.rows[k] = {t.weight[row], area - t.censor_area[row], is_event ? t.tail[row] - tail : 0.0,
                      t.weight[row] * t.inverse_g[row], is_event};
    area = t.censor_area[row];
    if (is_event) tail = t.tail[row];
  }
}

}  // namespace

void split_row(const Problem& p, std::span<const std::uint32_t> rows, std::uint64_t min_rows,
               Kernel kernel, SplitRow& out) {
  out.no.assign(p.n_questions, Child{});
  out.yes.assign(p.n_questions, Child{});
  count_children(p, rows, out);
  choose_lanes(p, min_rows, out);
  if (out.n_lanes == 0) return;
  fill_stream(p, rows, kernel, out);
  const std::size_t padded = (out.n_lanes + kLanePadding - 1) / kLanePadding * kLanePadding;
  out.no_loss.resize(padded);
  out.yes_loss.resize(padded);
  lane_losses(kernel, out.stream, out.no_loss, out.yes_loss);
  for (std::size_t lane = 0; lane < out.n_lanes; ++lane) {
    out.no[out.question_of_lane[lane]].loss = out.no_loss[lane];
    out.yes[out.question_of_lane[lane]].loss = out.yes_loss[lane];
  }
}

}  // namespace survtree
