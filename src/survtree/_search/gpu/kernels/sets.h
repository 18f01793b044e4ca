// What the kernels stand on: words for both compilers, a problem as the device sees it, sets of
// questions by their numbers.
//
// These files are joined in the order sets.h, <a loss>.h, rows.h, cells.h, block.h, kernels.h, and
// compiled at run time for a GPU; the tests compile the same text for the CPU, where a block is one
// thread.
// So everything here is plain C++: threads of a block share work by loops with a stride of the
// number of threads, and meet at sync().

#ifdef __CUDACC__
#define SURVTREE_METHOD __device__ __forceinline__
#define SURVTREE_FN static SURVTREE_METHOD
#else
#define SURVTREE_METHOD inline
#define SURVTREE_FN static inline
#endif

typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned long long u64;
typedef long long i64;

constexpr u32 kMostLevels = 6;                // questions of a set
constexpr u32 kMostCells = 1u << kMostLevels;  // a bit of a cell's number is an answer
constexpr u32 kNobody = 0xffffffffu;           // the question that everybody answers with no

struct Arguments {
  // The rows, in the order of their outcomes. Answers are `n_words` words a row: a bit a question,
  // or with codes two codes a word; then a row says yes to a question if its code in the question's
  // column is at most the question's cut.
  const u32* answers;
  const u32 *column, *cut, *first_cut;  // of each question; of each column. Codes only
  const double* facts;                  // n_facts numbers a row, for the loss
  const u32 *copies, *events;           // rows of the table that a row stands for
  const double* split_penalty;          // added for a split on each question; or null
  const u64* choose;                    // C(n, k) at k * (n_questions + 1) + n
  u64* below;                           // optima of the cells of one question less, or of none
  u64* values;                          // where results go as they are
  unsigned char* scratch;               // memory for the listed rows of each block
  u64 scratch_bytes;
  u64 n_rows, n_questions, n_words, n_columns, n_facts;
  u64 level;                            // questions of a set
  u64 mode;
  u64 min_rows, min_events;
  double penalty;
  double dust;       // a weight that is nothing beside those of the rows
  double common[4];  // what the loss knows of all rows
};

// What is computed of each cell of a set.
enum Mode {
  kLeaves = 0,   // its cost as a leaf, into values
  kOptima = 1,   // its optimum with one split, into values
  kCombine = 2,  // the same; sums of sibling cells go into `below`
  kLanes = 3     // all rows are the one cell: the cost of each split and that of a leaf, into values
};

// A thread of a block, and its place in a warp.
struct Team {
  u32 rank, size, lane, width;
};

#ifdef __CUDACC__
#define SURVTREE_SYNC() __syncthreads()
#define SURVTREE_SYNC_WARP() __syncwarp()
// One more, for all lanes of a warp.
SURVTREE_FN u32 next_number(u32* counter, u32 lane) {
  u32 number = 0;
  if (lane == 0) number = atomicAdd(counter, 1);
  return __shfl_sync(0xffffffffu, number, 0);
}
SURVTREE_FN void lower(u64* to, u64 value) {
  if (value < *(volatile u64*)to) atomicMin(to, value);
}
SURVTREE_FN void add_bits(u32* to, u32 bits) {
  if ((*(volatile u32*)to & bits) != bits) atomicOr(to, bits);
}
SURVTREE_FN void raise_to(u32* to, u32 value) {
  if (*(volatile u32*)to < value) atomicMax(to, value);
}
SURVTREE_FN void add_count(u32* to, u32 value) { atomicAdd(to, value); }
// Of all lanes of a warp, for each of them; sums are exact, so their order does not matter.
template <class Number>
SURVTREE_FN Number sum_of_warp(Number x) {
  for (int off = 16; off > 0; off /= 2) x += __shfl_xor_sync(0xffffffffu, x, off);
  return x;
}
SURVTREE_FN u64 bits_of(double x) { return (u64)__double_as_longlong(x); }
SURVTREE_FN double double_of(u64 x) { return __longlong_as_double((long long)x); }
SURVTREE_FN u32 count_bits(u32 x) { return (u32)__popc(x); }
SURVTREE_FN u32 lowest_bit(u32 x) { return (u32)__ffs((int)x) - 1; }
// Without the units for doubles, which are what is short.
SURVTREE_FN bool is_negative(double x) { return __double2hiint(x) < 0; }
// x, or a number that is nothing beside any other: one half of x is exchanged, not both.
SURVTREE_FN double only_if(bool condition, double x) {
  const int high = __double2hiint(x) & (condition ? -1 : 0);
  return __hiloint2double(high, __double2loint(x));
}
// The top bit of `from` comes in from below.
SURVTREE_FN u32 pushed(u32 bits, u32 from) { return __funnelshift_l(from, bits, 1); }
#else
#define SURVTREE_SYNC() ((void)0)
#define SURVTREE_SYNC_WARP() ((void)0)
SURVTREE_FN u32 next_number(u32* counter, u32) { return (*counter)++; }
SURVTREE_FN void lower(u64* to, u64 value) {
  if (value < *to) *to = value;
}
SURVTREE_FN void add_bits(u32* to, u32 bits) { *to |= bits; }
SURVTREE_FN void raise_to(u32* to, u32 value) {
  if (*to < value) *to = value;
}
SURVTREE_FN void add_count(u32* to, u32 value) { *to += value; }
template <class Number>
SURVTREE_FN Number sum_of_warp(Number x) {
  return x;
}
SURVTREE_FN u64 bits_of(double x) { return __builtin_bit_cast(u64, x); }
SURVTREE_FN double double_of(u64 x) { return __builtin_bit_cast(double, x); }
SURVTREE_FN u32 count_bits(u32 x) { return (u32)__builtin_popcount(x); }
SURVTREE_FN u32 lowest_bit(u32 x) { return (u32)__builtin_ctz(x); }
SURVTREE_FN bool is_negative(double x) { return x < 0.0; }
SURVTREE_FN double only_if(bool condition, double x) { return condition ? x : 0.0; }
SURVTREE_FN u32 pushed(u32 bits, u32 from) { return bits << 1 | from >> 31; }
#endif

// Numbers that are not negative are ordered like their bits.
constexpr u64 kInfinity = 0x7ff0000000000000ull;

SURVTREE_FN u64 choose(const Arguments& a, u64 n, u64 k) {
  return a.choose[k * (a.n_questions + 1) + n];
}

SURVTREE_FN double penalty_of(const Arguments& a, u32 question) {
  return a.split_penalty == nullptr ? 0.0 : a.split_penalty[question];
}

// The set with this number among all of its size: q_0 < q_1 < ... with sum of C(q_i, i + 1) equal to
// the number.
SURVTREE_FN void find_set(const Arguments& a, u64 number, u32* questions) {
  u64 most = a.n_questions;
  for (u64 i = a.level; i-- > 0;) {
    u64 low = i, high = most;  // C(low, i + 1) <= number < C(high, i + 1)
    while (high - low > 1) {
      const u64 middle = (low + high) / 2;
      if (choose(a, middle, i + 1) <= number)
        low = middle;
      else
        high = middle;
    }
    questions[i] = (u32)low;
    number -= choose(a, low, i + 1);
    most = low;
  }
}

// The number of the set without its question at `position`.
SURVTREE_FN u64 number_without(const Arguments& a, const u32* questions, u32 position) {
  u64 number = 0;
  for (u32 i = 0; i < a.level; ++i)
    if (i != position) number += choose(a, questions[i], i < position ? i + 1 : i);
  return number;
}

// Offers the sums of sibling cells to the cells that they part. `optima` are those of the 2^level
// cells of the set; threads share the sums.
SURVTREE_FN void offer_sums(const Arguments& a, Team t, const u32* questions, const u64* optima) {
  const u32 level = (u32)a.level, half = 1u << (level - 1);
  for (u32 k = t.rank; k < level * half; k += t.size) {
    const u32 position = k / half, rest = k % half;
    const u32 low = rest & ((1u << position) - 1u);
    const u32 no = low | (rest ^ low) << 1u, yes = no | 1u << position;
    const double sum = double_of(optima[no]) + double_of(optima[yes]) +
                       penalty_of(a, questions[position]);
    lower(a.below + (number_without(a, questions, position) << (level - 1)) + rest, bits_of(sum));
  }
}

constexpr u32 kTile = 32;  // rows whose answers fit into a word

// The answers of rows that lie one after the other, to one question; kNobody says yes to none.
struct Answers {
#ifdef SURVTREE_CODES
  const u16* from;
  u32 stride, limit, mask;  // yes below the limit
  SURVTREE_METHOD u32 in_top_bit(u32 i) const { return from[i * stride] - limit; }
#else
  const u32* from;
  u32 stride, shift, mask;
  SURVTREE_METHOD u32 in_top_bit(u32 i) const { return from[i * stride] << shift; }
#endif
  SURVTREE_METHOD bool says_yes(u32 i) const { return (in_top_bit(i) & mask) >> 31 != 0; }
  // Those of at most kTile rows, a bit each: that of the last is the lowest.
  SURVTREE_METHOD u32 of_tile(u32 begin, u32 end) const {
    u32 said = 0;
    if (end - begin == kTile) {
#ifdef __CUDACC__
#pragma unroll 16
#endif
      for (u32 i = 0; i < kTile; ++i) said = pushed(said, in_top_bit(begin + i));
    } else {
      for (u32 i = begin; i < end; ++i) said = pushed(said, in_top_bit(i));
    }
    return said & mask;
  }
};

SURVTREE_FN Answers answers_to(const Arguments& a, const u32* words, u32 question) {
  const bool is_asked = question != kNobody;
  const u32 mask = is_asked ? ~0u : 0u;
#ifdef SURVTREE_CODES
  const u32 first = is_asked ? a.column[question] : 0, limit = is_asked ? a.cut[question] + 1 : 0;
  return {(const u16*)words + first, 2 * (u32)a.n_words, limit, mask};
#else
  const u32 first = is_asked ? question / 32 : 0;
  return {words + first, (u32)a.n_words, 31 - question % 32, mask};
#endif
}

// Of both sides of a split, as leaves; and of how many rows and events those that say yes are.
struct Losses {
  double no, yes;
  u32 yes_rows, yes_events;
};
