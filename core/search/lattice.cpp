#include "search/lattice.hpp"

#include <cmath>

#include "data/contract.hpp"
#include "data/distinct.hpp"

namespace survtree {
namespace {

constexpr double kTooSmall = std::numeric_limits<double>::infinity();
constexpr std::size_t kMaxLevels = 16;  // answers of a cell are few bits
constexpr std::size_t kMaxLatticeBytes = std::size_t{1} << 26U;
constexpr int kJudgedAfter = 2;  // depths that are searched first, to see how much bounds prune

// Binomial coefficients C(n, k) for n <= n_max, k <= k_max, at [k * (n_max + 1) + n].
std::vector<std::size_t> binomials(std::size_t n_max, std::size_t k_max) {
  const std::size_t width = n_max + 1;
  std::vector<std::size_t> out((k_max + 1) * width, 0);
  for (std::size_t n = 0; n <= n_max; ++n) {
    out[n] = 1;
    for (std::size_t k = 1; k <= std::min(k_max, n); ++k)
      out[k * width + n] = out[(k - 1) * width + n - 1] + out[k * width + n - 1];
  }
  return out;
}

struct Work {
  double search = 0.0, lattice = 0.0;
};

// Lane-rows by which either solves the deepest level, judged after depth 2.
//
// If nothing were pruned, a search would split on M - j questions each cell of j questions. What it
// prunes grows with every level: the share that was left at depth 2 is raised to the power of the
// levels above, and where what a split can save of an average cell (half the savings of the level
// above) comes near the penalty of a leaf, cells are closed.
//
// A lattice splits cells on later questions only, so that each cell of j + 1 questions is met once
// instead of j + 1 times, but it prunes nothing and looks at cells that no tree can use.
Work estimated_work(SubsetSolver& solver) {
  const SubsetFacts& facts = solver.root().facts;
  const auto m = static_cast<double>(solver.problem().n_questions);
  const auto n_rows = static_cast<double>(solver.problem().n_rows());
  const double done = static_cast<double>(solver.worker().stats.lane_rows) / n_rows - 2.0 * m;
  const double share = std::min(1.0, std::max(0.0, done / (m * (m - 1.0))));
  double cells = 1.0;
  Work passes;
  for (int level = 0; level < solver.final_depth(); ++level) {
    cells *= (m - level) / (level + 1.0);
    const double savings = std::ldexp(facts.loss - facts.group_loss, -level);
    const double open =
        std::clamp((savings / solver.options().regularization - 0.5) / 1.5, 0.0, 1.0);
    passes.search += cells * (level + 1.0) * std::pow(share, level) * open;
    passes.lattice += cells;
  }
  return {passes.search * n_rows, passes.lattice * n_rows};
}

}  // namespace

// A cell on the way down: its last question is the largest.
struct Lattice::Visit {
  std::size_t level, rank, answers;
  std::uint32_t next_question;  // the smallest that may still be asked
  std::span<const std::uint64_t> bits;
  std::uint64_t n_rows, n_events;
  double loss;
};

Lattice::Cell Lattice::Cell::with(std::uint32_t question, bool yes) const {
  Cell out = *this;
  const auto at = std::lower_bound(out.questions.begin(), out.questions.end(), question);
  const auto position = static_cast<std::size_t>(at - out.questions.begin());
  out.questions.insert(at, question);
  // Answers from `position` on move up by one, and make room for another.
  const std::uint32_t low = answers & ((1U << position) - 1U);
  out.answers = low | (answers ^ low) << 1U | static_cast<std::uint32_t>(yes) << position;
  return out;
}

std::size_t Lattice::bytes_needed(std::size_t n_questions, std::size_t n_levels) {
  if (n_levels > kMaxLevels) return SIZE_MAX;
  double n = 0.0, sets = 1.0;  // as doubles: they may be astronomical
  for (std::size_t level = 0; level <= n_levels; ++level) {
    n += sets * static_cast<double>(std::size_t{1} << level);
    sets *= static_cast<double>(n_questions) - static_cast<double>(level);
    sets = std::max(0.0, sets / static_cast<double>(level + 1));
  }
  return n < 1e15 ? static_cast<std::size_t>(n) * sizeof(double) : SIZE_MAX;
}

Lattice::Lattice(SubsetSolver& solver)
    : solver_(solver),
      problem_(solver.problem()),
      n_levels_(static_cast<std::size_t>(solver.final_depth())),
      n_(problem_.n_questions) {
  require(n_levels_ >= 1 && n_levels_ <= std::min(n_, kMaxLevels), "1 <= levels <= questions, 16");
  choose_ = binomials(n_, n_levels_ + 1);
  std::size_t next = 0;
  for (std::size_t level = 0; level <= n_levels_; ++level) {
    first_.push_back(next);
    next += choose(n_, level) << level;
  }
  table_.assign(next, kTooSmall);
}

// The place of a set among all of its size: sum of C(q_i, i + 1), which counts the sets whose
// largest differing question is smaller.
std::size_t Lattice::place(const Cell& cell) const {
  std::size_t rank = 0;
  for (std::size_t i = 0; i < cell.questions.size(); ++i) rank += choose(cell.questions[i], i + 1);
  return place(cell.questions.size(), rank, cell.answers);
}

// Each first question is a task. The root's split row is made once and read by all.
void Lattice::fill() {
  const Subset& all = solver_.root();
  Worker& first = solver_.worker();
  const Visit root{0, 0, 0, 0, all.bits, all.n_rows, all.n_events, all.facts.loss};
  table_[0] = root.loss;
  const SplitRow& splits = split(first, root);
  // No question is constant; a lane may be missing only because both sides are too small.
  const auto task = [&](std::size_t number, std::size_t lane) {
    visit_child(solver_.worker(number), root, splits, splits.question[lane], lane, true);
  };
  if (solver_.team() == nullptr) {
    for (std::size_t lane = 0; lane < splits.n_lanes; ++lane) task(0, lane);
  } else {
    solver_.team()->run(0, splits.n_lanes, task, [&] { solver_.limits().look_at_clock(true); });
  }
  if (!solver_.should_stop(first)) add_up();
}

const SplitRow& Lattice::split(Worker& w, const Visit& at) const {
  SplitRow& out = w.level(at.level).split;
  split_row(problem_, solver_.splitter().lanes(),
            {at.bits, at.n_rows, at.n_events, solver_.splitter().smallest_leaf(), false,
             at.next_question, true},
            out);
  ++w.stats.subsets_solved;
  w.stats.lane_rows += out.n_steps * out.n_lanes;
  return out;
}

// Extends a cell by every later question. Where a question does not part the rows at all, the child
// is the same set of rows, and the split row of its parent serves again.
void Lattice::visit(Worker& w, const Visit& at, const SplitRow* same_rows) {
  if (solver_.should_stop(w)) return;
  if (same_rows == nullptr) same_rows = &split(w, at);
  const auto end = same_rows->question.begin() + static_cast<std::ptrdiff_t>(same_rows->n_lanes);
  auto lane = static_cast<std::size_t>(
      std::lower_bound(same_rows->question.begin(), end, at.next_question) -
      same_rows->question.begin());
  for (std::uint32_t q = at.next_question; q < n_; ++q) {
    const bool is_lane = lane < same_rows->n_lanes && same_rows->question[lane] == q;
    visit_child(w, at, *same_rows, q, lane, is_lane);
    lane += is_lane ? 1 : 0;
  }
}

void Lattice::visit_child(Worker& w, const Visit& at, const SplitRow& split, std::uint32_t question,
                          std::size_t lane, bool is_lane) {
  Visit child{at.level + 1, at.rank + choose(question, at.level + 1),
              at.answers,   question + 1,
              at.bits,      at.n_rows,
              at.n_events,  at.loss};
  const std::size_t yes_bit = std::size_t{1} << at.level;
  if (!is_lane) {
    const auto yes = static_cast<std::uint64_t>(split.ones[question]);
    if (yes != 0 && yes != at.n_rows) return;  // both sides are too small
    child.answers |= yes == 0 ? 0 : yes_bit;
    return enter(w, child, &split);
  }
  const bool is_last = child.level == n_levels_;
  for (const bool yes : {false, true}) {
    const SplitSide& side = split.side(yes);
    child.n_rows = side.rows[lane];
    child.n_events = side.n_events(lane);
    if (!solver_.splitter().smallest_leaf().fits(child.n_rows, child.n_events)) continue;
    child.answers = at.answers | (yes ? yes_bit : 0);
    child.loss = side.loss[lane];
    if (!is_last) {
      std::vector<std::uint64_t>& bits = w.level(child.level).parts.yes.bits;
      bits.resize(at.bits.size());
      pick_bits(problem_.bits, at.bits, question, yes, bits);
      child.bits = bits;
    }
    enter(w, child, nullptr);
  }
}

void Lattice::enter(Worker& w, const Visit& child, const SplitRow* same_rows) {
  table_[place(child.level, child.rank, child.answers)] = child.loss;
  if (child.level < n_levels_ && child.next_question < n_) visit(w, child, same_rows);
}

// From the deepest level up, losses become optima: a leaf, or the best question asked next.
void Lattice::add_up() {
  for (double& value : table_) value += solver_.options().regularization;
  if (solver_.must_split()) table_[0] = kTooSmall;  // all rows are no leaf
  for (std::size_t level = n_levels_; level-- > 0;) {
    std::vector<std::uint32_t> questions = iota(level);
    const std::size_t n_sets = choose(n_, level);
    for (std::size_t rank = 0; rank < n_sets; ++rank) {
      add_up_set(level, rank, questions);
      // The next set in the order of ranks: raise the first question that has room, and put those
      // before it back to the start.
      std::size_t i = 0;
      while (i + 1 < level && questions[i] + 1 == questions[i + 1]) ++i;
      if (i < level) ++questions[i];
      for (std::size_t k = 0; k < i; ++k) questions[k] = static_cast<std::uint32_t>(k);
    }
  }
}

// All cells of one set of questions, for each question that is not in it.
void Lattice::add_up_set(std::size_t level, std::size_t rank,
                         std::span<const std::uint32_t> questions) {
  double* best = table_.data() + place(level, rank, 0);
  std::size_t before = 0, after = 0;  // parts of the rank: questions below the new one, and above
  for (std::size_t i = 0; i < level; ++i) after += choose(questions[i], i + 2);
  std::size_t position = 0;
  for (std::uint32_t q = 0; q < n_; ++q) {
    if (position < level && questions[position] == q) {
      before += choose(q, position + 1);
      after -= choose(q, position + 2);
      ++position;
      continue;
    }
    if (!solver_.is_allowed(q, level)) continue;
    const double penalty = solver_.penalty_of(q);
    const double* child =
        table_.data() + place(level + 1, before + choose(q, position + 1) + after, 0);
    const std::size_t low = std::size_t{1} << position;
    for (std::size_t high = 0; high < std::size_t{1} << (level - position); ++high)
      for (std::size_t k = 0; k < low; ++k) {
        const double* no = child + 2 * high * low + k;
        double& value = best[high * low + k];
        value = std::min(value, no[0] + no[low] + penalty);
      }
  }
}

bool is_lattice_due(SubsetSolver& solver, int depth) {
  const Problem& problem = solver.problem();
  const RunLimits& limits = solver.limits().of_run();
  const Solver wanted = solver.options().solver;
  const auto n_levels = static_cast<std::size_t>(solver.final_depth());
  if (wanted == Solver::search || n_levels < 1) return false;
  const std::size_t bytes = Lattice::bytes_needed(problem.n_questions, n_levels);
  if (bytes > std::min(limits.memory_limit_bytes, kMaxLatticeBytes)) return false;
  if (wanted == Solver::lattice) return true;
  // A lattice knows no guess, and has nothing to show before it is full.
  const bool is_fit = !problem.has_guess && limits.node_limit == kNoLimit && limits.gap == 0.0 &&
                      !problem.bits.is_by_blocks() && !solver.solves_pairs();
  if (depth != kJudgedAfter + 1 || !is_fit) return false;
  // A lane-row of a lattice costs more than one of a search, since its passes are shorter; the
  // factor was chosen so that the paper's data sets are mostly judged right. Stopped halfway a
  // lattice has nothing to show, a search has its best tree.
  const Work work = estimated_work(solver);
  return work.search > 1.6 * work.lattice && 4.0 * 3e-9 * work.lattice < limits.time_limit_s;
}

}  // namespace survtree
