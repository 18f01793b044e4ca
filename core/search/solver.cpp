#include "search/solver.hpp"

#include "data/contract.hpp"

namespace survtree {

// A search that has dropped so many times what it can hold mostly does again what it has done.
constexpr std::uint64_t kMostShed = 64;
SubsetSolver::SubsetSolver(const Problem& problem, const SearchOptions& options,
                           const Incumbent& incumbent)
    : problem_(problem),
      options_(options),
      incumbent_(incumbent),
      bounds_(options.regularization, problem.rules.least_penalty(), options.switches),
      splitter_(problem, options.kernel, {options.min_samples_leaf, options.min_events_leaf}),
      cache_({options.check_keys, options.n_threads > 1}),
      root_(all_rows(problem)) {
  require(options.max_depth >= 0 && options.max_depth <= kMaxDepth, "0 <= max_depth <= 1000");
  require(options.regularization >= 0.0, "regularization >= 0");
  require(options.min_samples_leaf >= 1, "min_samples_leaf >= 1");
  require(options.n_threads >= 1, "n_threads >= 1");
  for (std::size_t k = 0; k < options.n_threads; ++k)
    workers_.push_back(std::make_unique<Worker>(k));
  // Sums of losses carry rounding of a few units in the last place of the root's loss, sums with
  // penalties that of the penalty; anything closer than this is a tie, and ties are kept, never
  // pruned.
  tolerance_ = 1e-12 * root_.facts.loss +
               1e-15 * (options_.regularization + problem.rules.largest_first_penalty());
  may_solve_pairs_ = can_solve_pairs();
  if (problem.rules.has_first()) look_for_first_split();
}

// The first split is one of those that may be, or there is none if no such split leaves enough on
// both sides.
void SubsetSolver::look_for_first_split() {
  if (options_.max_depth == 0) return;
  const SplitRow& split = splitter_.split(*workers_[0], root_, 0);
  for (std::size_t lane = 0; lane < split.n_lanes; ++lane)
    must_split_ |= problem_.rules.may_be_first[split.question[lane]];
  if (!must_split_) options_.max_depth = 0;
}

void SubsetSolver::start(const RunLimits& limits) {
  limits_.start(limits);
  const std::size_t of_pairs = may_solve_pairs_ ? bytes_of_all_pairs() : 0;
  solves_pairs_ = may_solve_pairs_ && of_pairs <= limits.memory_limit_bytes / 2;
  cache_.set_max_bytes(limits.memory_limit_bytes - (solves_pairs_ ? of_pairs : 0));
  n_shed_before_ = cache_.n_shed();
  pause_at_ = kNoLimit;  // whatever the last run was doing when memory ran out
}

void SubsetSolver::with_team(const std::function<void()>& work) {
  struct Ended {  // whatever the work throws
    std::unique_ptr<Team>& team;
    ~Ended() { team.reset(); }
  } const ended{team_};
  if (workers_.size() > 1) team_ = std::make_unique<Team>(workers_.size());
  work();
}

void SubsetSolver::with_share_of_work(double lane_rows, const std::function<void()>& work) {
  pause_at_ = workers_[0]->stats.lane_rows + static_cast<std::uint64_t>(lane_rows);
  work();
  pause_at_ = kNoLimit;
  limits_.resume();
}

Stats SubsetSolver::stats() const {
  Stats stats;
  for (const auto& worker : workers_) stats += worker->stats;
  return stats;
}

std::optional<SubsetResult> SubsetSolver::cached(const Subset& s, int depth) const {
  if (!options_.switches.permutation) return std::nullopt;
  auto [here, any] = cache_.find(s.key, static_cast<std::uint16_t>(depth), s.groups);
  if (any) {
    if (any->is_solved && any->depth <= depth) return any;
    any->is_solved = false;
  }
  return here && (here->is_solved || !any || here->value > any->value) ? here : any;
}

void SubsetSolver::store(const Subset& s, int depth, SubsetResult result, std::uint64_t lane_rows) {
  if (!options_.switches.permutation) return;
  result.depth = static_cast<std::uint16_t>(depth);
  cache_.store(s.key, result, s.groups, lane_rows);
  if ((cache_.n_shed() - n_shed_before_) / kMostShed > cache_.bytes() / Cache::kEntryBytes)
    limits_.stop(Status::memory_limit);
}

void SubsetSolver::make_key(Subset& s) const {
  if (!s.groups.empty()) return;
  make_groups(problem_, s);
  if (options_.switches.permutation) cache_.prefetch(s.key);
}

bool SubsetSolver::should_stop(Worker& w) {
  if (w.number == 0 && w.stats.lane_rows > pause_at_) limits_.pause();
  return limits_.should_stop(w.n_polls, w.number == 0);
}

SubsetResult SubsetSolver::solve(Worker& w, Subset& s, int depth, double budget, std::size_t k) {
  if (k == 0 && must_split_) return solve_first_split(w, s, depth, budget);
  const SubsetResult leaf{bounds_.as_leaf(s.facts), kLeaf, true, false};
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
  depth = std::min(depth, useful_depth(s));
  if (depth == 0) return leaf;
  make_key(s);
  const std::optional<SubsetResult> past = s.is_looked_up ? s.cached : cached(s, depth);
  if (past && (past->is_solved || past->value > budget + tolerance_)) {
    ++w.stats.cache_hits;
    return *past;
  }
  if (should_stop(w)) return {floor, kLeaf, false, false};

  const std::uint64_t before = w.stats.lane_rows;
  const bool two_leaves_at_most =
      bounds_.max_leaves(s.facts, std::min(budget, leaf.value) + tolerance_) < 3.0;
  if (two_leaves_at_most && depth > 1) ++w.stats.pruned_by_leaf_count;
  const SubsetResult result = depth == 1 || two_leaves_at_most ? solve_one_split(w, s, budget, k)
                              : depth == 2 && solves_pairs_ ? solve_pairs(w, s, k)
                                                            : solve_splits(w, s, depth, budget, k);
  if (limits_.is_stopped()) return result;
  ++w.stats.subsets_solved;
  limits_.count_node();
  store(s, depth, result, w.stats.lane_rows - before);
  return result;
}

// All rows, where they must be split: a leaf is no tree, and what it costs no bound.
SubsetResult SubsetSolver::solve_first_split(Worker& w, Subset& s, int depth, double budget) {
  depth = std::min(depth, useful_depth(s));
  const std::optional<SubsetResult> past = cached(s, depth);
  if (past && (past->is_solved || past->value > budget + tolerance_)) {
    ++w.stats.cache_hits;
    return *past;
  }
  if (should_stop(w)) return {bounds_.if_split(s.facts), kLeaf, false, false};
  const std::uint64_t before = w.stats.lane_rows;
  const SubsetResult result = solve_splits(w, s, depth, budget, 0);
  if (limits_.is_stopped()) return result;
  ++w.stats.subsets_solved;
  limits_.count_node();
  store(s, depth, result, w.stats.lane_rows - before);
  return result;
}

// Trees of at most two leaves are all in one split row.
SubsetResult SubsetSolver::solve_one_split(Worker& w, Subset& s, double budget, std::size_t k) {
  const SplitRow& split = splitter_.split(w, s, k, false);
  SubsetResult best{bounds_.as_leaf(s.facts), kLeaf, true, false};
  const auto look = [&](auto penalty_of) {
    for (std::size_t lane = 0; lane < split.n_lanes; ++lane) {
      const double value = split.no.loss[lane] + split.yes.loss[lane] + penalty_of(lane);
      if (value < best.value)
        best = {value, static_cast<std::int32_t>(split.question[lane]), true, false};
    }
  };
  const double leaves = 2.0 * options_.regularization;
  if (problem_.rules.has_penalties())
    look([&](std::size_t lane) { return leaves + penalty_of(split.question[lane]); });
  else
    look([&](std::size_t) { return leaves; });
  if (useful_depth(s) == 1) return best;
  const double wanted = std::min(best.value, budget) + tolerance_;
  best.is_depth_cut = bounds_.max_leaves(s.facts, wanted) >= 3.0;
  if (best.is_depth_cut || best.value <= budget + tolerance_) return best;
  return {std::min(best.value, bounds_.with_leaves(s.facts, 3.0)), kLeaf, false, false};
}

SubsetSolver::Node SubsetSolver::begin_node(Worker& w, Subset& s, int depth, double budget,
                                            std::size_t k) {
  Worker::Level& scratch = w.level(k);
  splitter_.split(w, s, k);
  // Most promising first: a good tree early makes the budget of the others small.
  scratch.split.order_by_loss(problem_.rules, scratch.order);
  if (!is_deferred_.empty()) put_deferred_last(scratch);
  SubsetResult best{bounds_.as_leaf(s.facts), kLeaf, true, false};
  if (k == 0 && must_split_) {
    best.value = Bounds::no_limit;
    std::erase_if(scratch.order,
                  [&](std::uint32_t lane) { return !is_allowed(scratch.split.question[lane], k); });
  }
  const std::optional<SubsetResult> shallower = cached(s, depth - 1);
  if (shallower && shallower->is_solved && shallower->value < best.value)
    best = {shallower->value, shallower->question, true, false};
  if (k == 0 && incumbent_.objective() < best.value)
    best = {incumbent_.objective(), incumbent_.tree()->question, true, false};
  return {s, scratch, depth, budget, k, {}, best};
}

SubsetResult SubsetSolver::solve_splits(Worker& w, Subset& s, int depth, double budget,
                                        std::size_t k) {
  Node node = begin_node(w, s, depth, budget, k);
  try_questions(w, node);
  const bool is_within = !options_.switches.hierarchical || node.best.value <= budget + tolerance_;
  // A tree deeper than this has at least depth + 2 leaves. Where these alone cost more than what is
  // wanted, depth cuts nothing; but of a result over the budget that holds only up to their cost.
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
void SubsetSolver::try_questions(Worker& w, Node& node) {
  const std::vector<std::uint32_t>& order = node.scratch.order;
  if (team_ == nullptr || node.level > 1 || node.depth < 3) {
    for (std::uint32_t lane : order) try_question(w, node, lane);
    return;
  }
  team_->run(
      w.number, order.size(),
      [&](std::size_t number, std::size_t i) { try_question(worker(number), node, order[i]); },
      [&] { limits_.look_at_clock(true); });
}

// Is what hangs below the question over its limit, which is without the penalty of the question, by
// the bounds alone?
bool SubsetSolver::is_over_budget(Worker& w, const Node& node, std::uint32_t lane,
                                  double limit) const {
  if (!options_.switches.hierarchical) return false;
  const SplitRow& split = node.scratch.split;
  const SubsetFacts no = facts_of(split.no, lane), yes = facts_of(split.yes, lane);
  if (bounds_.any_tree(no) + bounds_.any_tree(yes) <= limit + tolerance_) return false;
  ++w.stats.pruned_by_budget;
  if (problem_.has_guess &&
      bounds_.any_tree(no.proven()) + bounds_.any_tree(yes.proven()) <= limit + tolerance_)
    ++w.stats.pruned_by_guess;
  return true;
}

void SubsetSolver::try_question(Worker& w, Node& node, std::uint32_t lane) {
  double limit = node.budget;
  {
    const std::lock_guard lock(node.mutex);
    limit = std::min(limit, node.best.value);
  }
  const SplitRow& split = node.scratch.split;
  const double penalty = penalty_of(split.question[lane]);
  limit -= penalty;
  const bool is_left = is_over_budget(w, node, lane, limit) || limits_.is_stopped();
  const double bound = part_bound(split, lane, false) + part_bound(split, lane, true);
  SubsetResult result =
      is_left ? SubsetResult{bound, kLeaf, false, false} : solve_parts(w, node, lane, limit);
  result.value += penalty;
  const std::lock_guard lock(node.mutex);
  node.is_depth_cut |= result.is_depth_cut;
  if (!result.is_solved) {
    node.rest = std::min(node.rest, result.value);
  } else if (result.value < node.best.value) {
    node.best = {result.value, result.question, true, false};
    if (node.level == 0) on_better_split_(w, split, lane, node.depth, result.value);
  }
}

// A lower bound of a subset, from its cached result if there is one that says more than the facts.
double SubsetSolver::look_up(Subset& s, int depth, bool& is_depth_cut) const {
  const double floor = bounds_.any_tree(s.facts);
  s.cached = cached(s, std::min(depth, useful_depth(s)));
  s.is_looked_up = depth > 0;
  if (!s.cached || s.cached->value <= floor) return floor;
  is_depth_cut = s.cached->is_depth_cut;
  return s.cached->value;
}

// Both parts by one question, without its penalty. Sub-tree bound. Claim: objectives of siblings
// add up, so what is proven about one lowers the budget of the other.
SubsetResult SubsetSolver::solve_parts(Worker& w, const Node& node, std::uint32_t lane,
                                       double limit) {
  const Switches& on = options_.switches;
  const std::size_t k = node.level;
  const int depth = node.depth - 1;
  Parts parts = parts_of(node.subset, node.scratch.split, lane, w.level(k).parts);
  // The part that loses more is likelier to break the budget, which spares the other.
  const bool is_no_first = parts.no.facts.loss > parts.yes.facts.loss;
  Subset &first = is_no_first ? parts.no : parts.yes, &second = is_no_first ? parts.yes : parts.no;
  double second_floor = bounds_.any_tree(second.facts);
  bool is_floor_cut = false;
  if (!is_leaf_at_most(second) && !bounds_.no_split_pays(second.facts)) {
    make_key(second);
    if (!is_leaf_at_most(first)) make_key(first);  // fetched from the cache while we look up second
    second_floor = look_up(second, depth, is_floor_cut);
  }
  const double first_budget = limit - (on.subtree ? second_floor : 0.0);
  const SubsetResult a =
      solve(w, first, depth, on.hierarchical ? first_budget : Bounds::no_limit, k + 1);
  if (!a.is_solved) return {a.value + second_floor, kLeaf, false, a.is_depth_cut || is_floor_cut};
  const double second_budget = limit - (on.subtree ? a.value : 0.0);
  const SubsetResult b =
      solve(w, second, depth, on.hierarchical ? second_budget : Bounds::no_limit, k + 1);
  const bool is_cut = a.is_depth_cut || b.is_depth_cut;
  const auto question = static_cast<std::int32_t>(node.scratch.split.question[lane]);
  return {a.value + b.value, question, b.is_solved, is_cut};
}

}  // namespace survtree
