// The same bits from every build and kernel: objectives of made-up problems, hashed, against what
// they were when this was written. Run with and without optimization: make builds.
#include <bit>
#include <cstdint>

#include "check.hpp"
#include "random_table.hpp"
#include "search/search.hpp"

using namespace survtree;

namespace {

constexpr std::uint64_t kHash = 0xd6e1817a09f0e470U;

std::uint64_t hash_of(Kernel kernel, std::size_t n_threads, Solver solver) {
  std::uint64_t hash = 14695981039346656037U;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Problem p = RandomTable(40 + seed, 3 + seed % 6, seed).problem(Layout::rows);
    SearchOptions options;
    options.max_depth = static_cast<int>(1 + seed % 4);
    options.regularization = 0.0005 * (seed % 5);
    options.min_samples_leaf = 1 + seed % 4;
    options.kernel = kernel;
    options.n_threads = n_threads;
    options.solver = solver;
    const Result r = Search(p, options).run();
    hash = (hash ^ std::bit_cast<std::uint64_t>(r.objective)) * 1099511628211U;
  }
  return hash;
}

}  // namespace

int main() {
  for (const Kernel kernel : available_kernels()) {
    for (const std::size_t n_threads : {1, 2}) {
      for (const Solver solver : {Solver::search, Solver::lattice}) {
        const std::uint64_t hash = hash_of(kernel, n_threads, solver);
        std::printf("%s, %zu threads, solver %d: %016llx\n", name_of(kernel), n_threads,
                    static_cast<int>(solver), static_cast<unsigned long long>(hash));
        check::that(hash == kHash, "the objectives are what they were, to the last bit");
      }
    }
  }
  return check::report();
}
