// The functions of floors.hpp, compiled once for each instruction set.
#include "kernel/floors.hpp"
#include "kernel/vector.hpp"

namespace survtree {
namespace {

void raise_to(float* floors, const float* others, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) floors[k] = floors[k] < others[k] ? others[k] : floors[k];
}

std::size_t list_open(const float* no, const float* yes, std::size_t n, float closed,
                      std::uint32_t* out) {
  std::size_t n_open = 0;
  std::size_t cut = 0;
#ifdef SURVTREE_AVX512
  const __m512 limit = _mm512_set1_ps(closed);
  __m512i numbers = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  for (; cut + 16 <= n; cut += 16) {
    const __m512 sum = _mm512_add_ps(_mm512_loadu_ps(no + cut), _mm512_loadu_ps(yes + cut));
    const __mmask16 is_open = _mm512_cmp_ps_mask(sum, limit, _CMP_LE_OQ);
    // Compressed in a register: there are processors that are slow at doing it in memory. What is
    // written past the open ones is overwritten, or past the end of what is returned.
    _mm512_storeu_si512(out + n_open, _mm512_maskz_compress_epi32(is_open, numbers));
    n_open += static_cast<std::size_t>(__builtin_popcount(is_open));
    numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(16));
  }
#endif
  for (; cut < n; ++cut) {
    out[n_open] = static_cast<std::uint32_t>(cut);  // no branch: the next overwrites what is closed
    n_open += no[cut] + yes[cut] <= closed ? 1 : 0;
  }
  return n_open;
}

// Sixteen at a time, so that compilers see that these need not wait for each other.
float least_closed(const float* no, const float* yes, std::size_t n, float closed) {
  constexpr std::size_t kTogether = 16;
  float least[kTogether];
  for (float& each : least) each = kNoFloor;
  std::size_t cut = 0;
  for (; cut + kTogether <= n; cut += kTogether)
    for (std::size_t k = 0; k < kTogether; ++k) {
      const float sum = no[cut + k] + yes[cut + k];
      const float above = sum > closed ? sum : kNoFloor;
      least[k] = above < least[k] ? above : least[k];
    }
  float out = kNoFloor;
  for (; cut < n; ++cut) {
    const float sum = no[cut] + yes[cut];
    if (sum > closed && sum < out) out = sum;
  }
  for (float each : least) out = each < out ? each : out;
  return out;
}

}  // namespace

FloorFunctions floor_functions(ThisVariant) { return {raise_to, list_open, least_closed}; }

}  // namespace survtree
