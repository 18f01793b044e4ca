"""Odd files for the command line."""

import gzip
import io
import zipfile

from tests.odd.frames import good

GOOD = good().to_csv(index=False)


def parquet() -> bytes:
    out = io.BytesIO()
    good().to_parquet(out)
    return out.getvalue()


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("rows.csv", GOOD)
    return out.getvalue()


FILES: dict[str, tuple[str, bytes]] = {
    "good": ("rows.csv", GOOD.encode()),
    "empty": ("rows.csv", b""),
    "one line break": ("rows.csv", b"\n"),
    "a header alone": ("rows.csv", b"time,event,age\n"),
    "a header and a blank line": ("rows.csv", b"time,event,age\n\n"),
    "no header": ("rows.csv", GOOD.split("\n", 1)[1].encode()),
    "blank lines between": ("rows.csv", GOOD.replace("\n", "\n\n").encode()),
    "no line break at the end": ("rows.csv", GOOD.rstrip("\n").encode()),
    "Windows lines": ("rows.csv", GOOD.replace("\n", "\r\n").encode()),
    "old Mac lines": ("rows.csv", GOOD.replace("\n", "\r").encode()),
    "a byte order mark": ("rows.csv", b"\xef\xbb\xbf" + GOOD.encode()),
    "UTF-16": ("rows.csv", GOOD.encode("utf-16")),
    "UTF-32": ("rows.csv", GOOD.encode("utf-32")),
    "latin-1": ("rows.csv", GOOD.replace("stage", "größe").encode("latin-1")),
    "bytes of no encoding": (
        "rows.csv",
        GOOD.replace("III", "\udcff").encode("utf-8", "surrogateescape"),
    ),
    "zero bytes": ("rows.csv", GOOD.replace("III", "I\x00I").encode()),
    "only zero bytes": ("rows.csv", b"\x00" * 10_000),
    "random bytes": ("rows.csv", bytes(range(256)) * 40),
    "semicolons": ("rows.csv", GOOD.replace(",", ";").encode()),
    "tabs": ("rows.csv", GOOD.replace(",", "\t").encode()),
    "tabs in a TSV": ("rows.tsv", GOOD.replace(",", "\t").encode()),
    "blanks": ("rows.csv", GOOD.replace(",", " ").encode()),
    "a cell more": ("rows.csv", GOOD.replace("III", "III,9", 1).encode()),
    "a cell less": ("rows.csv", GOOD.replace(",III", "", 1).encode()),
    "an open quote": ("rows.csv", GOOD.replace("III", '"III', 1).encode()),
    "a quote within": ("rows.csv", GOOD.replace("III", 'I"II', 1).encode()),
    "quoted lines": ("rows.csv", GOOD.replace("III", '"I\nII"').encode()),
    "a comment": ("rows.csv", b"# made today\n" + GOOD.encode()),
    "a comma at every end": ("rows.csv", GOOD.replace("\n", ",\n").encode()),
    "a million commas": ("rows.csv", b"," * 1_000_000),
    "a line of ten million letters": ("rows.csv", b"a" * 10_000_000),
    "names twice": ("rows.csv", GOOD.replace("stage", "age", 1).encode()),
    "no names": ("rows.csv", GOOD.replace("age,stage", ",", 1).encode()),
    "JSON": ("rows.csv", good().to_json().encode()),
    "HTML": ("rows.csv", good().to_html().encode()),
    "a program": ("rows.csv", b"\x7fELF" + b"\x01" * 5000),
    "Parquet by another name": ("rows.csv", parquet()),
    "Parquet": ("rows.parquet", parquet()),
    "half of a Parquet file": ("rows.parquet", parquet()[: len(parquet()) // 2]),
    "a Parquet file without an end": ("rows.parquet", parquet()[:-8]),
    "a damaged Parquet file": ("rows.parquet", parquet().replace(b"I", b"\xff")),
    "CSV by the name of Parquet": ("rows.parquet", GOOD.encode()),
    "CSV by the name of Arrow": ("rows.arrow", GOOD.encode()),
    "gzip": ("rows.csv.gz", gzip.compress(GOOD.encode())),
    "gzip by another name": ("rows.csv", gzip.compress(GOOD.encode())),
    "zip": ("rows.zip", zipped()),
    "zip by another name": ("rows.csv", zipped()),
    "Excel by name": ("rows.xlsx", zipped()),
    "a pickle": ("rows.csv", b"\x80\x04cos\nsystem\n(S'echo hi'\ntR."),
    "a pickle by name": ("rows.pkl", b"\x80\x04cos\nsystem\n(S'echo hi'\ntR."),
    "no suffix": ("rows", GOOD.encode()),
    "a name with blanks": ("my rows.csv", GOOD.encode()),
    "a name that is an option": ("--help.csv", GOOD.encode()),
}
