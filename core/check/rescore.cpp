#include "check/rescore.hpp"

#include "data/contract.hpp"
#include "data/distinct.hpp"

namespace survtree {
namespace {

std::vector<std::uint32_t> leaf_of_rows(std::size_t n_rows, const AnswerOf& answer,
                                        const FlatTree& tree) {
  std::vector<std::uint32_t> leaf(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) {
    std::size_t node = 0;
    while (tree.column[node] >= 0) {
      const bool yes = answer(i, static_cast<std::size_t>(tree.column[node]));
      node = static_cast<std::size_t>(yes ? tree.yes[node] : tree.no[node]);
    }
    leaf[i] = static_cast<std::uint32_t>(node);
  }
  return leaf;
}

}  // namespace

Rescored rescore(const AnswerOf& answer, const Definition& loss, const FlatTree& tree) {
  require(tree.column.size() == tree.no.size() && tree.no.size() == tree.yes.size(), "a tree");
  const std::vector<std::uint32_t>& order = loss.order();
  const std::size_t n_nodes = tree.column.size();
  const std::vector<std::uint32_t> leaf = leaf_of_rows(order.size(), answer, tree);
  const auto by_leaf = counting_sort(order, n_nodes, [&](std::uint32_t row) { return leaf[row]; });
  Rescored out;
  out.rows_of_node.assign(n_nodes, 0);
  for (std::uint32_t node : leaf) ++out.rows_of_node[node];
  std::size_t first = 0;
  for (std::int64_t n_rows : out.rows_of_node) {
    const auto n = static_cast<std::size_t>(n_rows);
    out.loss += loss.of_leaf(std::span(by_leaf).subspan(first, n));
    first += n;
  }
  out.one_leaf_loss = loss.of_leaf(order);
  return out;
}

}  // namespace survtree
