// What the search for all good trees asks of the search for the best one: which splits of a subset
// are the first of a tree that costs no more than a budget.
#pragma once

#include <functional>

#include "search/limits.hpp"
#include "search/tree.hpp"

namespace survtree {

// One side of a split, or all rows.
struct NearPart {
  Key key;
  double value = 0.0;  // the optimum at its depth; of all rows: 0
  double loss = 0.0, group_loss = 0.0;
  std::uint64_t n_rows = 0, n_events = 0;  // of the table
};

struct NearSplit {
  std::uint32_t question;
  NearPart no, yes;
  double penalty = 0.0;  // of the split, beside what its sides cost

  double value() const { return no.value + yes.value + penalty; }
};

// Somebody else who solves all splits of a subset at once, a GPU: given the path to it and how deep
// a tree on it may be, two numbers a question, the optima of the sides that answer no and yes, off
// by rounding; infinite where a side is too small. Empty if the search should do it by itself.
using Optima = std::function<std::vector<double>(std::span<const Step> path, int depth)>;

class NearSource {
 public:
  virtual ~NearSource() = default;

  void ask(Optima optima) { optima_ = std::move(optima); }

  virtual NearPart all_rows() const = 0;
  // All splits of the subset at the end of a path whose penalty and optima of both sides add up to
  // no more than the budget, ties included, at most `depth` - 1 deep. Of questions that part the
  // subset alike some may be left out, but the first by the tie rule of each column is there. Of no
  // use once the limits say stop.
  virtual void splits_within(std::span<const Step> path, const NearPart& s, int depth,
                             double budget, std::vector<NearSplit>& out) = 0;
  // Whether all rows must be split, and how deep any tree may be.
  virtual bool must_split() const = 0;
  virtual int max_depth() const = 0;
  // No tree on it is deeper.
  virtual int useful_depth(const NearPart& s) const = 0;
  // The order that breaks ties.
  virtual bool comes_before(std::uint32_t a, std::uint32_t b) = 0;

  virtual void start(const RunLimits& limits) = 0;
  virtual Limits& limits() = 0;
  virtual bool should_stop() = 0;
  virtual double penalty() const = 0;
  virtual double tolerance() const = 0;

 protected:
  // Made smaller by what rounding may have added. Splits with two leaves cost nothing to look at.
  std::vector<double> optima_of(std::span<const Step> path, int depth) const {
    if (!optima_ || depth < 2) return {};
    std::vector<double> found = optima_(path, depth);
    for (double& value : found) value -= 0.25 * tolerance();
    return found;
  }

 private:
  Optima optima_;
};

}  // namespace survtree
