// The arithmetic of lanes.hpp, once, for any vector type V (width, load from one number, + - * /,
// select by mask). Included only by lanes_*.cpp, each compiled for its own instruction set.
//
// This is LeafPass (leaf_loss.hpp) side by side, with one difference: areas are brought forward at
// every row for both children instead of lazily, because a multiplication and an addition cost less
// than the selection they would spare. K vectors go together to hide the latency of the division;
// all their state stays in registers while the rows stream by.
#pragma once

#include <bit>

#include "lanes.hpp"
#include "problem.hpp"

namespace survtree {
namespace {

template <class V>
struct LaneState {
  V weight{}, area{}, p2{}, v{}, u{}, events{};
};

template <class V>
void pass_event(LaneState<V>& no, LaneState<V>& yes, typename V::Mask says_yes, V weight,
                V tail_step, V event_mass) {
  no.p2 = no.p2 + tail_step;
  yes.p2 = yes.p2 + tail_step;
  const V at_risk = V::select(says_yes, yes.weight, no.weight);
  const V area = V::select(says_yes, yes.area, no.area);
  const V p2 = V::select(says_yes, yes.p2, no.p2);
  const V v = V::select(says_yes, yes.v, no.v);
  const V u = V::select(says_yes, yes.u, no.u);
  const V events = V::select(says_yes, yes.events, no.events);

  const V inverse = V(1.0) / (at_risk + weight);
  const V r = at_risk * inverse, k = weight * inverse;
  const V rr = r * r;
  const V new_u = (k * k * area + (k + k) * r * v) + rr * u;
  const V new_v = k * area + r * v;
  const V new_events = rr * (events + event_mass * p2);
  const V new_p2 = rr * p2;

  yes.p2 = V::select(says_yes, new_p2, yes.p2);
  no.p2 = V::select(says_yes, no.p2, new_p2);
  yes.v = V::select(says_yes, new_v, yes.v);
  no.v = V::select(says_yes, no.v, new_v);
  yes.u = V::select(says_yes, new_u, yes.u);
  no.u = V::select(says_yes, no.u, new_u);
  yes.events = V::select(says_yes, new_events, yes.events);
  no.events = V::select(says_yes, no.events, new_events);
}

// K vectors of lanes of one word; Bits{keep, base}(word) shifts the answer of lane `base` to bit 0.
template <class V, std::size_t K, class Bits>
void word_losses(const RowStream& stream, std::size_t word, std::size_t base, double* no_loss,
                 double* yes_loss) {
  const Bits bits_of(stream.keep[word], base);
  LaneState<V> no[K], yes[K];
  double area = stream.facts[stream.rows.back()].censor_area, tail = 0.0;
  for (std::size_t i = stream.rows.size(); i-- > 0;) {
    const RowFacts& row = stream.facts[stream.rows[i]];
    const std::uint64_t bits = bits_of(stream.answers[stream.rows[i] * stream.words + word]);
    const V weight(row.weight), area_step(area - row.censor_area);
    area = row.censor_area;
    for (std::size_t k = 0; k < K; ++k) {
      no[k].area = no[k].area + no[k].weight * area_step;
      yes[k].area = yes[k].area + yes[k].weight * area_step;
    }
    if (row.is_event) {
      const V tail_step(row.tail - tail), event_mass(row.event_mass);
      tail = row.tail;
      for (std::size_t k = 0; k < K; ++k)
        pass_event<V>(no[k], yes[k], V::mask(bits >> (k * V::width)), weight, tail_step,
                      event_mass);
    }
    for (std::size_t k = 0; k < K; ++k) {
      const auto says_yes = V::mask(bits >> (k * V::width));
      yes[k].weight = V::select(says_yes, yes[k].weight + weight, yes[k].weight);
      no[k].weight = V::select(says_yes, no[k].weight, no[k].weight + weight);
    }
  }
  for (std::size_t k = 0; k < K; ++k) {
    (no[k].u + no[k].events).store(no_loss + k * V::width);
    (yes[k].u + yes[k].events).store(yes_loss + k * V::width);
  }
}

// Calls visit(word, base, lane) for every group of `width` lanes.
template <class Visit>
void for_each_group(const RowStream& stream, std::size_t width, Visit visit) {
  std::size_t first = 0;
  for (std::size_t word = 0; word < stream.words; ++word) {
    const auto n = static_cast<std::size_t>(std::popcount(stream.keep[word]));
    for (std::size_t base = 0; base < n; base += width) visit(word, base, first + base);
    first += padded(n);
  }
}

template <class V, std::size_t K, class Bits>
void lane_losses_of(const RowStream& stream, std::span<double> no_loss,
                    std::span<double> yes_loss) {
  for_each_group(stream, K * V::width, [&](std::size_t word, std::size_t base, std::size_t lane) {
    word_losses<V, K, Bits>(stream, word, base, no_loss.data() + lane, yes_loss.data() + lane);
  });
}

// The same for keys; V holds integers here.
template <class V, std::size_t K, class Bits>
void lane_keys_of(const RowStream& stream, std::span<std::uint64_t> high,
                  std::span<std::uint64_t> low) {
  for_each_group(stream, K * V::width, [&](std::size_t word, std::size_t base, std::size_t lane) {
    const Bits bits_of(stream.keep[word], base);
    V high_key[K], low_key[K];
    for (std::uint32_t row : stream.rows) {
      const std::uint64_t bits = bits_of(stream.answers[row * stream.words + word]);
      const Key& key = stream.facts[row].key;
      for (std::size_t k = 0; k < K; ++k) {
        const auto says_yes = V::mask(bits >> (k * V::width));
        high_key[k].flip_if(says_yes, key.high);
        low_key[k].flip_if(says_yes, key.low);
      }
    }
    for (std::size_t k = 0; k < K; ++k) {
      high_key[k].store(high.data() + lane + k * V::width);
      low_key[k].store(low.data() + lane + k * V::width);
    }
  });
}

// An event block of one child: as many events as `weight` says, none perhaps.
template <class V>
void pass_block(LaneState<V>& child, V weight, V tail_step, V inverse_g) {
  child.p2 = child.p2 + tail_step;
  // The dust makes r = 1 where nobody is left and nobody has an event, and changes no other sum.
  const V dust(1e-300);
  const V inverse = V(1.0) / ((child.weight + weight) + dust);
  const V r = (child.weight + dust) * inverse, k = weight * inverse;
  const V rr = r * r;
  child.u = (k * k * child.area + (k + k) * r * child.v) + rr * child.u;
  child.v = k * child.area + r * child.v;
  child.events = rr * (child.events + weight * inverse_g * child.p2);
  child.p2 = rr * child.p2;
}

template <class V, std::size_t K>
void block_losses_of(const BlockStream& stream, std::span<double> no_loss,
                     std::span<double> yes_loss) {
  for (std::size_t base = 0; base < stream.n_lanes; base += K * V::width) {
    LaneState<V> no[K], yes[K];
    const double* counts = stream.yes_weight.data() + base;
    for (const BlockStream::Block& block : stream.blocks) {
      const V all(block.weight), area_step(block.area_step);
      for (std::size_t k = 0; k < K; ++k) {
        const V yes_weight = V::load(counts + k * V::width);
        const V no_weight = all - yes_weight;
        no[k].area = no[k].area + no[k].weight * area_step;
        yes[k].area = yes[k].area + yes[k].weight * area_step;
        if (block.is_event) {
          pass_block<V>(no[k], no_weight, V(block.tail_step), V(block.inverse_g));
          pass_block<V>(yes[k], yes_weight, V(block.tail_step), V(block.inverse_g));
        }
        no[k].weight = no[k].weight + no_weight;
        yes[k].weight = yes[k].weight + yes_weight;
      }
      counts += stream.stride;
    }
    for (std::size_t k = 0; k < K; ++k) {
      (no[k].u + no[k].events).store(no_loss.data() + base + k * V::width);
      (yes[k].u + yes[k].events).store(yes_loss.data() + base + k * V::width);
    }
  }
}

// Plain loops of fixed length; the compiler makes of them what the instruction set allows.
inline void count_ones_of(std::span<const std::uint64_t> bits,
                          std::span<const std::uint64_t> columns, std::span<double> counts) {
  const std::size_t n = counts.size();
  for (std::size_t j = 0; j < n; j += kLanePadding) {
    std::int64_t sums[kLanePadding] = {};
    for (std::size_t w = 0; w < bits.size(); ++w) {
      const std::uint64_t* column = columns.data() + w * n + j;
      const std::uint64_t word = bits[w];
      for (std::size_t l = 0; l < kLanePadding; ++l) sums[l] += std::popcount(column[l] & word);
    }
    for (std::size_t l = 0; l < kLanePadding; ++l) counts[j + l] = static_cast<double>(sums[l]);
  }
}

}  // namespace
}  // namespace survtree
