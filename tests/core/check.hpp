// A test is a main() that calls these; the exit code is the number of broken claims.
#pragma once

#include <cmath>
#include <cstdio>

namespace check {

inline int n_failed = 0;

inline void that(bool holds, const char* claim) {
  if (holds) return;
  ++n_failed;
  std::printf("FAILED: %s\n", claim);
}

inline void close(double got, double want, const char* claim, double slack = 1e-12) {
  if (std::fabs(got - want) <= slack) return;
  ++n_failed;
  std::printf("FAILED: %s: got %.15g, want %.15g\n", claim, got, want);
}

inline int report() {
  std::printf("%s\n", n_failed == 0 ? "all claims hold" : "some claims do not hold");
  return n_failed == 0 ? 0 : 1;
}

}  // namespace check
