#include "data/cut_problem.hpp"

#include <algorithm>

#include "data/collapse.hpp"
#include "data/contract.hpp"

namespace survtree {
namespace {

// Questions by column, then cut, then rank; none if that is how they come.
std::vector<std::uint32_t> ordered_questions(const CodedTable& t) {
  const auto comes_before = [&](std::uint32_t a, std::uint32_t b) {
    if (t.question_column[a] != t.question_column[b])
      return t.question_column[a] < t.question_column[b];
    if (t.question_cut[a] != t.question_cut[b]) return t.question_cut[a] < t.question_cut[b];
    return t.question_rank[a] < t.question_rank[b];
  };
  bool is_sorted = true;
  for (std::uint32_t a = 1; is_sorted && a < t.question_cut.size(); ++a)
    is_sorted = comes_before(a - 1, a);
  if (is_sorted) return {};
  std::vector<std::uint32_t> order = iota(t.question_cut.size());
  std::sort(order.begin(), order.end(), comes_before);
  return order;
}

// One cut for questions with the same answers; returns the code that each cut ends with, by cut.
std::vector<std::uint32_t> set_cuts(const CodedTable& t, CutProblem& p) {
  p.n_columns = t.n_columns;
  const std::size_t n = t.question_cut.size();
  const std::vector<std::uint32_t> order = ordered_questions(t);
  std::vector<std::uint32_t> last_code;
  for (auto* each : {&p.question_of, &p.question_rank, &last_code}) each->reserve(n);
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t question = order.empty() ? k : order[k];
    const std::uint32_t column = t.question_column[question], cut = t.question_cut[question];
    require(column < t.n_columns, "a question is about a column");
    const bool is_first = p.first_cut.size() <= column;
    if (!is_first && last_code.back() == cut) continue;
    while (p.first_cut.size() <= column)
      p.first_cut.push_back(static_cast<std::uint32_t>(p.question_of.size()));
    p.question_of.push_back(question);
    p.question_rank.push_back(t.question_rank[question]);
    last_code.push_back(cut);
  }
  p.first_cut.resize(t.n_columns + 1, static_cast<std::uint32_t>(p.question_of.size()));
  return last_code;
}

// Of each column, what is said of its questions.
void set_rules(CutProblem& p, const CodedTable& t) {
  const bool has_penalties = !t.question_penalty.empty(), has_first = !t.may_be_first.empty();
  if (!has_penalties && !has_first) return;
  for (std::size_t j = 0; j < p.n_columns; ++j) {
    const std::uint32_t first = p.first_cut[j], end = p.first_cut[j + 1];
    require(first < end, "a column has questions");
    const std::uint32_t question = p.question_of[first];
    if (has_penalties) p.rules.penalties.push_back(t.question_penalty[question]);
    if (has_first) p.rules.may_be_first.push_back(t.may_be_first[question] != 0);
    for (std::uint32_t cut = first; cut < end; ++cut) {
      const std::uint32_t other = p.question_of[cut];
      require(!has_penalties || t.question_penalty[other] == t.question_penalty[question],
              "the questions of a column have the same penalty");
      require(!has_first || t.may_be_first[other] == t.may_be_first[question],
              "the questions of a column may all be first, or none");
    }
  }
}

// A row of the table in the order of its codes: how many cuts of each column it answers with no.
class Recoded {
 public:
  Recoded(const CodedTable& table, const CutProblem& problem,
          const std::vector<std::uint32_t>& last_code)
      : table_(table), problem_(problem), last_code_(last_code) {}

  std::uint32_t code(std::size_t row, std::size_t column) const {
    const auto begin = last_code_.begin() + problem_.first_cut[column];
    const auto end = last_code_.begin() + problem_.first_cut[column + 1];
    const std::uint32_t given = table_.codes[column * table_.n_rows + row];
    // Codes mostly count cuts already.
    const auto n = static_cast<std::uint32_t>(end - begin);
    if (given < n && begin[given] == given) return given;
    return static_cast<std::uint32_t>(std::lower_bound(begin, end, given) - begin);
  }

 private:
  const CodedTable& table_;
  const CutProblem& problem_;
  const std::vector<std::uint32_t>& last_code_;
};

// Where in a pattern the code of a column is.
struct CodePlace {
  std::size_t word = 0, shift = 0;
  std::uint64_t mask = 0;
};

// As many codes a word as fit, the first in its upper bits: patterns ascend by the codes of the
// second column, the first, the fourth, the third and so on.
std::vector<CodePlace> code_places(const CutProblem& p) {
  std::vector<CodePlace> places(p.n_columns);
  std::size_t word = 0, n_left = 64;
  for (std::size_t k = 0; k < p.n_columns; ++k) {
    const std::size_t j = (k ^ 1U) < p.n_columns ? k ^ 1U : k;
    std::size_t n_bits = 0;  // that hold all codes up to the number of cuts
    std::uint64_t mask = 0;
    for (std::uint32_t left = p.first_cut[j + 1] - p.first_cut[j]; left != 0; left >>= 1U) {
      ++n_bits;
      mask = 2 * mask + 1;
    }
    if (n_bits > n_left) ++word, n_left = 64;
    n_left -= n_bits;
    places[j] = {word, n_left % 64, mask};
  }
  return places;
}

// Rows that no tree can part.
Distinct distinct_rows(const CodedTable& t, const Recoded& recoded,
                       const std::vector<CodePlace>& places) {
  std::size_t width = 0;
  for (const CodePlace& place : places) width = std::max(width, place.word + 1);
  Numbering numbering(width, t.n_rows);
  Words row(width);
  for (std::size_t i = 0; i < t.n_rows; ++i) {
    std::fill(row.begin(), row.end(), 0);
    for (std::size_t j = 0; j < t.n_columns; ++j)
      row[places[j].word] |= std::uint64_t{recoded.code(i, j)} << places[j].shift;
    numbering.add(row);
  }
  return numbering.finish();
}

void set_rows(CutProblem& p, const std::vector<CollapsedRow>& rows) {
  std::uint64_t seed = 0;
  for (auto* each : {&p.n_copies, &p.n_events}) each->reserve(rows.size());
  p.name.reserve(rows.size());
  for (const CollapsedRow& row : rows) {
    p.n_copies.push_back(row.n_copies);
    p.n_events.push_back(row.n_events);
    p.has_copies |= row.n_copies > 1;
    p.is_weighted |= row.weight != static_cast<double>(row.n_copies);
    p.name.push_back({scramble(2 * seed), scramble(2 * seed + 1)});
    ++seed;
  }
  if (p.is_weighted)
    for (const CollapsedRow& row : rows) p.weight.push_back(row.weight);
}

// Row by row: patterns are looked up in no order, and so as seldom as possible.
template <class Code>
void set_codes(const Distinct& patterns, const std::vector<CodePlace>& places,
               const std::vector<CollapsedRow>& rows, std::vector<Code>& codes) {
  codes.resize(places.size() * rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto pattern = patterns.item(rows[i].pattern);
    for (std::size_t j = 0; j < places.size(); ++j)
      codes[j * rows.size() + i] =
          static_cast<Code>(pattern[places[j].word] >> places[j].shift & places[j].mask);
  }
}

bool are_codes_short(const CutProblem& p) {
  for (std::size_t j = 0; j < p.n_columns; ++j)
    if (p.first_cut[j + 1] - p.first_cut[j] > UINT16_MAX) return false;
  return true;
}

void set_groups(CutProblem& p, const Distinct& patterns, const std::vector<CollapsedRow>& rows) {
  const auto pattern = [&](std::uint32_t i) { return rows[i].pattern; };
  std::vector<std::uint32_t> n_rows(patterns.size(), 0), shared;
  for (const CollapsedRow& row : rows) ++n_rows[row.pattern];
  for (std::uint32_t i = 0; i < rows.size(); ++i)
    if (n_rows[pattern(i)] > 1) shared.push_back(i);  // one row may lose nothing
  const auto order = counting_sort(shared, patterns.size(), pattern);
  p.group_loss.assign(rows.size(), 0.0);
  for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
    end = begin + n_rows[pattern(order[begin])];
    p.group_loss[order[begin]] = p.loss->floor(std::span(order).subspan(begin, end - begin));
  }
}

}  // namespace

CutProblem make_cut_problem(const CodedTable& t, const Outcome& outcome) {
  require(t.n_rows > 0 && t.n_rows < UINT32_MAX, "between 1 and 2^32 - 2 rows");
  require(t.codes.size() == t.n_rows * t.n_columns, "codes are columns x rows");
  const std::size_t n = t.question_cut.size();
  require(n <= INT32_MAX, "at most 2^31 - 1 questions");
  require(t.question_column.size() == n && t.question_rank.size() == n, "questions");
  require(t.event.size() == t.n_rows && t.weight.size() == t.n_rows, "one of each a row");
  for (const std::size_t n_rules : {t.question_penalty.size(), t.may_be_first.size()})
    require(n_rules == 0 || n_rules == n, "one rule a question");
  CutProblem p;
  const std::vector<std::uint32_t> last_code = set_cuts(t, p);
  set_rules(p, t);
  const std::vector<CodePlace> places = code_places(p);
  const Distinct patterns = distinct_rows(t, Recoded(t, p, last_code), places);
  Table table;
  table.n_rows = t.n_rows;
  table.weight = t.weight;
  table.copies = t.copies;
  table.event = t.event;
  const CollapsedRows collapsed = collapse(table, outcome, patterns);
  const std::vector<CollapsedRow>& rows = collapsed.rows;
  p.loss = outcome.loss_of(collapsed);
  set_rows(p, rows);
  if (are_codes_short(p))
    set_codes(patterns, places, rows, p.short_codes);
  else
    set_codes(patterns, places, rows, p.long_codes);
  set_groups(p, patterns, rows);
  return p;
}

}  // namespace survtree
