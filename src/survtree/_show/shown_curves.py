"""Which curve of a leaf is shown, and its words: survival or the incidence of a cause."""

from typing import NamedTuple

from survtree._base.numbers import Interval
from survtree._data.causes import Causes
from survtree._scoring.curves import LeafCurve, PredictedCurve, StepFunction
from survtree._scoring.incidence import CompetingCurve, PredictedIncidences


class CurveWords(NamedTuple):
    """How the shown curves are called."""

    letter: str
    estimator: str  # of the curve of a leaf's own rows
    short: str
    axis: str
    stated: str  # what the letter means, where it takes the place of medians


SURVIVAL = CurveWords(
    "S",
    "Kaplan-Meier",
    "KM",
    "Survival",
    "S(t): share without the event up to time t. Most medians are not reached.",
)


def words_of(causes: Causes | None) -> CurveWords:
    """The words for the curves of a model."""
    if causes is None:
        return SURVIVAL
    return CurveWords(
        "F",
        "Aalen-Johansen",
        "AJ",
        f"Cumulative incidence of {causes.target_label}",
        f"F(t): share that has had {causes.target_words} by time t; other causes may come first.",
    )


def shown_curve(curve: LeafCurve | PredictedCurve) -> StepFunction:
    """Survival, or the incidence of the target cause."""
    is_competing = isinstance(curve, CompetingCurve | PredictedIncidences)
    return curve.survival.reversed() if is_competing else curve.survival


def shown_band(curve: LeafCurve, confidence: float) -> tuple[StepFunction, StepFunction]:
    """The pointwise limits of the shown curve."""
    if isinstance(curve, CompetingCurve):
        return curve.incidence_band(confidence=confidence)
    return curve.band(confidence)


def shown_at(curve: LeafCurve, time: float, confidence: float) -> Interval:
    """The shown curve at a time, with its limits."""
    if isinstance(curve, CompetingCurve):
        return curve.incidence_at(time, confidence=confidence)
    return curve.survival_at(time, confidence)
