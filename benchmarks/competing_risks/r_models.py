"""R beside ours: its tables, Cox and Fine-Gray models, and its multi-state survfit (models.R)."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

SCRIPT = Path(__file__).parent / "models.R"
OUTCOME = ("time", "cause")


class R:
    """An R process that answers one request after another, by files in a folder."""

    def __init__(self) -> None:
        if shutil.which("Rscript") is None:
            raise SystemExit(
                "R is needed, with survival, prodlim, riskRegression and cmprsk; on Debian: "
                "apt-get install r-cran-survival r-cran-prodlim r-cran-riskregression r-cran-cmprsk"
            )
        self._folder = tempfile.TemporaryDirectory()
        self.folder = Path(self._folder.name)
        self._process = subprocess.Popen(
            ["Rscript", "--vanilla", str(SCRIPT)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> "R":
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        self._folder.cleanup()

    def _ask(self, *words: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(*words, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline().strip()
        if answer != "done":
            raise RuntimeError(answer or "R ended")

    def versions(self) -> str:
        """Of R and its packages."""
        self._ask("versions", self.folder)
        return (self.folder / "versions.txt").read_text().strip()

    def tables(self) -> dict[str, pd.DataFrame]:
        """Tables with competing risks that come with R packages."""
        self._ask("tables", self.folder)
        names = ("mgus2", "pbc", "melanoma", "paquid")
        return {name: pd.read_csv(self.folder / f"{name}.csv") for name in names}

    def risks(
        self,
        method: str,
        train: pd.DataFrame,
        test: pd.DataFrame,
        times: np.ndarray,
        cause: int,
    ) -> np.ndarray:
        """The incidence of a cause for held-out rows (rows x times), by "csc" or "fgr"."""
        for name, frame in (("train", train), ("test", test), ("times", _one(times))):
            frame.to_csv(self.folder / f"{name}.csv", index=False)
        self._ask(method, self.folder, cause)
        found = pd.read_csv(self.folder / "risks.csv", header=None)
        return np.clip(found.to_numpy(dtype=float), 0.0, 1.0)

    def leaves(self, leaf: np.ndarray, time: np.ndarray, cause: np.ndarray) -> pd.DataFrame:
        """What survfit finds in each leaf: a row for each leaf, cause and time."""
        frame = pd.DataFrame({"leaf": leaf, "time": time, "cause": cause})
        frame.to_csv(self.folder / "leaves.csv", index=False)
        self._ask("leaves", self.folder)
        return pd.read_csv(self.folder / "found.csv")


def _one(times: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame({"time": times})


def numbers_only(frame: pd.DataFrame) -> pd.DataFrame:
    """For R's models: levels as flags, medians in missing cells, no column constant."""
    outcome = frame[list(OUTCOME)]
    columns = pd.get_dummies(frame.drop(columns=list(OUTCOME)), drop_first=True, dtype=float)
    columns = columns.fillna(columns.median())
    columns.columns = [f"x{k}" for k in range(columns.shape[1])]
    return pd.concat([outcome, columns.loc[:, columns.nunique() > 1]], axis=1)
