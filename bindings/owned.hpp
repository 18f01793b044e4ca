// A search together with the problem that it refers to, and how its work is done without the GIL.
#pragma once

#include <exception>
#include <stdexcept>
#include <utility>

#include "search/cut_search.hpp"
#include "search/frontier.hpp"
#include "search/search.hpp"
#include "translate.hpp"

namespace survtree {

// A problem and its search: neither moves, since the search refers to the problem.
template <class Kind, class Options>
struct Owned {
  Owned(Problem p, const Options& options) : problem(std::move(p)), search(problem, options) {}
  Problem problem;
  Kind search;
};
using OwnedSearch = Owned<Search, SearchOptions>;
using OwnedFrontier = Owned<Frontier, FrontierOptions>;

struct OwnedCutSearch {
  OwnedCutSearch(CutProblem p, const SearchOptions& options)
      : problem(std::move(p)), search(problem, options) {}
  CutProblem problem;
  CutSearch search;
};

// A search serves one thread at a time; another one, which has the GIL when it asks, is refused.
template <class AnySearch>
void refuse_second_thread(AnySearch& search) {
  if (search.limits().has_listener())
    throw std::runtime_error("this search is at work in another thread; wait until it has ended");
}

// Does `work` without the GIL. Every few hundredths of a second Python gets a turn: pending signals
// are handled and `on_turn` is called. Ctrl-C asks the search to stop and hand over what it has;
// any other exception does so too, and is raised when the search has stopped. So is a second Ctrl-C
// that comes before that; one that comes later Python raises by itself.
template <class AnyOwned, class Work>
auto without_gil(AnyOwned& owned, const nb::object& on_turn, Work work) {
  refuse_second_thread(owned.search);
  std::exception_ptr raised;
  bool is_interrupted = false;
  owned.search.limits().set_listener([&] {
    if (raised) return;  // nobody is asked again while the search stops
    nb::gil_scoped_acquire acquire;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (!on_turn.is_none()) on_turn();
    } catch (nb::python_error& error) {
      if (is_interrupted || !error.matches(PyExc_KeyboardInterrupt))
        raised = std::current_exception();
      is_interrupted = true;
      owned.search.limits().interrupt();
    }
  });
  // The listener refers to this frame: it must not outlive it, whatever the work throws.
  struct Unset {
    AnyOwned& owned;
    ~Unset() { owned.search.limits().set_listener({}); }
  } const unset{owned};
  auto result = [&] {
    nb::gil_scoped_release release;
    return work();
  }();
  if (raised) std::rethrow_exception(raised);
  return result;
}

}  // namespace survtree
