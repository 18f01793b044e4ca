#include "losses/brier/leaf_loss.hpp"

namespace survtree {

double leaf_loss(const EventTable& table, std::span<const std::uint32_t> rows) {
  LeafPass leaf(table);
  for (std::size_t k = rows.size(); k-- > 0;) leaf.pass(table, rows[k]);
  return leaf.loss();
}

}  // namespace survtree
