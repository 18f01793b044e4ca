"""How large the package and the core are, and how many modules one fit goes through.

``python -m benchmarks.sizes`` measures this checkout, ``python -m benchmarks.sizes FOLDER`` another
one, whose fit runs in that checkout's own environment.
"""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

# Runs in a process of its own, so that everything is imported before the modules are counted.
TRACED = """
import sys
from pathlib import Path
import survtree
from survtree import OptimalSurvivalTree
from survtree.datasets import load
X, y = load("veterans", backend="polars")
OptimalSurvivalTree(max_depth=2).fit(X, y)
package, seen = str(Path(survtree.__file__).parent), set()
def trace(frame, event, argument):
    name = frame.f_code.co_filename
    if event == "call" and name.startswith(package):
        seen.add(name)
sys.setprofile(trace)
OptimalSurvivalTree(max_depth=2).fit(X, y)
sys.setprofile(None)
print(len(seen))
"""


def n_lines(path: Path) -> int:
    return len(path.read_text().splitlines())


def python_functions(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of each function without its docstring, and where it is."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef):
            lines = node.end_lineno - node.lineno + 1
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                lines -= first.end_lineno - first.lineno + 1
            yield lines, f"{path.name}:{node.name}"


def cpp_functions(path: Path) -> Iterator[tuple[int, str]]:
    """Lines from a line that opens a body at the left margin to the brace that closes it there."""
    start, name = 0, ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if re.match(r"\w.*\(", line) and not line.startswith(("namespace", "using", "class")):
            start, name = number, line.split("(")[0].split()[-1]
        elif line == "}" and start:
            yield number - start + 1, f"{path.name}:{name}"
            start = 0


def tell(title: str, files: list[Path], functions: list[tuple[int, str]]) -> None:
    longest = max(files, key=n_lines)
    lengths = sorted(functions, reverse=True)
    print(
        f"{title}: {len(files)} files, {sum(map(n_lines, files)):,} lines; longest file "
        f"{longest.name} ({n_lines(longest)}); {len(lengths):,} functions, median "
        f"{lengths[len(lengths) // 2][0]} lines, longest {lengths[0][1]} ({lengths[0][0]})"
    )


def main() -> None:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    package = sorted((root / "src" / "survtree").rglob("*.py"))
    core = sorted((root / "core").rglob("*.[ch]pp"))
    tell("package", package, [each for path in package for each in python_functions(path)])
    tell("core", core, [each for path in core for each in cpp_functions(path)])
    python = root / ".venv" / "bin" / "python"
    run = subprocess.run(
        [python, "-c", TRACED], cwd=root, capture_output=True, text=True, check=True
    )
    print(f"one fit goes through {run.stdout.strip()} modules")


if __name__ == "__main__":
    main()
