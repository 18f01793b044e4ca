#include "search/subset.hpp"

#include <algorithm>

#include "data/contract.hpp"
#include "data/distinct.hpp"

namespace survtree {

Subset all_rows(const Problem& p) {
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

Parts parts_of(const Subset& s, const SplitRow& split, std::size_t lane, PartBuffers& buffers) {
  Parts out;
  out.no.n_rows = split.no_rows[lane];
  out.no.bit_buffer = &buffers.no_bits;
  out.no.group_buffer = &buffers.no_groups;
  out.yes.n_rows = split.yes_rows[lane];
  out.yes.bit_buffer = &buffers.yes_bits;
  out.yes.group_buffer = &buffers.yes_groups;
  out.yes.says_yes = true;
  for (Subset* part : {&out.no, &out.yes}) {
    part->facts = facts_of(split, lane, part->says_yes);
    part->parent = &s;
    part->question = split.question[lane];
  }
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

}  // namespace survtree
