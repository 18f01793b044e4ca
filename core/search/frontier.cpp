#include "search/frontier.hpp"

#include <cmath>

#include "data/contract.hpp"

namespace survtree {

constexpr double kNone = std::numeric_limits<double>::infinity();
constexpr Point kNoPoint{kNone, kLeaf, 0, 0};
constexpr std::size_t kMostLeaves = 60'000;  // they are counted in 16 bits
constexpr int kLongDepth = 3;  // from here on a better tree has a line of its own in the table

Frontier::Frontier(const Problem& problem, const FrontierOptions& options)
    : problem_(problem),
      options_(options),
      splitter_(problem, options.kernel, {options.min_samples_leaf, options.min_events_leaf}),
      root_(all_rows(problem)),
      tolerance_(1e-12 * root_.facts.loss + 1e-15 * problem.rules.largest_first_penalty()),
      least_split_(problem.rules.least_penalty()),
      cache_(options.n_threads) {
  require(options.max_depth >= 0 && options.max_depth <= kMaxDepth, "0 <= max_depth <= 1000");
  require(options.min_regularization >= 0.0, "min_regularization >= 0");
  require(options.min_samples_leaf >= 1 && options.max_leaves >= 1, "at least one row, one leaf");
  require(options.n_threads >= 1, "n_threads >= 1");
  const auto n_levels = static_cast<std::size_t>(splitter_.useful_depth(root_)) + 1;
  for (std::size_t k = 0; k < options.n_threads; ++k)
    hands_.push_back(std::make_unique<Hand>(k, n_levels));
  if (problem.rules.has_first()) look_for_first_split();
}

// The first split is one of those that may be, or there is none if no such split leaves enough on
// both sides.
void Frontier::look_for_first_split() {
  if (options_.max_depth > 0 && options_.max_leaves > 1) {
    const SplitRow& split = splitter_.split(hands_[0]->worker, root_, 0);
    std::vector<std::uint32_t> order;
    split.order_by_loss(problem_.rules, order);
    const auto best = std::ranges::find_if(order, [&](std::uint32_t lane) {
      return problem_.rules.may_be_first[split.question[lane]];
    });
    if (best != order.end())
      first_split_ = split_of(static_cast<std::int32_t>(split.question[*best]),
                              leaf_of(split.no.loss[*best]), leaf_of(split.yes.loss[*best]));
  }
  if (first_split_ == nullptr) options_.max_depth = 0;
}

// A tree of h leaves costs at least its groups, h penalties and what h - 1 splits cost at least; a
// leaf its loss and one penalty: so many leaves are worth their penalties, at most. Where a leaf is
// no tree, a tree of two leaves is compared.
double Frontier::leaves_worth(const Subset& s) const {
  const bool must_split = first_split_ != nullptr && s.parent == nullptr;
  const double cost = must_split ? cost_of(first_split_) - least_split_ : s.facts.loss;
  const double savings = cost - s.facts.group_loss + tolerance_;
  const double penalty = options_.min_regularization + least_split_;
  const double fewest = must_split ? 2.0 : 1.0;
  const double worth = penalty > 0.0 ? fewest + std::max(0.0, savings) / penalty : kNone;
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

PointsFound Frontier::points(Hand& hand, Subset& s, int depth, std::size_t k, Point& leaf) {
  leaf = {s.facts.loss, kLeaf, 1, 0};
  const int useful = useful_depth(s);
  if (useful == 0) return {{&leaf, 1}, false};
  if (depth == 0) return {{&leaf, 1}, true};
  const int here = std::min(depth, useful);
  make_groups(problem_, s);
  Worker& w = hand.worker;
  if (const auto known = cache_.find(s.key, here)) {
    ++w.stats.cache_hits;
    return *known;
  }
  if (limits_.should_stop(w.n_polls, w.number == 0)) return {{&leaf, 1}, true};
  // What is left out below because it cannot pay here is not cut by depth.
  const bool is_cut = try_splits(hand, s, here, k) && depth < useful;
  if (limits_.is_over()) return {{&leaf, 1}, true};
  ++w.stats.subsets_solved;
  limits_.count_node();
  const std::span<const Point> best = reduced(hand, hand.best[k]);
  const PointsFound found = cache_.store(w.number, s.key, here, {best, is_cut});
  if (cache_.bytes() > limits_.of_run().memory_limit_bytes) limits_.stop(Status::memory_limit);
  return found;
}

// All trees that split here; returns whether any of them was cut by depth.
bool Frontier::try_splits(Hand& hand, Subset& s, int depth, std::size_t k) {
  const SplitRow& split = splitter_.split(hand.worker, s, k);
  Best& best = hand.best[k];
  best.assign(most_leaves(s, depth), kNoPoint);
  if (k > 0 || first_split_ == nullptr) best[0] = {s.facts.loss, kLeaf, 1, 0};
  if (k == 0) note_first_splits(depth, split.n_lanes);
  if (depth == 1) {
    for (std::size_t lane = 0; lane < split.n_lanes; ++lane)
      if (is_allowed(split.question[lane], k))
        offer(best, {split.no.loss[lane] + split.yes.loss[lane] +
                         problem_.rules.penalty(split.question[lane]),
                     static_cast<std::int32_t>(split.question[lane]), 2, 1});
    return true;
  }
  // The questions of the two topmost levels make batches, as long as what hangs below each is worth
  // the handing over.
  const Node node{s, split, depth, k};
  const bool is_batch = team_ != nullptr && k <= 1 && depth >= 3;
  return is_batch ? try_together(hand, node, best) : try_in_turn(hand, node, best);
}

bool Frontier::try_in_turn(Hand& hand, const Node& node, Best& best) {
  bool is_cut = false;
  for (std::size_t lane = 0; lane < node.split.n_lanes && !limits_.is_over(); ++lane) {
    Tried tried;
    try_split(hand, node, lane, tried);
    is_cut |= add(node, lane, tried, best);
  }
  return is_cut;
}

bool Frontier::try_together(Hand& hand, const Node& node, Best& best) {
  std::vector<Tried> tried(node.split.n_lanes);
  team_->run(
      hand.worker.number, tried.size(),
      [&](std::size_t number, std::size_t lane) {
        try_split(*hands_[number], node, lane, tried[lane]);
      },
      [&] { limits_.look_at_clock(true); });
  bool is_cut = false;
  for (std::size_t lane = 0; lane < tried.size(); ++lane)
    is_cut |= add(node, lane, tried[lane], best);
  return is_cut;
}

// What is left halfway, because the search is over, is not done.
void Frontier::try_split(Hand& hand, const Node& node, std::size_t lane, Tried& tried) {
  if (limits_.is_over()) return;
  const std::size_t k = node.level;
  if (!is_allowed(node.split.question[lane], k)) {
    tried.is_done = true;  // it leads to no trees
    return;
  }
  auto [no, yes] = parts_of(node.subset, node.split, lane, hand.worker.level(k).parts);
  tried.no = points(hand, no, node.depth - 1, k + 1, tried.no_leaf);
  tried.yes = points(hand, yes, node.depth - 1, k + 1, tried.yes_leaf);
  tried.is_done = !limits_.is_over();
  if (k == 0 && tried.is_done) note_first_split(node, lane, tried);
}

// All trees with this split; returns whether any of them was cut by depth.
bool Frontier::add(const Node& node, std::size_t lane, const Tried& tried, Best& best) const {
  if (!tried.is_done) return true;
  const auto question = static_cast<std::int32_t>(node.split.question[lane]);
  const double penalty = problem_.rules.penalty(node.split.question[lane]);
  for (const Point& x : tried.no.points)
    for (const Point& y : tried.yes.points)
      offer(best, {x.loss + y.loss + penalty, question,
                   static_cast<std::uint16_t>(x.n_leaves + y.n_leaves), x.n_leaves});
  return tried.no.is_cut || tried.yes.is_cut;
}

// Questions come in the order that breaks ties, so the first of equal ones stays.
void Frontier::offer(Best& best, const Point& point) const {
  if (point.n_leaves > best.size()) return;
  Point& old = best[point.n_leaves - 1];
  if (old.n_leaves == 0 || point.loss < old.loss - tolerance_) old = point;
}

// Of each number of leaves, what is worth keeping.
std::span<const Point> Frontier::reduced(Hand& hand, const Best& best) const {
  hand.reduced.clear();
  for (const Point& point : best)
    if (point.n_leaves > 0) keep(hand.reduced, point);
  return hand.reduced;
}

// More leaves must save more than the smallest penalty of each. On the hull, what each saves falls
// from vertex to vertex; a vertex that saves no more than the next is none.
void Frontier::keep(std::vector<Point>& hull, const Point& point) const {
  const auto saves = [](const Point& few, const Point& many) {
    return (few.loss - many.loss) / (many.n_leaves - few.n_leaves);
  };
  const bool keeps_all = options_.max_leaves != SIZE_MAX;
  while (!keeps_all && hull.size() > 1 &&
         saves(hull.back(), point) + tolerance_ >= saves(hull[hull.size() - 2], hull.back()))
    hull.pop_back();
  const double penalty = options_.min_regularization;
  if (!hull.empty() && hull.back().loss - point.loss <=
                           penalty * (point.n_leaves - hull.back().n_leaves) + tolerance_)
    return;
  hull.push_back(point);
}

Tree Frontier::read(Subset& s, int depth, std::size_t n_leaves, std::size_t k) {
  Point leaf;
  const PointsFound found = points(*hands_[0], s, depth, k, leaf);
  const auto point = std::ranges::find_if(
      found.points, [&](const Point& each) { return each.n_leaves == n_leaves; });
  if (point == found.points.end() || point->question == kLeaf) return leaf_of(s.facts.loss);
  return read_split(s, *point, depth, k);
}

Tree Frontier::read_split(Subset& s, const Point& point, int depth, std::size_t k) {
  const Point chosen = point;
  const int below = std::min(depth, useful_depth(s)) - 1;
  auto [no, yes] = splitter_.split_on(hands_[0]->worker, s, chosen.question, k);
  Tree no_tree = read(no, below, chosen.no_leaves, k + 1);
  Tree yes_tree = read(yes, below, chosen.n_leaves - chosen.no_leaves, k + 1);
  return split_of(chosen.question, std::move(no_tree), std::move(yes_tree));
}

FrontierResult Frontier::run(const RunLimits& limits) {
  limits_.start(limits);
  if (hands_.size() > 1) team_ = std::make_unique<Team>(hands_.size());
  FrontierResult r;
  deepen(r);
  team_.reset();
  r.status = r.is_complete ? Status::optimal : limits_.reason();
  r.stats = stats();
  r.cache_entries = cache_.size();
  r.cache_bytes = cache_.bytes();
  r.tolerance = tolerance_;
  r.root_loss = root_.facts.loss;
  r.root_floor = root_.facts.group_loss;
  r.seconds = limits_.seconds();
  return r;
}

void Frontier::deepen(FrontierResult& r) {
  if (first_split_ != nullptr) {
    r.trees = {first_split_};
    note_trees(r.trees, 0, false);
  }
  for (int depth = first_split_ == nullptr ? 0 : 1;; ++depth) {
    Point leaf;
    const PointsFound found = points(*hands_[0], root_, depth, 0, leaf);
    if (limits_.is_over()) return add_unfinished(r.trees, depth);
    r.trees.clear();
    for (const Point& point : found.points)
      r.trees.push_back(read(root_, depth, point.n_leaves, 0));
    r.is_complete = !found.is_cut || depth == options_.max_depth;
    note_trees(r.trees, depth, r.is_complete);
    if (r.is_complete) return;
  }
}

// Stopped at this depth: what the first splits that were tried to the end have led to. Everything
// below them is in the cache.
void Frontier::add_unfinished(std::vector<Tree>& trees, int depth) {
  if (begun_depth_ != depth) return;
  const Best tried = hands_[0]->best[0];
  Best best(tried.size(), kNoPoint);
  const auto offer_tree = [&](std::size_t number) {
    const Tree& tree = trees[number];
    offer(best, {cost_of(tree), static_cast<std::int32_t>(number),
                 static_cast<std::uint16_t>(leaves_of(tree)), 0});
  };
  for (std::size_t k = 0; k < trees.size(); ++k) offer_tree(k);
  for (const Point& point : tried) {
    if (point.n_leaves < 2) continue;
    trees.push_back(read_split(root_, point, depth, 0));
    offer_tree(trees.size() - 1);
  }
  std::vector<Tree> kept;
  for (const Point& point : reduced(*hands_[0], best)) kept.push_back(trees[point.question]);
  trees = std::move(kept);
  note_trees(trees, depth, false);
}

double Frontier::cost_of(const Tree& tree) const {
  return loss_of(tree) + penalties_of(tree, penalty_of_splits(problem_.rules));
}

double Frontier::objective_of(const Point& point) const {
  return point.loss + options_.min_regularization * point.n_leaves;
}

void Frontier::note_first_splits(int depth, std::size_t n) {
  begun_depth_ = depth;
  const std::lock_guard lock(standing_mutex_);
  standing_.first_splits_done = 0;
  standing_.first_splits = n;
}

void Frontier::note_first_split(const Node& node, std::size_t lane, const Tried& tried) {
  Best best(most_leaves(node.subset, node.depth), kNoPoint);
  add(node, lane, tried, best);
  bool is_better = false;
  {
    const std::lock_guard lock(standing_mutex_);
    ++standing_.first_splits_done;
    for (const Point& point : best) {
      if (point.n_leaves == 0 || objective_of(point) >= standing_.objective - tolerance_) continue;
      standing_.objective = objective_of(point);
      standing_.n_leaves = point.n_leaves;
      standing_.depth = node.depth;
      is_better = true;
    }
  }
  if (is_better && node.depth >= kLongDepth) progress_.add(snapshot());
}

void Frontier::note_trees(const std::vector<Tree>& trees, int depth, bool is_proven) {
  {
    const std::lock_guard lock(standing_mutex_);
    standing_.is_proven = is_proven;
    for (const Tree& tree : trees) {
      const std::size_t n_leaves = leaves_of(tree);
      const double objective =
          objective_of({cost_of(tree), kLeaf, static_cast<std::uint16_t>(n_leaves), 0});
      if (depth > 0 && objective >= standing_.objective) continue;
      standing_.objective = objective;
      standing_.n_leaves = n_leaves;
      standing_.depth = depth;
    }
  }
  progress_.add(snapshot());
}

// Until the search is complete nothing is proven but what one split row tells of all rows.
Progress Frontier::snapshot() const {
  const Stats so_far = stats();
  const std::lock_guard lock(standing_mutex_);
  const double penalty = options_.min_regularization;
  const double any = std::min(root_.facts.loss + penalty, root_.facts.group_loss + 2.0 * penalty);
  return {limits_.seconds(),
          standing_.is_proven ? standing_.objective : std::min(any, standing_.objective),
          standing_.objective,
          standing_.n_leaves,
          standing_.depth > 0       ? "depth " + std::to_string(standing_.depth)
          : standing_.n_leaves == 1 ? "one leaf"
                                    : "one split",
          so_far,
          standing_.first_splits_done,
          standing_.first_splits};
}

Stats Frontier::stats() const {
  Stats sum;
  for (const auto& hand : hands_) sum += hand->worker.stats;
  return sum;
}

}  // namespace survtree
