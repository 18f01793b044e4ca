#include "search/near_bits.hpp"

namespace survtree {

NearPart NearBits::all_rows() const {
  const Subset& s = solver_.root();
  return {s.key, search_.lower_bound(), s.facts.loss, s.facts.group_loss, s.n_rows, s.n_events};
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
  // The lattice knows the optima of trees that are as deep as it is, from all rows on.
  const int levels_left = solver_.final_depth() - static_cast<int>(k);
  const bool is_depth_enough = depth >= solver_.useful_depth(s) && depth <= levels_left;
  std::optional<Lattice::Cell> cell;
  if (search_.lattice() != nullptr && (depth == levels_left || is_depth_enough)) {
    cell.emplace();
    for (const Step& step : path) *cell = cell->with(step.question, step.says_yes);
  }
  const SplitRow& split = solver_.splitter().split(solver_.worker(), s, k);
  for (std::size_t lane = 0; lane < split.n_lanes; ++lane) {
    if (solver_.should_stop(solver_.worker())) return;
    const auto found = split_within(s, split, lane, depth, budget, cell ? &*cell : nullptr);
    if (found) out.push_back(*found);
  }
}

std::optional<NearSplit> NearBits::split_within(Subset& s, const SplitRow& split, std::size_t lane,
                                                int depth, double budget,
                                                const Lattice::Cell* cell) {
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
  if (depth > 1) {
    const std::uint32_t q = split.question[lane];
    const auto a = optimum_of(no, depth - 1, budget - yes_floor, cell, {q, false});
    if (!a) return std::nullopt;
    const auto b = optimum_of(yes, depth - 1, budget - *a, cell, {q, true});
    if (!b || *a + *b > limit) return std::nullopt;
    no_value = *a;
    yes_value = *b;
  }
  const auto part_of = [](const Subset& side, double value) {
    return NearPart{side.key,    value,        side.facts.loss, side.facts.group_loss,
                    side.n_rows, side.n_events};
  };
  return NearSplit{split.question[lane], part_of(no, no_value), part_of(yes, yes_value)};
}

// None if it is above the budget, or if the search was stopped.
std::optional<double> NearBits::optimum_of(Subset& s, int depth, double budget,
                                           const Lattice::Cell* cell, Step step) {
  if (cell != nullptr) return search_.lattice()->optimum(cell->with(step.question, step.says_yes));
  const SubsetResult result = solver_.solve(solver_.worker(), s, depth, budget, chain_.size() + 1);
  return result.is_solved ? std::optional(result.value) : std::nullopt;
}

}  // namespace survtree
