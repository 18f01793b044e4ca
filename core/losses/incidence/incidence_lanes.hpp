// The passes of leaf_incidence.hpp for many questions side by side, both children in the lane, with
// code for each instruction set (lanes_incidence.cpp).
#pragma once

#include "data/event_table.hpp"

namespace survtree {

// Of each listed row or counted block, in the order of passing: the step of the integral of 1/G
// and, where a row ends by a cause, the step of time from the one before; the time to the end.
struct IncidenceSteps {
  const double *area, *time, *left;
};

// From each listed row to the next, and from the last to the end, in units of `unit`: the time, and
// the integral of G. `weight`, `mass` and `cause` are those of the rows.
struct IncidenceFloorSteps {
  const double *length, *g_area, *weight, *mass, *cause;
  double unit;
};

struct IncidenceLanes {
  void (*row_losses)(const EventRow* facts, const IncidenceSteps& steps, const ListedRows& rows,
                     std::size_t n_lanes, double* no, double* yes);
  void (*block_losses)(const EventBlock* facts, const IncidenceSteps& steps,
                       const CountedBlocks& blocks, std::size_t n_lanes, double* no, double* yes);
  void (*row_floors)(const ListedRows& rows, const IncidenceFloorSteps& steps,
                     const SplitWeights& weights, std::size_t n_lanes, double* no, double* yes);
};

IncidenceLanes incidence_lanes(Plain);
IncidenceLanes incidence_lanes(Avx2);
IncidenceLanes incidence_lanes(Avx512);

}  // namespace survtree
