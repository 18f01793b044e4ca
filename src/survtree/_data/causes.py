"""Competing risks: what ended the rows of a study, and which of these causes a tree is about."""

from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np

# How a column of True and False is labelled, by what a user may call its values.
FLAGS = {"0": "False", "1": "True", "false": "False", "true": "True"}


class Causes(NamedTuple):
    """The names of the causes, in the order of their codes, the label of censored rows, the target.

    Cause k of an EventTable (counted from 1; 0 is censored) has the name ``names[k - 1]``. Names of
    codes that are numbers are these numbers, written out, those of flags "True" and "False".

    Where there is one name, nothing competes: then they only tell how the event column is read.
    """

    names: tuple[str, ...]
    target: int  # counted from 1
    censored: str = "0"

    @property
    def are_several(self) -> bool:
        """Whether rows may end by another cause than the target."""
        return len(self.names) > 1

    @property
    def target_name(self) -> str:
        """The name of the cause that the tree is about."""
        return self.names[self.target - 1]

    @property
    def target_label(self) -> str:
        """The target in a picture or on a page: a name as it is, a number as a cause."""
        name = self.target_name
        return f"cause {name}" if name.isdecimal() else name

    @property
    def target_words(self) -> str:
        """The same in a line of text, where a name may hold anything."""
        name = self.target_name
        return self.target_label if name.isdecimal() else repr(name)


EVENT_FLAGS = Causes(("True",), 1, "False")


class CausedOutcome(NamedTuple):
    """An outcome as a user has it, with the cause that counts as the event.

    ``known`` are the causes of the fit whose model is given this outcome; without them the names
    are found in the rows.
    """

    y: Any
    cause: Any
    censored: Any = None
    known: Causes | None = None


def with_cause(y: Any, cause: Any, censored: Any = None) -> Any:
    """An outcome with competing risks, for metrics of curves that no model of survtree predicted.

    ``y`` holds what ended each row, and when; ``cause`` is the code or name of the one that the
    curves are about, ``censored`` the label of censored rows, if it is not 0 or a word for it.
    """
    if cause is None and censored is None:
        return y
    return CausedOutcome(y, cause, censored)


def with_known_causes(y: Any, known: Causes | None) -> Any:
    """An outcome that a model reads, with the causes of its fit."""
    if known is None or isinstance(y, CausedOutcome):
        return y
    return CausedOutcome(y, known.target_name, known.censored, known)


def causes_of(model: Any) -> Causes | None:
    """The competing causes that a model knows, whatever it is; None if it knows one at most."""
    found = getattr(model, "causes_", None)
    return found if isinstance(found, Causes) else None


def known_causes_of(model: Any) -> Causes | None:
    """The labels by which a model reads outcomes, of one cause too; None if it reads flags."""
    found = getattr(getattr(model, "binarizer_", None), "known_causes", None)
    return found if isinstance(found, Causes) else causes_of(model)


def label_of_cause(value: Any, labels: Collection[str] = ()) -> str:
    """How a cause that a user names is written among the labels: 1 is True among flags."""
    label = str(value)
    if isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating)):
        label = label_of_number(float(value))
    are_flags = "True" in labels or "False" in labels
    return FLAGS.get(label.lower(), label) if are_flags and label not in labels else label


def label_of_number(number: float) -> str:
    """A code, with all its digits."""
    return f"{number:.0f}" if number.is_integer() else f"{number:g}"
