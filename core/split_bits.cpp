// split_row() for subsets held as bits: count ones by (block, question), then go through blocks.
#include <algorithm>

#include "split_row.hpp"
#include "split_row_parts.hpp"

namespace survtree {
namespace {

// Rows of each block that is not empty, and of those the ones that answer yes, all questions.
void count_blocks(const Problem& p, const SplitRequest& request, SplitRow& out) {
  const BitTable& t = p.bits;
  BlockStream& stream = out.block_stream;
  stream.blocks.clear();
  out.counts.resize(t.blocks.size() * t.stride);
  double area = 0.0, tail = 0.0;
  for (std::size_t b = t.blocks.size(); b-- > 0;) {  // from the last time to the first
    const BitTable::Block& block = t.blocks[b];
    const auto bits = request.bits.subspan(block.first_word, block.n_words);
    if (std::ranges::all_of(bits, [](std::uint64_t word) { return word == 0; })) continue;
    const auto counts = std::span(out.counts).subspan(stream.blocks.size() * t.stride, t.stride);
    count_ones(request.kernel, bits,
               std::span(t.columns).subspan(block.first_word * t.stride, block.n_words * t.stride),
               counts);
    if (stream.blocks.empty()) area = block.censor_area;
    stream.blocks.push_back({counts[p.n_questions], area - block.censor_area,
                             block.is_event ? block.tail - tail : 0.0, block.inverse_g,
                             block.is_event});
    area = block.censor_area;
    if (block.is_event) tail = block.tail;
  }
}

void add_up_rows(const Problem& p, SplitRow& out) {
  const std::size_t stride = p.bits.stride;
  out.sums.assign(stride, 0.0);
  for (std::size_t b = 0; b < out.block_stream.blocks.size(); ++b)
    for (std::size_t q = 0; q < stride; ++q) out.sums[q] += out.counts[b * stride + q];
  for (std::size_t q = 0; q < p.n_questions; ++q) {
    out.yes[q].n_rows = static_cast<std::uint64_t>(out.sums[q]);
    out.no[q].n_rows = static_cast<std::uint64_t>(out.sums[p.n_questions] - out.sums[q]);
  }
}

void add_up_groups(const Problem& p, std::span<const std::uint64_t> bits, SplitRow& out) {
  double total = 0.0;
  for (const BitTable::Group& group : p.bits.groups) {
    if ((bits[group.word] & group.bit) == 0) continue;
    total += group.loss;
    add_group_loss(p, group.row, out);
  }
  finish_group_losses(total, out);
}

void fill_counts(const Problem& p, SplitRow& out) {
  BlockStream& stream = out.block_stream;
  stream.n_lanes = out.no_loss.size();
  stream.stride = out.no_loss.size();
  stream.yes_weight.assign(stream.blocks.size() * stream.stride, 0.0);
  for (std::size_t b = 0; b < stream.blocks.size(); ++b)
    for (std::size_t k = 0; k < out.n_lanes; ++k)
      stream.yes_weight[b * stream.stride + out.lanes[k]] =
          out.counts[b * p.bits.stride + out.questions[k]];
}

}  // namespace

void split_bits(const Problem& p, const SplitRequest& request, SplitRow& out) {
  count_blocks(p, request, out);
  add_up_rows(p, out);
  choose_lanes(p, request.min_rows, out);
  if (out.n_lanes == 0) return;
  fill_counts(p, out);
  block_losses(request.kernel, out.block_stream, out.no_loss, out.yes_loss);
  out.n_steps = out.block_stream.blocks.size();
  if (request.wants_children) add_up_groups(p, request.bits, out);
}

}  // namespace survtree
