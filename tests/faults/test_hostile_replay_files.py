"""Replay files that somebody spoiled, by accident or not: each is refused by name, none is run."""

import io
import json
import os
import tracemalloc
import zipfile

import numpy as np
import pytest

from survtree._search import read_replay, replay
from survtree._search.settings import SearchSettings
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
            replay.load(path, **most)
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
    found = replay.load(tmp_path / "case.npz").problem
    assert found.fingerprint() == random_case(SEED).problem.fingerprint()
    assert found.answers.shape == (20, 8)


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("time", put(4, -2.0), "times must not be negative; row 4 has -2.0"),
        ("time", put(4, NAN), "times must be finite; row 4 has nan"),
        ("time", put(4, INF), "times must be finite; row 4 has inf"),
        ("time", lambda a: 0 * a, "times must not all be 0"),
        ("time", lambda a: a[1:], "'features' must have 19 bytes"),
        ("time", lambda a: a[:0], "'features' must have 0 bytes"),
        ("time", lambda a: a[:, None], "'time' must have one dimension"),
        ("time", lambda a: a.astype("f4"), "the type float64; it has the shape (20,) and the type"),
        ("time", lambda a: a.astype(">f8"), "the type >f8"),
        ("time", lambda a: a.astype("S8"), "the type |S8"),
        ("time", lambda a: a.astype([("\x1b", "f8")]), "'time' must have one dimension"),
        ("time", lambda a: np.float64(1), "'time' must have one dimension"),
        ("weight", put(4, 0.0), "sample_weight must be positive and finite; row 4 has 0.0"),
        ("weight", put(4, NAN), "row 4 has nan"),
        ("weight", put(4, 1e300), "must not span more than a factor of 1e+12"),
        ("weight", lambda a: a[1:], "X has 20, it has 19"),
        ("event", lambda a: 0 * a, "no event was observed (20 of 20"),
        ("event", lambda a: a[1:], "'event' must have 3 bytes, a bit an answer; it has 2"),
        ("event", lambda a: a.astype(bool), "'event' must have one dimension and the type uint8"),
        ("features", lambda a: a[1:], "'features' must have 20 bytes, a bit an answer; it has 19"),
        ("features", lambda a: a.reshape(2, -1), "the shape (2, 10)"),
        ("features", lambda a: a.astype("i8"), "the type int64"),
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

    assert "the type object" in refused(with_array(good, "time", trapped))


@pytest.mark.parametrize("name", ["features", "time", "event", "weight"])
def test_an_array_that_is_missing(good, refused, name):
    arrays, header = parts(good)
    del arrays[name]
    assert f"its array '{name}' is missing" in refused(written(arrays, header))


def test_arrays_of_something_else(good, refused):
    stream = io.BytesIO()
    np.savez(stream, X=np.eye(3), y=np.ones(3))
    assert "it holds no 'header', but ['X', 'y']" in refused(stream.getvalue())
    arrays, header = parts(good)
    assert "'more' is none of them" in refused(written({**arrays, "more": np.ones(3)}, header))
    more = {**arrays, "limits.more": np.ones(20)}
    assert "knows no limit 'more'" in refused(written(more, header))
    gap = {**arrays, "limits.gap": np.ones(20)}
    assert "gap must be a finite number" in refused(written(gap, header))
    keys = {**arrays, "limits.check_keys": np.ones(20)}
    assert "'check_keys' must be true or false" in refused(written(keys, header))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "its header must be JSON; Expecting value"),
        ("{", "its header must be JSON"),
        ("\xff", "its header must be JSON; 'ascii' codec"),
        ("[" * 100_000, "its header must be JSON; "),
        ('{"format": ' + "9" * 5000 + "}", "its header must be JSON; "),
        ("[1, 2]", "its header must be a JSON object; it is [1, 2]"),
        ("null", "its header must be a JSON object; it is None"),
        ("{}", "it has None and None"),
        ('{"format": 1, "survtree": 3}', "it has 1 and 3"),
        ('{"format": true, "survtree": "1"}', "it has True and '1'"),
        ('{"format": 1, "survtree": "\\u001b[31m"}', r"1 and '\x1b[31m'"),
        ('{"format": 2, "survtree": "9.9"}', "it has format 2 of survtree 9.9. Run it with that"),
        ('{"format": 1, "survtree": "1"}', "must have an object 'limits'; it has None"),
    ],
)
def test_headers_that_are_nonsense(good, refused, text, said):
    assert said in refused(written(parts(good)[0], text))


def test_a_header_of_many_megabytes(good, refused, monkeypatch):
    monkeypatch.setattr(read_replay, "MOST_HEADER_BYTES", 100)
    assert "its header must have at most 100 bytes; it has " in refused(good)


@pytest.mark.parametrize(
    ("keys", "value", "said"),
    [
        (["problem"], [1], "an object 'problem'; it has [1]"),
        (
            ["problem"],
            {},
            "must tell regularization, max_depth, min_samples_leaf, max_leaves; it tells []",
        ),
        (["problem", "more"], 1, "'more'"),
        (["problem", "regularization"], "0.1", "regularization must be a finite number"),
        (["problem", "regularization"], -1, "regularization must be a finite number >= 0"),
        (["problem", "regularization"], INF, "regularization must be a finite number"),
        (["problem", "regularization"], 10**400, "regularization must be a finite number"),
        (["problem", "max_depth"], 2.5, "max_depth must be an integer"),
        (["problem", "max_depth"], True, "max_depth must be an integer"),
        (["problem", "max_depth"], 10**9, "max_depth must be an integer"),
        (["problem", "min_samples_leaf"], None, "min_samples_leaf must be an integer"),
        (["questions"], None, "an object 'questions'; it has None"),
        (["questions", "texts"], None, "the texts of its questions must be a list; got None"),
        (["questions", "texts"], [1] * 8, "the texts of its questions must be words"),
        (["questions", "texts"], ["\x1b[31m"] * 8, "the texts of its questions must be words"),
        (["questions", "texts"], ["a"] * 6, "the ranks of its 6 questions must be"),
        (["questions", "ranks"], [0] * 8, "the ranks of its 8 questions must be"),
        (
            ["questions", "ranks"],
            [0.0, 1, 2, 3, 4, 5, 6, 7],
            "the ranks of its 8 questions must be",
        ),
        (["questions", "ranks"], {}, "the ranks of its questions must be a list; got {}"),
        (["questions", "columns"], ["a"], "must be none or 8 names; got ['a']"),
        (["questions", "columns"], [[]] * 8, "must be none or 8 names"),
        (["limits"], "none", "an object 'limits'; it has 'none'"),
        (["limits", "\x1b[31m"], 1, r"knows no limit '\x1b[31m'"),
        (["limits", "gap"], "x" * 10**6, "gap must be a finite number"),
        (["limits", "gap"], NAN, "gap must be a finite number"),
        (["limits", "time_limit"], 0, "time_limit must be a finite number > 0"),
        (["limits", "n_jobs"], 0, "n_jobs must be an integer"),
        (["limits", "upper_bound"], [1], "upper_bound must be a finite number"),
        (["limits", "kernel"], "gpu", "'kernel' must be one of '', 'plain', 'avx2', 'avx512'"),
        (["limits", "kernel"], None, "'kernel' must be one of"),
        (["limits", "bounds_off"], ["all"], "'bounds_off' must be a list of some of 'hier"),
        (["limits", "bounds_off"], [["subtree"]], "'bounds_off' must be a list of some of"),
        (["limits", "bounds_off"], "subtree", "'bounds_off' must be a list of some of"),
        (["limits", "check_keys"], 1, "'check_keys' must be true or false; got 1"),
        (["limits", "seconds_gone"], -1, "'seconds_gone' must be a finite number >= 0; got -1"),
        (["limits", "node_limit"], "1", "node_limit must be an integer >= 1"),
        (["limits", "guessed_losses"], [1.0], "'guessed_losses' must be an array of 20 finite"),
        (["limits", "greedy_from"], -1, "'greedy_from' must be an integer from 0 to"),
        (["limits", "greedy_from"], 2**63, "'greedy_from' must be an integer from 0 to"),
        (["limits", "greedy_from"], 1.5, "'greedy_from' must be an integer from 0 to"),
    ],
)
def test_entries_of_the_header_that_a_fit_cannot_have(good, refused, keys, value, said):
    assert said in refused(with_entry(good, *keys, value=value))


def test_what_is_no_archive(refused, tmp_path):
    for content in (b"", b"time,event\n1,1\n", bytes(1000), b"PK\x03\x04" + bytes(100)):
        assert "cannot be read as an .npz file (BadZipFile" in refused(content)
    with pytest.raises(ValueError, match="it is a folder"):
        replay.load(tmp_path)
    with pytest.raises(ValueError, match="there is no such file"):
        replay.load(tmp_path / "nothing.npz")


def test_two_arrays_of_one_name(good, refused):
    stream = io.BytesIO(good)
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(stream, "a") as file:
        file.writestr("time.npy", b"")
    assert "a name of its own" in refused(stream.getvalue())


def test_members_that_are_no_arrays(refused):
    for content, said in (
        (b"", "EOF"),
        (b"\x93NUMPY\x01\x00", "EOF"),
        (b"\x93NUMPY\x03\x00\xff\xff\xff\xff", "version must be 1.0, not 3.0"),
        (b"\x93NUMPY\x01\x00\x02\x00[]", "header"),
        (npy((-1,)), "needs -1 bytes"),
        (npy((2**62,)), "needs 4,611,686,018,427,387,904 bytes"),
        (npy((3,)) + b"12", "needs 3 bytes"),
        (npy((3,)) + b"1234", "needs 3 bytes"),
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


def bomb(n_bytes, declared=None):
    """A file whose header unpacks to so many zeros, and the size that its directory declares."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        with file.open("header.npy", "w") as member:
            member.write(npy(((declared or n_bytes + 128) - 128,)))
            for _ in range(n_bytes // 2**20):
                member.write(bytes(2**20))
        if declared is not None:
            file.infolist()[0].file_size = declared
    return stream.getvalue()


def test_a_bomb_is_refused_by_what_its_directory_declares(refused, monkeypatch):
    content = bomb(2**26)
    assert len(content) < 2**17
    said = "it must unpack to at most 1,048,576 bytes; its directory declares 67,108,9"
    assert said in refused(content, most_bytes=2**20)
    monkeypatch.setattr(read_replay, "MOST_HEADER_BYTES", 2**20)
    assert "its header must have at most 1,048,576 bytes" in refused(content)


def test_a_bomb_that_lies_about_its_size_is_not_unpacked(refused):
    content = bomb(2**26, declared=2**16)
    tracemalloc.start()
    message = refused(content)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "its array 'header' cannot be read (BadZipFile: Bad CRC-32" in message
    assert peak < 2**24


def test_answers_that_would_fill_the_memory(good, refused):
    arrays, header = parts(good)
    header["questions"] = {"texts": ["a"] * 999, "ranks": list(range(999)), "columns": []}
    message = refused(written(arrays, header), most_bytes=15_000)
    assert "at most 15,000 bytes; 20 rows of 999 answers are more" in message


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
            found = replay.load(path)
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
            replay.load(path)
