"""What is known about each data set: those of the package, and the 17 of the paper.

Of the package: files, outcome columns, categories. Of the paper: the archives that hold them, and
checksums of the files that were inspected when this table was written; other files are refused.
"""

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


# The data sets of the paper. Counts are those of the published 0/1 tables.


@dataclass(frozen=True)
class Archive:
    """A source archive of a package index, pinned."""

    name: str
    version: str
    n_bytes: int
    sha256: str

    @property
    def folder(self) -> str:
        """The one folder that everything in the archive lies in."""
        return f"{self.name}-{self.version}"

    @property
    def file(self) -> str:
        """The archive's file name."""
        return f"{self.folder}.tar.gz"


@dataclass(frozen=True)
class Member:
    """A file inside an archive; more than `n_bytes` of it are never read."""

    archive: Archive
    path: str
    n_bytes: int


@dataclass(frozen=True)
class PaperSet:
    """A data set of the paper, the file that `fetch` writes for it, and what it is made from.

    The checksum of a CSV file is that of its bytes; that of an NPZ file is of its arrays, since
    compressed bytes depend on the program that compressed them.
    """

    name: str
    n_rows: int
    n_columns: int
    n_events: int
    description: str
    file: str
    members: tuple[Member, ...]
    sha256: str


OSST = Archive(
    "osst", "0.1.8", 6006149, "218e9c78ca7eae43811f0cdcf691e6cf3c5641d6c11283cfa16faba33bb1b803"
)
OSRT = Archive(
    "osrt", "0.2.2", 5005262, "c5495f21cfa91d93bb95210ef52bcb50027b38c5266a97284ec5280a4d142c18"
)


def _member(archive: Archive, path: str, n_bytes: int) -> Member:
    return Member(archive, f"{archive.folder}/experiments/datasets/{path}", n_bytes)


_DESCRIPTIONS = {
    "aids": "people with HIV: AIDS diagnosis or death",
    "aids_death": "people with HIV: death",
    "airfoil": "regression set, random censoring: noise of airfoils",
    "churn": "customers: end of the subscription",
    "credit": "borrowers: full repayment",
    "employee": "employees: leaving the company",
    "flchain": "serum free light chain study: death (columns 'chapter': its cause)",
    "gbsg2": "women with breast cancer: recurrence or death",
    "insurance": "regression set, random censoring: medical charges",
    "maintenance": "machines: breakdown",
    "real-estate": "regression set, random censoring: price of houses",
    "servo": "regression set, random censoring: rise time of a servomechanism",
    "sync": "regression set, random censoring: current of synchronous machines",
    "uissurv": "drug users after treatment: return to drugs",
    "veterans": "men with lung cancer: death",
    "whas500": "patients with a heart attack: death",
}
# name, rows, columns, events, bytes, checksum
_PUBLISHED = """\
aids         1151 25   96  66832 db34854d5b4f07fb6b4c6236fed6a81e020204633c67de39328d985fc41170c1
aids_death   1151 25   26  66882 e0347879d990365585c66efc3d6e5cee1c5e246bcd4655d607714f321845478f
airfoil      1503 17 1188  72650 3322d13134355c9147ef500ea29f01e3a1509085423d5e4914c0468b9a0072fb
churn        2000 42  932 185071 5f58290c0aa251f721a8b9cb1eef780d3e5115cb214a8bdc34d4533a821a8c06
credit       1000 56  700 118093 437bebe522815dfbd9da47cd1be264cb3d23753bd74fb679e3b1c5f447a841e3
employee    14999 27 3571 870697 f6e6a9f6c4095296a60c4c47191cdc7f1d144e519843476dff8ee81029ddb730
flchain      7874 47 2169 810807 066a57bb1946ed23b6bd89a1dfa5080f546d63a1a416c4677576b6ed69771e2f
gbsg2         686 19  299  32072 eb4f701be4cbfe3308306e497f5cd815b6f73eecc1a768c4ac1a156becf51cbf
insurance    1338 16 1067  65239 2734ca2e1e6c480e6b9b12af93977c9430d146c6db31c97541970d7d9d9a3f0c
maintenance  1000 14  397  33167 67b8fcbd3130c0f37c95d5491aceb2d0fa79da6f62c65f7cb1b85f4f48d48cb7
real-estate   414 18  327  19809 60e018af68d744adbdc3279c8203a075d8abed2ecd43413491bd4a35359954ae
servo         167 15  129   7722 35b42e57b3ecb9ad1853ed63134c352c2977690cdfa0989d100d244cc54454b0
sync          557 12  355  19944 17a5bdddc56d7b56f94e3e9d66d5e5baf97fe06f04c894bb1fbda8eeb4cf4cab
uissurv       628 26  508  36442 0a6cb546f1f5b4fa302b4430f865d738800fe976608ee7c31e1b8fa87d7f0adb
veterans      137 14  128   5118 9e96ed184aa90ddd506747e1c6815637008a7002d3ec9ffc28c16c91e32c17bb
whas500       500 26  215  30296 66ca40c69b1541abaf99045de51f2977262b0148775f6143ea31c615f4d83fd9
"""


def _table(line: str) -> PaperSet:
    name, *numbers, sha256 = line.split()
    n_rows, n_columns, n_events, n_bytes = map(int, numbers)
    member = _member(OSST, f"{name}/{name}.csv", n_bytes)
    counts = n_rows, n_columns, n_events
    return PaperSet(name, *counts, _DESCRIPTIONS[name], f"{name}.csv", (member,), sha256)


TABLES = tuple(map(_table, _PUBLISHED.splitlines()))
# osst's file has the event flags, but its times are cut to ten values; osrt's has the times as they
# were measured, of the same rows in the same order.
HOUSEHOLD = PaperSet(
    "household",
    2049280,
    15,
    1639529,
    "regression set, random censoring: electric power by the minute",
    "household_raw_time.npz",
    (
        _member(OSST, "household/household.csv", 93155930),
        _member(OSRT, "household_consumption/household.csv", 80363380),
    ),
    "85358a098521d5e63d24a80202d51b9699b6ecf34b5355b573d136b34652feb6",
)
