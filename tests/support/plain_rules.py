"""A second reader of a tree: it knows the printed questions and plain Python, and nothing else."""

import ast
import math
import re

OR_MISSING = " or missing"
LITERAL = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")


def is_missing(cell):
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def levels_of(words):
    """The levels of "I or 'a or b' or III"."""
    found = []
    while words:
        quoted = LITERAL.match(words)
        end = quoted.end() if quoted else (words + " or ").index(" or ")
        found.append(ast.literal_eval(words[:end]) if quoted else words[:end])
        assert words[end:] in ("",) or words[end:].startswith(" or "), words
        words = words[end + len(" or ") :]
    return found


def name_in(text, row):
    """The column that a question begins with."""
    return max((name for name in row if text.startswith(f"{name} ")), key=len)


def answer(text, row, orders):
    """Does the question, given in words, hold for a row of Python values?"""
    if text.endswith(OR_MISSING):
        text = text.removesuffix(OR_MISSING)
        return answer(text, row, orders) or is_missing(row[name_in(text, row)])
    between = re.fullmatch(r"(\S+) < (.+) <= (\S+)", text)
    if between and between[2] in row:
        cell = row[between[2]]
        return not is_missing(cell) and float(between[1]) < cell <= float(between[3])
    name = name_in(text, row)
    sign, words = text[len(name) + 1 :].split(" ", 1)
    cell = row[name]
    if (sign, words) == ("is", "missing"):
        return is_missing(cell)
    if is_missing(cell):
        return False
    if sign == "is":
        return str(cell) in levels_of(words)
    if name in orders:
        (level,) = levels_of(words)
        places = orders[name].index(str(cell)), orders[name].index(level)
        return places[0] <= places[1] if sign == "<=" else places[0] >= places[1]
    assert sign in ("<=", "="), text
    return cell <= float(words) if sign == "<=" else cell == float(words)


def leaf(model, row, orders):
    """Where plain Python ends up."""
    tree, node = model.tree_, 0
    while tree.question[node] >= 0:
        text = model.questions_.text(int(tree.question[node]))
        node = int(tree.yes[node] if answer(text, row, orders) else tree.no[node])
    return node
