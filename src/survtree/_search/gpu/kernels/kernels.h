// The doors: one for each kernel, on the GPU and, for tests, on the CPU.

#ifdef __CUDACC__

// Sets first ... last - 1. Rows are in the block's own memory if they fit there.
extern "C" __global__ void __launch_bounds__(SURVTREE_THREADS)
    solve_sets(const Arguments* arguments, u64 first, u64 last) {
  extern __shared__ double own_memory[];
  __shared__ Cells cells;
  const Arguments& a = *arguments;
  const Team t{threadIdx.x, blockDim.x};
  Lists l;
#ifdef SURVTREE_OWN_ROWS
  lay_out(a, (unsigned char*)own_memory, true, &l);
#else
  lay_out(a, (unsigned char*)own_memory, false, &l);
  lay_out_rows(a, a.scratch + blockIdx.x * a.scratch_bytes, l);
#endif
  for (u64 set = first + blockIdx.x; set < last; set += gridDim.x) do_set(a, t, set, cells, l);
}

// Sums of optima that are known, into those of one question less: a thread a set.
extern "C" __global__ void add_up(const Arguments* arguments, u64 n_sets) {
  const Arguments& a = *arguments;
  for (u64 set = blockIdx.x * (u64)blockDim.x + threadIdx.x; set < n_sets;
       set += (u64)gridDim.x * blockDim.x) {
    u32 questions[kMostLevels];
    find_set(a, set, questions);
    offer_sums(a, Team{0, 1}, questions, a.values + (set << a.level));
  }
}

#else

#include <cstdlib>

extern "C" void solve_sets(const Arguments* arguments, u64 first, u64 last) {
  const Arguments& a = *arguments;
  auto* memory = (unsigned char*)std::malloc(lay_out(a, nullptr, true, nullptr));
  Cells cells;
  Lists l;
  lay_out(a, memory, true, &l);
  for (u64 set = first; set < last; ++set) do_set(a, Team{0, 1}, set, cells, l);
  std::free(memory);
}

extern "C" void add_up(const Arguments* arguments, u64 n_sets) {
  const Arguments& a = *arguments;
  for (u64 set = 0; set < n_sets; ++set) {
    u32 questions[kMostLevels];
    find_set(a, set, questions);
    offer_sums(a, Team{0, 1}, questions, a.values + (set << a.level));
  }
}

#endif

// So that the caller need not know how a row is laid out.
constexpr u64 kRowBytes = sizeof(Row);
