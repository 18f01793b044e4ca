// Writing down why the optimum is one. The search closes subsets by budgets that change on the way;
// here every claim is what its parent needs and no more, so that none can be left out.
#include "check/proof.hpp"

#include "data/contract.hpp"

namespace survtree {
namespace {

class ProofWriter {
 public:
  ProofWriter(SubsetSolver& solver, std::size_t limit) : solver_(solver), limit_(limit) {}

  Proof proof;

  void add(const Subset& s, int depth, double bound) {
    if (proof.claims.size() == limit_) {
      proof.is_complete = false;
      return;
    }
    claimed_[s.key].push_back({depth, bound});
    std::vector<Step> path;
    for (const Subset* at = &s; at->parent != nullptr; at = at->parent)
      path.push_back({at->question, at->says_yes});
    std::reverse(path.begin(), path.end());
    proof.claims.push_back({std::move(path), depth, bound});
  }

  // Adds claims until they say that no tree on the subset costs less than `target`, which must be
  // so. Nothing is added where the bounds of the subset alone say it: whoever checks knows them
  // too.
  void prove(Subset& s, int depth, double target, std::size_t k) {
    depth = std::min(depth, solver_.useful_depth(s));
    const double enough = target - solver_.tolerance();
    const bool must_split = k == 0 && solver_.must_split();
    if (!must_split && floor_of(s, depth) >= enough) return;
    solver_.make_key(s);
    if (is_claimed(s, depth, enough)) return;
    // What is proven below uses the scratch of deeper levels, never of this one.
    const SplitRow& split = solver_.splitter().split(solver_.worker(), s, k);
    for (std::size_t lane = 0; lane < split.n_lanes && proof.is_complete; ++lane)
      if (solver_.is_allowed(split.question[lane], k))
        prove_parts(s, lane, depth - 1, target - solver_.penalty_of(split.question[lane]), k);
    if (proof.is_complete) add(s, depth, target);
  }

 private:
  struct DepthBound {
    int depth;
    double bound;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const { return key.low; }
  };

  // Whether a claim says at least this of the subset, whose key is made.
  bool is_claimed(const Subset& s, int depth, double bound) const {
    const auto found = claimed_.find(s.key);
    return found != claimed_.end() &&
           std::ranges::any_of(found->second, [&](const DepthBound& known) {
             return known.depth >= depth && known.bound >= bound;
           });
  }

  double floor_of(const Subset& s, int depth) const {
    const bool is_leaf = std::min(depth, solver_.useful_depth(s)) == 0;
    return is_leaf ? solver_.bounds().as_leaf(s.facts) : solver_.bounds().any_tree(s.facts);
  }

  // That the parts by the question of a lane cost nothing below the target together.
  void prove_parts(const Subset& s, std::size_t lane, int depth, double target, std::size_t k) {
    Worker& w = solver_.worker();
    const double tolerance = solver_.tolerance();
    auto [no, yes] = parts_of(s, w.level(k).split, lane, w.level(k).parts);
    const double no_floor = floor_of(no, depth), yes_floor = floor_of(yes, depth);
    if (yes_floor + no_floor >= target - tolerance) return;
    // The part that loses more than its floor by most is likelier to be proof enough.
    const bool is_no_first = no.facts.loss - no_floor > yes.facts.loss - yes_floor;
    Subset &first = is_no_first ? no : yes, &second = is_no_first ? yes : no;
    const double second_floor = is_no_first ? yes_floor : no_floor;
    const SubsetResult a = solver_.solve(w, first, depth, target - second_floor, k + 1);
    proof.is_complete = !solver_.limits().is_stopped();
    if (!proof.is_complete) return;
    if (a.value + second_floor >= target - tolerance)
      return prove(first, depth, target - second_floor, k + 1);
    const SubsetResult b = solver_.solve(w, second, depth, target - a.value, k + 1);
    proof.is_complete = !solver_.limits().is_stopped();
    if (!proof.is_complete) return;
    require(a.value + b.value >= target - 4.0 * tolerance, "what is claimed of a split is so");
    prove(first, depth, a.value, k + 1);
    prove(second, depth, std::min(b.value, target - a.value), k + 1);
  }

  SubsetSolver& solver_;
  std::size_t limit_;
  std::unordered_map<Key, std::vector<DepthBound>, Hash> claimed_;
};

}  // namespace

Proof prove_optimum(Search& search, std::size_t limit) {
  require(search.is_proven(), "only an optimum that was found without a guess is proven");
  SubsetSolver& solver = search.solver();
  ProofWriter writer(solver, limit);
  Subset& root = solver.root();
  const int depth = solver.final_depth();
  writer.prove(root, depth, search.objective(), 0);
  // A claim about all rows even where the bounds alone would do: it is what the others are for.
  if (writer.proof.claims.empty() || !writer.proof.claims.back().path.empty())
    writer.add(root, depth, search.objective());
  return std::move(writer.proof);
}

}  // namespace survtree
