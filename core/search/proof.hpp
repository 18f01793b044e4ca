// A proof as a list of claims that anyone can check who can count rows and compute the loss of a
// leaf: docs/reference/proof-file.md. Knows how claims are kept, not how they are found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "data/bit_table.hpp"
#include "search/subset.hpp"

namespace survtree {

// One answer on the way from all rows to a subset.
struct Step {
  std::uint32_t question;
  bool says_yes;
};

// No tree on the subset that asks at most `depth` questions on the way to a leaf costs less than
// `bound`.
struct Claim {
  std::vector<Step> path;
  int depth;
  double bound;
};

class Proof {
 public:
  explicit Proof(std::size_t limit) : limit_(limit) {}

  const std::vector<Claim>& claims() const { return claims_; }
  bool is_complete() const { return is_complete_; }
  void give_up() { is_complete_ = false; }

  // Whether a claim says at least this of the subset, whose key is made.
  bool says(const Subset& s, int depth, double bound) const;
  void add(const Subset& s, int depth, double bound);

 private:
  struct Said {
    int depth;
    double bound;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const { return key.low; }
  };

  std::size_t limit_;
  bool is_complete_ = true;
  std::vector<Claim> claims_;
  std::unordered_map<Key, std::vector<Said>, Hash> said_;
};

}  // namespace survtree
