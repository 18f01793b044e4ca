"""Replay files that somebody spoiled, by accident or not: each is refused by name, none is run."""

import io
import json
import os
import tracemalloc
import zipfile

import numpy as np
import pytest

from survtree._search import read_replay as reading
from survtree._search import replay
from survtree._search.problem import SearchSettings
from survtree._search.read_replay import read_replay
from tests.support.problems import random_case
from tests.support.rights import not_as_root, open_folder

SEED = 3  # 20 rows, 8 questions
NAN, INF = float("nan"), float("inf")


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """The bytes of a good file."""
    folder = tmp_path_factory.mktemp("good")
    return replay.save(random_case(SEED).problem, SearchSettings(), folder).read_bytes()


@pytest.fixture
def refused(tmp_path):
    """Loads what it is given as a file, which must be refused; returns the message."""

    def refuse(content, **most):
        path = tmp_path / "case.npz"
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"case\.npz must be a replay file; ") as caught:
            read_replay(path, **most)
        message = str(caught.value)
        assert type(caught.value) is ValueError
        assert message.isprintable()
        assert len(message) < 1000
        return message

    return refuse


def parts(content):
    """The arrays of a file and its header."""
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    return arrays, json.loads(arrays.pop("header").tobytes())


def written(arrays, header):
    """A file of them; the header may be text already."""
    text = header if isinstance(header, str) else json.dumps(header)
    stream = io.BytesIO()
    raw = np.frombuffer(text.encode("utf-8"), dtype=np.uint8)
    np.savez_compressed(stream, header=raw, **arrays)
    return stream.getvalue()


def with_array(content, name, change):
    """The file with one array changed."""
    arrays, header = parts(content)
    arrays[name] = change(arrays[name])
    return written(arrays, header)


def with_entry(content, *keys, value):
    """The file with one entry of its header changed."""
    arrays, header = parts(content)
    inner = header
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    return written(arrays, header)


def put(place, value):
    """A change of one value."""

    def change(array):
        out = array.copy()
        out[place] = value
        return out

    return change


def test_the_good_file_is_good(good, tmp_path):
    (tmp_path / "case.npz").write_bytes(written(*parts(good)))
    found = read_replay(tmp_path / "case.npz").problem
    assert found.fingerprint() == random_case(SEED).problem.fingerprint()
    assert found.answers.shape == (20, 8)


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("time", put(4, -2.0), "times must not be negative; row 4 has -2.0"),
        ("time", put(4, NAN), "times must be finite; row 4 has nan"),
        ("time", put(4, INF), "times must be finite; row 4 has inf"),
        ("time", lambda a: 0 * a, "times must not all be 0"),
        ("time", lambda a: a[1:], "'answers' must have 19 bytes"),
        ("time", lambda a: a[:0], "at least one row; got 0"),
        ("time", lambda a: a[:, None], "'time' must have one dimension"),
        (
            "time",
            lambda a: a.astype("f4"),
            "the type float64; got ((20,), 'float32')",
        ),
        ("time", lambda a: a.astype(">f8"), "got ((20,), '>f8')"),
        ("time", lambda a: a.astype("S8"), "got ((20,), '|S8')"),
        ("time", lambda a: a.astype([("\x1b", "f8")]), "'time' must have one dimension"),
        ("time", lambda a: np.float64(1), "'time' must have one dimension"),
        ("weight", put(4, 0.0), "its weights must be above 0; got 0.0"),
        ("weight", put(4, NAN), "row 4 has nan"),
        ("weight", put(4, 1e300), "must not span more than a factor of 1e+12"),
        ("weight", lambda a: a[1:], "X has 20, it has 19"),
        ("event", lambda a: 0 * a, "no event was observed (20 of 20"),
        ("event", lambda a: a[1:], "'event' must have 3 bytes, a bit an answer; got 2"),
        ("event", lambda a: a.astype(bool), "'event' must have one dimension and the type uint8"),
        ("answers", lambda a: a[1:], "'answers' must have 20 bytes, a bit an answer; got 19"),
        ("answers", lambda a: a.reshape(2, -1), "got ((2, 10), 'uint8')"),
        ("answers", lambda a: a.astype("i8"), "got ((20,), 'int64')"),
    ],
)
def test_arrays_of_another_shape_type_or_range(good, refused, name, change, said):
    assert said in refused(with_array(good, name, change))


def test_no_rows_at_all(good, refused):
    arrays, header = parts(good)
    assert "at least one row" in refused(written({k: a[:0] for k, a in arrays.items()}, header))


def test_objects_are_never_unpickled(good, refused):
    class Trap:
        def __reduce__(self):
            return os.abort, ()

    def trapped(array):
        out = np.empty(len(array), dtype=object)
        out[0] = Trap()
        return out

    assert "Object arrays cannot be loaded" in refused(with_array(good, "time", trapped))


@pytest.mark.parametrize("name", ["answers", "time", "event", "weight"])
def test_an_array_that_is_missing(good, refused, name):
    arrays, header = parts(good)
    del arrays[name]
    assert f"it must hold an array '{name}'; got [" in refused(written(arrays, header))


def test_arrays_of_something_else(good, refused):
    stream = io.BytesIO()
    np.savez(stream, X=np.eye(3), y=np.ones(3))
    assert "it must hold an array 'header'; got ['X', 'y']. Pass" in refused(stream.getvalue())
    arrays, header = parts(good)
    assert "it must hold no other arrays; got ['more']" in refused(
        written({**arrays, "more": np.ones(3)}, header)
    )
    more = {**arrays, "settings.more": np.ones(20)}
    assert "no settings that are not known here; got ['more']. Run" in refused(
        written(more, header)
    )
    gap = {**arrays, "settings.gap": np.ones(20)}
    assert "header.settings.gap must be a number; got array(" in refused(written(gap, header))
    keys = {**arrays, "settings.check_keys": np.ones(20)}
    assert "header.settings.check_keys must be true or false" in refused(written(keys, header))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "its header must be JSON; Expecting value"),
        ("{", "its header must be JSON"),
        ("\xff", "its header must be JSON; Expecting value"),
        ("[" * 100_000, "its header must be JSON; "),
        ('{"format": ' + "9" * 5000 + "}", "its header must be JSON; "),
        ("[1, 2]", "header must be an object; got [1, 2]"),
        ("null", "header must be an object; got None"),
        ("{}", "header.format is missing"),
        ('{"format": 1, "survtree": 3}', "header.survtree must be a text; got 3"),
        ('{"format": true, "survtree": "1"}', "header.format must be a whole number; got True"),
        ('{"format": 1, "survtree": "\\u001b[31m"}', r"header.survtree must be a text matching"),
        ('{"format": 5, "survtree": "9.9"}', "must be 1 to 4; got 5. Run it with survtree 9.9"),
        ('{"format": 0, "survtree": "9.9"}', "must be 1 to 4; got 0. Run it with survtree 9.9"),
        ('{"format": 1, "format": 1}', "its header must be JSON; the name 'format' occurs twice"),
        ('{"format": 1, "survtree": "1"}', "header.problem is missing"),
    ],
)
def test_headers_that_are_nonsense(good, refused, text, said):
    assert said in refused(written(parts(good)[0], text))


def test_a_header_of_many_megabytes(good, refused, monkeypatch):
    monkeypatch.setattr(reading, "MOST_HEADER_BYTES", 100)
    assert "its header must have at most 100 bytes; got " in refused(good)


@pytest.mark.parametrize(
    ("keys", "value", "said"),
    [
        (["problem"], [1], "header.problem must be an object; got [1]"),
        (
            ["problem"],
            {},
            "must tell regularization, max_depth, min_samples_leaf, max_leaves, "
            "min_events_leaf, loss, column_penalties, first_split; got []",
        ),
        (["problem", "more"], 1, "'more'"),
        (["problem", "regularization"], "0.1", "regularization must be a finite number"),
        (["problem", "regularization"], -1, "regularization must be a finite number >= 0"),
        (["problem", "regularization"], INF, "'Infinity' is not a finite number"),
        (["problem", "regularization"], 10**400, "its header must be JSON; '1000"),
        (["problem", "max_depth"], 2.5, "max_depth must be an integer"),
        (["problem", "max_depth"], True, "max_depth must be an integer"),
        (["problem", "max_depth"], 10**9, "max_depth must be an integer"),
        (["problem", "min_samples_leaf"], None, "min_samples_leaf must be an integer"),
        (["problem", "min_events_leaf"], "auto", "min_events_leaf must be an integer >= 0"),
        (["problem", "min_events_leaf"], "default", "min_events_leaf must be an integer >= 0"),
        (["questions"], None, "header.questions must be an object; got None"),
        (["questions", "texts"], None, "header.questions.texts must be a list; got None"),
        (["questions", "texts"], [1] * 8, "header.questions.texts[0] must be a text; got 1"),
        (["questions", "texts"], ["\x1b[31m"] * 8, "header.questions: texts must be printable"),
        (
            ["questions", "texts"],
            ["a"] * 6,
            "header.questions: ranks must be 0, 1, ..., 5, each once",
        ),
        (
            ["questions", "ranks"],
            [0] * 8,
            "header.questions: ranks must be 0, 1, ..., 7, each once",
        ),
        (
            ["questions", "ranks"],
            [0.0, 1, 2, 3, 4, 5, 6, 7],
            "header.questions.ranks[0] must be a whole number; got 0.0",
        ),
        (["questions", "ranks"], {}, "header.questions.ranks must be a list; got {}"),
        (["questions", "columns"], ["a"], "must be none or 8 names; got ['a']"),
        (["questions", "columns"], [[]] * 8, "header.questions.columns[0] must be a text; got []"),
        (["settings"], "none", "header.settings must be an object; got 'none'"),
        (["settings", "\x1b[31m"], 1, r"not known here; got ['\x1b[31m']"),
        (["settings", "gap"], "x" * 10**6, "header.settings.gap must be a number; got 'xxx"),
        (["settings", "gap"], NAN, "its header must be JSON; 'NaN' is not a finite number"),
        (["settings", "time_limit"], 0, "time_limit must be a finite number > 0"),
        (["settings", "n_jobs"], 0, "n_jobs must be an integer"),
        (
            ["settings", "upper_bound"],
            [1],
            "header.settings.upper_bound must be a number or null; got [1]",
        ),
        (
            ["settings", "kernel"],
            "gpu",
            "kernel must be among '', 'plain', 'avx2', 'avx512'; got 'gpu'",
        ),
        (["settings", "kernel"], None, "header.settings.kernel must be a text; got None"),
        (
            ["settings", "bounds_off"],
            ["all"],
            "bounds_off must be among 'hierarchical', 'subtree', ",
        ),
        (
            ["settings", "bounds_off"],
            [["subtree"]],
            "bounds_off[0] must be a text; got ['subtree']",
        ),
        (["settings", "bounds_off"], "subtree", "bounds_off must be a list; got 'subtree'"),
        (["settings", "check_keys"], 1, "check_keys must be true or false; got 1"),
        (["settings", "seconds_gone"], -1, "seconds_gone must be a number from 0 to"),
        (
            ["settings", "node_limit"],
            "1",
            "header.settings.node_limit must be a whole number or null; got '1'",
        ),
        (["settings", "guessed_losses"], [1.0], "guessed_losses must be an array of its own"),
        (["settings", "greedy_from"], -1, "greedy_from must be a number from 0 to"),
        (["settings", "greedy_from"], 2**63, "greedy_from must be a number from 0 to"),
        (["settings", "greedy_from"], 1.5, "greedy_from must be a whole number; got 1.5"),
    ],
)
def test_entries_of_the_header_that_a_fit_cannot_have(good, refused, keys, value, said):
    assert said in refused(with_entry(good, *keys, value=value))


def test_what_is_no_archive(refused, tmp_path):
    for content in (b"", b"time,event\n1,1\n", bytes(1000), b"PK\x03\x04" + bytes(100)):
        assert "cannot be read as an .npz file (BadZipFile" in refused(content)
    with pytest.raises(ValueError, match=r"Is a directory|Permission denied"):
        read_replay(tmp_path)
    with pytest.raises(ValueError, match=r"No such file or directory\. Check the path"):
        read_replay(tmp_path / "nothing.npz")


def test_two_arrays_of_one_name(good, refused):
    stream = io.BytesIO(good)
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(stream, "a") as file:
        file.writestr("time.npy", b"")
    assert "its arrays must have different names" in refused(stream.getvalue())


def test_members_that_are_no_arrays(refused):
    for content, said in (
        (b"", "EOF"),
        (b"\x93NUMPY\x01\x00", "EOF"),
        (b"\x93NUMPY\x03\x00\xff\xff\xff\xff", "expected 4294967295 bytes got 0"),
        (b"\x93NUMPY\x01\x00\x02\x00[]", "header"),
        (npy((-1,)), "ValueError"),
        (npy((2**62,)), "Error"),
        (npy((3,)) + b"12", "expected 3 bytes got 2"),
        (npy((3,)) + b"1234", "its shape must need all of its bytes; got (3,)"),
    ):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as file:
            file.writestr("header.npy", content)
        message = refused(stream.getvalue())
        assert "its array 'header' cannot be read (" in message
        assert said in message


def npy(shape, kind="|u1"):
    """The start of an .npy file that declares this shape."""
    text = repr({"descr": kind, "fortran_order": False, "shape": shape}).ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def bomb(n_bytes, declared=None, start=None, method=zipfile.ZIP_DEFLATED):
    """A file whose header unpacks to so many zeros, and the size that its directory declares."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as file:
        with file.open("header.npy", "w") as member:
            member.write(start or npy(((declared or n_bytes + 128) - 128,)))
            for _ in range(n_bytes // 2**20):
                member.write(bytes(2**20))
        if declared is not None:
            file.infolist()[0].file_size = declared
    return stream.getvalue()


def test_a_bomb_is_refused_by_what_its_directory_declares(refused, monkeypatch):
    content = bomb(2**26)
    assert len(content) < 2**17
    said = "it must unpack to at most 1,048,576 bytes; got 67108992. If you trust it"
    assert said in refused(content, most_bytes=2**20)
    monkeypatch.setattr(reading, "MOST_HEADER_BYTES", 2**20)
    assert "its header must have at most 1,048,576 bytes" in refused(content)


# NumPy alone would read all of the second, whose .npy header declares to be four gigabytes long.
@pytest.mark.parametrize("start", [None, b"\x93NUMPY\x03\x00\xff\xff\xff\xff"])
def test_a_bomb_that_lies_about_its_size_is_not_unpacked(refused, start):
    content = bomb(2**26, 2**16, start)
    tracemalloc.start()
    message = refused(content)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "its array 'header' cannot be read (BadZipFile: Bad CRC-32" in message
    assert peak < 2**24


# zipfile unpacks these without a limit, whatever size is declared.
@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_to_pack_are_refused_before_anything_is_unpacked(refused, method):
    content = bomb(2**26, 2**16, method=method)
    tracemalloc.start()
    assert f"its arrays must be stored or deflated; got {{{method}}}" in refused(content)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**24


def test_answers_that_would_fill_the_memory(good, refused):
    arrays, header = parts(good)
    header["questions"] = {"texts": ["a"] * 999, "ranks": list(range(999)), "columns": []}
    message = refused(written(arrays, header), most_bytes=15_000)
    assert "must unpack to at most 15,000 bytes; got (20, 999). If" in message


@pytest.mark.slow
def test_every_truncated_file_is_refused(good, refused):
    for length in range(0, len(good), 7):
        refused(good[:length])


@pytest.mark.slow
def test_no_damaged_byte_raises_anything_else(good, tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "case.npz"
    expected = random_case(SEED).problem.fingerprint()
    messages = []
    for _ in range(1500):
        content = bytearray(good)
        content[rng.integers(len(good))] = rng.integers(256)
        path.write_bytes(content)
        try:
            found = read_replay(path)
        except ValueError as error:
            messages.append(str(error))
        else:  # a byte that says nothing, as the time of a member, or the same byte again
            assert found.problem.fingerprint() == expected
    assert len(messages) > 1000
    assert all(text.startswith(f"{path} must be a replay file; ") for text in messages)


@pytest.mark.skipif(os.name != "posix", reason="rights of files are those of Unix")
def test_a_file_that_may_not_be_read(good):
    with open_folder() as folder:
        path = folder / "case.npz"
        path.write_bytes(good)
        path.chmod(0)
        with not_as_root(), pytest.raises(ValueError, match="Permission denied"):
            read_replay(path)
