// The doors: one for each kernel, on the GPU and, for tests, on the CPU.

#ifdef __CUDACC__

// Sets first ... last - 1, one after the other by each block.
extern "C" __global__ void __launch_bounds__(SURVTREE_THREADS, SURVTREE_BLOCKS)
    solve_sets(const __grid_constant__ Arguments a, u64 first, u64 last) {
  extern __shared__ double2 own_memory[];
  __shared__ Cells cells;
  const Team t{threadIdx.x, SURVTREE_THREADS, threadIdx.x % 32, 32};
  Lists l;
  lay_out(a, t, (unsigned char*)own_memory, &l);
  lay_out_rows(a, a.scratch + blockIdx.x * a.scratch_bytes, &l);
  for (u64 set = first + blockIdx.x; set < last; set += gridDim.x) do_set(a, t, set, cells, l);
}

// Sums of optima that are known, into those of one question less: a thread a set.
extern "C" __global__ void add_up(const __grid_constant__ Arguments a, u64 n_sets) {
  for (u64 set = blockIdx.x * (u64)blockDim.x + threadIdx.x; set < n_sets;
       set += (u64)gridDim.x * blockDim.x) {
    u32 questions[kMostLevels];
    find_set(a, set, questions);
    offer_sums(a, Team{0, 1, 0, 1}, questions, a.values + (set << a.level));
  }
}

#else

#include <cstdlib>

// What the caller must know of sizes; the tests compare.
extern "C" u64 arguments_bytes() { return sizeof(Arguments); }
extern "C" u64 row_bytes() { return sizeof(Row); }
extern "C" u64 tile_row_bytes() { return sizeof(TileRow); }
extern "C" u64 own_bytes(const Arguments* a) {
  return lay_out(*a, Team{0, SURVTREE_THREADS, 0, 32}, nullptr, nullptr);
}
extern "C" u64 scratch_bytes(const Arguments* a) { return lay_out_rows(*a, nullptr, nullptr); }

extern "C" void solve_sets(const Arguments* arguments, u64 first, u64 last) {
  const Arguments& a = *arguments;
  const Team t{0, 1, 0, 1};
  auto* memory = (unsigned char*)std::malloc(lay_out(a, t, nullptr, nullptr));
  Cells cells;
  Lists l;
  lay_out(a, t, memory, &l);
  lay_out_rows(a, a.scratch, &l);
  for (u64 set = first; set < last; ++set) do_set(a, t, set, cells, l);
  std::free(memory);
}

extern "C" void add_up(const Arguments* arguments, u64 n_sets) {
  const Arguments& a = *arguments;
  for (u64 set = 0; set < n_sets; ++set) {
    u32 questions[kMostLevels];
    find_set(a, set, questions);
    offer_sums(a, Team{0, 1, 0, 1}, questions, a.values + (set << a.level));
  }
}

#endif
