// The last two levels at once, for losses that judge pairs of questions (data/loss.hpp): when that
// is done, and the sums that it needs.
#include <bit>

#include "search/solver.hpp"

namespace survtree {
namespace {

// Solving two levels at once does not tell whether more depth would change anything, which a search
// without a limit on depth wants to know.
constexpr int kMostDepthOfPairs = 6;
// Sums for pairs take up to this many bytes for each two questions. Beyond the limit they would
// crowd out everything else, and one subset would take long.
constexpr std::size_t kBytesOfPair = 24, kMostBytesOfPairs = std::size_t{1} << 27U;

std::size_t size_of(std::span<const std::uint64_t> bits) {
  std::size_t n = 0;
  for (const std::uint64_t word : bits) n += static_cast<std::size_t>(std::popcount(word));
  return n;
}

}  // namespace

// Of a run without a limit on memory.
bool SubsetSolver::can_solve_pairs() const {
  return options_.switches.pairs && problem_.loss->judges_pairs() && !problem_.has_guess &&
         !problem_.rules.has_penalties() && options_.max_depth <= kMostDepthOfPairs &&
         bytes_of_pairs() <= kMostBytesOfPairs;
}

std::size_t SubsetSolver::bytes_of_pairs() const {
  return kBytesOfPair * problem_.n_questions * problem_.n_questions;
}

// Each worker keeps two sets of sums for each level.
std::size_t SubsetSolver::bytes_of_all_pairs() const {
  return bytes_of_pairs() * 2 * static_cast<std::size_t>(kMostDepthOfPairs) * workers_.size();
}

PairRequest SubsetSolver::pair_request(Worker& w, std::span<const std::uint64_t> bits) const {
  const SmallestLeaf& smallest = splitter_.smallest_leaf();
  return {options_.kernel,
          bits.data(),
          bits.size(),
          problem_.bits.by_question.data(),
          problem_.answers.data(),
          problem_.words_per_row,
          problem_.n_questions,
          static_cast<float>(smallest.rows) - 1.0F,
          static_cast<float>(smallest.events) - 1.0F,
          options_.regularization,
          w.whole_scratch,
          w.single_scratch};
}

// Of the two parts of a subset only the smaller one is added up; the other one is what is left.
const std::vector<std::int64_t>& SubsetSolver::pair_sums(Worker& w, const Subset& s,
                                                         std::size_t k) {
  KeptSums& kept = w.level(k).pairs;
  if (kept.is_made && kept.key == s.key) return kept.whole;
  kept.is_made = false;  // memory may run out half way
  kept.key = s.key;
  if (s.parent == nullptr) {
    problem_.loss->add_up_pairs(pair_request(w, s.bits), kept.whole);
    kept.is_made = true;
    return kept.whole;
  }
  const std::size_t here = size_of(s.bits), elsewhere = size_of(s.parent->bits) - here;
  const bool is_smaller = here != elsewhere ? here < elsewhere : s.says_yes;
  const bool is_known =
      !kept.smaller.empty() && kept.parent == s.parent->key && kept.question == s.question;
  if (!is_known) {
    kept.bits.assign(s.bits.begin(), s.bits.end());
    if (!is_smaller)
      for (std::size_t i = 0; i < s.bits.size(); ++i) kept.bits[i] = s.parent->bits[i] & ~s.bits[i];
    problem_.loss->add_up_pairs(pair_request(w, kept.bits), kept.smaller);
    w.stats.lane_rows += problem_.n_questions * problem_.n_questions;
    kept.parent = s.parent->key;
    kept.question = s.question;
  }
  if (is_smaller) {
    kept.whole = kept.smaller;
  } else {
    const std::vector<std::int64_t>& all = pair_sums(w, *s.parent, k - 1);
    kept.whole.resize(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) kept.whole[i] = all[i] - kept.smaller[i];
  }
  kept.is_made = true;
  return kept.whole;
}

// Trees of at most two levels, all of them at once.
SubsetResult SubsetSolver::solve_pairs(Worker& w, Subset& s, std::size_t k) {
  make_bits(problem_, s);
  const BestPair found = problem_.loss->best_pair(pair_request(w, s.bits), pair_sums(w, s, k));
  limits_.look_at_clock(w.number == 0);  // it may have taken as long as very many small subsets
  SubsetResult best{bounds_.as_leaf(s.facts), kLeaf, true, false};
  if (found.question >= 0 && found.value < best.value)
    best = {found.value, found.question, true, false};
  // Solved whatever the budget was, so a deeper tree matters if it can be better than this one.
  const double wanted = best.value + tolerance_;
  best.is_depth_cut = useful_depth(s) > 2 && bounds_.max_leaves(s.facts, wanted) >= 4.0;
  return best;
}

}  // namespace survtree
