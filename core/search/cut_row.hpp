// Many cuts of one subset at once: the losses and floors of both sides of each.
#pragma once

#include <functional>

#include "data/cut_problem.hpp"
#include "search/split_row.hpp"

namespace survtree {

// One side of the cuts of a CutRow, lane by lane.
struct CutSide {
  std::vector<std::uint64_t> rows, events;  // of the table
  std::vector<double> weight;
  std::vector<double> loss, floor;  // as one leaf, if wanted
};

// Of the cuts asked about, those that part the rows; of cuts that part them alike, the first.
struct CutRow {
  std::size_t n_lanes = 0;
  std::vector<std::uint32_t> cut;  // ascending
  CutSide no, yes;
  // By cut that was asked about: the lane that parts the rows like it, or that none does, since all
  // rows are on one side.
  static constexpr std::int32_t kAllNo = -1, kAllYes = -2;
  std::vector<std::int32_t> lane_of;
};

// What is wanted of each lane.
struct CutFacts {
  bool losses = true, floors = true;
};

class CutSplitter {
 public:
  // The problem must outlive it. Events are counted where somebody asks for some in each leaf.
  CutSplitter(const CutProblem& problem, Kernel kernel, bool counts_events)
      : problem_(problem), kernel_(kernel), counts_events_(counts_events) {}

  // `rows` and `cuts` ascending. Some lanes at a time, and asks in between whether to stop; then
  // the row is of no use. Returns how many lane-rows that took.
  std::uint64_t split(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> cuts,
                      const CutFacts& wanted, CutRow& out,
                      const std::function<bool()>& should_stop = {});

 private:
  // The cuts of one column among those asked about.
  struct Run {
    std::uint32_t column;
    std::size_t first, end;           // in `cuts`
    std::size_t first_lane, n_lanes;  // those that part the rows
  };
  void split_some(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> cuts,
                  const CutFacts& wanted, std::int32_t* lane_of, CutRow& out);
  void place_rows(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> cuts,
                  const Run& run);
  void count_rows(std::span<const std::uint32_t> rows, std::size_t n_cuts);
  void choose_lanes(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> cuts,
                    Run& run, std::int32_t* lane_of, CutRow& out);
  void set_answers(std::size_t n_rows, const Run& run);

  const CutProblem& problem_;
  Kernel kernel_;
  bool counts_events_;

  // Scratch.
  std::vector<Run> runs_;
  std::vector<std::uint16_t> place_;  // of rows among the cuts of a run: the first they say yes to
  std::vector<std::uint16_t> place_of_;                   // the same by code
  std::vector<std::uint32_t> n_rows_, n_events_, other_;  // by place
  std::vector<double> weight_;                            // likewise, if rows are weighted,
  std::vector<double> no_weight_;         // and of those that answer the cut of the place with no
  std::vector<std::uint32_t> first_yes_;  // by place: the first lane they say yes to
  std::vector<std::uint64_t> bits_;       // by place: the answers in one word
  std::vector<std::uint64_t> packed_;
  std::vector<double> loss_scratch_;
  std::vector<float> single_scratch_;
  std::size_t n_packed_ = 0;
};

}  // namespace survtree
