#include "search/frontier.hpp"

#include <cmath>

#include "data/contract.hpp"

namespace survtree {

constexpr double kNone = std::numeric_limits<double>::infinity();
constexpr std::size_t kChunk = 4096, kFirstSlots = 1024;
constexpr std::size_t kMostLeaves = 60'000;  // they are counted in 16 bits

Frontier::Frontier(const Problem& problem, const FrontierOptions& options)
    : problem_(problem),
      options_(options),
      splitter_(problem, options.kernel, {options.min_samples_leaf, options.min_events_leaf}),
      root_(all_rows(problem)),
      tolerance_(1e-12 * root_.facts.loss),
      best_(static_cast<std::size_t>(splitter_.useful_depth(root_)) + 1),
      slots_(kFirstSlots) {
  require(options.max_depth >= 0 && options.max_depth <= kMaxDepth, "0 <= max_depth <= 1000");
  require(options.min_regularization >= 0.0, "min_regularization >= 0");
  require(options.min_samples_leaf >= 1 && options.max_leaves >= 1, "at least one row, one leaf");
}

// A tree of h leaves costs at least its groups and h penalties, a leaf its loss and one penalty: so
// many leaves are worth their penalties, at most.
double Frontier::leaves_worth(const Subset& s) const {
  const double savings = s.facts.loss - s.facts.group_loss + tolerance_;
  const double penalty = options_.min_regularization;
  const double worth = penalty > 0.0 ? 1.0 + savings / penalty : kNone;
  return std::min(worth, static_cast<double>(options_.max_leaves));
}

// A tree of depth d has d + 1 leaves or more.
int Frontier::useful_depth(const Subset& s) const {
  if (splitter_.is_leaf_at_most(s)) return 0;
  const int by_size = splitter_.useful_depth(s);
  const double by_leaves = std::floor(leaves_worth(s)) - 1.0;
  return by_leaves < by_size ? std::max(0, static_cast<int>(by_leaves)) : by_size;
}

std::size_t Frontier::most_leaves(const Subset& s, int depth) const {
  const double by_depth = std::ldexp(1.0, std::min(depth, 30));
  const std::uint64_t by_size = splitter_.smallest_leaf().most_leaves(s.n_rows, s.n_events);
  const double most =
      std::min({by_depth, static_cast<double>(by_size), std::floor(leaves_worth(s))});
  require(most <= static_cast<double>(kMostLeaves), "numbers of leaves fit in 16 bits");
  return std::max<std::size_t>(1, static_cast<std::size_t>(most));
}

Frontier::Found Frontier::points(Subset& s, int depth, std::size_t k, Point& leaf) {
  leaf = {s.facts.loss, kLeaf, 1, 0};
  const int useful = useful_depth(s);
  if (useful == 0) return {{&leaf, 1}, false};
  if (depth == 0) return {{&leaf, 1}, true};
  const int here = std::min(depth, useful);
  make_groups(problem_, s);
  const Slot& slot = slots_.find(
      s.key.low, [&](const Slot& known) { return known.key == s.key && known.depth == here; });
  if (slot.is_used()) {
    ++worker_.stats.cache_hits;
    return {{slot.points, slot.n_points}, slot.is_cut};
  }
  if (limits_.should_stop(worker_.n_polls, true)) return {{&leaf, 1}, true};
  // What is left out below because it cannot pay here is not cut by depth.
  const bool is_cut = try_splits(s, here, k) && depth < useful;
  if (limits_.is_over()) return {{&leaf, 1}, true};
  ++worker_.stats.subsets_solved;
  limits_.count_node();
  const Found found{kept(best_[k]), is_cut};
  store(s.key, here, found);
  return found;
}

// All trees that split here; returns whether any of them was cut by depth.
bool Frontier::try_splits(Subset& s, int depth, std::size_t k) {
  const SplitRow& split = splitter_.split(worker_, s, k);
  Best& best = best_[k];
  best.assign(most_leaves(s, depth), {kNone, kLeaf, 0, 0});
  best[0] = {s.facts.loss, kLeaf, 1, 0};
  if (depth == 1) {
    for (std::size_t lane = 0; lane < split.n_lanes; ++lane)
      offer(best, {split.no.loss[lane] + split.yes.loss[lane],
                   static_cast<std::int32_t>(split.question[lane]), 2, 1});
    return true;
  }
  bool is_cut = false;
  for (std::size_t lane = 0; lane < split.n_lanes && !limits_.is_over(); ++lane) {
    auto [no, yes] = parts_of(s, split, lane, worker_.level(k).parts);
    const auto question = static_cast<std::int32_t>(split.question[lane]);
    Point no_leaf, yes_leaf;
    const Found a = points(no, depth - 1, k + 1, no_leaf);
    const Found b = points(yes, depth - 1, k + 1, yes_leaf);
    is_cut |= a.is_cut || b.is_cut;
    for (const Point& x : a.points)
      for (const Point& y : b.points)
        offer(best, {x.loss + y.loss, question, static_cast<std::uint16_t>(x.n_leaves + y.n_leaves),
                     x.n_leaves});
  }
  return is_cut;
}

// Questions come in the order that breaks ties, so the first of equal ones stays.
void Frontier::offer(Best& best, const Point& point) const {
  if (point.n_leaves > best.size()) return;
  Point& old = best[point.n_leaves - 1];
  if (old.n_leaves == 0 || point.loss < old.loss - tolerance_) old = point;
}

// Of each number of leaves, what is worth keeping, in a place that never moves.
std::span<const Point> Frontier::kept(const Best& best) {
  reduced_.clear();
  for (const Point& point : best)
    if (point.n_leaves > 0) keep(point);
  if (pool_.empty() || pool_.back().size() + reduced_.size() > pool_.back().capacity())
    pool_.emplace_back().reserve(std::max(kChunk, reduced_.size()));
  std::vector<Point>& chunk = pool_.back();
  const std::size_t first = chunk.size();
  chunk.insert(chunk.end(), reduced_.begin(), reduced_.end());
  return std::span(chunk).subspan(first);
}

// More leaves must save more than the smallest penalty of each. On the hull, what each saves falls
// from vertex to vertex; a vertex that saves no more than the next is none.
void Frontier::keep(const Point& point) {
  const auto saves = [](const Point& few, const Point& many) {
    return (few.loss - many.loss) / (many.n_leaves - few.n_leaves);
  };
  const bool keeps_all = options_.max_leaves != SIZE_MAX;
  while (!keeps_all && reduced_.size() > 1 &&
         saves(reduced_.back(), point) >= saves(reduced_[reduced_.size() - 2], reduced_.back()))
    reduced_.pop_back();
  const double penalty = options_.min_regularization;
  if (!reduced_.empty() && reduced_.back().loss - point.loss <=
                               penalty * (point.n_leaves - reduced_.back().n_leaves) + tolerance_)
    return;
  reduced_.push_back(point);
}

void Frontier::store(const Key& key, int depth, const Found& found) {
  if (3 * (slots_.n_used() + 1) > 2 * slots_.n_slots())
    slots_.rebuild(2 * slots_.n_slots(), [](const Slot& slot) { return slot.key.low; });
  Slot& free = slots_.find(key.low, [](const Slot&) { return false; });
  slots_.fill(free, {key, found.points.data(), static_cast<std::uint16_t>(found.points.size()),
                     static_cast<std::uint16_t>(depth), found.is_cut});
  if (cache_bytes() > limits_.of_run().memory_limit_bytes) limits_.stop(Status::memory_limit);
}

std::size_t Frontier::cache_bytes() const {
  return slots_.n_slots() * sizeof(Slot) + pool_.size() * kChunk * sizeof(Point);
}

Tree Frontier::read(Subset& s, int depth, std::size_t n_leaves, std::size_t k) {
  Point leaf;
  const Found found = points(s, depth, k, leaf);
  const auto point = std::ranges::find_if(
      found.points, [&](const Point& each) { return each.n_leaves == n_leaves; });
  if (point == found.points.end() || point->question == kLeaf) return leaf_of(s.facts.loss);
  const Point chosen = *point;
  const int below = std::min(depth, useful_depth(s)) - 1;
  auto [no, yes] = splitter_.split_on(worker_, s, chosen.question, k);
  Tree no_tree = read(no, below, chosen.no_leaves, k + 1);
  Tree yes_tree = read(yes, below, n_leaves - chosen.no_leaves, k + 1);
  return split_of(chosen.question, std::move(no_tree), std::move(yes_tree));
}

FrontierResult Frontier::run(const RunLimits& limits) {
  limits_.start(limits);
  FrontierResult r;
  for (int depth = 0;; ++depth) {
    Point leaf;
    const Found found = points(root_, depth, 0, leaf);
    if (limits_.is_over()) break;
    r.trees.clear();
    for (const Point& point : found.points)
      r.trees.push_back(read(root_, depth, point.n_leaves, 0));
    r.is_complete = !found.is_cut || depth == options_.max_depth;
    if (r.is_complete) break;
  }
  r.status = r.is_complete ? Status::optimal : limits_.reason();
  r.stats = worker_.stats;
  r.cache_entries = slots_.n_used();
  r.cache_bytes = cache_bytes();
  r.tolerance = tolerance_;
  r.root_loss = root_.facts.loss;
  r.root_floor = root_.facts.group_loss;
  r.seconds = limits_.seconds();
  return r;
}

}  // namespace survtree
