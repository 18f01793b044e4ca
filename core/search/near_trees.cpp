#include "search/near_trees.hpp"

#include <algorithm>
#include <bit>

#include "data/contract.hpp"
#include "search/bounds.hpp"

namespace survtree {
namespace {

// Limits grow by these shares of the slack: the best tree is there first, and the first trees are
// cheap to find if nobody asks for all.
constexpr double kShares[] = {0.0, 1.0 / 64, 1.0 / 16, 1.0 / 4, 1.0};
// For the best tree under a condition, they begin with this share of the loss of a lone leaf.
constexpr double kFirstExcess = 1e-3;

std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 30U;
  x *= 0xbf58476d1ce4e5b9U;
  x ^= x >> 27U;
  x *= 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

// Leaves are added up, so that the partition is the same whatever the order of the leaves. Mixed
// first: sums of keys as they are would be those of all rows where keys are sums over rows.
Key partition_of_leaf(const Key& key) {
  return {mixed(key.high + 0x9e3779b97f4a7c15U * key.low), mixed(key.low ^ (key.high << 1U))};
}

Key operator+(const Key& a, const Key& b) { return {a.high + b.high, a.low + b.low}; }

std::uint32_t most_leaves(int depth) {
  return depth >= 31 ? UINT32_MAX : std::uint32_t{1} << static_cast<unsigned>(depth);
}

}  // namespace

std::size_t NearTrees::NameHash::operator()(const Name& name) const {
  const auto depth = static_cast<std::uint64_t>(name.wanted.depth);
  const std::uint64_t rest = (std::uint64_t{name.wanted.must_use} << 32U) + name.wanted.max_leaves;
  return name.key.low + mixed(rest + (depth << 48U));
}

NearTrees::NearTrees(NearSource& source, NearQuery query, std::size_t most_bytes)
    : source_(source),
      query_(std::move(query)),
      tolerance_(source.tolerance()),
      penalty_(source.penalty()),
      most_bytes_(most_bytes) {
  const NearPart all = source.all_rows();
  query_.max_depth = std::min(query_.max_depth, source.max_depth());
  const Wanted wanted{query_.max_depth, query_.all_sets, query_.max_leaves};
  stream_of(all, wanted, kNone, {});
}

void NearTrees::find(double optimum, double slack, std::size_t n) {
  is_complete_ = false;
  for (const double share : kShares) {
    lower_bound_ = optimum + share * slack;
    if (look(lower_bound_ + tolerance_, n) || is_stopped()) return;
  }
  is_complete_ = true;
}

void NearTrees::find_best(double lowest) {
  const std::optional<double> highest = cost_of_one_split();
  lower_bound_ = lowest;
  // With one set there is a tree that costs `highest`; with more there may be none.
  const bool is_sure = highest && std::popcount(query_.all_sets) <= 1 && query_.max_leaves >= 2;
  const double last = is_sure ? *highest : Bounds::no_limit;
  const double scale = kFirstExcess * streams_[0].part.loss + penalty_ / 8.0;
  for (double excess = scale; highest && !is_stopped(); excess *= 2.0) {
    // What is that far away is looked for among all, which ends even if there is none.
    const bool is_far = excess >= 1e4 * scale || lowest + excess >= last;
    const double limit = is_far ? last : lowest + excess;
    if (look(limit + tolerance_, 1) || is_stopped()) break;
    lower_bound_ = std::max(lower_bound_, limit);
    if (is_far) break;
  }
  if (!is_stopped()) is_complete_ = true;
  if (is_complete_) lower_bound_ = size() > 0 ? value(0) : Bounds::no_limit;
}

// The cost of the best single split that the conditions on the first split and on the sets allow,
// if any split does: none that cannot part all rows can part some of them. Where few questions may
// split all rows, nothing is known of the others.
std::optional<double> NearTrees::cost_of_one_split() {
  if (query_.max_depth < 1 || source_.useful_depth(streams_[0].part) < 1) {
    if (query_.all_sets != 0 || must_split()) return std::nullopt;
    return streams_[0].part.loss + penalty_;
  }
  source_.splits_within({}, streams_[0].part, 1, Bounds::no_limit, found_splits_);
  std::optional<double> best;
  std::uint32_t sets = 0;
  for (const NearSplit& split : found_splits_) {
    sets |= sets_of(split.question);
    if (query_.has_first && !query_.may_be_first[split.question]) continue;
    if (sets_of(split.question) != query_.all_sets) continue;
    if (!best || split.value() < *best) best = split.value();
  }
  if (query_.all_sets == 0 && !must_split())
    return std::min(best.value_or(Bounds::no_limit), streams_[0].part.loss + penalty_);
  const bool is_possible = source_.must_split() || (sets & query_.all_sets) == query_.all_sets;
  return best || !is_possible ? best : std::optional(Bounds::no_limit);
}

// Whether there are `n` trees, or more, now.
bool NearTrees::look(double limit, std::size_t n) {
  while (size() < n && add_trees(0, limit)) {
  }
  return size() >= n;
}

// The next trees of a stream: all that cost the same. False if none is within the limit.
bool NearTrees::add_trees(std::uint32_t at, double limit) {
  // Beneath a search that is stopped, very many pairs may be waiting; none goes on with it.
  if (is_stopped()) return false;
  Stream& s = streams_[at];
  if (s.known_to < limit && !add_splits(at, limit)) return false;
  if (s.waited_to < limit) retry(at, limit);
  std::vector<Found> next;
  double last = limit;
  while (!s.pairs.empty() && s.pairs.front().value <= last && !is_stopped()) {
    const Pair pair = take(s);
    if (!pair.is_known) {
      offer(at, pair, limit);
      continue;
    }
    if (pair.split != kNone) {
      offer(at, {pair.value, pair.split, pair.no, pair.yes + 1}, limit);
      if (pair.yes == 0) offer(at, {pair.value, pair.split, pair.no + 1, 0}, limit);
    }
    const Found found = found_of(s, pair);
    if (found.n_leaves > s.wanted.max_leaves) continue;
    if (next.empty()) last = std::min(limit, pair.value + tolerance_);
    next.push_back(found);
    count_bytes(sizeof(Found) + sizeof(Pair));  // there may be very many ties
  }
  if (is_stopped() || source_.should_stop()) return false;
  std::sort(next.begin(), next.end(),
            [&](const Found& a, const Found& b) { return order(s, a, s, b) < 0; });
  bytes_ -= sizeof(Found) * next.size();
  for (const Found& found : next)
    if (s.partitions.insert(found.partition).second) {
      s.trees.push_back(found);
      count_bytes(sizeof(Found) + 4 * sizeof(Key));
    }
  return !next.empty();  // even if all of them are partitions that are known
}

// Splits that some tree within the limit begins with. False if that was stopped.
bool NearTrees::add_splits(std::uint32_t at, double limit) {
  Stream& s = streams_[at];
  if (s.wanted.depth > 0) {
    source_.splits_within(path_to(at), s.part, s.wanted.depth, limit, found_splits_);
    if (is_stopped()) return false;
    const std::vector<NearSplit> found = std::move(found_splits_);
    for (const NearSplit& split : found) {
      const bool is_barred = at == 0 && query_.has_first && !query_.may_be_first[split.question];
      if (!is_barred && s.questions.insert(split.question).second) add_split(at, split);
      if (is_stopped()) return false;
    }
  }
  s.known_to = limit;
  return true;
}

// Each set that is still to be used is so on the one side or on the other: there are as many ways
// as subsets of these sets, which can be very many.
void NearTrees::add_split(std::uint32_t at, const NearSplit& split) {
  const Wanted& wanted = streams_[at].wanted;
  const std::uint32_t left = wanted.must_use & ~sets_of(split.question);
  // Each side has at most one split less than leaves.
  const std::uint64_t most_splits = 2 * (std::uint64_t{most_leaves(wanted.depth - 1)} - 1);
  if (static_cast<std::uint64_t>(std::popcount(left)) > most_splits) return;
  for (std::uint32_t no_sets = left;; no_sets = (no_sets - 1) & left) {
    add_sides(at, split, no_sets, left & ~no_sets);
    if (no_sets == 0 || source_.should_stop()) return;
  }
}

void NearTrees::add_sides(std::uint32_t at, const NearSplit& split, std::uint32_t no_sets,
                          std::uint32_t yes_sets) {
  Stream& s = streams_[at];
  const auto side_of = [&](const NearPart& part, std::uint32_t sets) {
    const int depth = std::min(s.wanted.depth - 1, source_.useful_depth(part));
    return Side{part, {depth, sets, std::min(s.wanted.max_leaves - 1, most_leaves(depth))}};
  };
  Split both{split.question, side_of(split.no, no_sets), side_of(split.yes, yes_sets),
             split.penalty};
  for (const Side* side : {&both.no, &both.yes}) {
    const std::uint32_t most_splits = most_leaves(side->wanted.depth) - 1;
    if (static_cast<std::uint32_t>(std::popcount(side->wanted.must_use)) > most_splits) return;
    if (side->wanted.max_leaves == 0) return;
  }
  s.splits.push_back(both);
  s.pairs.push_back({split.value(), static_cast<std::uint32_t>(s.splits.size() - 1), 0, 0, false});
  std::push_heap(s.pairs.begin(), s.pairs.end());
  count_bytes(sizeof(Split) + sizeof(Pair) + 2 * sizeof(std::uint64_t));
}

void NearTrees::retry(std::uint32_t at, double limit) {
  Stream& s = streams_[at];
  s.waited_to = limit;
  const std::vector<Pair> waiting = std::exchange(s.waiting, {});
  for (const Pair& pair : waiting)
    if (!is_stopped()) offer(at, pair, limit);
}

NearTrees::Pair NearTrees::take(Stream& s) {
  std::pop_heap(s.pairs.begin(), s.pairs.end());
  const Pair pair = s.pairs.back();
  s.pairs.pop_back();
  return pair;
}

// A pair whose trees are not known yet: they are looked for, within the limit.
void NearTrees::offer(std::uint32_t at, Pair pair, double limit) {
  Stream& s = streams_[at];
  Split& split = s.splits[pair.split];
  // Budgets that were subtracted and added again are off by a rounding step.
  const double of_sides = limit - split.penalty;
  const auto no = side_tree(at, split.no, {split.question, false}, pair.no,
                            of_sides - split.yes.part.value + tolerance_);
  const auto yes = no ? side_tree(at, split.yes, {split.question, true}, pair.yes,
                                  of_sides - no->value + tolerance_)
                      : std::nullopt;
  if (!yes || no->value + yes->value + split.penalty > limit) {
    s.waiting.push_back(pair);
    // Other parents may have asked this stream for more before: whoever does again must retry it.
    s.waited_to = std::min(s.waited_to, limit);
    return;
  }
  pair.value = no->value + yes->value + split.penalty;
  pair.is_known = true;
  s.pairs.push_back(pair);
  std::push_heap(s.pairs.begin(), s.pairs.end());
}

std::optional<NearTrees::Summary> NearTrees::side_tree(std::uint32_t at, Side& side, Step step,
                                                       std::size_t k, double limit) {
  if (side.wanted.depth == 0) {
    const Summary lone = leaf(side.part);
    return k == 0 && lone.value <= limit ? std::optional(lone) : std::nullopt;
  }
  if (side.stream == kNone) side.stream = stream_of(side.part, side.wanted, at, step);
  return tree_of(side.stream, k, limit);
}

std::optional<NearTrees::Summary> NearTrees::tree_of(std::uint32_t at, std::size_t k,
                                                     double limit) {
  Stream& s = streams_[at];
  while (s.trees.size() <= k)
    if (!add_trees(at, limit)) return std::nullopt;
  return s.trees[k].value <= limit ? std::optional<Summary>(s.trees[k]) : std::nullopt;
}

std::uint32_t NearTrees::stream_of(const NearPart& part, const Wanted& wanted, std::uint32_t parent,
                                   Step step) {
  const auto next = static_cast<std::uint32_t>(streams_.size());
  const auto [known, is_new] = stream_by_name_.try_emplace({part.key, wanted}, next);
  if (!is_new) return known->second;
  Stream& s = streams_.emplace_back();
  s.part = part;
  s.wanted = wanted;
  s.parent = parent;
  s.step = step;
  s.known_to = s.waited_to = -Bounds::no_limit;
  const bool is_leaf_barred = parent == kNone && must_split();
  if (wanted.must_use == 0 && !is_leaf_barred)
    s.pairs.push_back({leaf(part).value, kNone, 0, 0, true});
  count_bytes(sizeof(Stream) + sizeof(Name) + 4 * sizeof(std::uint64_t));
  return next;
}

NearTrees::Summary NearTrees::leaf(const NearPart& part) const {
  return {part.loss + penalty_, partition_of_leaf(part.key), 1};
}

NearTrees::Summary NearTrees::summary_of(const Side& side, std::size_t k) const {
  if (side.stream == kNone) return leaf(side.part);
  return streams_[side.stream].trees[k];
}

NearTrees::Found NearTrees::found_of(const Stream& s, const Pair& pair) const {
  if (pair.split == kNone) return {leaf(s.part), kNone, 0, 0};
  const Split& split = s.splits[pair.split];
  const Summary no = summary_of(split.no, pair.no), yes = summary_of(split.yes, pair.yes);
  return {{pair.value, no.partition + yes.partition, no.n_leaves + yes.n_leaves},
          pair.split,
          pair.no,
          pair.yes};
}

std::vector<Step> NearTrees::path_to(std::uint32_t at) const {
  std::vector<Step> path;
  for (; streams_[at].parent != kNone; at = streams_[at].parent) path.push_back(streams_[at].step);
  std::reverse(path.begin(), path.end());
  return path;
}

// The tie rule: a leaf before a split, then the question that comes first, then the trees on the
// side that answers no, then those on the other. Below 0 if a comes before b, 0 if they are alike.
int NearTrees::order(const Stream& s, const Found& a, const Stream& t, const Found& b) const {
  if (a.split == kNone || b.split == kNone)
    return static_cast<int>(a.split != kNone) - static_cast<int>(b.split != kNone);
  const Split &x = s.splits[a.split], &y = t.splits[b.split];
  if (x.question != y.question) return source_.comes_before(x.question, y.question) ? -1 : 1;
  const int no = order(x.no, a.no, y.no, b.no);
  return no != 0 ? no : order(x.yes, a.yes, y.yes, b.yes);
}

int NearTrees::order(const Side& a, std::size_t i, const Side& b, std::size_t j) const {
  if (a.stream == b.stream && i == j) return 0;
  if (a.stream == kNone || b.stream == kNone)
    return static_cast<int>(a.stream != kNone) - static_cast<int>(b.stream != kNone);
  const Stream &s = streams_[a.stream], &t = streams_[b.stream];
  return order(s, s.trees[i], t, t.trees[j]);
}

Tree NearTrees::read(std::uint32_t at, std::size_t k) const {
  const Stream& s = streams_[at];
  const Found& found = s.trees[k];
  if (found.split == kNone) return leaf_of(s.part.loss);
  const Split& split = s.splits[found.split];
  return split_of(static_cast<std::int32_t>(split.question), read(split.no, found.no),
                  read(split.yes, found.yes));
}

Tree NearTrees::read(const Side& side, std::size_t k) const {
  return side.stream == kNone ? leaf_of(side.part.loss) : read(side.stream, k);
}

void NearTrees::count_bytes(std::size_t n) {
  bytes_ += n;
  if (bytes_ > most_bytes_) source_.limits().stop(Status::memory_limit);
}

}  // namespace survtree
