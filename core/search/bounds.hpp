// Numbers no tree can beat, each with its claim, its proof and its switch. They lean only on what
// every loss promises (data/loss.hpp): losses are >= 0, add up over leaves, and are at least the
// floors of the groups in a leaf. "A split never hurts" and "a subset never loses more than its
// superset" are false for some losses; docs/explanation/bounds.md has counterexamples.
#pragma once

#include <limits>
#include <utility>

namespace survtree {

// Each switch turns one bound off; the optimum must stay the same. `permutation` is the cache;
// `floors` (floor_table.hpp) closes intervals of cuts; `pairs` is no bound, but how the last two
// levels are solved (Loss::best_pair).
struct Switches {
  bool hierarchical = true, subtree = true, look_ahead = true, equivalent_points = true;
  bool incremental_progress = true, leaf_count = true, permutation = true, floors = true;
  bool pairs = true;
};
inline constexpr std::pair<const char*, bool Switches::*> kSwitches[] = {
    {"hierarchical", &Switches::hierarchical},
    {"subtree", &Switches::subtree},
    {"look_ahead", &Switches::look_ahead},
    {"equivalent_points", &Switches::equivalent_points},
    {"incremental_progress", &Switches::incremental_progress},
    {"leaf_count", &Switches::leaf_count},
    {"permutation", &Switches::permutation},
    {"floors", &Switches::floors},
    {"pairs", &Switches::pairs}};

// The part of a subset that bounds may look at.
//
// With a reference model a group is booked with what the model loses on its rows, where that is
// more than its floor: a guess. Claim: with L_g what is booked for group g, B_g what is
// proven for it, and t any tree, the search returns a tree that costs at most sum over g of
// max(L_g, loss of t on g) + penalties of t. So if the guess holds for an optimal tree (it loses at
// least L_g on each g), the answer is optimal; and if not, it costs at most sum of (L_g - B_g)
// more. Proof: call that sum the inflated cost of t, and likewise of each of its subtrees. At every
// node of t each bound below is at most the inflated cost of the subtree there, by its own proof
// with L for the groups' losses, and where a leaf takes the subtree's place it costs no more than
// that. So t is never given up but for something that costs at most as much, and what is returned
// at the root costs at most the inflated cost of t.
struct SubsetFacts {
  double loss;               // as one leaf
  double group_loss;         // sum over its groups of what each costs at least: proven or guessed
  double proven_loss = 0.0;  // with a guess: the same sum without it

  // As if there were no guess.
  SubsetFacts proven() const { return {loss, proven_loss, proven_loss}; }
};

class Bounds {
 public:
  // No split costs less than `least_split`, beside the penalties of leaves.
  Bounds(double regularization, double least_split, const Switches& switches)
      : regularization_(regularization), least_split_(least_split), switches_(switches) {}

  double as_leaf(const SubsetFacts& s) const { return s.loss + regularization_; }

  // One-step look-ahead. Claim: a tree that splits here costs at least its groups, two penalties
  // and the least that a split costs. Proof: it has two leaves or more and a split or more, and
  // losses add up to at least group_loss.
  double if_split(const SubsetFacts& s) const {
    return switches_.look_ahead ? with_two_leaves(s) : floor_loss(s) + regularization_;
  }

  // Claim: no tree on the subset costs less. Proof: it is a leaf or it splits.
  double any_tree(const SubsetFacts& s) const {
    const double leaf = as_leaf(s), split = if_split(s);
    return leaf < split ? leaf : split;
  }

  // Incremental progress. Claim: if this holds, a leaf is as good as any split, so none is tried.
  // Proof: if_split() bounds every split, whatever the switches say about its use elsewhere. Its
  // second form, that a pair of sibling leaves must save one penalty, needs no test of its own: the
  // leaf is compared with every split and wins ties.
  bool no_split_pays(const SubsetFacts& s) const {
    return switches_.incremental_progress && with_two_leaves(s) >= as_leaf(s);
  }

  // Leaf count. Claim: a tree of at most this objective has no more leaves than this. Proof: it
  // costs at least its groups, one penalty a leaf, and the least that a split costs for each split,
  // of which there is one less than leaves. Without a penalty there is no such limit.
  double max_leaves(const SubsetFacts& s, double objective) const {
    const double each = regularization_ + least_split_;
    if (!switches_.leaf_count || each <= 0.0) return no_limit;
    return (objective - floor_loss(s) + least_split_) / each;
  }

  // Claim: a tree with this many leaves or more costs at least this. Proof: as above.
  double with_leaves(const SubsetFacts& s, double n_leaves) const {
    return floor_loss(s) + n_leaves * regularization_ + (n_leaves - 1.0) * least_split_;
  }

  static constexpr double no_limit = std::numeric_limits<double>::infinity();

 private:
  double floor_loss(const SubsetFacts& s) const {
    return switches_.equivalent_points ? s.group_loss : 0.0;
  }
  double with_two_leaves(const SubsetFacts& s) const {
    return floor_loss(s) + 2.0 * regularization_ + least_split_;
  }

  double regularization_, least_split_;
  Switches switches_;
};

}  // namespace survtree
