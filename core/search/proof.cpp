// Writing down why the optimum is one. The search closes subsets by budgets that change on the way;
// here every claim is what its parent needs and no more, so that none can be left out.
#include "search/proof.hpp"

#include <algorithm>
#include <utility>

#include "data/contract.hpp"
#include "search/search.hpp"
#include "search/search_worker.hpp"

namespace survtree {

bool Proof::says(const Subset& s, int depth, double bound) const {
  const auto found = said_.find(s.key);
  return found != said_.end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [&](const Said& said) { return said.depth >= depth && said.bound >= bound; });
}

void Proof::add(const Subset& s, int depth, double bound) {
  if (claims_.size() == limit_) return give_up();
  said_[s.key].push_back({depth, bound});
  std::vector<Step> path;
  for (const Subset* at = &s; at->parent != nullptr; at = at->parent)
    path.push_back({at->question, at->says_yes});
  std::reverse(path.begin(), path.end());
  claims_.push_back({std::move(path), depth, bound});
}

Proof Search::proof(std::size_t limit) {
  require(!problem_.has_guess && lower_bound_ == incumbent_objective_,
          "only an optimum that was found without a guess is proven");
  Proof proof(limit);
  const double optimum = incumbent_objective_;
  // A claim about all rows even where the bounds alone would do: it is what the others are for.
  const int depth = std::min(options_.max_depth, depth_worth_trying(root_));
  prove(proof, root_, depth, optimum, 0);
  if (proof.claims().empty() || !proof.claims().back().path.empty())
    proof.add(root_, depth, optimum);
  return proof;
}

// Adds claims until they say that no tree on the subset costs less than `target`, which must be so.
// Nothing is added where the bounds of the subset alone say it: whoever checks knows them too.
void Search::prove(Proof& proof, Subset& s, int depth, double target, std::size_t k) {
  depth = std::min(depth, depth_worth_trying(s));
  const double alone = depth == 0 ? bounds_.as_leaf(s.facts) : bounds_.any_tree(s.facts);
  if (alone >= target - tolerance_) return;
  make_key(s);
  if (proof.says(s, depth, target - tolerance_)) return;
  Worker& w = *workers_[0];
  split_all(w, s, true, w.level(k).split);
  // By index: what is proven below uses the scratch of deeper levels, never of this one.
  for (std::size_t lane = 0; lane < w.level(k).split.n_lanes && proof.is_complete(); ++lane)
    prove_children(proof, s, lane, depth - 1, target, k);
  if (proof.is_complete()) proof.add(s, depth, target);
}

// That the question of a lane leads to nothing below the target.
void Search::prove_children(Proof& proof, const Subset& s, std::size_t lane, int depth,
                            double target, std::size_t k) {
  Worker& w = *workers_[0];
  Subset first = w.part(s, w.level(k).split, lane, true, k);
  Subset second = w.part(s, w.level(k).split, lane, false, k);
  const auto floor_of = [&](const Subset& part) {
    const bool is_leaf = std::min(depth, depth_worth_trying(part)) == 0;
    return is_leaf ? bounds_.as_leaf(part.facts) : bounds_.any_tree(part.facts);
  };
  double first_floor = floor_of(first), second_floor = floor_of(second);
  if (first_floor + second_floor >= target - tolerance_) return;
  // The child that loses more than its floor by most is likelier to be proof enough.
  if (second.facts.loss - second_floor > first.facts.loss - first_floor) {
    std::swap(first, second);
    std::swap(first_floor, second_floor);
  }
  const Answer a = solve(w, first, depth, target - second_floor, k + 1);
  if (limits_.is_stopped()) return proof.give_up();
  if (a.value + second_floor >= target - tolerance_)
    return prove(proof, first, depth, target - second_floor, k + 1);
  const Answer b = solve(w, second, depth, target - a.value, k + 1);
  if (limits_.is_stopped()) return proof.give_up();
  require(a.value + b.value >= target - 4.0 * tolerance_, "what is claimed of a split is so");
  prove(proof, first, depth, a.value, k + 1);
  prove(proof, second, depth, std::min(b.value, target - a.value), k + 1);
}

}  // namespace survtree
