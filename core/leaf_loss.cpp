#include "leaf_loss.hpp"

namespace survtree {

double leaf_loss(const EventTable& table, std::span<const std::uint32_t> rows) {
  LeafPass leaf;
  for (std::uint32_t row : rows) leaf.expect(table, row);
  for (std::uint32_t row : rows) leaf.pass(table, row);
  return leaf.loss;
}

}  // namespace survtree
