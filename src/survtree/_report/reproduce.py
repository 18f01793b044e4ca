"""How to get the same model again: the call, the versions, whom to cite."""

import ast
import inspect
import platform
from importlib.metadata import version
from typing import Any

PAPER = (
    "Rui Zhang, Rui Xin, Margo Seltzer and Cynthia Rudin. Optimal Sparse Survival Trees. "
    "International Conference on Artificial Intelligence and Statistics (AISTATS), 2024."
)


def reproduce_facts(model: Any, command: str | None) -> dict[str, Any]:
    """The command if there was one, and the call in Python."""
    code, is_exact = python_call(model)
    return {
        "command": command,
        "code": code,
        "is_exact": is_exact,
        "versions": {
            "survtree": version("survtree"),
            "Python": platform.python_version(),
            "NumPy": version("numpy"),
            "scikit-learn": version("scikit-learn"),
        },
        "paper": PAPER,
    }


def python_call(model: Any) -> tuple[str, bool]:
    """Code that makes the model with what differs from the defaults, and whether it tells all."""
    kind = type(model).__name__
    options = model.get_params(deep=False)
    arguments, is_exact = [], True
    for name, parameter in inspect.signature(type(model)).parameters.items():
        value = options[name]
        if not _is_same(value, parameter.default):
            text = _literal(value)
            is_exact = is_exact and text is not None
            arguments.append(f"{name}={text or '...'}")
    call = f"{kind}({', '.join(arguments)})"
    if len(call) > 88:
        call = f"{kind}(\n    " + ",\n    ".join(arguments) + ",\n)"
    return f"from survtree import {kind}\n\nmodel = {call}\nmodel.fit(X, y)", is_exact


def _is_same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and repr(value) == repr(default)


def _literal(value: Any) -> str | None:
    """The value as code, if it can be written as such."""
    text = repr(
        value.item() if hasattr(value, "item") and not getattr(value, "shape", ()) else value
    )
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return text
