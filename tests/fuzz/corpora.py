"""The inputs that fuzzing found worth keeping, one a line in hexadecimal: tests/regress/corpus.

python -m tests.fuzz.corpora unpack TARGET FOLDER    # one file each, as libFuzzer wants them
python -m tests.fuzz.corpora pack TARGET FOLDER      # and back, with those that are new
"""

import hashlib
import sys
from pathlib import Path

KEPT = Path(__file__).parents[1] / "regress" / "corpus"


def lines(target: str) -> list[str]:
    path = KEPT / f"{target}.txt"
    return path.read_text(encoding="ascii").splitlines() if path.exists() else []


def unpack(target: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for line in lines(target):
        content = bytes.fromhex(line)
        (folder / hashlib.sha1(content).hexdigest()).write_bytes(content)


def pack(target: str, folder: Path) -> None:
    found = {path.read_bytes().hex() for path in folder.iterdir()}
    text = "".join(f"{line}\n" for line in sorted({*found, *lines(target)}))
    (KEPT / f"{target}.txt").write_text(text, encoding="ascii")


if __name__ == "__main__":
    what, target, folder = sys.argv[1:]
    {"pack": pack, "unpack": unpack}[what](target, Path(folder))
