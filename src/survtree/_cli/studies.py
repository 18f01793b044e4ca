"""Tables from files: rows with an outcome. What is guessed about their columns is said."""

import re
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from survtree._base.words import list_names
from survtree._cli.inputs import (
    Format,
    Limiting,
    Reading,
    Splitting,
    Teaching,
    number_or_none,
    number_or_word,
)
from survtree._cli.printing import RUNNING, TABLE, note
from survtree._data.read_files import (
    EVENT_NAMES,
    TIME_NAMES,
    check_columns,
    check_event_values,
    check_has_columns,
    check_has_names,
    check_no_cause,
    check_no_event_values,
    check_not_excluded,
    check_odd_texts,
    check_own_column,
    check_still_numbers,
    check_value_is_told,
    guessed_role,
    in_rows,
)

if TYPE_CHECKING:
    import polars as pl

    from survtree._data.causes import Causes
    from survtree._data.files import Source
    from survtree._data.lazy_rows import LazyRows
    from survtree._data.read_roles import Roles


SHARE_IN_MEMORY = 0.25  # of the available memory; a larger table is read in passes
ROWS_LOOKED_AT = 1000  # to find the columns of the outcome


class Study(NamedTuple):
    """A table whose event column holds flags, the weights of its rows, and the roles of columns.

    With a cause the event column holds labels, of which one is meant: that of the command, or that
    of a model, which may know no other.
    """

    frame: "pl.DataFrame"
    weight: "pl.Series | None"
    roles: "Roles"
    cautions: tuple[str, ...] = ()  # what was said of columns that are left out
    cause: str | None = None
    censored: str | None = None
    causes: "Causes | None" = None
    groups: Any = None  # of the rows, if a column holds them

    @property
    def covariates(self) -> "pl.DataFrame":
        """Without the outcome."""
        return self.frame.drop(self.roles.time, self.roles.event)

    @property
    def y(self) -> Any:
        """Event flags, without the name of their column, of which a command speaks; and time."""
        from survtree._data.causes import with_cause, with_known_causes

        pair = self.frame[self.roles.event].to_numpy(), self.frame[self.roles.time]
        return with_known_causes(with_cause(pair, self.cause, self.censored), self.causes)


def source_for(data: str, form: Format, model: Any) -> "Source":
    """Where rows for a model are: what was text at its fit is read as text."""
    from survtree._data.files import WHOLE
    from survtree._data.read_rows import texts_by

    levels_of = texts_by(model.binarizer_.seen_, model.questions_.names)
    texts = [name for name, levels in levels_of.items() if not all(map(_is_plain_number, levels))]
    codes = [n for n in texts if not any(re.match(WHOLE, level) for level in levels_of[n])]
    numbers = levels_of.keys() - set(texts)
    named = [name for name in model.categorical or () if name not in numbers]
    return source_of(data, form, [*named, *codes], tuple(texts))


def _is_plain_number(level: str) -> bool:
    """Whether a level is a number as numbers are written: 0.5 is one, 0.50 and 01 are not.

    A column of such levels is read as numbers, so that 0.50 in another file is the level 0.5.
    """
    from survtree._data.read_table import reads_as_number, text_of

    return reads_as_number(level) and text_of(float(level)) == level


def source_of(
    data: str, form: Format, categorical: Sequence[str] | None, texts: tuple[str, ...] = ()
) -> "Source":
    """Where the table is and how it is written."""
    from survtree._data.files import Source

    na, codes = tuple(form.na or ()), tuple(categorical or ())
    source = Source(data, form.format, form.separator, na, form.encoding, codes, texts)
    if (command := RUNNING.get(None)) is not None:
        command.meta[TABLE] = source
    return source


def study_to_fit(
    data: str, reading: Reading, splitting: Splitting, groups: str | None = None
) -> Study:
    """All columns but the excluded ones, that of groups, and those that only number the rows."""
    from survtree._data.read_columns import warn_of_data, without_repeats_of

    source = source_of(data, reading, splitting.categorical)
    frame = _read(source)
    roles = roles_of(reading, frame, source.name)
    out, outcome = splitting.exclude or [], (roles.time, roles.event)
    check_columns("--exclude", out, frame.columns, source.name)
    _check_groups(groups, roles, frame.columns, source.name)
    check_columns("--categorical", splitting.categorical or (), frame.columns, source.name)
    check_not_excluded(out, outcome)
    covariates = frame.drop(*outcome, *([roles.weight] if roles.weight else []), strict=False)
    if groups is not None:
        out = [*out, groups]
    left_out, cautions = _identifiers(covariates, out, splitting.named())
    if groups is not None:
        cautions = without_repeats_of(groups, cautions)
    warn_of_data(cautions)
    covariates = covariates.drop({*left_out, *source.codes}, strict=False)
    check_odd_texts(covariates, source.name, is_text=source.is_text)
    gone = [name for name in left_out if name != roles.weight]
    has_causes = reading.cause is not None or reading.censored is not None
    kept = roles._replace(left_out=tuple(gone))
    study = _study(frame.drop(gone), kept, source.name, has_causes=has_causes)
    study = study._replace(cause=reading.cause, censored=reading.censored)
    of_event = _cautions_of_event(frame, roles, reading)
    warn_of_data(of_event)
    of_groups = None if groups is None else frame[groups]
    return study._replace(cautions=(*cautions, *of_event), groups=of_groups)


def rows_to_stream(
    data: str, reading: Reading, splitting: Splitting, stream: bool | None
) -> "LazyRows | None":
    """The table as a query, if it is to be read in passes: when asked for, or if it is large."""
    source = source_of(data, reading, splitting.categorical)
    if not _is_streamed(source, stream):
        return None
    frame = source.lazy()
    roles = _roles_of_query(reading, frame, source.name)
    columns = frame.collect_schema().names()
    check_columns("--exclude", splitting.exclude or (), columns, source.name)
    check_columns("--categorical", splitting.categorical or (), columns, source.name)
    check_not_excluded(splitting.exclude or (), (roles.time, roles.event))
    if reading.cause is not None or reading.censored is not None:
        check_no_event_values(roles.event_values)
    return _query(frame, roles, reading.cause, reading.censored)


def rows_to_check(
    data: str, reading: Reading, model: Any, file: str, stream: bool | None
) -> "LazyRows | None":
    """Likewise, for a model: the columns that it needs, and the outcome."""
    check_no_cause(reading.cause, reading.censored)
    source = source_for(data, reading, model)
    if not _is_streamed(source, stream):
        return None
    frame = source.lazy()
    schema = frame.collect_schema()
    _take_known_roles(reading, model, schema.names(), source.name)
    roles = _roles_of_query(reading, frame, source.name)
    check_has_columns(model, check_has_names(model, file), schema, source.name)
    if model.causes_ is not None:
        check_no_event_values(roles.event_values)
    return _query(frame, roles)


def _is_streamed(source: "Source", stream: bool | None) -> bool:
    """Whether a table is read in passes."""
    from survtree._data.files import STANDARD_INPUT
    from survtree._data.read_memory import available_memory

    if source.path == STANDARD_INPUT:  # which can be read only once, and so is in memory
        return False
    if stream is None:
        stream = source.size_in_memory() > (available_memory() or 2**62) * SHARE_IN_MEMORY
        if stream:
            note("the table is large: it is read in passes; --in-memory reads all of it")
    return stream


def _roles_of_query(reading: Reading, frame: "pl.LazyFrame", file: str) -> "Roles":
    from survtree._data.lazy_rows import collected

    return roles_of(reading, collected(frame.head(ROWS_LOOKED_AT)), file)


def _query(
    frame: "pl.LazyFrame", roles: "Roles", cause: str | None = None, censored: str | None = None
) -> "LazyRows":
    from survtree._data.lazy_rows import LazyRows

    of_event = cause, censored, roles.event_values
    return LazyRows(frame, roles.time, roles.event, roles.weight, *of_event)


def fitted_tree(
    rows: "Study | LazyRows",
    depth: str,
    regularization: str,
    *given: Limiting | Splitting | Teaching,
    is_quiet: bool,
    cluster: str | None = None,
    **options: Any,
) -> Any:
    """The tree of a table by the options that commands share, and those that one has alone."""
    import survtree
    from survtree import OptimalSurvivalTree

    for each in given:
        options |= each.arguments()
    model = OptimalSurvivalTree(
        number_or_none(depth),
        number_or_word(regularization),
        verbose=int(sys.stderr.isatty() and not is_quiet),
        **options,
    )
    with nullcontext() if cluster is None else survtree.cluster(cluster):
        if isinstance(rows, Study):  # columns that are left out are not among its covariates
            return model.fit(rows.covariates, rows.y, rows.weight)
        splitting = next(each for each in given if isinstance(each, Splitting))
        return model.set_params(exclude=splitting.exclude).fit(rows)


def _cautions_of_event(frame: "pl.DataFrame", roles: "Roles", reading: Reading) -> tuple[str, ...]:
    """What to say of an event column, or of values of an event, named as the opposite."""
    from survtree._data.read_outcome import inverted, is_coding_told, is_named_as_censored

    odd = [value for value in roles.event_values if is_named_as_censored(value)]
    if odd:
        said = f"--event-value must be the value that means that the event was seen; {odd[0]!r} "
        return (
            f"{said}has the name of rows without an event. If they had none, name the other value.",
        )
    is_told = roles.event_values or is_coding_told(reading.cause, reading.censored)
    if is_told or not is_named_as_censored(roles.event):
        return ()
    opposite = "0" if frame.schema[roles.event].is_numeric() else "false"
    return (f"{inverted(roles.event)} pass --event-value {opposite}.",)


def _read(source: "Source") -> "pl.DataFrame":
    """The whole table; text that holds numbers is read as numbers, and that is said.

    Columns that were declared to hold categories stay text.
    """
    from survtree._data.files import texts_of_numbers, with_numbers

    frame = source.read()
    found = [name for name in texts_of_numbers(frame) if name not in (*source.codes, *source.texts)]
    if found:
        note(f"text is read as numbers, in which a comma is a decimal point: {list_names(found)}")
    return with_numbers(frame, found)


def _identifiers(
    frame: "pl.DataFrame", exclude: Sequence[str], named: set[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Columns to leave out, and what to say: by the rule of the fit, which must not see them."""
    import narwhals as nw
    import polars as pl

    from survtree._data.identifiers import is_named_as_identifier
    from survtree._data.read_columns import identifiers_among
    from survtree._data.read_table import column_of_series

    maybe = [
        name
        for name, dtype in frame.schema.items()
        if dtype.is_integer() or dtype == pl.String
        if is_named_as_identifier(name) or frame[name].n_unique() == len(frame)
    ]
    series = [nw.from_native(frame[name], series_only=True) for name in maybe]
    return identifiers_among(list(map(column_of_series, maybe, series)), exclude, named)


def study_to_check(
    data: str, reading: Reading, model: Any, file: str, groups: str | None = None
) -> Study:
    """The columns that a model needs, and the outcome; by default that of its fit."""
    from survtree._data.causes import EVENT_FLAGS
    from survtree._data.read_rows import numbers_by

    check_no_cause(reading.cause, reading.censored)
    source = source_for(data, reading, model)
    frame = _read(source)
    _take_known_roles(reading, model, frame.columns, source.name)
    roles = roles_of(reading, frame, source.name)
    _check_groups(groups, roles, frame.columns, source.name)
    names = check_has_columns(model, check_has_names(model, file), frame.schema, source.name)
    with in_rows(0, len(frame)):
        check_still_numbers(frame, numbers_by(model.binarizer_.seen_, model.questions_.names))
    kept = [*names, roles.time, roles.event, *([roles.weight] if roles.weight else [])]
    rows, causes = frame.select(list(dict.fromkeys(kept))), model.binarizer_.known_causes
    has_causes = causes is not None and (causes.are_several or not roles.event_values)
    study = _study(rows, roles, source.name, has_causes=has_causes)
    if causes is not None and not has_causes:  # the command names the values of its one event anew
        causes = EVENT_FLAGS
    of_groups = None if groups is None else frame[groups]
    return study._replace(causes=causes, groups=of_groups)


def _take_known_roles(reading: Reading, model: Any, columns: Sequence[str], file: str) -> None:
    """What a command does not say of the outcome is as it was at the fit.

    Rows that are scored may have another column of events, and no column of weights.
    """
    known = model.roles_
    if known is None:
        return
    check_value_is_told(reading.event, reading.event_value or (), model)
    if reading.event in (None, known.event):
        reading.event_value = reading.event_value or list(known.event_values)
    reading.time, reading.event = reading.time or known.time, reading.event or known.event
    found = known.in_columns(columns)
    if reading.weights is None and found.weight != known.weight:
        note(
            f"each row counts once: {file} has no column {known.weight!r}, which held the weights "
            "at the fit; --weights names another"
        )
    reading.weights = reading.weights or found.weight


def note_rows(model: Any, study: Study) -> None:
    """Say how many rows a fit left out, if it did."""
    n = sum(curve.n_rows for curve in model.leaf_curves_.values())
    if n < len(study.frame):
        note(f"fitted {rows_left(n, len(study.frame))}{_most_missing(study.covariates)}")


def _most_missing(table: "pl.DataFrame") -> str:
    """Which columns have the most missing values, if any has some."""
    counts = {name: table[name].null_count() for name in table.columns}
    most = sorted((name for name in counts if counts[name]), key=lambda name: -counts[name])
    told = ", ".join(f"{name!r} {counts[name]:,}" for name in most[:3])
    return f" (missing by column: {told}{', ...' if len(most) > 3 else ''})" if most else ""


def rows_left(n_rows: int, n_all: int) -> str:
    """On which rows something was done, where some have missing values or a weight of 0."""
    why = "which have missing values or a weight of 0"
    return f"on {n_rows:,} of {n_all:,} rows, without {n_all - n_rows:,} {why}"


def roles_of(reading: Reading, frame: "pl.DataFrame", file: str) -> "Roles":
    """Which columns are time, event and weight: as named, or those with the usual names."""
    from survtree._data.read_outcome import check_differ
    from survtree._data.read_roles import Roles

    columns = frame.columns
    time, event = reading.time, reading.event
    for flag, name in (("--time", time), ("--event", event), ("--weights", reading.weights)):
        check_columns(flag, [] if name is None else [name], columns, file)
    if time is None:
        time = guessed_role("--time", TIME_NAMES, frame, file)
        note(f"time is taken from the column {time!r}, by its name; --time names another")
    if event is None:
        event = guessed_role("--event", EVENT_NAMES, frame, file)
        note(f"events are taken from the column {event!r}, by its name; --event names another")
    check_differ(time, event)
    check_own_column("--weights", reading.weights, {time: "times", event: "events"})
    return Roles(time, event, tuple(reading.event_value or ()), reading.weights)


def _check_groups(groups: str | None, roles: "Roles", columns: Sequence[str], file: str) -> None:
    """The column of groups is there, and none of the outcome."""
    check_columns("--groups", [] if groups is None else [groups], columns, file)
    taken = {roles.time: "times", roles.event: "events", roles.weight: "weights"}
    check_own_column("--groups", groups, taken)


def _study(frame: "pl.DataFrame", roles: "Roles", file: str, *, has_causes: bool) -> Study:
    column = frame[roles.event]
    if has_causes:
        check_no_event_values(roles.event_values)
    flags = column if has_causes else check_event_values(column, roles.event_values, file)
    weight = None if roles.weight is None else frame[roles.weight]
    if roles.weight is not None:
        frame = frame.drop(roles.weight)
    return Study(frame.with_columns(flags), weight, roles)
