#include "search/near_bits.hpp"

namespace survtree {

NearPart NearBits::all_rows() const {
  const Subset& s = solver_.root();
  return {s.key, 0.0, s.facts.loss, s.facts.group_loss, s.n_rows, s.n_events};
}

int NearBits::useful_depth(const NearPart& s) const {
  Subset subset;
  subset.n_rows = s.n_rows;
  subset.n_events = s.n_events;
  return solver_.useful_depth(subset);
}

Subset& NearBits::subset_at(std::span<const Step> path, const NearPart& s) {
  chain_.clear();
  while (buffers_.size() < path.size()) buffers_.emplace_back();
  const Subset* parent = &solver_.root();
  for (const Step& step : path) {
    Subset& part = chain_.emplace_back();
    part.parent = parent;
    part.question = step.question;
    part.says_yes = step.says_yes;
    part.buffers = &buffers_[chain_.size() - 1];
    make_groups(solver_.problem(), part);
    make_bits(solver_.problem(), part);
    parent = &part;
  }
  if (chain_.empty()) return solver_.root();
  Subset& last = chain_.back();
  last.facts = {s.loss, s.group_loss};
  last.n_rows = s.n_rows;
  last.n_events = s.n_events;
  return last;
}

void NearBits::splits_within(std::span<const Step> path, const NearPart& part, int depth,
                             double budget, std::vector<NearSplit>& out) {
  out.clear();
  Subset& s = subset_at(path, part);
  const std::size_t k = path.size();
  const SplitRow& split = solver_.splitter().split(solver_.worker(), s, k);
  optima_ = optima_of(path, depth);
  for (std::size_t lane = 0; lane < split.n_lanes; ++lane) {
    if (solver_.should_stop(solver_.worker())) return;
    const std::uint32_t question = split.question[lane];
    if (!solver_.is_allowed(question, k)) continue;
    const double penalty = solver_.penalty_of(question);
    auto found = split_within(s, split, lane, depth, budget - penalty);
    if (!found) continue;
    found->penalty = penalty;
    out.push_back(*found);
  }
}

std::optional<NearSplit> NearBits::split_within(Subset& s, const SplitRow& split, std::size_t lane,
                                                int depth, double budget) {
  const double limit = budget + solver_.tolerance();
  const double no_floor =
      depth == 1 ? split.no.loss[lane] + penalty() : solver_.part_bound(split, lane, false);
  const double yes_floor =
      depth == 1 ? split.yes.loss[lane] + penalty() : solver_.part_bound(split, lane, true);
  if (no_floor + yes_floor > limit) return std::nullopt;
  const std::size_t k = chain_.size();
  auto [no, yes] = parts_of(s, split, lane, solver_.worker().level(k).parts);
  solver_.make_key(no);
  solver_.make_key(yes);
  double no_value = no_floor, yes_value = yes_floor;
  if (depth > 1 && !optima_.empty()) {
    no_value = optima_[2 * std::size_t{split.question[lane]}];
    yes_value = optima_[2 * std::size_t{split.question[lane]} + 1];
    if (no_value + yes_value > limit) return std::nullopt;
  } else if (depth > 1) {
    Worker& w = solver_.worker();
    const SubsetResult a = solver_.solve(w, no, depth - 1, budget - yes_floor, k + 1);
    if (!a.is_solved) return std::nullopt;
    const SubsetResult b = solver_.solve(w, yes, depth - 1, budget - a.value, k + 1);
    if (!b.is_solved || a.value + b.value > limit) return std::nullopt;
    no_value = a.value;
    yes_value = b.value;
  }
  const auto part_of = [](const Subset& side, double value) {
    return NearPart{side.key,    value,        side.facts.loss, side.facts.group_loss,
                    side.n_rows, side.n_events};
  };
  return NearSplit{split.question[lane], part_of(no, no_value), part_of(yes, yes_value)};
}

}  // namespace survtree
