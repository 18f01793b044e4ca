#include "search/search.hpp"

#include <algorithm>
#include <utility>

#include "data/contract.hpp"
#include "search/search_worker.hpp"

namespace survtree {
namespace {

constexpr double kInfinity = Bounds::no_limit;
// A search that has forgotten so many times what it can hold mostly does again what it has done.
constexpr std::uint64_t kMostShed = 64;
constexpr std::size_t kEntryBytes = 32;

}  // namespace

Search::Search(const Problem& problem, const SearchOptions& options)
    : problem_(problem),
      options_(options),
      bounds_(options.regularization, options.switches),
      cache_({options.check_keys, options.n_threads > 1}),
      lanes_(lane_functions(options.kernel)),
      root_(whole(problem)) {
  require(options.max_depth >= 0 && options.max_depth <= kMaxDepth, "0 <= max_depth <= 1000");
  require(options.regularization >= 0.0, "regularization >= 0");
  require(options.min_samples_leaf >= 1, "min_samples_leaf >= 1");
  require(options.n_threads >= 1, "n_threads >= 1");
  for (std::size_t k = 0; k < options.n_threads; ++k)
    workers_.push_back(std::make_unique<Worker>(k));
  // Sums of losses carry rounding of a few units in the last place of the root's loss, sums with
  // penalties that of the penalty; anything closer than this is a tie, and ties are kept, never
  // pruned.
  tolerance_ = 1e-12 * root_.facts.loss + 1e-15 * options_.regularization;
  final_depth_ = std::min(options_.max_depth, depth_worth_trying(root_));
}

Search::~Search() = default;

bool Search::is_leaf_at_most(const Subset& s) const {
  return s.n_rows < 2 * options_.min_samples_leaf;
}

int Search::depth_worth_trying(const Subset& s) const {
  return std::min(kMaxDepth, survtree::depth_worth_trying(problem_, s, options_.min_samples_leaf));
}

std::optional<Answer> Search::known(const Subset& s, int depth) {
  if (!options_.switches.permutation) return std::nullopt;
  auto [here, any] = cache_.find(s.key, static_cast<std::uint16_t>(depth), s.groups);
  if (any) {
    if (any->is_solved && any->depth <= depth) return any;
    any->is_solved = false;
  }
  return here && (here->is_solved || !any || here->value > any->value) ? here : any;
}

void Search::remember(const Subset& s, int depth, Answer answer) {
  if (!options_.switches.permutation) return;
  answer.depth = static_cast<std::uint16_t>(depth);
  cache_.store(s.key, answer, s.groups);
  if ((cache_.n_shed() - n_shed_before_) / kMostShed > cache_.bytes() / kEntryBytes)
    limits_.stop(Status::memory_limit);
}

void Search::make_key(Subset& s) const {
  if (!s.groups.empty()) return;
  make_groups(problem_, s);
  if (options_.switches.permutation) cache_.prefetch(s.key);
}

void Search::split_all(Worker& w, Subset& s, bool wants_groups, SplitRow& out) const {
  make_bits(problem_, s);
  split_row(problem_, lanes_, {s.bits, s.n_rows, options_.min_samples_leaf, wants_groups}, out);
  w.stats.lane_rows += out.n_steps * out.n_lanes;
}

// Most promising first: a good tree early makes the budget of the others small.
void Search::order_lanes(const SplitRow& split, std::vector<std::uint32_t>& order) const {
  order.resize(split.n_lanes);
  for (std::uint32_t lane = 0; lane < split.n_lanes; ++lane) order[lane] = lane;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double x = split.no_loss[a] + split.yes_loss[a];
    const double y = split.no_loss[b] + split.yes_loss[b];
    return x != y ? x < y : a < b;
  });
}

double Search::child_bound(const SplitRow& split, std::size_t lane, bool yes) const {
  return bounds_.any_tree(facts_of(split, lane, yes));
}

bool Search::should_stop(Worker& w) {
  if (w.number == 0 && w.stats.lane_rows > pause_at_) limits_.pause();
  return limits_.should_stop(w.n_polls, w.number == 0);
}

// The optimum of (subset, depth), or the proof that it exceeds the budget. Ties with the budget
// count as within it: every tree that attains the optimum is found, so that the choice among them
// does not depend on the order of search.
Answer Search::solve(Worker& w, Subset& s, int depth, double budget, std::size_t k) {
  const Answer leaf{bounds_.as_leaf(s.facts), kLeaf, true, false};
  if (is_leaf_at_most(s)) return leaf;
  if (bounds_.no_split_pays(s.facts)) {
    ++w.stats.pruned_by_incremental_progress;
    if (problem_.has_guess && !bounds_.no_split_pays(s.facts.proven())) ++w.stats.pruned_by_guess;
    return leaf;
  }
  // Hierarchical bound. Claim: what the rest of the tree costs at least was taken off the budget
  // on the way down, so a subset over its budget cannot be part of a better tree.
  const double floor = bounds_.any_tree(s.facts);
  if (options_.switches.hierarchical && floor > budget + tolerance_) {
    ++w.stats.pruned_by_budget;
    if (problem_.has_guess && bounds_.any_tree(s.facts.proven()) <= budget + tolerance_)
      ++w.stats.pruned_by_guess;
    return {floor, kLeaf, false, false};
  }
  if (depth == 0) return {leaf.value, kLeaf, true, true};
  depth = std::min(depth, depth_worth_trying(s));
  if (depth == 0) return leaf;
  make_key(s);
  const std::optional<Answer> past = s.is_looked_up ? s.past : known(s, depth);
  if (past && (past->is_solved || past->value > budget + tolerance_)) {
    ++w.stats.cache_hits;
    return *past;
  }
  if (should_stop(w)) return {floor, kLeaf, false, false};

  const bool two_leaves_at_most =
      bounds_.max_leaves(s.facts, std::min(budget, leaf.value) + tolerance_) < 3.0;
  if (two_leaves_at_most && depth > 1) ++w.stats.pruned_by_leaf_count;
  const Answer answer = depth == 1 || two_leaves_at_most ? solve_one_split(w, s, budget, k)
                                                         : solve_splits(w, s, depth, budget, k);
  if (limits_.is_stopped()) return answer;
  ++w.stats.subsets_solved;
  limits_.count_node();
  remember(s, depth, answer);
  return answer;
}

// Trees of at most two leaves are all in one split row.
Answer Search::solve_one_split(Worker& w, Subset& s, double budget, std::size_t k) {
  SplitRow& split = w.level(k).split;
  split_all(w, s, false, split);
  Answer best{bounds_.as_leaf(s.facts), kLeaf, true, false};
  for (std::size_t lane = 0; lane < split.n_lanes; ++lane) {
    const double value = split.no_loss[lane] + split.yes_loss[lane] + 2.0 * options_.regularization;
    if (value < best.value)
      best = {value, static_cast<std::int32_t>(split.question[lane]), true, false};
  }
  if (depth_worth_trying(s) == 1) return best;
  const double wanted = std::min(best.value, budget) + tolerance_;
  best.is_depth_cut = bounds_.max_leaves(s.facts, wanted) >= 3.0;
  if (best.is_depth_cut || best.value <= budget + tolerance_) return best;
  return {std::min(best.value, bounds_.with_leaves(s.facts, 3.0)), kLeaf, false, false};
}

Answer Search::solve_splits(Worker& w, Subset& s, int depth, double budget, std::size_t k) {
  Worker::Level& scratch = w.level(k);
  split_all(w, s, true, scratch.split);
  order_lanes(scratch.split, scratch.order);
  Answer best{bounds_.as_leaf(s.facts), kLeaf, true, false};
  const std::optional<Answer> shallower = known(s, depth - 1);
  if (shallower && shallower->is_solved && shallower->value < best.value)
    best = {shallower->value, shallower->question, true, false};
  if (k == 0 && incumbent_objective_ < best.value)
    best = {incumbent_objective_, incumbent_->question, true, false};

  Node node{s, scratch.split, scratch.order, depth, budget, k, {}, best};
  try_questions(w, node);
  const bool is_within = !options_.switches.hierarchical || node.best.value <= budget + tolerance_;
  // A tree deeper than this has at least depth + 2 leaves. Where these alone cost more than what is
  // wanted, depth cuts nothing; but of an answer over the budget that holds only up to their cost.
  const double wanted = (is_within ? node.best.value : budget) + tolerance_;
  if (bounds_.max_leaves(s.facts, wanted) < depth + 2.0) {
    node.is_depth_cut = false;
    if (!is_within) node.rest = std::min(node.rest, bounds_.with_leaves(s.facts, depth + 2.0));
  }
  if (is_within && !limits_.is_stopped())
    return {node.best.value, node.best.question, true, node.is_depth_cut};
  return {std::min(node.best.value, node.rest), kLeaf, false, node.is_depth_cut};
}

// The questions of the two topmost levels make batches, as long as what hangs below each is worth
// the handing over.
void Search::try_questions(Worker& w, Node& node) {
  if (team_ == nullptr || node.level > 1 || node.depth < 3) {
    for (std::uint32_t lane : node.order) try_question(w, node, lane);
    return;
  }
  team_->run(
      w.number, node.order.size(),
      [&](std::size_t worker, std::size_t i) {
        try_question(*workers_[worker], node, node.order[i]);
      },
      [&] { limits_.look_at_clock(true); });
}

// Is what hangs below the question over its limit, by the bounds alone?
bool Search::is_over_budget(Worker& w, const Node& node, std::uint32_t lane, double limit) const {
  if (!options_.switches.hierarchical) return false;
  const SubsetFacts no = facts_of(node.split, lane, false), yes = facts_of(node.split, lane, true);
  if (bounds_.any_tree(no) + bounds_.any_tree(yes) <= limit + tolerance_) return false;
  ++w.stats.pruned_by_budget;
  if (problem_.has_guess &&
      bounds_.any_tree(no.proven()) + bounds_.any_tree(yes.proven()) <= limit + tolerance_)
    ++w.stats.pruned_by_guess;
  return true;
}

void Search::try_question(Worker& w, Node& node, std::uint32_t lane) {
  double limit = node.budget;
  {
    const std::lock_guard lock(node.mutex);
    limit = std::min(limit, node.best.value);
  }
  const bool is_left = is_over_budget(w, node, lane, limit) || limits_.is_stopped();
  const double bound = child_bound(node.split, lane, false) + child_bound(node.split, lane, true);
  const Answer split =
      is_left ? Answer{bound, kLeaf, false, false} : solve_children(w, node, lane, limit);
  const std::lock_guard lock(node.mutex);
  node.is_depth_cut |= split.is_depth_cut;
  if (!split.is_solved) {
    node.rest = std::min(node.rest, split.value);
  } else if (split.value < node.best.value) {
    node.best = {split.value, split.question, true, false};
    if (node.level == 0)
      offer(stored_split(w, node.subset, node.split, lane, node.depth, split.value, 0),
            "depth " + std::to_string(node.depth));
  }
}

// Both children of one question. Sub-tree bound. Claim: objectives of siblings add up, so what is
// proven about one lowers the budget of the other.
Answer Search::solve_children(Worker& w, const Node& node, std::uint32_t lane, double limit) {
  const Switches& on = options_.switches;
  const std::size_t k = node.level;
  const int depth = node.depth - 1;
  Subset first = w.part(node.subset, node.split, lane, true, k);
  Subset second = w.part(node.subset, node.split, lane, false, k);
  // The child that loses more is likelier to break the budget, which spares the other.
  if (second.facts.loss > first.facts.loss) std::swap(first, second);
  double second_floor = bounds_.any_tree(second.facts);
  bool is_floor_cut = false;
  if (!is_leaf_at_most(second) && !bounds_.no_split_pays(second.facts)) {
    make_key(second);
    if (!is_leaf_at_most(first)) make_key(first);  // fetched from the cache while we look up second
    second.past = known(second, std::min(depth, depth_worth_trying(second)));
    second.is_looked_up = depth > 0;
    if (second.past && second.past->value > second_floor) {
      second_floor = second.past->value;
      is_floor_cut = second.past->is_depth_cut;
    }
  }
  const double first_budget = limit - (on.subtree ? second_floor : 0.0);
  const Answer a = solve(w, first, depth, on.hierarchical ? first_budget : kInfinity, k + 1);
  if (!a.is_solved) return {a.value + second_floor, kLeaf, false, a.is_depth_cut || is_floor_cut};
  const double second_budget = limit - (on.subtree ? a.value : 0.0);
  const Answer b = solve(w, second, depth, on.hierarchical ? second_budget : kInfinity, k + 1);
  const bool is_cut = a.is_depth_cut || b.is_depth_cut;
  const auto question = static_cast<std::int32_t>(node.split.question[lane]);
  return {a.value + b.value, question, b.is_solved, is_cut};
}

}  // namespace survtree
