"""Fuzzing what users pass: model files, CSV files, frames, outcomes, proof files.

    python -m tests.fuzz.inputs TARGET [libFuzzer options] [CORPUS]

or make fuzz-TARGET SECONDS=3600.

A target may end in a result or in a ValueError or TypeError with a message; all else is a finding,
which libFuzzer keeps as a file and tests/regress keeps as a test. Needs atheris.
"""

import contextlib
import gc
import importlib
import io
import json
import pkgutil
import sys
import tempfile
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import atheris
import numpy as np
import pandas as pd

import survtree
from survtree import OptimalSurvivalTree, check_proof, load
from survtree._cli.inputs import Reading, Splitting
from survtree._cli.studies import study_to_fit
from tests.fuzz.proof_text import fingerprint, optimum_of, problem_fingerprint, rows_of
from tests.oracle.proofs import proof_of_case, signed
from tests.support.problems import random_case

FOLDER = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
MODEL = Path(__file__).parents[1] / "regress" / "models" / "model-1.json"
# Right proofs, to be changed; those of larger problems are checked too slowly.
PROOFS = [
    proof_of_case(random_case(seed)).to_bytes().decode().splitlines()[:-1]
    for seed in (4, 38, 65, 95)
]
# Pieces of CSV files that make trouble.
CELLS = [
    *(
        "time",
        "event",
        "1",
        "0",
        "2.5",
        "",
        "NA",
        "x",
        '"',
        ",",
        "\n",
        "\r\n",
        "-1",
        "1e308",
        "inf",
    ),
    *("é", "\x00", ";", "true", "=1+1", "00", " ", "\t", "9" * 400, "1,0\n2,1\n3,1\n"),
]


class NoInputError(Exception):
    """The bytes say something that cannot even be built to be passed."""


@contextlib.contextmanager
def building():
    try:
        yield
    except Exception as error:
        raise NoInputError from error


def written(name: str, content: bytes) -> Path:
    path = FOLDER / name
    path.write_bytes(content)
    return path


def small_fit(X: object, y: object, **options: object) -> None:
    """A fit that cannot take long, and a look at what it gives."""
    model = OptimalSurvivalTree(2, 0.01, min_samples_leaf=1, node_limit=200, **options).fit(X, y)
    assert np.isfinite(model.objective_)
    assert model.lower_bound_ <= model.objective_
    leaves = model.apply(X)
    assert set(leaves.tolist()) <= set(model.tree_.leaves.tolist())


def fuzz_load(data: bytes) -> None:
    """A model file: any bytes, or the file of a real model with some values changed."""
    provider = atheris.FuzzedDataProvider(data)
    if provider.ConsumeBool():
        content = provider.ConsumeBytes(2**16)
    else:
        content = json.dumps(changed(json.loads(MODEL.read_text()), provider)).encode()
    model = load(written("model.json", content))
    names = model.binarizer_.questions_.names
    rows = pd.DataFrame({name: [0, 1, None] for name in names}, dtype=object)
    model.predict(rows)
    model.certificate_.summary()


def changed(node: object, provider: atheris.FuzzedDataProvider) -> object:
    """The values with up to three of them replaced or taken away."""
    for _ in range(provider.ConsumeIntInRange(1, 3)):
        places = list(places_in(node))
        holder, key = places[provider.ConsumeIntInRange(0, len(places) - 1)]
        if provider.ConsumeIntInRange(0, 7) == 0:
            del holder[key]
        else:
            holder[key] = junk(provider)
    return node


def places_in(node: object) -> Iterator[tuple[Any, Any]]:
    """Every (list or dict, index or key) of nested values."""
    if isinstance(node, dict | list):
        for key in list(node) if isinstance(node, dict) else range(len(node)):
            yield node, key
            yield from places_in(node[key])


def junk(provider: atheris.FuzzedDataProvider) -> object:
    kinds = (
        lambda: None,
        lambda: provider.ConsumeBool(),
        lambda: provider.ConsumeInt(9),
        lambda: provider.ConsumeFloat(),
        lambda: provider.ConsumeUnicode(20),
        list,
        dict,
        lambda: [provider.ConsumeRegularFloat() for _ in range(3)],
        lambda: "1e400",
    )
    return provider.PickValueInList(list(kinds))()


def fuzz_csv(data: bytes) -> None:
    """A CSV file as the command line takes it."""
    provider = atheris.FuzzedDataProvider(data)
    if provider.ConsumeBool():
        content = provider.ConsumeBytes(4000)
    else:
        parts = [provider.PickValueInList(CELLS) for _ in range(provider.ConsumeIntInRange(0, 60))]
        content = ("time,event,a\n" * provider.ConsumeBool() + ",".join(parts)).encode()
    with contextlib.redirect_stderr(io.StringIO()):  # it tells which column it takes for the time
        study = study_to_fit(str(written("rows.csv", content)), Reading(), Splitting())
    small_fit(study.covariates, study.y, missing="question")


def column(provider: atheris.FuzzedDataProvider, n: int) -> object:
    """N cells of some kind, as somebody might have them."""
    kind = provider.ConsumeIntInRange(0, 9)
    if kind == 0:
        return np.array([provider.ConsumeFloatInRange(-1e6, 1e6) for _ in range(n)])
    if kind == 1:
        return np.array([provider.ConsumeFloat() for _ in range(n)])
    if kind == 2:
        return np.array(provider.ConsumeIntListInRange(n, 0, 3), dtype="int8")
    if kind == 3:
        return [provider.ConsumeUnicode(4) for _ in range(n)]
    if kind == 4:
        return pd.Categorical([provider.PickValueInList(["a", "b", "c", None]) for _ in range(n)])
    if kind == 5:
        return np.array([provider.ConsumeBool() for _ in range(n)])
    if kind == 6:
        return pd.array([provider.PickValueInList([1, 2, None]) for _ in range(n)], dtype="Int64")
    if kind == 7:
        return np.array([junk(provider) for _ in range(n)] + [None], dtype=object)[:n]
    if kind == 8:
        return pd.to_datetime([provider.ConsumeIntInRange(0, 2**40) for _ in range(n)])
    return [provider.ConsumeInt(8) for _ in range(n)]


def fuzz_frame(data: bytes) -> None:
    """A frame of odd columns with a plain outcome."""
    provider = atheris.FuzzedDataProvider(data)
    n = provider.ConsumeIntInRange(1, 12)
    names = [provider.ConsumeUnicode(3) for _ in range(provider.ConsumeIntInRange(0, 3))]
    with building():
        X = pd.DataFrame({name: column(provider, n) for name in names}, index=range(n))
    time = np.arange(1.0, n + 1)
    event = np.array([provider.ConsumeBool() for _ in range(n)])
    thresholds = provider.PickValueInList(["auto", "all", "guess", 2, ("width", 3), [0.5], {}])
    missing = provider.PickValueInList(["error", "question", "drop"])
    small_fit(X, (event, time), thresholds=thresholds, missing=missing)


def outcome(provider: atheris.FuzzedDataProvider, n: int) -> object:
    """What somebody might pass as y, in one of its forms or in none."""
    event, time = column(provider, n), column(provider, n)
    form = provider.ConsumeIntInRange(0, 4)
    if form == 1:
        return pd.DataFrame({"event": event, "time": time}, index=range(n))
    if form == 2:
        return np.array([event, time], dtype=object).T
    if form == 3:
        return junk(provider)
    if form == 4:
        kinds = [provider.PickValueInList(["?", "f8", "i4", "U3", "O", "M8[s]"]) for _ in range(2)]
        y = np.zeros(n, dtype=[("event", kinds[0]), ("time", kinds[1])])
        y["event"][: n // 2] = 1
        return y
    return event, time


def fuzz_outcome(data: bytes) -> None:
    """A plain table with an odd outcome."""
    provider = atheris.FuzzedDataProvider(data)
    n = provider.ConsumeIntInRange(1, 10)
    X = np.arange(2 * n).reshape(n, 2) % 3
    with building():
        y = outcome(provider, n)
    small_fit(X, y)


def fuzz_proof(data: bytes) -> None:
    """A proof with some words changed: if it is accepted, its tree costs the optimum."""
    provider = atheris.FuzzedDataProvider(data)
    lines = list(provider.PickValueInList(PROOFS))
    head = json.loads(lines[1])
    for _ in range(provider.ConsumeIntInRange(0, 3)):
        line = provider.ConsumeIntInRange(1, len(lines) - 1)
        if line == 1:
            head = changed(head, provider)
        else:
            words = lines[line].split(" ")
            words[provider.ConsumeIntInRange(0, len(words) - 1)] = word(provider)
            lines[line] = " ".join(words)
    if provider.ConsumeBool():
        with building():
            head["fingerprint"] = fingerprint(head, rows_of(head, lines))
            head["problem_fingerprint"] = problem_fingerprint(head)
    if check_proof(written("proof", signed([lines[0], json.dumps(head), *lines[2:]]))):
        optimum = optimum_of(head, rows_of(head, lines))
        assert abs(head["objective"] - optimum) <= 1e-7 * abs(optimum) + 1e-12, (head, optimum)


def word(provider: atheris.FuzzedDataProvider) -> str:
    """A number, most often."""
    kind = provider.ConsumeIntInRange(0, 4)
    if kind == 0:
        return str(provider.ConsumeIntInRange(-9, 9))
    if kind == 1:
        return repr(provider.ConsumeProbability())
    if kind == 2:
        return repr(provider.ConsumeFloat())
    if kind == 3:
        return provider.PickValueInList(["0", "1", "", "nan", "inf", "-inf", "1e-320", "9" * 30])
    return provider.ConsumeUnicodeNoSurrogates(4)


TARGETS = {
    "load": fuzz_load,
    "csv": fuzz_csv,
    "frame": fuzz_frame,
    "outcome": fuzz_outcome,
    "proof": fuzz_proof,
}


def instrument() -> None:
    """Coverage of the package's own functions.

    atheris' hook on imports misses those of an editable installation, and instrument_all takes
    pandas too.
    """
    for module in pkgutil.walk_packages(survtree.__path__, "survtree."):
        if "plot" not in module.name and "__main__" not in module.name:
            importlib.import_module(module.name)
    for thing in gc.get_objects():
        if isinstance(thing, types.FunctionType) and str(thing.__module__).startswith("survtree."):
            atheris.instrument_func(thing)


def main() -> None:
    target = TARGETS[sys.argv.pop(1)]
    warnings.simplefilter("ignore")
    instrument()

    def one(data: bytes) -> None:
        try:
            target(data)
        except NoInputError:
            return
        except (ValueError, TypeError) as error:
            # Ours end with a full stop; what numpy or pandas raise by themselves does not.
            if not str(error).rstrip().endswith((".", "?")):
                raise AssertionError("an error that is not told in our words") from error

    atheris.Setup(sys.argv, one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
