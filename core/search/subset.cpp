#include "search/subset.hpp"

#include <algorithm>

#include "data/contract.hpp"
#include "data/distinct.hpp"

namespace survtree {

Subset whole(const Problem& p) {
  const std::vector<std::uint32_t> rows = iota(p.n_rows());
  Subset s;
  for (std::uint32_t row : rows) {
    s.facts.group_loss += p.group_loss[row];
    if (p.has_guess) s.facts.proven_loss += p.proven_group_loss[row];
    s.n_rows += p.n_copies[row];
  }
  s.facts.loss = p.loss->of_leaf(rows);
  s.bits = p.bits.everyone;
  s.groups = p.groups.everyone;
  s.key = key_of(s.groups);
  return s;
}

SubsetFacts facts_of(const SplitRow& split, std::size_t lane, bool yes) {
  SubsetFacts facts{yes ? split.yes_loss[lane] : split.no_loss[lane],
                    yes ? split.yes_groups[lane] : split.no_groups[lane]};
  if (!split.yes_proven.empty())
    facts.proven_loss = yes ? split.yes_proven[lane] : split.no_proven[lane];
  return facts;
}

Subset part_of(const Subset& s, const SplitRow& split, std::size_t lane, bool yes,
               PartBuffers& buffers) {
  Subset out;
  out.facts = facts_of(split, lane, yes);
  out.n_rows = yes ? split.yes_rows[lane] : split.no_rows[lane];
  out.parent = &s;
  out.question = split.question[lane];
  out.says_yes = yes;
  out.bit_buffer = yes ? &buffers.yes_bits : &buffers.no_bits;
  out.group_buffer = yes ? &buffers.yes_groups : &buffers.no_groups;
  return out;
}

void make_groups(const Problem& problem, Subset& s) {
  if (!s.groups.empty()) return;
  require(!s.parent->groups.empty(), "the key of the parent is made first");
  s.group_buffer->resize(s.parent->groups.size());
  s.key = pick_groups(problem.groups, s.parent->groups, s.question, s.says_yes, *s.group_buffer);
  s.groups = *s.group_buffer;
}

void make_bits(const Problem& problem, Subset& s) {
  if (!s.bits.empty()) return;
  s.bit_buffer->resize(s.parent->bits.size());
  pick_bits(problem.bits, s.parent->bits, s.question, s.says_yes, *s.bit_buffer);
  s.bits = *s.bit_buffer;
}

int depth_worth_trying(const Problem& problem, const Subset& s, std::uint64_t min_samples_leaf) {
  const std::uint64_t leaves = s.n_rows / min_samples_leaf;
  const std::uint64_t depth = leaves == 0 ? 0 : leaves - 1;
  return static_cast<int>(std::min<std::uint64_t>({depth, problem.n_questions, 1U << 20U}));
}

}  // namespace survtree
