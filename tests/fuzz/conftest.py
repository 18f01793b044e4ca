"""The fuzzers need atheris, which the tests do without."""

collect_ignore = ["inputs.py"]
