"""From columns to questions: readable ones, or the 0/1 columns of the paper's experiments.

Readable questions cut numbers between values that occur, at numbers that are easy to read. The
paper is that of optimal sparse survival trees. Its encoding is kept to repeat published numbers,
not as advice: four bins of equal width are coarse, and those of a skewed column can be almost
empty.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from survtree._data.table import Bools, Column, Floats, Places
from survtree._questions.asked import Asked, Cuts, Part, cuts_in
from survtree._questions.checks import Rule, check_question_count
from survtree._questions.forms import InLevels, InRange, IsMissing, IsOne, Question

# Every sixteenth part of the rows: finer cuts made the search slower and the trees hardly better.
AUTO_CUTS = 15
GUESS_CUTS = 63
N_BINS = 4  # of the paper's encoding
MOST_VALUES_KEPT = 10
# Numbers and digits that can be rounded with floats, whose errors then are below the slack.
SMALLEST_ROUNDED, LARGEST_ROUNDED, MOST_DIGITS_ROUNDED, SLACK = 1e-280, 1e280, 9, 1e-4
# Between these, powers of ten that bring so many digits before the point are floats.
SMALLEST_EXACT, LARGEST_EXACT = 1e-12, 1e20


def readable_questions(
    j: int, column: Column, rule: Rule, *, is_zero_one: bool, cuts: Floats | None = None
) -> Asked:
    """The questions about column j: cuts of numbers, sets of levels, and whether it is missing.

    Cuts may be known already: the column then has each of its values, but not as often as rows do.
    """
    return Asked(tuple(_readable(j, column, rule, cuts, is_zero_one=is_zero_one)))


def _readable(
    j: int, column: Column, rule: Rule, cuts: Floats | None, *, is_zero_one: bool
) -> list[Part]:
    is_missing = column.is_missing()
    has_missing = bool(is_missing.any())
    present = column.values[~is_missing] if has_missing else column.values
    missing: list[Question] = [IsMissing(j)] if has_missing else []
    if is_zero_one:
        varies = len(present) > 0 and present.min() < present.max()
        word = "True" if column.kind == "flag" else None
        return [*([IsOne(j, word=word)] if varies else []), *missing]
    if column.kind == "number":
        if cuts is None:
            cuts = _cuts(present.astype(np.float64, copy=False), rule)
        if rule.kind == "all" and len(cuts):
            return [Cuts(j, cuts), *missing]
        return [*(InRange(j, high=cut) for cut in cuts.tolist()), *missing]
    occurring = [column.levels[place] for place in column.occurring().tolist()]
    n_levels = len(occurring)
    if column.kind == "ordered":
        return [*_between_levels(j, column), *missing]
    questions = [InLevels(j, (level,)) for level in occurring] if n_levels > 1 else []
    if len(questions) == 2 and not has_missing:  # one is the other's complement
        questions = [min(questions, key=InLevels.readability)]
    return [*questions, *missing]


def n_cuts_left_out(column: Column, found: Asked, n_values: int | None = None) -> int:
    """How many gaps between the values of a column of numbers no question cuts.

    ``n_values`` is the number of its distinct values, of which the column may have only some.
    """
    if column.kind != "number":
        return 0
    distinct = np.unique(column.values[~column.is_missing()])
    # Given cuts may lie beyond all values, or two of them between the same.
    gaps = np.unique(np.searchsorted(distinct, cuts_in(found), side="right"))
    n_cut = int(((gaps > 0) & (gaps < len(distinct))).sum())
    return max(0, (len(distinct) if n_values is None else n_values) - 1 - n_cut)


def _cuts(present: Floats, rule: Rule) -> Floats:
    if rule.kind == "width":
        check_question_count(rule.value)
    cuts = cut_points(present, rule)
    check_question_count(len(cuts))
    return cuts


def cut_points(values: Floats, rule: Rule) -> Floats:
    """Thresholds, ascending; unless given, each has some of the values on either side."""
    if rule.kind == "given":
        return np.array(rule.value, dtype=np.float64)
    distinct, counts = np.unique(values, return_counts=True)
    return cuts_between(distinct, counts.cumsum(), len(values), rule)


def n_quantiles(rule: Rule) -> int | None:
    """How many cuts at quantiles a rule asks for; None: it looks at all values."""
    known = {"auto": AUTO_CUTS, "guess": GUESS_CUTS, "given": 1, "quantiles": rule.value}
    return known.get(rule.kind)


def cuts_between(distinct: Floats, up_to: Places, n: int, rule: Rule) -> Floats:
    """Thresholds of ``n`` values, of which so many are up to each distinct one.

    For cuts at quantiles the values next to these are enough.
    """
    if rule.kind == "given":
        return np.array(rule.value, dtype=np.float64)
    if len(distinct) < 2:
        return np.empty(0)
    if rule.kind == "width":
        return _evenly(distinct, rule.value)
    wanted = n_quantiles(rule)
    places = _boundaries(up_to, n, len(distinct) if wanted is None else wanted)
    below, above = distinct[places], distinct[places + 1]
    middles = below / 2 + above / 2  # the sum of two large numbers may overflow
    return clear_cuts(below, above, middles)


def _boundaries(up_to: Places, n: int, n_cuts: int) -> Places:
    """Places of the values to cut after, so that about equally many rows lie between cuts."""
    n_boundaries = len(up_to) - 1
    if n_boundaries <= n_cuts:
        return np.arange(n_boundaries)
    wanted = n * np.arange(1, n_cuts + 1) / (n_cuts + 1)
    above = np.clip(np.searchsorted(up_to, wanted), 1, n_boundaries - 1)
    is_nearer_below = wanted - up_to[above - 1] <= up_to[above] - wanted
    return np.unique(np.where(is_nearer_below, above - 1, above))


def _evenly(distinct: Floats, n_cuts: int) -> Floats:
    """Cuts at equal distances, each moved to an easy number between its neighbours."""
    low, high = float(distinct[0]), float(distinct[-1])
    shares = np.arange(1, n_cuts + 1) / (n_cuts + 1)
    wanted = low * (1 - shares) + high * shares
    above = np.clip(np.searchsorted(distinct, wanted, side="right"), 1, len(distinct) - 1)
    return np.unique(clear_cuts(distinct[above - 1], distinct[above], wanted))


def clear_cuts(low: Floats, high: Floats, near: Floats) -> Floats:
    """The easiest number between each two others that reads as neither in single precision.

    It is near a point between them; or the smaller one, where nothing lies between.
    """
    inner_low, inner_high = _kept_apart(low, high)
    inside = np.clip(near, np.nextafter(inner_low, high), np.nextafter(inner_high, low))
    near = np.where((low < near) & (near < high), inside, near)
    cuts = easiest_cuts(inner_low, inner_high, near)
    return np.where(cuts == inner_low, low + 0.0, cuts)  # not -0.0


def easiest_cuts(low: Floats, high: Floats, near: Floats) -> Floats:
    """The easiest number between each two others, near a point between them."""
    out = np.full(len(near), np.nan)
    fewest, size = _fewest_digits(low, high, near), np.abs(near)
    is_exact = (size > SMALLEST_EXACT) & (size < LARGEST_EXACT)
    is_exact[is_exact] = _is_sure(size[is_exact])
    rest = np.empty(0, dtype=np.intp)
    for n_digits in range(1, MOST_DIGITS_ROUNDED + 1):
        rest = np.concatenate([rest, np.flatnonzero(is_exact & (fewest == n_digits))])
        # A whole number, times or divided by a power of ten that floats can hold: both are exact,
        # so the result is the float nearest to these digits, as if they were read.
        n_decimals = n_digits - 1 - np.floor(np.log10(size[rest]))
        power = 10.0 ** np.abs(n_decimals)
        scaled = np.where(n_decimals >= 0, near[rest] * power, near[rest] / power)
        whole = np.rint(scaled)
        number = np.where(n_decimals >= 0, whole / power, whole * power)
        is_clear = np.abs(scaled - whole) < 0.5 - SLACK
        is_between = is_clear & (low[rest] < number) & (number < high[rest])
        out[rest[is_between]] = number[is_between] + 0.0
        rest = rest[~is_between & is_clear]
    # Where rounding is not sure, or nothing lies between floats, digits are written and read.
    left = np.flatnonzero(np.isnan(out))
    cuts = zip(*(part[left].tolist() for part in (low, high, near, fewest)), strict=True)
    out[left] = [easiest_between(*cut) for cut in cuts]
    return out


def _kept_apart(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Bounds between which no number reads as one of the two in single precision.

    Of a column in single precision 6.4 is 6.40000010: "x <= 6.4" would send it, and 6.4 in double
    precision, to different sides. Neighbours in single precision have nothing like that between.
    """
    with np.errstate(over="ignore"):
        single = low.astype(np.float32), high.astype(np.float32)
        above = np.nextafter(single[0], np.float32(np.inf)).astype(np.float64)
        below = np.nextafter(single[1], np.float32(-np.inf)).astype(np.float64)
    is_single = (single[0] == low) & (single[1] == high) & (above <= below)
    after, before = low / 2 + above / 2, high / 2 + below / 2
    return np.where(is_single, after, low), np.where(is_single, before, high)


def _is_sure(size: Floats) -> Bools:
    """Where the exponent is right: next to a power of ten it may not be."""
    digits = size / 10.0 ** np.floor(np.log10(size))
    return (np.abs(digits - 1.0) > SLACK) & (np.abs(digits - 10.0) > SLACK)


def easiest_between(low: float, high: float, near: float, fewest_digits: int = 1) -> float:
    """The number with the fewest digits near a point that lies between two others.

    ``fewest_digits`` says that no number with fewer digits will do.

    >>> easiest_between(62, 63, 62.5), easiest_between(110, 140, 125)
    (62.5, 120.0)
    """
    for n_digits in range(fewest_digits, 18):
        number = float(f"{near:.{n_digits}g}")
        if low < number < high:
            break
    else:
        number = low  # neighbours among floats: nothing lies between, and low itself answers yes
    return number + 0.0  # not -0.0


def _fewest_digits(low: Floats, high: Floats, near: Floats) -> Places:
    """A number of digits below which no rounding of ``near`` lies between the others.

    Here roundings are computed with floats, whose errors are far below the slack that is given. So
    a number of digits is left out only where its rounding is clearly not between the others.
    """
    fewest = np.ones(len(near), dtype=np.intp)
    size = np.abs(near)
    rest = np.flatnonzero((size > SMALLEST_ROUNDED) & (size < LARGEST_ROUNDED))
    exponent = np.floor(np.log10(size[rest]))
    is_sure = _is_sure(size[rest])
    rest, exponent = rest[is_sure], exponent[is_sure]
    for n_digits in range(1, MOST_DIGITS_ROUNDED + 1):
        scale = 10.0 ** (n_digits - 1 - exponent)
        scaled = near[rest] * scale
        # Halves may go either way.
        least, most = np.rint(scaled - SLACK) / scale, np.rint(scaled + SLACK) / scale
        slack = SLACK / 1e6 * size[rest]
        is_out = (most <= low[rest] - slack) | (least >= high[rest] + slack)
        rest, exponent = rest[is_out], exponent[is_out]
        fewest[rest] = n_digits + 1
    return fewest


def _between_levels(j: int, column: Column) -> Iterator[InLevels]:
    """Ordered levels cut after each that occurs but the last; the shorter side is the yes."""
    for place in column.occurring().tolist()[:-1]:
        low, high = column.levels[: place + 1], column.levels[place + 1 :]
        yield InLevels(j, low, "low") if len(low) <= len(high) else InLevels(j, high, "high")


def paper_questions(columns: Sequence[Column]) -> list[tuple[str, Question]]:
    """A question for each level but the first of each column, with its published name.

    Categories come first. Numbers with more than ten distinct values become four bins of equal
    width, others are their own levels; a missing number is a level of its own, the last, and a
    missing category is none.
    """
    categories = [(j, column) for j, column in enumerate(columns) if column.kind != "number"]
    numbers = [(j, column) for j, column in enumerate(columns) if column.kind == "number"]
    found = [(column.name, list(_paper_categories(j, column))) for j, column in categories]
    found += [(column.name, list(_paper_numbers(j, column))) for j, column in numbers]
    return [(f"{name}_{label}", question) for name, named in found for label, question in named[1:]]


def _paper_categories(j: int, column: Column) -> Iterator[tuple[str, Question]]:
    for level in column.levels or ("False", "True"):
        is_flag = column.kind == "flag"
        yield level, IsOne(j, word=level) if is_flag else InLevels(j, (level,))


def _paper_numbers(j: int, column: Column) -> Iterator[tuple[str, Question]]:
    is_missing = column.is_missing()
    present = column.values[~is_missing].astype(np.float64)
    distinct = np.unique(present)
    # Missing values make the published column float: its levels are named "age_1.0", not "age_1".
    has_missing = bool(is_missing.any())
    if len(distinct) > MOST_VALUES_KEPT:
        edges = _edges(distinct)
        # By inner edges: pandas.cut, which made the published files, puts the minimum in the first
        # bin by moving the left edge, which among large numbers moves nothing.
        is_filled = np.bincount(np.searchsorted(edges[1:-1], present), minlength=N_BINS)
        for bin_number in np.flatnonzero(is_filled).tolist():
            low, high = float(edges[bin_number]), float(edges[bin_number + 1])
            yield _label(bin_number, not has_missing), InRange(j, low, high)
    else:
        for value in distinct.tolist():
            label = _label(value, column.is_whole and not has_missing)
            yield label, InRange(j, value, value)
    if has_missing:
        yield "nan", IsMissing(j)


def _label(value: float, is_whole: bool) -> str:
    return str(int(value)) if is_whole else str(float(value))


def _edges(values: Floats) -> Floats:
    low, high = float(values.min()), float(values.max())
    if math.isinf(high - low):  # the differences of quarters are finite, and the same but for size
        return 4 * np.linspace(low / 4, high / 4, N_BINS + 1)
    return np.linspace(low, high, N_BINS + 1)
