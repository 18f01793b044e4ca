// Broken invariants. Owns the one way the core says "this is a bug in survtree": ContractError.
// Bad user input never gets here; it is refused in Python before the border.
#pragma once

#include <stdexcept>
#include <string>

namespace survtree {

class ContractError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

inline void require(bool holds, const char* claim) {
  if (!holds) throw ContractError(std::string("broken invariant: ") + claim);
}

}  // namespace survtree
