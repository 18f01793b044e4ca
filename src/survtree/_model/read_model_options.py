"""The options in a model file, and types that all its parts share."""

from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import asdict

from survtree._base.checks import check_option, require

LARGEST = 2**53  # what every reader of JSON can hold
Positive = Annotated[int, Meta(ge=1, le=LARGEST)]
NotNegative = Annotated[float, Meta(ge=0)]
Text = Annotated[str, Meta(max_length=100_000)]
Cuts = Annotated[str, Meta(max_length=10)] | Positive | list[float]
TimeBuckets = Positive | list[NotNegative] | None


class Exact(Struct, forbid_unknown_fields=True):
    """A part of a file that must not hold more than is known here."""


class SpecialCuts(Exact):
    """Thresholds at even distances, or thresholds by column: one of the two."""

    width: Positive | None = None
    by_column: "dict[str, Cuts | SpecialCuts] | None" = None

    def __post_init__(self) -> None:
        is_one = (self.width is None) != (self.by_column is None)
        require(is_one, "it must have width or by_column", self)
        for cuts in (self.by_column or {}).values():
            is_nested = isinstance(cuts, SpecialCuts) and cuts.by_column is not None
            require(not is_nested, "by_column must not occur inside by_column", cuts)


class Options(Struct):
    """The options of the fit."""

    encoding: Text
    gap: float
    max_depth: int | Text | None
    max_leaves: int | None
    max_levels: int
    memory_limit: int | Annotated[str, Meta(max_length=100)] | None
    min_samples_leaf: int
    missing: Text
    n_jobs: int | None
    node_limit: int | None
    random_state: int | None
    reference: Text | None
    reference_mode: Text
    regularization: float | Text
    thresholds: Cuts | SpecialCuts
    time_buckets: TimeBuckets
    time_limit: float | None
    upper_bound: float | None
    min_events_leaf: int | Text = "default"
    loss: Text = "brier"
    horizon: float | Text | None = None
    shrinkage: float | Text = "default"
    teacher: Text | None = None
    levels: Text = "default"
    categorical: list[Text] | None = None
    exclude: list[Text] | None = None
    column_penalties: dict[str, float] | None = None
    first_split: Text | None = None
    time_unit: Text | None = None
    device: Text = "cpu"

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            check_option(name, value)
