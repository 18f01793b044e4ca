// A proof as a list of claims that anyone can check who can count rows and compute the loss of a
// leaf: docs/reference/proof-file.md.
#pragma once

#include "search/search.hpp"

namespace survtree {

// No tree on the subset that has at most `depth` splits on the way to a leaf costs less than
// `bound`.
struct Claim {
  std::vector<Step> path;
  int depth;
  double bound;
};

struct Proof {
  std::vector<Claim> claims;
  bool is_complete = true;
};

// Claims that together prove the optimum, the one about all rows last. Only after a run that ended
// `optimal`. Not complete if stopped, or if there would be more than `limit`.
Proof prove_optimum(Search& search, std::size_t limit);

}  // namespace survtree
