"""Whether sdist and wheels hold what they should, and nothing else.

python -m release.contents dist/*
"""

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Folders and files that are for those who change survtree, not for those who use it.
FOREIGN = ("tests/", "benchmarks/", "docs/", "release/", "recipe/", ".github/", ".ci/", "Makefile")
BEYOND_CODE = ("LICENSE", "pyproject.toml", "README.md", "CMakeLists.txt")


def package_files() -> set[str]:
    """All files of the package that are not compiled, as paths inside src/."""
    own = (ROOT / "src" / "survtree").rglob("*")
    found = {path.relative_to(ROOT / "src").as_posix() for path in own if path.is_file()}
    skipped = ("__pycache__", ".so", ".pyd")
    return {name for name in found if not any(word in name for word in skipped)}


def core_files() -> set[str]:
    """What compiles to the native module."""
    return {
        path.relative_to(ROOT).as_posix()
        for folder in ("core", "bindings")
        for path in (ROOT / folder).rglob("*.?pp")
    }


def tracked_files() -> set[str] | None:
    """What git knows of; None where this is no clone."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        return None
    command = ["git", "-C", str(ROOT), "ls-files"]
    return set(subprocess.run(command, check=True, stdout=-1, text=True).stdout.splitlines())


def faults_of_wheel(names: set[str]) -> list[str]:
    """What is wrong with the files of a wheel, in words."""
    own = {name for name in names if not re.match(r"survtree-[^/]+\.dist-info/", name)}
    native = {name for name in own if re.fullmatch(r"survtree/_native\.[\w.-]*(so|pyd)", name)}
    faults = [f"lacks {name}" for name in sorted(package_files() - own)]
    faults += [f"should not hold {name}" for name in sorted(own - package_files() - native)]
    if len(native) != 1:
        faults.append(f"needs one native module and holds {sorted(native)}")
    if not any(name.endswith(".dist-info/licenses/LICENSE") for name in names):
        faults.append("lacks LICENSE")
    return faults


def faults_of_sdist(names: set[str]) -> list[str]:
    """What is wrong with the files of an sdist, in words."""
    inside = {name.partition("/")[2] for name in names}
    needed = {*BEYOND_CODE, *core_files(), *(f"src/{name}" for name in package_files())}
    tracked = tracked_files()
    stray = set() if tracked is None else inside - tracked - {"PKG-INFO"}
    foreign = {name for name in inside if name.startswith(FOREIGN)}
    return [f"lacks {name}" for name in sorted(needed - inside)] + [
        f"should not hold {name}" for name in sorted(stray | foreign)
    ]


def faults(path: Path) -> list[str]:
    """What is wrong with a file of a release."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            return faults_of_wheel({n for n in archive.namelist() if not n.endswith("/")})
    with tarfile.open(path) as archive:
        return faults_of_sdist({member.name for member in archive if member.isfile()})


def main() -> None:
    found = {path: faults(Path(path)) for path in sys.argv[1:]}
    for path, words in found.items():
        print(f"{Path(path).name}: {'; '.join(words) or 'holds what it should'}")
    sys.exit(any(found.values()))


if __name__ == "__main__":
    main()
