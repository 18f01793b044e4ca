// Every set of rows that a tree of so many levels can reach, each looked at once.
//
// A cell is a set of questions with an answer to each; its rows are those that answer so. Cells are
// enumerated with their questions in ascending order, so that each is met once however many paths
// of a tree lead to it, and their losses go into one table. A pass from the deepest level up then
// gives the optimum of every cell. No bound prunes here: where bounds prune little, doing without
// the bookkeeping of a search pays (docs/decisions/0003).
#pragma once

#include "search/solver.hpp"

namespace survtree {

class Lattice {
 public:
  // A cell by the place of its questions among all sets of that many, and its answers, one bit each
  // in the order of the questions.
  struct Cell {
    std::vector<std::uint32_t> questions;  // ascending
    std::uint32_t answers = 0;

    Cell with(std::uint32_t question, bool yes) const;
  };

  // What the table will take; SIZE_MAX if it cannot be counted.
  static std::size_t bytes_needed(std::size_t n_questions, std::size_t n_levels);

  // For trees of the final depth, penalty and leaf size of a solver, which must outlive it.
  explicit Lattice(SubsetSolver& solver);

  // Fills the table. Ends early, with nothing to show, once the solver should stop.
  void fill();
  // The least objective of all trees on the cell that are as deep as levels are left; infinite
  // where there are too few rows or events. Only after fill().
  double optimum(const Cell& cell) const { return table_[place(cell)]; }

  std::size_t bytes() const { return table_.size() * sizeof(double); }

 private:
  struct Visit;

  std::size_t place(const Cell& cell) const;
  std::size_t place(std::size_t level, std::size_t rank, std::size_t answers) const {
    return first_[level] + (rank << level) + answers;
  }
  std::size_t choose(std::size_t n, std::size_t k) const { return choose_[k * (n_ + 1) + n]; }
  const SplitRow& split(Worker& w, const Visit& at) const;
  void visit(Worker& w, const Visit& at, const SplitRow* same_rows);
  void visit_child(Worker& w, const Visit& at, const SplitRow& split, std::uint32_t question,
                   std::size_t lane, bool is_lane);
  void enter(Worker& w, const Visit& child, const SplitRow* same_rows);
  void add_up();
  void add_up_set(std::size_t level, std::size_t rank, std::span<const std::uint32_t> questions);

  SubsetSolver& solver_;
  const Problem& problem_;
  std::size_t n_levels_, n_;         // n_ questions
  std::vector<std::size_t> choose_;  // binomial coefficients
  std::vector<std::size_t> first_;   // place of the first cell of each level
  std::vector<double> table_;
};

// Whether to fill one for the deepest level before `depth` is searched, by estimated work of both.
bool is_lattice_due(SubsetSolver& solver, int depth);

}  // namespace survtree
