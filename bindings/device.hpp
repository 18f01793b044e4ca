// What a device that searches by itself is given: a problem as arrays, in the order of the core.
#pragma once

#include "search/cut_search.hpp"
#include "translate.hpp"

namespace survtree {

inline nb::dict loss_arrays(const Loss& loss) {
  LossFacts facts = loss.facts_for_device();
  nb::dict out;
  out["n_facts"] = facts.n_per_row;
  out["facts"] = numpy_array(std::move(facts.rows));
  out["common"] = numpy_array(std::move(facts.common));
  return out;
}

template <class AnyProblem>
void add_rows(const AnyProblem& p, nb::dict& out) {
  out["copies"] = numpy_array(std::vector(p.n_copies));
  out["events"] = numpy_array(std::vector(p.n_events));
  out["is_weighted"] = p.is_weighted || p.has_copies;
  out["questions"] = numpy_array(std::vector(questions_of(p)));
}

// Answers are words of 32 bits, row after row: a bit a question.
inline nb::dict device_arrays(Search& search, const Problem& p) {
  nb::dict out = loss_arrays(*p.loss);
  add_rows(p, out);
  std::vector<std::uint32_t> words;
  for (const std::uint64_t word : p.answers) {
    words.push_back(static_cast<std::uint32_t>(word));
    words.push_back(static_cast<std::uint32_t>(word >> 32U));
  }
  out["answers"] = numpy_array(std::move(words));
  out["tolerance"] = search.solver().tolerance();
  return out;
}

// Answers are codes, row after row; empty if they do not fit into 16 bits.
inline nb::dict device_arrays(CutSearch& search, const CutProblem& p) {
  nb::dict out = loss_arrays(*p.loss);
  add_rows(p, out);
  std::vector<std::uint16_t> codes(p.short_codes.size());
  for (std::size_t j = 0; p.long_codes.empty() && j < p.n_columns; ++j)
    for (std::size_t i = 0; i < p.n_rows(); ++i)
      codes[i * p.n_columns + j] = p.short_codes[j * p.n_rows() + i];
  out["codes"] = numpy_array(std::move(codes));
  out["first_cut"] = numpy_array(std::vector(p.first_cut));
  out["tolerance"] = search.solver().tolerance();
  return out;
}

// Of some questions, numbered as in these arrays, the first by the tie rule.
inline std::uint32_t first_question(Search&, const std::vector<std::uint32_t>& questions) {
  return *std::ranges::min_element(questions);
}
inline std::uint32_t first_question(CutSearch& search,
                                    const std::vector<std::uint32_t>& questions) {
  return *std::ranges::min_element(questions, [&](std::uint32_t a, std::uint32_t b) {
    return search.solver().comes_before(a, b);
  });
}

}  // namespace survtree
