#include "split_row.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace survtree {
namespace {

// Counts, for 64 questions at once, how many rows answer yes: the counters stand upright, bit k of
// all of them in planes[k], so that adding a row is a handful of logical operations.
class UprightCounters {
 public:
  void add(std::uint64_t bits, std::uint64_t times) {
    for (std::size_t k = 0; times != 0; ++k, times >>= 1U)
      if ((times & 1U) != 0) ripple(bits, k);
  }

  // Four rows together: three carry-save adders, then one carry.
  void add_four(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d) {
    const std::uint64_t twos_1 = carry_save(planes_[0], a, b);
    const std::uint64_t twos_2 = carry_save(planes_[0], c, d);
    ripple(carry_save(planes_[1], twos_1, twos_2), 2);
    n_planes_ = std::max<std::size_t>(n_planes_, 2);
  }

  std::uint64_t count(std::size_t question) const {
    std::uint64_t n = 0;
    for (std::size_t k = 0; k < n_planes_; ++k) n |= (planes_[k] >> question & 1U) << k;
    return n;
  }

 private:
  static std::uint64_t carry_save(std::uint64_t& sum, std::uint64_t a, std::uint64_t b) {
    const std::uint64_t partial = sum ^ a, carry = (sum & a) | (partial & b);
    sum = partial ^ b;
    return carry;
  }

  void ripple(std::uint64_t carry, std::size_t k) {
    for (; carry != 0; ++k) {
      const std::uint64_t old = planes_[k];
      planes_[k] = old ^ carry;
      carry &= old;
      n_planes_ = std::max(n_planes_, k + 1);
    }
  }

  std::array<std::uint64_t, 64> planes_{};
  std::size_t n_planes_ = 0;
};

void count_rows(const Problem& p, std::span<const std::uint32_t> rows, std::size_t word,
                SplitRow& out) {
  const auto bits = [&](std::size_t i) { return p.answers[rows[i] * p.words_per_row + word]; };
  UprightCounters counters;
  std::size_t i = 0;
  for (; i + 4 <= rows.size(); i += 4)
    counters.add_four(bits(i), bits(i + 1), bits(i + 2), bits(i + 3));
  for (; i < rows.size(); ++i) counters.add(bits(i), 1);
  for (i = 0; i < rows.size() && p.has_copies; ++i)
    if (p.rows[rows[i]].n_copies > 1) counters.add(bits(i), p.rows[rows[i]].n_copies - 1);
  const std::size_t end = std::min(p.n_questions, 64 * (word + 1));
  for (std::size_t q = 64 * word; q < end; ++q) out.yes[q].n_rows = counters.count(q % 64);
}

void add_group_loss(const Problem& p, std::uint32_t row, SplitRow& out) {
  for (std::size_t w = 0; w < p.words_per_row; ++w) {
    std::uint64_t bits = p.answers[row * p.words_per_row + w];
    for (; bits != 0; bits &= bits - 1)
      out.yes[64 * w + static_cast<std::size_t>(std::countr_zero(bits))].group_loss +=
          p.rows[row].group_loss;
  }
}

// Rows and group losses of the yes-children; those of the no-children follow from the totals.
void count_children(const Problem& p, std::span<const std::uint32_t> rows, SplitRow& out) {
  for (std::size_t word = 0; word < p.words_per_row; ++word) count_rows(p, rows, word, out);
  std::uint64_t total = 0;
  double total_group_loss = 0.0;
  for (std::uint32_t row : rows) {
    total += p.rows[row].n_copies;
    if (p.rows[row].group_loss == 0.0) continue;
    total_group_loss += p.rows[row].group_loss;
    add_group_loss(p, row, out);
  }
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

void fill_stream(const Problem& p, const SplitRequest& request, SplitRow& out) {
  const std::span<const std::uint32_t> rows = request.rows;
  RowStream& stream = out.stream;
  stream.n_lanes = out.n_lanes;
  stream.words = (out.n_lanes + 63) / 64;
  stream.answers.assign(rows.size() * stream.words, 0);
  pack_answers(request.kernel, p.answers, p.words_per_row, rows, out.keep, stream);
  stream.rows.resize(rows.size());
  double area = p.rows[rows.back()].censor_area, tail = 0.0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const RowFacts& row = p.rows[rows[rows.size() - 1 - k]];
    stream.rows[k] = {row.weight,     area - row.censor_area, row.is_event ? row.tail - tail : 0.0,
                      row.event_mass, row.is_event,           row.key.high,
                      row.key.low};
    area = row.censor_area;
    if (row.is_event) tail = row.tail;
  }
}

void find_losses(const SplitRequest& request, SplitRow& out) {
  const std::size_t padded = (out.n_lanes + kLanePadding - 1) / kLanePadding * kLanePadding;
  out.no_loss.resize(padded);
  out.yes_loss.resize(padded);
  lane_losses(request.kernel, out.stream, out.no_loss, out.yes_loss);
  for (std::size_t lane = 0; lane < out.n_lanes; ++lane) {
    out.no[out.question_of_lane[lane]].loss = out.no_loss[lane];
    out.yes[out.question_of_lane[lane]].loss = out.yes_loss[lane];
  }
}

void find_keys(const SplitRequest& request, SplitRow& out) {
  out.key_high.resize(out.no_loss.size());
  out.key_low.resize(out.no_loss.size());
  lane_keys(request.kernel, out.stream, out.key_high, out.key_low);
  for (std::size_t lane = 0; lane < out.n_lanes; ++lane) {
    const std::uint32_t q = out.question_of_lane[lane];
    out.yes[q].key = {out.key_high[lane], out.key_low[lane]};
    out.no[q].key = request.key ^ out.yes[q].key;
  }
}

}  // namespace

void split_row(const Problem& p, const SplitRequest& request, SplitRow& out) {
  out.no.assign(p.n_questions, Child{});
  out.yes.assign(p.n_questions, Child{});
  count_children(p, request.rows, out);
  choose_lanes(p, request.min_rows, out);
  if (out.n_lanes == 0) return;
  fill_stream(p, request, out);
  find_losses(request, out);
  if (request.wants_keys) find_keys(request, out);
}

}  // namespace survtree
