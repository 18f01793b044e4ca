"""What is known about each demo data set: its file, its outcome columns, its categories."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

_FLAG = ("0", "1")


@dataclass(frozen=True)
class Entry:
    file: str
    event: str
    time: str
    description: str
    source: str
    # Levels in the order in which the source declares them. It cannot be derived from the cells:
    # gbsg2 puts "Pre" before "Post", and aids puts "70" before "100".
    levels: Mapping[str, tuple[str, ...]]
    # Codes whose order means nothing.
    codes: frozenset[str] = frozenset()
    # Columns of another endpoint in the same file. They are outcomes, never features.
    other_outcomes: frozenset[str] = field(default_factory=frozenset)


_AIDS_LEVELS = {
    "hemophil": _FLAG,
    "ivdrug": ("1", "2", "3"),
    "karnof": ("70", "80", "90", "100"),
    "raceth": ("1", "2", "3", "4", "5"),
    "sex": ("1", "2"),
    "strat2": _FLAG,
    "tx": _FLAG,
    "txgrp": ("1", "2", "3", "4"),
}
_AIDS_CODES = frozenset({"ivdrug", "raceth", "sex", "txgrp"})
_AIDS_SOURCE = (
    "AIDS Clinical Trials Group study 320: Hammer et al., New England Journal of Medicine 337 "
    "(1997) 725-733; as distributed with Hosmer, Lemeshow and May, Applied Survival Analysis, "
    "Wiley (2008)."
)

CATALOGUE: Mapping[str, Entry] = MappingProxyType(
    {
        "veterans": Entry(
            file="veterans.csv",
            event="Status",
            time="Survival_in_days",
            description=(
                "137 men with advanced lung cancer, randomized to standard or test chemotherapy. "
                "The event is death (128 seen); time is in days."
            ),
            source=(
                "Veterans' Administration lung cancer trial: Kalbfleisch and Prentice, The "
                "Statistical Analysis of Failure Time Data, Wiley (2002)."
            ),
            levels={
                "Celltype": ("adeno", "large", "smallcell", "squamous"),
                "Prior_therapy": ("no", "yes"),
                "Treatment": ("standard", "test"),
            },
        ),
        "whas500": Entry(
            file="whas500.csv",
            event="fstat",
            time="lenfol",
            description=(
                "500 patients admitted to hospital with a heart attack. The event is death "
                "(215 seen); time is in days since admission."
            ),
            source=(
                "Worcester Heart Attack Study: Hosmer, Lemeshow and May, Applied Survival "
                "Analysis, Wiley (2008)."
            ),
            levels=dict.fromkeys(
                ("afb", "av3", "chf", "cvd", "gender", "miord", "mitype", "sho"), _FLAG
            ),
        ),
        "gbsg2": Entry(
            file="gbsg2.csv",
            event="cens",
            time="time",
            description=(
                "686 women with node-positive breast cancer. The event is recurrence or death "
                "(299 seen); time is in days."
            ),
            source=(
                "German Breast Cancer Study Group 2: Schumacher et al., Journal of Clinical "
                "Oncology 12 (1994) 2086-2093."
            ),
            levels={
                "horTh": ("no", "yes"),
                "menostat": ("Pre", "Post"),
                "tgrade": ("I", "II", "III"),
            },
        ),
        "aids": Entry(
            file="aids.csv",
            event="censor",
            time="time",
            description=(
                "1,151 people with HIV, randomized to drug combinations with or without "
                "indinavir. The event is an AIDS-defining diagnosis or death (96 seen); time is "
                "in days."
            ),
            source=_AIDS_SOURCE,
            levels=_AIDS_LEVELS,
            codes=_AIDS_CODES,
            other_outcomes=frozenset({"censor_d", "time_d"}),
        ),
        "aids_death": Entry(
            file="aids.csv",
            event="censor_d",
            time="time_d",
            description=(
                "The people and features of 'aids', with death alone as the event (26 seen); "
                "time is in days."
            ),
            source=_AIDS_SOURCE,
            levels=_AIDS_LEVELS,
            codes=_AIDS_CODES,
            other_outcomes=frozenset({"censor", "time"}),
        ),
    }
)
