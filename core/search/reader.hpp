// Reading trees off what is proven: the tree behind a result, and all optimal trees.
#pragma once

#include "search/lattice.hpp"

namespace survtree {

class TreeReader {
 public:
  explicit TreeReader(SubsetSolver& solver) : solver_(solver) {}

  // The tree behind a cached result, which costs no more than `value`. A subset the cache knows
  // nothing of was closed as a leaf, or has been dropped since: then it is solved again.
  Tree stored_tree(Worker& w, Subset& s, int depth, double value, std::size_t level);
  // The same for a lane of its split row, which is given.
  Tree stored_split(Worker& w, const Subset& s, const SplitRow& split, std::size_t lane, int depth,
                    double value, std::size_t level);
  // The best tree of two leaves whose question may split all rows; one must.
  Tree best_first_split();
  // A tree that somebody else made, with the losses of its leaves.
  Tree with_losses(Subset& s, const Tree& tree, std::size_t level);
  // Trees on all rows that cost `optimum`, at most `limit`, in the order of the tie rule: the leaf
  // first, then by first question in tie order (Problem::column_of), then likewise in the no and
  // the yes subtree. The lattice is null if the solver found the optimum.
  std::vector<Tree> optimal_trees(const Lattice* lattice, int depth, double optimum,
                                  std::size_t limit);

 private:
  // What is asked of one node.
  struct Reading {
    Subset& subset;
    Lattice::Cell cell;  // used if there is a lattice
    int depth;
    double optimum;
    std::size_t limit, level;
  };
  std::vector<Tree> trees(const Reading& r);
  void trees_that_split(const Reading& r, std::vector<Tree>& out);
  // The optimum of a part, if it can be within the budget.
  std::optional<double> optimum_of(Subset& s, const Lattice::Cell& cell, int depth, double budget,
                                   std::size_t level);

  SubsetSolver& solver_;
  const Lattice* lattice_ = nullptr;
};

}  // namespace survtree
