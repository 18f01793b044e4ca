#include "search.hpp"

#include <algorithm>
#include <utility>

#include "contract.hpp"
#include "leaf_loss.hpp"
#include "search_level.hpp"

namespace survtree {
namespace {

constexpr double kInfinity = Bounds::no_limit;

Subset whole(const Problem& p, std::span<const std::uint32_t> rows) {
  Subset s;
  s.facts = {leaf_loss(p.events, rows), 0.0};
  s.rows = rows;
  for (std::uint32_t row : rows) {
    s.key = s.key ^ p.rows[row].key;
    s.facts.group_loss += p.group_loss[row];
    s.n_rows += p.n_copies[row];
  }
  return s;
}

// One step of a 128-bit hash of a row of words: two multiplications with different odd numbers, the
// high halves folded back.
Key mix(const Key& key, std::uint64_t word) {
  const std::uint64_t high = (key.high ^ word) * 0xff51afd7ed558ccdULL;
  const std::uint64_t low = (key.low + word) * 0xc4ceb9fe1a85ec53ULL;
  return {high ^ (high >> 32U), low ^ (low >> 29U)};
}

}  // namespace

Search::Search(const Problem& problem, const SearchOptions& options)
    : problem_(problem),
      options_(options),
      bounds_(options.regularization, options.switches),
      limits_(options.time_limit_s, options.memory_limit_bytes),
      cache_(options.check_keys) {
  require(options.max_depth >= 0 && options.max_depth <= kMaxDepth, "0 <= max_depth <= 1000");
  require(options.regularization >= 0.0, "regularization >= 0");
  require(options.min_samples_leaf >= 1, "min_samples_leaf >= 1");
  for (std::uint32_t i = 0; i < problem.n_rows(); ++i) all_rows_.push_back(i);
  root_ = whole(problem_, all_rows_);
  if (problem_.bits.is_used) {
    root_.bits = problem_.bits.everyone;
    root_.key = {};
    for (std::uint64_t word : root_.bits) root_.key = mix(root_.key, word);
  }
  // Sums of losses carry rounding of a few units in the last place of the root's loss, sums with
  // penalties that of the penalty; anything closer than this is a tie, and ties are kept, never
  // pruned.
  tolerance_ = 1e-12 * root_.facts.loss + 1e-15 * options_.regularization;
  final_depth_ = std::min(options_.max_depth, depth_worth_trying(root_));
}

Search::~Search() = default;

Search::Level& Search::level(std::size_t k) {
  while (levels_.size() <= k) levels_.push_back(std::make_unique<Level>());
  return *levels_[k];
}

// A tree of depth d has a path with d + 1 leaves hanging off it, each with min_samples_leaf rows,
// and no question helps twice on one path.
int Search::depth_worth_trying(const Subset& s) const {
  const std::uint64_t leaves = s.n_rows / options_.min_samples_leaf;
  const std::uint64_t depth = leaves == 0 ? 0 : leaves - 1;
  return static_cast<int>(std::min<std::uint64_t>({depth, problem_.n_questions, kMaxDepth}));
}

std::optional<Answer> Search::known(Subset& s, int depth) {
  if (!options_.switches.permutation) return std::nullopt;
  if (options_.check_keys) make_rows(s);
  const auto [here, any] = cache_.find(s.key, static_cast<std::uint16_t>(depth), s.rows);
  std::optional<Answer> out;
  if (any != nullptr) {
    out = *any;
    if (any->is_solved && any->depth <= depth) return out;
    out->is_solved = false;
  }
  if (here != nullptr && (here->is_solved || !out || here->value > out->value)) out = *here;
  return out;
}

void Search::remember(Subset& s, int depth, Answer answer) {
  if (!options_.switches.permutation) return;
  if (cache_.bytes_if_stored() > limits_.memory_bytes()) {
    limits_.stop(Status::memory_limit);
    return;
  }
  answer.depth = static_cast<std::uint16_t>(depth);
  cache_.store(s.key, answer, s.rows);
}

void Search::make_rows(Subset& s) const {
  if (!s.rows.empty()) return;
  std::vector<std::uint32_t>& out = *s.buffer;
  out.resize(s.parent_rows.size());
  std::size_t n = 0;
  for (std::uint32_t row : s.parent_rows) {
    out[n] = row;  // no branch: which way a row goes is anybody's guess
    n += problem_.answer(row, s.question) == s.says_yes ? 1 : 0;
  }
  s.rows = std::span(out).first(n);
}

void Search::split_all(Subset& s, bool wants_children, Level& scratch) {
  if (s.bits.empty()) make_rows(s);
  const SplitRequest request{s.rows,         s.bits,         s.key, options_.min_samples_leaf,
                             wants_children, options_.kernel};
  split_row(problem_, request, scratch.split);
  stats_.lane_rows += scratch.split.n_steps * scratch.split.n_lanes;
}

// The bits of a child, and its key: two hashes of them.
Key Search::pick_bits(const Subset& s, std::uint32_t question, bool yes,
                      std::vector<std::uint64_t>& out) const {
  const std::uint64_t flip = yes ? 0 : ~std::uint64_t{0};
  const std::uint64_t* column = problem_.bits.columns.data() + question;
  out.resize(s.bits.size());
  Key key;
  for (std::size_t w = 0; w < s.bits.size(); ++w, column += problem_.bits.stride) {
    out[w] = s.bits[w] & (*column ^ flip);
    key = mix(key, out[w]);
  }
  return key;
}

bool Search::is_allowed(const SplitRow& split, std::size_t question) const {
  return split.no[question].n_rows >= options_.min_samples_leaf &&
         split.yes[question].n_rows >= options_.min_samples_leaf;
}

// Most promising first: a good tree early makes the budget of the others small.
void Search::order_questions(Level& scratch) const {
  const SplitRow& split = scratch.split;
  scratch.order.clear();
  for (std::uint32_t q = 0; q < problem_.n_questions; ++q)
    if (is_allowed(split, q)) scratch.order.push_back(q);
  std::sort(scratch.order.begin(), scratch.order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double x = split.no[a].loss + split.yes[a].loss;
    const double y = split.no[b].loss + split.yes[b].loss;
    return x != y ? x < y : a < b;
  });
}

double Search::child_bound(const Child& child) const {
  const SubsetFacts facts{child.loss, child.group_loss};
  const bool must_be_leaf = child.n_rows < 2 * options_.min_samples_leaf;
  return must_be_leaf ? bounds_.as_leaf(facts) : bounds_.any_tree(facts);
}

// Needs the split row of `s`, with keys, in `scratch`.
Subset Search::part(Subset& s, std::uint32_t question, bool yes, Level& scratch) const {
  const Child& child = yes ? scratch.split.yes[question] : scratch.split.no[question];
  Subset out;
  out.key = child.key;
  out.facts = {child.loss, child.group_loss};
  out.n_rows = child.n_rows;
  if (!s.bits.empty()) {
    std::vector<std::uint64_t>& bits = yes ? scratch.yes_bits : scratch.no_bits;
    out.key = pick_bits(s, question, yes, bits);
    out.bits = bits;
  }
  out.parent_rows = s.rows;
  out.question = question;
  out.says_yes = yes;
  out.buffer = yes ? &scratch.yes_rows : &scratch.no_rows;
  return out;
}

// The optimum of (subset, depth), or the proof that it exceeds the budget. Ties with the budget
// count as within it: every tree that attains the optimum is found, so that the choice among them
// does not depend on the order of search.
Answer Search::solve(Subset& s, int depth, double budget, std::size_t k) {
  const Answer leaf{bounds_.as_leaf(s.facts), kLeaf, true, false};
  if (depth_worth_trying(s) == 0) return leaf;
  if (bounds_.no_split_pays(s.facts)) {
    ++stats_.pruned_by_incremental_progress;
    return leaf;
  }
  // Hierarchical bound. Claim: what the rest of the tree costs at least was taken off the budget
  // on the way down, so a subset over its budget cannot be part of a better tree.
  const double floor = bounds_.any_tree(s.facts);
  if (options_.switches.hierarchical && floor > budget + tolerance_) {
    ++stats_.pruned_by_budget;
    return {floor, kLeaf, false, false};
  }
  if (depth == 0) return {leaf.value, kLeaf, true, true};
  depth = std::min(depth, depth_worth_trying(s));
  const std::optional<Answer> past = known(s, depth);
  if (past && (past->is_solved || past->value > budget + tolerance_)) {
    ++stats_.cache_hits;
    return *past;
  }
  if (limits_.should_stop()) return {floor, kLeaf, false, false};

  const bool two_leaves_at_most =
      bounds_.max_leaves(s.facts, std::min(budget, leaf.value) + tolerance_) < 3.0;
  if (two_leaves_at_most && depth > 1) ++stats_.pruned_by_leaf_count;
  const Answer answer = depth == 1 || two_leaves_at_most ? solve_one_split(s, budget, k)
                                                         : solve_splits(s, depth, budget, k);
  if (limits_.is_stopped()) return answer;
  ++stats_.subsets_solved;
  // With a gap the root is closed before its optimum is known: not a fact worth keeping.
  if (k > 0 || options_.gap == 0.0) remember(s, depth, answer);
  return answer;
}

// Trees of at most two leaves are all in one split row.
Answer Search::solve_one_split(Subset& s, double budget, std::size_t k) {
  const SplitRow& split = level(k).split;
  split_all(s, false, level(k));
  Answer best{bounds_.as_leaf(s.facts), kLeaf, true, false};
  for (std::size_t q = 0; q < problem_.n_questions; ++q) {
    if (!is_allowed(split, q)) continue;
    const double value = split.no[q].loss + split.yes[q].loss + 2.0 * options_.regularization;
    if (value < best.value) best = {value, static_cast<std::int32_t>(q), true, false};
  }
  if (depth_worth_trying(s) == 1) return best;
  const double wanted = std::min(best.value, budget) + tolerance_;
  best.is_depth_cut = bounds_.max_leaves(s.facts, wanted) >= 3.0;
  if (best.is_depth_cut || best.value <= budget + tolerance_) return best;
  return {std::min(best.value, bounds_.with_leaves(s.facts, 3.0)), kLeaf, false, false};
}

Answer Search::solve_splits(Subset& s, int depth, double budget, std::size_t k) {
  Level& scratch = level(k);
  split_all(s, true, scratch);
  order_questions(scratch);
  Answer best{bounds_.as_leaf(s.facts), kLeaf, true, false};
  const std::optional<Answer> shallower = known(s, depth - 1);
  if (shallower && shallower->is_solved && shallower->value < best.value)
    best = {shallower->value, shallower->question, true, false};
  if (k == 0 && incumbent_objective_ < best.value)
    best = {incumbent_objective_, incumbent_->question, true, false};

  double rest = kInfinity;  // no tree that was left unsolved is better than this
  bool is_depth_cut = false;
  for (std::uint32_t q : scratch.order) {
    const double worth_finding = k == 0 ? (1.0 - options_.gap) * best.value : best.value;
    const double limit = std::min(budget, worth_finding);
    const double bound = child_bound(scratch.split.no[q]) + child_bound(scratch.split.yes[q]);
    const bool is_over = options_.switches.hierarchical && bound > limit + tolerance_;
    if (is_over || limits_.is_stopped()) {
      rest = std::min(rest, bound);
      stats_.pruned_by_budget += is_over;
      continue;
    }
    const Answer split = solve_children(s, q, depth, limit, k);
    is_depth_cut |= split.is_depth_cut;
    if (!split.is_solved) {
      rest = std::min(rest, split.value);
    } else if (split.value < best.value) {
      best = {split.value, static_cast<std::int32_t>(q), true, false};
      if (k == 0) offer(stored_split(s, q, depth, 0), "depth " + std::to_string(depth));
    }
  }
  if (k == 0) root_floor_ = std::min(best.value, rest);
  // A tree deeper than this has at least depth + 2 leaves.
  const double wanted = std::min(best.value, budget) + tolerance_;
  if (bounds_.max_leaves(s.facts, wanted) < depth + 2.0) is_depth_cut = false;
  const bool is_within = !options_.switches.hierarchical || best.value <= budget + tolerance_;
  if (is_within && !limits_.is_stopped()) return {best.value, best.question, true, is_depth_cut};
  return {std::min(best.value, rest), kLeaf, false, is_depth_cut};
}

// Both children of one question. Sub-tree bound. Claim: objectives of siblings add up, so what is
// proven about one lowers the budget of the other.
Answer Search::solve_children(Subset& s, std::uint32_t question, int depth, double limit,
                              std::size_t k) {
  const Switches& on = options_.switches;
  Subset first = part(s, question, true, level(k));
  Subset second = part(s, question, false, level(k));
  // The child that loses more is likelier to break the budget, which spares the other.
  if (second.facts.loss > first.facts.loss) std::swap(first, second);
  double second_floor = bounds_.any_tree(second.facts);
  bool is_floor_cut = false;
  const auto past = known(second, std::min(depth - 1, depth_worth_trying(second)));
  if (past && past->value > second_floor) {
    second_floor = past->value;
    is_floor_cut = past->is_depth_cut;
  }
  const double first_budget = limit - (on.subtree ? second_floor : 0.0);
  const Answer a = solve(first, depth - 1, on.hierarchical ? first_budget : kInfinity, k + 1);
  if (!a.is_solved) return {a.value + second_floor, kLeaf, false, a.is_depth_cut || is_floor_cut};
  const double second_budget = limit - (on.subtree ? a.value : 0.0);
  const Answer b = solve(second, depth - 1, on.hierarchical ? second_budget : kInfinity, k + 1);
  const bool is_cut = a.is_depth_cut || b.is_depth_cut;
  return {a.value + b.value, static_cast<std::int32_t>(question), b.is_solved, is_cut};
}

// Without a depth limit the search deepens until no proof was cut by depth.
void Search::deepen(double upper_bound) {
  for (int depth = std::min(1, final_depth_);; depth = next_depth(depth)) {
    const double budget = std::min(incumbent_objective_, upper_bound);
    root_floor_ = kInfinity;
    answer_ = solve(root_, depth, budget, 0);
    if (limits_.is_stopped()) {
      if (depth == final_depth_) lower_bound_ = std::max(lower_bound_, answer_.value);
      return;
    }
    const bool is_last = depth == final_depth_ || !answer_.is_depth_cut;
    if (answer_.is_solved) offer(stored_tree(root_, depth, 0), "depth " + std::to_string(depth));
    if (is_last && !answer_.is_solved) {  // nothing as good as the upper bound exists
      require(upper_bound < incumbent_objective_, "the incumbent is within its own budget");
      lower_bound_ = std::max(lower_bound_, answer_.value);
      return deepen(kInfinity);
    }
    if (is_last) {
      solved_depth_ = depth;
      lower_bound_ = std::min(root_floor_, answer_.value);
      return;
    }
    log_progress();
  }
}

int Search::next_depth(int depth) const {
  const int next = depth < 8 ? depth + 1 : depth + depth / 2;
  return std::min(next, final_depth_);
}

Result Search::run() {
  Result result;
  lower_bound_ = bounds_.any_tree(root_.facts);
  offer(leaf_of(root_), "one leaf");
  log_progress();
  deepen(options_.upper_bound);

  result.tree = incumbent_;
  if (!limits_.is_stopped()) {
    const auto first = trees(root_, solved_depth_, answer_.value, 1, 0);
    if (!first.empty()) result.tree = first.front();
  }
  result.loss = loss_of(result.tree);
  result.objective =
      result.loss + options_.regularization * static_cast<double>(leaves_of(result.tree));
  result.tolerance = tolerance_;
  result.lower_bound = std::min(lower_bound_, result.objective);
  // Each node of the tree may be off by one tolerance and still count as a tie.
  const double ties = 2.0 * static_cast<double>(leaves_of(result.tree)) * tolerance_;
  if (result.objective - result.lower_bound <= ties) result.lower_bound = result.objective;
  result.status = result.lower_bound == result.objective ? Status::optimal
                  : limits_.is_stopped()                 ? limits_.reason()
                                                         : Status::gap_reached;
  result.is_upper_bound_wrong = result.lower_bound > options_.upper_bound + tolerance_;
  result.stats = stats_;
  result.cache_entries = cache_.size();
  result.cache_bytes = cache_.bytes();
  result.seconds = limits_.seconds();
  incumbent_objective_ = result.objective;
  lower_bound_ = result.lower_bound;
  incumbent_ = result.tree;
  log_progress();
  return result;
}

}  // namespace survtree
