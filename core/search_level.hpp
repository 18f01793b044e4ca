// Scratch of one level of the recursion, kept between visits so that nothing is allocated inside
// the search once it is warm.
#pragma once

#include <cstdint>
#include <vector>

#include "search.hpp"
#include "split_row.hpp"

namespace survtree {

struct Search::Level {
  SplitRow split;
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> no_rows, yes_rows;
  std::vector<std::uint64_t> no_bits, yes_bits;
};

}  // namespace survtree
