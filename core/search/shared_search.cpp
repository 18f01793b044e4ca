// Parts of a search that one process does for another: subsets are found again by the path that
// leads to them, and what is known of them is in the cache.
#include "data/contract.hpp"
#include "search/solver.hpp"

namespace survtree {

void SubsetSolver::at_end_of(std::span<const Step> path, const End& from,
                             const std::function<void(const End&)>& use) {
  Subset& s = from.subset;
  make_key(s);
  if (path.empty()) return use({s, std::min(from.depth, useful_depth(s)), from.budget, from.level});
  const auto [question, says_yes] = path.front();
  Parts parts = splitter_.split_on(worker(), s, static_cast<std::int32_t>(question), from.level);
  Subset &part = says_yes ? parts.yes : parts.no, &other = says_yes ? parts.no : parts.yes;
  const int depth = from.depth - 1;
  const double budget = from.budget - penalty_of(question) - known(other, depth).value;
  at_end_of(path.subspan(1), {part, depth, budget, from.level + 1}, use);
}

SubsetSolver::Known SubsetSolver::known(Subset& s, int depth) const {
  const double leaf = bounds_.as_leaf(s.facts);
  if (depth == 0 || is_leaf_at_most(s) || bounds_.no_split_pays(s.facts)) return {leaf, true};
  make_key(s);
  bool is_depth_cut = false;
  const double value = look_up(s, depth, is_depth_cut);
  if (s.cached && s.cached->is_solved) return {s.cached->value, true};
  return {value, false};
}

void SubsetSolver::defer(std::span<const std::uint32_t> questions) {
  is_deferred_.assign(questions.empty() ? 0 : problem_.n_questions, false);
  for (const std::uint32_t question : questions) is_deferred_.at(question) = true;
}

void SubsetSolver::put_deferred_last(Worker::Level& scratch) const {
  std::vector<std::uint32_t> now, later;
  for (const std::uint32_t lane : scratch.order)
    (is_deferred_[scratch.split.question[lane]] ? later : now).push_back(lane);
  now.insert(now.end(), later.begin(), later.end());
  scratch.order = std::move(now);
}

OpenQuestions SubsetSolver::open_questions(std::span<const Step> path, int depth, double budget) {
  OpenQuestions out;
  at_end_of(path, {root_, depth, budget, 0}, [&](const End& end) {
    // Two levels, or one, are solved at once, and so are subsets that are leaves.
    if (end.depth < (solves_pairs_ ? 3 : 2) || is_leaf_at_most(end.subset)) return;
    Node node = begin_node(worker(), end.subset, end.depth, end.budget, end.level);
    out.bound = node.best.value;
    for (std::uint32_t lane : node.scratch.order) look_at_open(node, lane, out);
    out.limit = std::min(end.budget, node.best.value);
  });
  return out;
}

void SubsetSolver::look_at_open(Node& node, std::uint32_t lane, OpenQuestions& out) const {
  const SplitRow& split = node.scratch.split;
  Parts parts = parts_of(node.subset, split, lane, node.scratch.parts);
  const Known no = known(parts.no, node.depth - 1), yes = known(parts.yes, node.depth - 1);
  const double value = no.value + yes.value + penalty_of(split.question[lane]);
  out.bound = std::min(out.bound, value);
  if (no.is_solved && yes.is_solved) {
    node.best.value = std::min(node.best.value, value);
    return;
  }
  if (value > std::min(node.budget, node.best.value) + tolerance_) return;
  // As solve_parts() goes about it.
  const bool is_no_first = parts.no.facts.loss > parts.yes.facts.loss;
  const bool is_no_next = is_no_first ? !no.is_solved : yes.is_solved;
  out.questions.push_back({split.question[lane], !is_no_next});
}

std::size_t SubsetSolver::try_below(std::span<const Step> path,
                                    std::span<const std::uint32_t> questions, int depth,
                                    double budget) {
  std::size_t n_done = 0;
  at_end_of(path, {root_, depth + static_cast<int>(path.size()), budget, 0}, [&](const End& end) {
    require(end.depth >= 2, "there are levels left to be split");
    Node node = begin_node(worker(), end.subset, end.depth, budget, end.level);
    for (const std::uint32_t question : questions) {
      if (should_stop(worker())) return;
      const auto lane = node.scratch.split.lane_of(question);
      try_question(worker(), node, static_cast<std::uint32_t>(lane));
      if (limits_.is_stopped()) return;
      ++n_done;
    }
  });
  return n_done;
}

}  // namespace survtree
