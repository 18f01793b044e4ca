#include "split_row.hpp"

namespace survtree {

void split_row(const Problem& p, std::span<const std::uint32_t> rows, SplitRow& out) {
  out.no.assign(p.n_questions, Child{});
  out.yes.assign(p.n_questions, Child{});
  out.pass.assign(2 * p.n_questions, LeafPass{});
  for (std::size_t k = rows.size(); k-- > 0;) {
    const std::uint32_t row = rows[k];
    for (std::size_t q = 0; q < p.n_questions; ++q) {
      const bool yes = p.answer(row, q);
      Child& child = yes ? out.yes[q] : out.no[q];
      child.n_rows += p.n_copies[row];
      child.group_loss += p.group_loss[row];
      out.pass[2 * q + yes].pass(p.events, row);
    }
  }
  for (std::size_t q = 0; q < p.n_questions; ++q) {
    out.no[q].loss = out.pass[2 * q].loss();
    out.yes[q].loss = out.pass[2 * q + 1].loss();
  }
}

}  // namespace survtree
