"""fetch(): what it writes, what it refuses, and that nothing half-done is ever seen.

No test needs a network. Archives are made here, and the table of what is published is exchanged
for one that describes them.
"""

import errno
import logging
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import numpy as np
import pytest

from benchmarks import data
from survtree.datasets import FetchError, _fetch, fetch
from survtree.datasets._paper_sets import HOUSEHOLD, OSRT, OSST, TABLES
from tests.support.made_up_archives import ARRAYS, ONE, TWO, Publisher, link, regular
from tests.support.paper_data import paper_data

FILES = ["household_raw_time.npz", "one.csv", "two.csv"]


@pytest.fixture
def publisher(tmp_path, monkeypatch):
    return Publisher(tmp_path / "archives", monkeypatch)


@pytest.fixture
def archives(publisher):
    return publisher.publish()


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "made" / "here"


@pytest.fixture
def downloaded(archives, monkeypatch):
    """Names of the archives that were asked for; pip is not run."""
    asked = []

    def download(archive, scratch):
        asked.append(archive.name)
        shutil.copy(archives / archive.file, scratch)

    monkeypatch.setattr(_fetch, "_download", download)
    return asked


def listed(folder):
    return sorted(path.name for path in folder.iterdir())


def stamp(folder):
    """Dates the files back, so that those written later can be told."""
    for path in folder.iterdir():
        os.utime(path, (1, 1))


def untouched(folder):
    return sorted(path.name for path in folder.iterdir() if path.stat().st_mtime == 1)


def test_tables_are_copied_and_household_is_put_together(archives, folder):
    files = fetch(folder, archives=archives)
    assert listed(folder) == FILES
    assert (folder / "one.csv").read_bytes() == ONE
    assert (folder / "two.csv").read_bytes() == TWO
    assert files == {name: folder / f"{name}.csv" for name in ("one", "two")} | {
        "household": folder / HOUSEHOLD.file
    }
    with np.load(folder / HOUSEHOLD.file) as made:
        assert made.files == list(ARRAYS)
        for name, values in ARRAYS.items():
            assert made[name].dtype == values.dtype
            np.testing.assert_array_equal(made[name], values)


def test_files_can_be_read_by_whoever_may_read_others_of_the_user(archives, folder):
    fetch(folder, archives=archives)
    ordinary = folder / "ordinary"
    ordinary.touch()
    assert (folder / "one.csv").stat().st_mode == ordinary.stat().st_mode


def test_a_second_run_keeps_everything_says_so_and_downloads_nothing(downloaded, folder, caplog):
    caplog.set_level(logging.INFO, logger="survtree")
    fetch(folder)
    stamp(folder)
    assert downloaded == ["osst", "osrt"]
    assert "downloading osst-0.1.8.tar.gz" in caplog.text
    caplog.clear()
    fetch(folder)
    assert untouched(folder) == FILES
    assert downloaded == ["osst", "osrt"]
    assert caplog.messages == [f"{n} is already there" for n in ("one.csv", "two.csv", FILES[0])]


@pytest.mark.parametrize(
    ("lost", "needed"), [("two.csv", ["osst"]), (HOUSEHOLD.file, ["osst", "osrt"])]
)
def test_only_what_is_missing_is_obtained(lost, needed, downloaded, folder):
    fetch(folder)
    (folder / lost).unlink()
    stamp(folder)
    downloaded.clear()
    fetch(folder)
    assert downloaded == needed
    assert listed(folder) == FILES
    assert untouched(folder) == [name for name in FILES if name != lost]


def test_force_writes_everything_anew(archives, folder):
    fetch(folder, archives=archives)
    (folder / "one.csv").write_bytes(b"mine")
    stamp(folder)
    fetch(folder, archives=archives, force=True)
    assert listed(folder) == FILES
    assert untouched(folder) == []
    assert (folder / "one.csv").read_bytes() == ONE


@pytest.mark.parametrize("name", ["one.csv", HOUSEHOLD.file])
def test_another_file_of_that_name_is_not_overwritten(name, downloaded, folder):
    folder.mkdir(parents=True)
    (folder / name).write_bytes(b"mine")
    with pytest.raises(FetchError, match=r"is not the published file.*--force"):
        fetch(folder)
    assert (folder / name).read_bytes() == b"mine"
    assert listed(folder) == [name]
    assert downloaded == []


def test_a_cut_or_changed_household_file_is_noticed(archives, folder):
    fetch(folder, archives=archives)
    path = folder / HOUSEHOLD.file
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FetchError, match="not the published file"):
        fetch(folder, archives=archives)
    np.savez_compressed(path, **ARRAYS | {"time": np.array([3.666, 0.083])})
    with pytest.raises(FetchError, match="not the published file"):
        fetch(folder, archives=archives)
    np.savez(path, **ARRAYS)
    fetch(folder, archives=archives)


def test_an_archive_with_another_checksum_is_not_opened(archives, folder, monkeypatch):
    path = archives / OSST.file
    path.write_bytes(path.read_bytes() + b"\0")
    monkeypatch.setattr(tarfile, "open", lambda *_, **__: pytest.fail("it was opened"))
    with pytest.raises(FetchError, match=r"osst-0\.1\.8\.tar\.gz must have the SHA-256 checksum"):
        fetch(folder, archives=archives)
    assert listed(folder) == []


@pytest.mark.parametrize(
    ("archive", "lost", "path"),
    [("osst", "two", "two/two.csv"), ("osrt", "household", "household_consumption/household.csv")],
)
def test_a_missing_member_is_named(archive, lost, path, publisher, folder):
    del getattr(publisher, archive)[lost]
    with pytest.raises(FetchError, match=rf"{archive}-.*does not hold {archive}-\S*{path}"):
        fetch(folder, archives=publisher.publish())


@pytest.mark.parametrize(
    "name", ["../two.csv", "/two.csv", "../../archives/new", "a/../../two.csv"]
)
def test_members_that_point_elsewhere_are_never_written(name, publisher, folder, tmp_path):
    outside = f"{tmp_path}{name}" if name.startswith("/") else name
    publisher.osst = {"evil": regular(outside, b"evil"), **publisher.osst}
    publisher.publish()
    fetch(folder, archives=publisher.folder)
    files = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {*FILES, OSST.file, OSRT.file}
    assert (folder / "two.csv").read_bytes() == TWO


def test_a_path_is_not_tidied_up_to_the_expected_one(publisher, folder):
    info, content = publisher.osst["two"]
    publisher.osst["two"] = regular(info.name.replace("/two/", "/x/../two/"), content)
    with pytest.raises(FetchError, match="does not hold"):
        fetch(folder, archives=publisher.publish())
    assert "two.csv" not in listed(folder)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_not_followed(kind, publisher, folder, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(TWO)
    publisher.osst["two"] = link(publisher.osst["two"][0].name, kind, str(secret))
    with pytest.raises(FetchError, match=r"two\.csv is not a regular file"):
        fetch(folder, archives=publisher.publish())
    assert listed(folder) == ["one.csv"]


def test_a_member_larger_than_recorded_is_not_read(publisher, folder):
    publisher.osst["two"] = regular(publisher.osst["two"][0].name, TWO + b"\n")
    with pytest.raises(FetchError, match=rf"has {len(TWO) + 1} bytes, {len(TWO)} are expected"):
        fetch(folder, archives=publisher.publish())
    assert listed(folder) == ["one.csv"]


@pytest.mark.parametrize("name", ["two", "household"])
def test_a_member_with_other_content_is_not_written(name, publisher, folder):
    info, content = publisher.osst[name]
    publisher.osst[name] = info, content.replace(b"0,1", b"1,0")
    with pytest.raises(
        FetchError, match=r"has the checksum \w{64}, not \w{64}; it was not written"
    ):
        fetch(folder, archives=publisher.publish())
    assert not [path for path in listed(folder) if path.startswith(name)]


@pytest.mark.parametrize("is_there", [False, True])
def test_a_file_gets_its_name_only_when_it_is_whole(is_there, archives, folder, monkeypatch):
    folder.mkdir(parents=True)
    if is_there:
        (folder / "one.csv").write_bytes(b"old")
    seen = []

    def fsync(number):
        seen.extend(listed(folder))
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fsync)
    with pytest.raises(FetchError, match=r"one\.csv could not be written: No space left"):
        fetch(folder, archives=archives, force=True)
    assert [name for name in seen if not name.endswith(".part")] == ["one.csv"] * is_there
    assert any(name.endswith(".part") for name in seen)
    assert listed(folder) == ["one.csv"] * is_there
    assert not is_there or (folder / "one.csv").read_bytes() == b"old"


def test_what_was_complete_before_a_failure_stays_and_the_next_run_goes_on(
    archives, folder, monkeypatch
):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(np, "savez_compressed", interrupted)
        with pytest.raises(KeyboardInterrupt):
            fetch(folder, archives=archives)
    assert listed(folder) == ["one.csv", "two.csv"]
    stamp(folder)
    fetch(folder, archives=archives)
    assert listed(folder) == FILES
    assert untouched(folder) == ["one.csv", "two.csv"]


@pytest.mark.parametrize("below", ["", "deeper/still"])
def test_a_file_in_place_of_the_folder_is_refused(below, downloaded, tmp_path):
    (tmp_path / "file").write_bytes(b"mine")
    with pytest.raises(ValueError, match=r"folder must be a folder.*file is a file"):
        fetch(tmp_path / "file" / below)
    assert (tmp_path / "file").read_bytes() == b"mine"
    assert downloaded == []


def test_a_folder_that_cannot_be_written_is_refused_before_the_download(
    downloaded, folder, monkeypatch
):
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with pytest.raises(FetchError, match="cannot be written to"):
        fetch(folder)
    assert downloaded == []


def test_a_complete_folder_need_not_be_writable(archives, folder, monkeypatch):
    files = fetch(folder, archives=archives)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert fetch(folder) == files


def test_a_folder_that_cannot_be_made_is_refused(downloaded, folder, monkeypatch):
    def mkdir(self, **_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(self))

    monkeypatch.setattr(Path, "mkdir", mkdir)
    with pytest.raises(FetchError, match="cannot be made: Permission denied"):
        fetch(folder)


@pytest.mark.parametrize("lost", ["", OSRT.file])
def test_archives_must_hold_both(lost, archives, folder):
    given = archives / "nowhere" if not lost else archives
    (given / lost).unlink(missing_ok=True)
    with pytest.raises(ValueError, match=r"osst-0\.1\.8\.tar\.gz and osrt-.* is not there"):
        fetch(folder, archives=given)


def test_without_pip_it_says_what_to_do(folder, monkeypatch):
    monkeypatch.setattr(_fetch.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(FetchError, match=r"pip is needed.*-m ensurepip.*--archives"):
        fetch(folder)
    assert listed(folder) == []


def test_the_last_words_of_pip_are_shown(folder, monkeypatch):
    output = "\n".join(f"line {i}" for i in range(20)) + "\nERROR: No matching distribution\n"

    def run(command, **_):
        return subprocess.CompletedProcess(command, 1, output)

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(FetchError, match="pip could not download") as caught:
        fetch(folder)
    text = str(caught.value)
    assert "    line 19\n    ERROR: No matching distribution\n" in text
    assert "line 3\n" not in text
    assert "pip config list" in text
    assert "--archives" in text
    assert listed(folder) == []


@pytest.fixture
def index(publisher, tmp_path, monkeypatch):
    """What pip can reach: the folder of archives, whose build scripts must not be run."""
    pytest.importorskip("pip")
    marker = tmp_path / "setup.py was run"
    script = f"open({str(marker)!r}, 'w')".encode()
    wants = b'[build-system]\nrequires = ["nowhere"]\nbuild-backend = "setuptools.build_meta"\n'
    for archive, members in ((OSST, publisher.osst), (OSRT, publisher.osrt)):
        members["script"] = regular(f"{archive.folder}/setup.py", script)
        members["wants"] = regular(f"{archive.folder}/pyproject.toml", wants)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(publisher.folder))
    return marker


@pytest.mark.slow
def test_pip_delivers_the_archives_without_running_or_installing_anything(index, publisher, folder):
    publisher.publish()
    fetch(folder)
    assert listed(folder) == FILES
    assert not index.exists()


@pytest.mark.slow
def test_pip_itself_refuses_an_archive_with_another_checksum(index, publisher, folder):
    path = publisher.publish() / OSST.file
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(FetchError, match=r"pip could not download(.|\n)*[Ee]xpected sha256"):
        fetch(folder)
    assert listed(folder) == []


def test_every_file_the_benchmarks_read_is_fetched():
    written = {each.name: each.file for each in (*TABLES, HOUSEHOLD)}
    assert written == {name: f"{name}.csv" for name in data.NAMES} | {"household": data.HOUSEHOLD}
    assert len(written) == 17


@pytest.mark.parametrize("each", TABLES, ids=lambda each: each.name)
def test_recorded_tables_are_the_published_ones(each):
    folder = paper_data()
    path = folder / each.file
    assert _fetch._checksum(path) == each.sha256
    assert path.stat().st_size == each.members[0].n_bytes
    table = data.read(folder, each.name)
    assert (*table.X.shape, table.event.sum()) == (each.n_rows, each.n_columns, each.n_events)


def test_recorded_household_is_the_published_one():
    path = paper_data() / HOUSEHOLD.file
    assert _fetch._checksum(path) == HOUSEHOLD.sha256
    with np.load(path) as file:
        counts = (*file["X"].shape, file["event"].sum())
    assert counts == (HOUSEHOLD.n_rows, HOUSEHOLD.n_columns, HOUSEHOLD.n_events)
