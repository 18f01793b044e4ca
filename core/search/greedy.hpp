// A good tree early: greedy trees that look a few levels ahead, and better ones near the best so
// far. They only improve the incumbent, and with it budgets; no proof rests on them.
#pragma once

#include "search/reader.hpp"

namespace survtree {

class GreedyStarts {
 public:
  GreedyStarts(SubsetSolver& solver, TreeReader& reader, Incumbent& incumbent)
      : solver_(solver), reader_(reader), incumbent_(incumbent) {}

  // Takes a share of the work done so far; more where a good tree early is all there may be to
  // show. Whenever nothing better is near, the next look goes a level further.
  void look_for_trees();

 private:
  void try_first_questions(const std::string& found_by);
  void improve(const std::string& found_by);
  Tree improved_tree(Subset& s, const Tree& tree, int depth, std::size_t level);
  Tree greedy_tree(Subset& s, int depth, std::size_t level);
  Tree greedy_split(const Subset& s, std::size_t lane, int depth, std::size_t level);

  SubsetSolver& solver_;
  TreeReader& reader_;
  Incumbent& incumbent_;
  int look_ahead_ = 2;  // levels that greedy trees are optimal for
};

}  // namespace survtree
