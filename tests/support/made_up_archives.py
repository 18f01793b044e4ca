"""Small archives in place of the published ones, and a table that describes them."""

import hashlib
import io
import tarfile
from dataclasses import replace

import numpy as np

from survtree.datasets import _fetch
from survtree.datasets._paper_sets import HOUSEHOLD, OSRT, OSST, TABLES

ONE = b"a,event,time\n1,1,2.5\n0,0,7\n"
TWO = b"b,event,time\n0,1,3\n"
FLAGS = b",A,B,censoring,target\n0,1,0,1,3.8\n1,0,1,0,0.4\n"
MEASURED = b"A,B,power\n1,0,3.6660000000000004\n0,1,0.08199999999999999\n"
ARRAYS = {
    "X": np.array([[1, 0], [0, 1]], dtype=np.uint8),
    "event": np.array([1, 0], dtype=np.uint8),
    "time": np.array([3.666, 0.082]),
    "names": np.array(["A", "B"]),
}


def inside(archive, path):
    return f"{archive.folder}/experiments/datasets/{path}"


def regular(name, content):
    info = tarfile.TarInfo(name)
    info.size = len(content)
    return info, content


def link(name, kind, target):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info, b""


def packed(path, members):
    with tarfile.open(path, "w:gz") as tar:
        for info, content in members:
            tar.addfile(info, io.BytesIO(content))


class Publisher:
    """Two archives in a folder, and the table that describes them."""

    def __init__(self, folder, monkeypatch):
        self.folder, self.monkeypatch = folder, monkeypatch
        folder.mkdir()
        self.osst = {
            name: regular(inside(OSST, f"{name}/{name}.csv"), content)
            for name, content in (("one", ONE), ("two", TWO), ("household", FLAGS))
        }
        path = "household_consumption/household.csv"
        self.osrt = {"household": regular(inside(OSRT, path), MEASURED)}

    def publish(self):
        """Packs the archives and records their checksums, and those of the tables above."""
        osst = self.pinned(OSST, self.osst.values())
        osrt = self.pinned(OSRT, self.osrt.values())
        tables = tuple(self.table(osst, *each) for each in (("one", ONE), ("two", TWO)))
        flags, measured = HOUSEHOLD.members
        members = (
            replace(flags, archive=osst, n_bytes=len(FLAGS)),
            replace(measured, archive=osrt, n_bytes=len(MEASURED)),
        )
        checksum = _fetch._array_checksum(ARRAYS)
        household = replace(HOUSEHOLD, n_columns=2, members=members, sha256=checksum)
        exchanged = {"OSST": osst, "OSRT": osrt, "TABLES": tables, "HOUSEHOLD": household}
        for name, value in exchanged.items():
            self.monkeypatch.setattr(_fetch, name, value)
        return self.folder

    def pinned(self, archive, members):
        path = self.folder / archive.file
        packed(path, members)
        return replace(archive, sha256=hashlib.sha256(path.read_bytes()).hexdigest())

    def table(self, osst, name, content):
        path = inside(osst, f"{name}/{name}.csv")
        member = replace(TABLES[0].members[0], archive=osst, path=path, n_bytes=len(content))
        checksum = hashlib.sha256(content).hexdigest()
        file = f"{name}.csv"
        return replace(TABLES[0], name=name, file=file, members=(member,), sha256=checksum)
