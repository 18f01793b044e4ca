// The search for all good trees, as Python sees it.
#pragma once

#include "translate.hpp"

namespace survtree {

void bind_near_trees(nb::module_& m);

}  // namespace survtree
