// What a loss sees of the rows, and which loss it is, by name. A new loss gets a line in each of
// the two functions below.
#pragma once

#include <memory>
#include <string>

#include "data/contract.hpp"
#include "losses/brier/brier.hpp"
#include "losses/incidence/incidence.hpp"
#include "losses/likelihood/likelihood.hpp"
#include "losses/teacher/teacher.hpp"
#include "translate.hpp"

namespace survtree {

// Each loss looks at some of this only: that of a teacher at neither times nor events, the others
// at no targets, which then have no column. An event is 0 (censored), 1 or, for the incidence of a
// cause, 2: another cause.
struct Seen {
  const std::string& loss;
  const Doubles& time;
  const Bytes& event;
  const Doubles& weight;
  const Doubles2d& targets;

  std::unique_ptr<const Outcome> outcome() const {
    if (loss == "brier") return std::make_unique<BrierOutcome>(span_of(time), span_of(event));
    if (loss == "incidence")
      return std::make_unique<IncidenceOutcome>(span_of(time), span_of(event));
    if (loss == "likelihood") return std::make_unique<LikelihoodOutcome>(weighted_events());
    require(loss == "teacher", "the loss has a name");
    return std::make_unique<TeacherOutcome>(span_of(targets), targets.shape(1));
  }

  std::unique_ptr<const Definition> definition() const {
    if (loss == "brier")
      return std::make_unique<BrierDefinition>(span_of(time), span_of(event), span_of(weight));
    if (loss == "incidence")
      return std::make_unique<IncidenceDefinition>(span_of(time), span_of(event), span_of(weight));
    if (loss == "likelihood") return std::make_unique<LikelihoodDefinition>(weighted_events());
    require(loss == "teacher", "the loss has a name");
    return std::make_unique<TeacherDefinition>(span_of(targets), span_of(weight));
  }

  WeightedEvents weighted_events() const {
    return {span_of(time), span_of(event), span_of(weight)};
  }
};

}  // namespace survtree
