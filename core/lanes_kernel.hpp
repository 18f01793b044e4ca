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

template <class V, std::size_t K>
void lane_losses_of(const RowStream& stream, std::span<double> no_loss,
                    std::span<double> yes_loss) {
  for (std::size_t base = 0; base < stream.n_lanes; base += K * V::width) {
    LaneState<V> no[K], yes[K];
    const std::uint64_t* answers = stream.answers.data() + base / 64;
    for (const RowStream::Row& row : stream.rows) {
      const std::uint64_t bits = *answers >> (base % 64);
      answers += stream.words;
      const V weight(row.weight), area_step(row.area_step);
      for (std::size_t k = 0; k < K; ++k) {
        no[k].area = no[k].area + no[k].weight * area_step;
        yes[k].area = yes[k].area + yes[k].weight * area_step;
      }
      if (row.is_event) {
        const V tail_step(row.tail_step), event_mass(row.event_mass);
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
      (no[k].u + no[k].events).store(no_loss.data() + base + k * V::width);
      (yes[k].u + yes[k].events).store(yes_loss.data() + base + k * V::width);
    }
  }
}

// The same for keys; V holds integers here.
template <class V, std::size_t K>
void lane_keys_of(const RowStream& stream, std::span<std::uint64_t> high,
                  std::span<std::uint64_t> low) {
  for (std::size_t base = 0; base < stream.n_lanes; base += K * V::width) {
    V high_key[K], low_key[K];
    const std::uint64_t* answers = stream.answers.data() + base / 64;
    for (const RowStream::Row& row : stream.rows) {
      const std::uint64_t bits = *answers >> (base % 64);
      answers += stream.words;
      for (std::size_t k = 0; k < K; ++k) {
        const auto says_yes = V::mask(bits >> (k * V::width));
        high_key[k].flip_if(says_yes, row.key_high);
        low_key[k].flip_if(says_yes, row.key_low);
      }
    }
    for (std::size_t k = 0; k < K; ++k) {
      high_key[k].store(high.data() + base + k * V::width);
      low_key[k].store(low.data() + base + k * V::width);
    }
  }
}

// `pack` keeps the bits of its first argument that the second selects.
template <class Pack>
void pack_answers_of(Pack pack, std::span<const std::uint64_t> answers, std::size_t words_in,
                     std::span<const std::uint32_t> rows, std::span<const std::uint64_t> keep,
                     RowStream& stream) {
  std::uint64_t* out = stream.answers.data();
  for (std::size_t i = rows.size(); i-- > 0; out += stream.words) {
    const std::uint64_t* in = answers.data() + rows[i] * words_in;
    std::size_t at = 0;  // bits written of this row
    for (std::size_t w = 0; w < words_in; ++w) {
      if (keep[w] == 0) continue;
      const std::uint64_t bits = pack(in[w], keep[w]);
      const auto n_bits = static_cast<std::size_t>(std::popcount(keep[w]));
      const std::size_t shift = at % 64;
      out[at / 64] |= bits << shift;
      if (shift + n_bits > 64) out[at / 64 + 1] |= bits >> (64 - shift);
      at += n_bits;
    }
  }
}

}  // namespace
}  // namespace survtree
