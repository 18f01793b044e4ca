#include "search/subset.hpp"

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
    s.n_events += p.n_events[row];
  }
  s.facts.loss = p.loss->of_leaf(rows);
  s.bits = p.bits.everyone;
  s.groups = p.groups.everyone;
  s.key = key_of(s.groups);
  return s;
}

SubsetFacts facts_of(const SplitSide& side, std::size_t lane) {
  return {side.loss[lane], side.groups[lane], side.proven.empty() ? 0.0 : side.proven[lane]};
}

Parts parts_of(const Subset& s, const SplitRow& split, std::size_t lane, PartBuffers& buffers) {
  Parts out;
  for (const bool yes : {false, true}) {
    Subset& part = yes ? out.yes : out.no;
    part.facts = facts_of(split.side(yes), lane);
    part.n_rows = split.side(yes).rows[lane];
    part.n_events = split.side(yes).n_events(lane);
    part.parent = &s;
    part.question = split.question[lane];
    part.says_yes = yes;
    part.buffers = yes ? &buffers.yes : &buffers.no;
  }
  return out;
}

void make_groups(const Problem& problem, Subset& s) {
  if (!s.groups.empty()) return;
  require(!s.parent->groups.empty(), "the key of the parent is made first");
  s.buffers->groups.resize(s.parent->groups.size());
  s.key = pick_groups(problem.groups, s.parent->groups, s.question, s.says_yes, s.buffers->groups);
  s.groups = s.buffers->groups;
}

void make_bits(const Problem& problem, Subset& s) {
  if (!s.bits.empty()) return;
  s.buffers->bits.resize(s.parent->bits.size());
  pick_bits(problem.bits, s.parent->bits, s.question, s.says_yes, s.buffers->bits);
  s.bits = s.buffers->bits;
}

}  // namespace survtree
