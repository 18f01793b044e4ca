// The search knows a loss only by its border: other losses than the Brier score, a toy, that
// against a teacher, that of competing risks and that by the likelihood, go through search,
// lattice, frontier, proof and re-scoring, and brute force is the judge.
#include <algorithm>
#include <map>
#include <random>

#include "check.hpp"
#include "check/proof.hpp"
#include "check/rescore.hpp"
#include "data/problem.hpp"
#include "losses/incidence/incidence.hpp"
#include "losses/likelihood/likelihood.hpp"
#include "losses/teacher/teacher.hpp"
#include "search/frontier.hpp"
#include "search/search.hpp"
#include "toy_loss.hpp"

using namespace survtree;

namespace {

enum class Kind : std::uint8_t { toy, teacher, incidence, likelihood };

struct Input {
  Kind kind;
  std::size_t n, p, n_components;  // of a teacher's vectors
  std::vector<std::uint8_t> x, event;
  std::vector<double> value, weight, targets;
  std::vector<std::uint32_t> rank;
  SearchOptions options;
  Layout layout;

  Input(unsigned seed, Kind loss)
      : kind(loss), n_components(loss == Kind::teacher ? 1 + seed % 9 : 0) {
    std::mt19937 random(seed);
    n = 1 + random() % 14;
    p = random() % 6;
    const bool is_weighted = seed % 3 == 1, has_ties = random() % 2 == 0;
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_copy = i > 0 && random() % 4 == 0;
      const std::size_t like = is_copy ? random() % i : 0;
      for (std::size_t j = 0; j < p; ++j) x.push_back(is_copy ? x[like * p + j] : random() % 2);
      const double number = has_ties ? random() % 4 : 1e-3 * static_cast<double>(random() % 10'000);
      value.push_back(is_copy && random() % 2 == 0 ? value[like] : number);
      weight.push_back(is_weighted ? 0.5 + random() % 3 : 1.0);
      // Equal rows may differ in it; 2 is another cause, where there are several.
      const auto end = static_cast<std::uint8_t>(random() % 3);
      event.push_back(kind == Kind::incidence ? end : end % 2);
    }
    value[random() % n] += kind == Kind::incidence ? 1.0 : 0.0;  // one of the times is positive
    for (double v : value)  // the first component ties where the values do
      for (std::size_t c = 0; c < n_components; ++c)
        targets.push_back(c == 0 ? v : 0.1 * v * v + static_cast<double>(random() % 2));
    for (std::uint32_t j = 0; j < p; ++j) rank.push_back(j);
    options.max_depth = static_cast<int>(random() % 5);
    const double scale = has_ties ? 1.0 : 10.0;
    const double penalties[] = {0.0, 1e-3, 0.02, 0.1, 0.3};
    options.regularization = scale * penalties[random() % 5];
    options.min_samples_leaf = 1 + random() % 3;
    options.min_events_leaf = random() % 4;
    options.n_threads = 1 + random() % 2;
    options.solver = static_cast<Solver>(random() % 3);
    options.greedy_from = random() % 2 == 0 ? 0 : options.greedy_from;
    options.check_keys = true;
    const std::vector<Kernel> kernels = available_kernels();
    options.kernel = kernels[random() % kernels.size()];
    for (const auto& [name, flag] : kSwitches) options.switches.*flag = random() % 4 != 0;
    layout = static_cast<Layout>(random() % 3);
  }

  Table table() const { return {n, p, x, weight, rank, {}, event}; }
  std::unique_ptr<const Outcome> outcome() const {
    if (kind == Kind::toy) return std::make_unique<toy::Outcome>(value);
    if (kind == Kind::incidence) return std::make_unique<IncidenceOutcome>(value, event);
    if (kind == Kind::likelihood)
      return std::make_unique<LikelihoodOutcome>(WeightedEvents{value, event, weight});
    return std::make_unique<TeacherOutcome>(targets, n_components);
  }
  std::unique_ptr<const Definition> definition() const {
    if (kind == Kind::toy) return std::make_unique<toy::Definition>(value, weight);
    if (kind == Kind::incidence) return std::make_unique<IncidenceDefinition>(value, event, weight);
    if (kind == Kind::likelihood)
      return std::make_unique<LikelihoodDefinition>(WeightedEvents{value, event, weight});
    return std::make_unique<TeacherDefinition>(targets, weight);
  }
  bool answer(std::size_t row, std::size_t column) const { return x[row * p + column] != 0; }
};

// All trees, by the definition alone. Sets of rows are bits.
class Judge {
 public:
  explicit Judge(const Input& in) : in_(in), loss_(in.definition()) {}

  std::uint32_t part(std::uint32_t rows, std::size_t column, bool yes) const {
    std::uint32_t out = 0;
    for (std::size_t i = 0; i < in_.n; ++i)
      if ((rows >> i & 1U) != 0 && in_.answer(i, column) == yes) out |= 1U << i;
    return out;
  }

  bool is_leaf_allowed(std::uint32_t rows) const {
    int n_events = 0;
    for (std::size_t i = 0; i < in_.n; ++i)
      n_events += (rows >> i & 1U) != 0 && in_.event[i] == 1 ? 1 : 0;
    return std::popcount(rows) >= static_cast<int>(in_.options.min_samples_leaf) &&
           n_events >= static_cast<int>(in_.options.min_events_leaf);
  }

  double loss(std::uint32_t set) const {
    std::vector<std::uint32_t> rows;
    for (const std::uint32_t i : loss_->order())
      if ((set >> i & 1U) != 0) rows.push_back(i);
    return loss_->of_leaf(rows);
  }

  // The least loss with at most so many leaves.
  double least(std::uint32_t rows, int depth, int n_leaves) {
    const auto key = std::tuple(rows, depth, n_leaves);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    double best = loss(rows);
    for (std::size_t j = 0; depth > 0 && n_leaves > 1 && j < in_.p; ++j) {
      const std::uint32_t yes = part(rows, j, true), no = part(rows, j, false);
      if (!is_leaf_allowed(yes) || !is_leaf_allowed(no)) continue;
      for (int k = 1; k < n_leaves; ++k)
        best = std::min(best, least(no, depth - 1, k) + least(yes, depth - 1, n_leaves - k));
    }
    return known_[key] = best;
  }

  double optimum(std::uint32_t rows, int depth) {
    double best = Bounds::no_limit;
    for (int n_leaves = 1; n_leaves <= static_cast<int>(in_.n); ++n_leaves)
      best = std::min(best, least(rows, depth, n_leaves) + n_leaves * in_.options.regularization);
    return best;
  }

 private:
  const Input& in_;
  std::unique_ptr<const Definition> loss_;
  std::map<std::tuple<std::uint32_t, int, int>, double> known_;
};

double objective(const Tree& tree, double penalty) {
  return loss_of(tree) + penalty * static_cast<double>(leaves_of(tree));
}

// A tree as arrays, and its loss by the definition.
double rescored(const Input& in, const Problem& problem, const Tree& tree) {
  std::vector<std::int32_t> column, no, yes;
  const auto add = [&](const auto& self, const Tree& node) -> std::int32_t {
    const std::size_t at = column.size();
    const bool is_leaf = node->question == kLeaf;
    column.push_back(is_leaf ? -1 : static_cast<std::int32_t>(problem.column_of[node->question]));
    no.push_back(-1);
    yes.push_back(-1);
    if (is_leaf) return static_cast<std::int32_t>(at);
    const std::int32_t no_at = self(self, node->no), yes_at = self(self, node->yes);
    no[at] = no_at;
    yes[at] = yes_at;
    return static_cast<std::int32_t>(at);
  };
  add(add, tree);
  const survtree::Table table = in.table();
  const auto answer = [&](std::size_t row, std::size_t question) {
    return table.answer(row, question);
  };
  return rescore(answer, *in.definition(), {column, no, yes}).loss;
}

void the_path_has_the_best_tree_of_each_size(const Input& in, const Problem& problem, Judge& judge,
                                             double slack) {
  const std::uint32_t everyone = (1U << in.n) - 1;
  FrontierOptions options;
  options.max_depth = in.options.max_depth;
  options.min_regularization = in.options.regularization;
  options.min_samples_leaf = in.options.min_samples_leaf;
  options.min_events_leaf = in.options.min_events_leaf;
  double least = Bounds::no_limit;
  for (const Tree& tree : Frontier(problem, options).run({}).trees)
    least = std::min(least, objective(tree, in.options.regularization));
  check::close(least, judge.optimum(everyone, options.max_depth), "a tree of the path", slack);
  options.max_leaves = 3;
  options.min_regularization = 0.0;
  const Tree largest = Frontier(problem, options).run({}).trees.back();
  check::that(leaves_of(largest) <= 3, "no more leaves than were asked for");
  check::close(loss_of(largest), judge.least(everyone, options.max_depth, 3), "three leaves",
               slack);
}

void all_claims_hold(const Input& in, const Problem& problem, Judge& judge, Search& search,
                     double slack) {
  const Proof proof = prove_optimum(search, 1'000'000);
  check::that(proof.is_complete && proof.claims.back().path.empty(), "the proof is complete");
  for (const Claim& claim : proof.claims) {
    std::uint32_t rows = (1U << in.n) - 1;
    for (const Step& step : claim.path)
      rows = judge.part(rows, problem.column_of[step.question], step.says_yes);
    const double least = judge.optimum(rows, std::min<int>(claim.depth, static_cast<int>(in.p)));
    check::that(claim.bound <= least + slack, "every claim holds");
  }
}

void solve(unsigned seed, Kind kind) {
  const Input in(seed, kind);
  Judge judge(in);
  const std::uint32_t everyone = (1U << in.n) - 1;
  const double optimum = judge.optimum(everyone, in.options.max_depth);
  const double slack = 1e-9 * judge.loss(everyone) + 1e-14;
  const Problem problem = make_problem(in.table(), *in.outcome(), in.layout);
  Search search(problem, in.options);
  const Result r = search.run();
  check::that(r.status == Status::optimal, "the search ends with a proof");
  check::close(r.objective, optimum, "the optimum", slack);
  check::close(rescored(in, problem, r.tree), r.loss, "the definition says the same", slack);
  for (const Tree& tree : search.optimal_trees(50))
    check::close(objective(tree, in.options.regularization), optimum, "all are optimal", slack);
  all_claims_hold(in, problem, judge, search, slack);
  the_path_has_the_best_tree_of_each_size(in, problem, judge, slack);
}

}  // namespace

int main() {
  for (unsigned seed = 0; seed < 600; ++seed) {
    solve(seed, Kind::toy);
    solve(seed, Kind::teacher);
    solve(seed, Kind::incidence);
    solve(seed, Kind::likelihood);
  }
  return check::report();
}
