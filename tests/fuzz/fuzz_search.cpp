// libFuzzer on the core's entry: bytes become a small problem and options, brute force is the
// judge. `make fuzz-core SECONDS=3600`; a file given as argument is run once.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <vector>

#include "check/proof.hpp"
#include "losses/brier/brier.hpp"
#include "search/frontier.hpp"
#include "search/search.hpp"

using namespace survtree;

namespace {

// What the bytes say; zeros once they are used up.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  std::uint8_t next() { return at_ == end_ ? 0 : *at_++; }
  std::size_t up_to(std::size_t most) { return next() % (most + 1); }

 private:
  const std::uint8_t *at_, *end_;
};

struct Input {
  std::size_t n, p;
  std::vector<std::uint8_t> x, event;
  std::vector<double> time, weight, guess;
  std::vector<std::uint32_t> rank;
  SearchOptions options;
  Layout layout = Layout::cheaper;

  Problem problem() const {
    return make_problem({n, p, x, weight, rank, {}, event}, BrierOutcome(time, event), layout);
  }
};

double time_of(Bytes& in, std::size_t kind) {
  const auto value = static_cast<double>(in.next());
  if (kind == 0) return value;
  if (kind == 1) return std::floor(value / 64.0);
  if (kind == 2) return 1e6 + 1e-3 * value;
  return std::ldexp(1.0 + value / 256.0, 2 * (in.next() % 128) - 128);
}

double weight_of(Bytes& in, std::size_t kind) {
  if (kind == 0) return 1.0;
  if (kind == 1) return 1.0 + in.up_to(3);
  return std::pow(10.0, (static_cast<double>(in.next()) - 128.0) / 21.0);
}

Input input_of(Bytes in) {
  Input out;
  out.n = 1 + in.up_to(19);
  out.p = in.up_to(5);
  SearchOptions& o = out.options;
  const std::size_t depth = in.up_to(5);
  o.max_depth = depth == 5 ? kMaxDepth : static_cast<int>(depth);
  const double penalties[] = {0.0, 1e-9, 1e-5, 1e-3, 0.01, 0.1, 0.5};
  o.regularization = penalties[in.up_to(6)];
  o.min_samples_leaf = 1 + in.up_to(3);
  o.n_threads = 1 + in.up_to(1);
  const std::uint32_t off = in.next();
  std::size_t bit = 0;
  // A byte says which are off. Those after the eighth stay on: pairs is about a loss that is not
  // solved here; a later one wants a byte of its own, at the end, as min_events_leaf.
  for (const auto& [name, flag] : kSwitches) o.switches.*flag = ((off >> bit++) & 1U) == 0;
  const std::vector<Kernel> kernels = available_kernels();
  o.kernel = kernels[in.up_to(kernels.size() - 1)];
  o.solver = static_cast<Solver>(in.up_to(2));
  o.greedy_from = in.up_to(1) == 0 ? 0 : o.greedy_from;
  o.check_keys = true;
  const std::size_t times = in.up_to(3), weights = in.up_to(2);
  if (weights < 2) out.layout = static_cast<Layout>(in.up_to(2));
  for (std::size_t i = 0; i < out.n; ++i) {
    const std::uint8_t answers = in.next();
    for (std::size_t j = 0; j < out.p; ++j) out.x.push_back((answers >> j) & 1U);
    out.event.push_back((answers >> 7U) & 1U);
    out.time.push_back(time_of(in, times));
    out.weight.push_back(weight_of(in, weights));
  }
  o.min_events_leaf = in.up_to(3);  // last: files that were kept before it mean what they did
  if (*std::max_element(out.time.begin(), out.time.end()) == 0.0) out.time[0] = 1.0;
  if (out.layout == Layout::blocks && weights != 0) out.layout = Layout::cheaper;
  for (std::uint32_t j = 0; j < out.p; ++j) out.rank.push_back(j);
  return out;
}

// The loss straight from the definition, and all trees.
class Judge {
 public:
  explicit Judge(const Input& in) : in_(in), times_(in.time) {
    std::sort(times_.begin(), times_.end());
    times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
    double g = 1.0;
    for (const double t : times_) {
      double at_risk = 0.0,
             left = 0.0;  // added up, so that heavy rows take no digits of light ones
      for (std::size_t i = 0; i < in.n; ++i) {
        if (in.time[i] >= t) at_risk += in.weight[i];
        if (in.time[i] > t || (in.time[i] == t && in.event[i] != 0)) left += in.weight[i];
      }
      g *= left / at_risk;
      g_.push_back(g);
    }
  }

  double loss(std::uint32_t rows) const {
    double total = 0.0, s = 1.0, b = 0.0, scale = 0.0;
    for (const double w : in_.weight) scale += w;
    for (std::size_t k = 0; k < times_.size(); ++k) {
      double at_risk = 0.0, events = 0.0, later = 0.0, left = 0.0;
      for (std::size_t i = 0; i < in_.n; ++i) {
        if (((rows >> i) & 1U) == 0) continue;
        if (in_.time[i] >= times_[k]) at_risk += in_.weight[i];
        if (in_.time[i] > times_[k]) later += in_.weight[i];
        const bool is_now = in_.time[i] == times_[k];
        if (is_now && in_.event[i] != 0) events += in_.weight[i];
        if (in_.time[i] > times_[k] || (is_now && in_.event[i] == 0)) left += in_.weight[i];
      }
      if (events > 0.0) {
        s *= left / at_risk;
        b += events / g_[k];
      }
      if (k + 1 == times_.size()) break;
      const double a = later > 0.0 ? later / g_[k] : 0.0;
      total += (times_[k + 1] - times_[k]) / times_.back() * ((1 - s) * (1 - s) * a + s * s * b);
    }
    return total / scale;
  }

  bool is_leaf_allowed(std::uint32_t rows) const {
    int n_events = 0;
    for (std::size_t i = 0; i < in_.n; ++i)
      n_events += ((rows >> i) & 1U) != 0 && in_.event[i] != 0 ? 1 : 0;
    return __builtin_popcount(rows) >= static_cast<int>(in_.options.min_samples_leaf) &&
           n_events >= static_cast<int>(in_.options.min_events_leaf);
  }

  double optimum(std::uint32_t rows, int depth) {
    const auto key = std::pair(rows, depth);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    double best = loss(rows) + in_.options.regularization;
    for (std::size_t j = 0; depth > 0 && j < in_.p; ++j) {
      std::uint32_t yes = 0;
      for (std::size_t i = 0; i < in_.n; ++i)
        if (((rows >> i) & 1U) != 0 && in_.x[i * in_.p + j] != 0) yes |= 1U << i;
      const std::uint32_t no = rows & ~yes;
      if (!is_leaf_allowed(yes) || !is_leaf_allowed(no)) continue;
      best = std::min(best, optimum(no, depth - 1) + optimum(yes, depth - 1));
    }
    return known_[key] = best;
  }

 private:
  const Input& in_;
  std::vector<double> times_, g_;
  std::map<std::pair<std::uint32_t, int>, double> known_;
};

const Input* current = nullptr;

// As the cases in tests/regress are kept.
void print_current() {
  const auto list = [](const char* name, const auto& values) {
    std::fprintf(stderr, "\"%s\": [", name);
    for (std::size_t k = 0; k < values.size(); ++k)
      std::fprintf(stderr, k == 0 ? "%.17g" : ", %.17g", static_cast<double>(values[k]));
    std::fprintf(stderr, "], ");
  };
  std::fprintf(stderr, "{\"n_columns\": %zu, ", current->p);
  list("features", current->x);
  list("time", current->time);
  list("event", current->event);
  list("weight", current->weight);
  std::fprintf(stderr, "\"regularization\": %.17g, \"max_depth\": %d, ",
               current->options.regularization, current->options.max_depth);
  std::fprintf(stderr, "\"min_samples_leaf\": %zu, \"min_events_leaf\": %zu}\n",
               static_cast<std::size_t>(current->options.min_samples_leaf),
               static_cast<std::size_t>(current->options.min_events_leaf));
}

void need(bool holds, const char* what, double a, double b) {
  if (holds) return;
  std::fprintf(stderr, "FAILED: %s (%.17g, %.17g)\n", what, a, b);
  print_current();
  std::abort();
}

}  // namespace

static void check_one(const Input& in) {
  Judge judge(in);
  const std::uint32_t everyone = (1U << in.n) - 1;
  const int depth = std::min<int>(in.options.max_depth, static_cast<int>(in.p));
  const double optimum = judge.optimum(everyone, depth);
  const double slack = 1e-9 * judge.loss(everyone) + 1e-14 * in.options.regularization;

  const Problem problem = in.problem();
  Search search(problem, in.options);
  const Result r = search.run();
  need(r.status == Status::optimal, "the search ends with a proof", 0, 0);
  need(std::abs(r.objective - optimum) <= slack, "the optimum", r.objective, optimum);
  for (const Tree& tree : search.optimal_trees(50)) {
    const double cost = loss_of(tree) + in.options.regularization * leaves_of(tree);
    need(std::abs(cost - optimum) <= slack, "all optimal trees are", cost, optimum);
  }
  const Proof proof = prove_optimum(search, 1'000'000);
  need(proof.is_complete && !proof.claims.empty(), "the proof is complete", 0, 0);
  for (const Claim& claim : proof.claims) {
    std::uint32_t rows = everyone;
    for (const Step& step : claim.path) {
      std::uint32_t yes = 0;
      for (std::size_t i = 0; i < in.n; ++i)
        if (in.x[i * in.p + problem.column_of[step.question]] != 0) yes |= 1U << i;
      rows &= step.says_yes ? yes : ~yes;
    }
    const double least = judge.optimum(rows, std::min<int>(claim.depth, static_cast<int>(in.p)));
    need(claim.bound <= least + slack, "every claim holds", claim.bound, least);
  }
  FrontierOptions path;
  path.max_depth = in.options.max_depth;
  path.min_regularization = in.options.regularization;
  path.min_samples_leaf = in.options.min_samples_leaf;
  path.min_events_leaf = in.options.min_events_leaf;
  Frontier frontier(problem, path);
  double least = Bounds::no_limit;
  for (const Tree& tree : frontier.run({}).trees)
    least = std::min(least, loss_of(tree) + in.options.regularization * leaves_of(tree));
  need(std::abs(least - optimum) <= slack, "a tree of the path is optimal", least, optimum);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Input in = input_of({data, size});
  current = &in;
  try {
    check_one(in);
  } catch (const std::exception& error) {
    need(false, error.what(), 0, 0);
  }
  return 0;
}
