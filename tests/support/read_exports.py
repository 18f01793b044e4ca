"""A reader of exported text: it knows the printed words and plain Python, and nothing else.

A column that had missing values at the fit says so wherever a missing value leads on; of the others
the note below the text holds: a missing value answers no.
"""

import ast
import math
import re
from typing import NamedTuple

LITERAL = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
NUMBER = re.compile(r"[-+]?[0-9.]+(e[-+]?[0-9]+)?")
BORDER = re.compile(r" (<=|>=|!=|<|>|=|is|and|or|nor) ")
SIGNS = ("<=", ">=", "!=", "<", ">", "=")


class Columns(NamedTuple):
    """What a reader of the text knows of the table: which columns are of which kind."""

    flags: frozenset  # True and False, or 0 and 1
    orders: dict
    gaps: frozenset  # had missing values at the fit


def is_missing(cell):
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


class Reader:
    """Reads conditions from a text, from left to right; each becomes a function of a row."""

    def __init__(self, text, columns):
        self.text, self.at, self.columns = text, 0, columns
        self.is_bracket_closed = False

    def conditions(self):
        found = [self.condition()]
        while self.take(" and "):
            found.append(self.condition())
        assert self.at == len(self.text), self.text[self.at :]
        return found

    def take(self, words):
        if not self.text.startswith(words, self.at):
            return False
        self.at += len(words)
        return True

    def operand(self):
        """A name, level or number, as it stands there; in quotes or up to the next border."""
        quoted = LITERAL.match(self.text, self.at)
        border = BORDER.search(self.text, self.at + 1)
        end = quoted.end() if quoted else border.start() if border else len(self.text)
        first, self.at = self.at, end
        return self.text[first:end]

    def sign(self):
        return next((sign for sign in SIGNS if self.take(f" {sign} ")), None)

    def condition(self):
        if not self.take("("):
            return self.simple(None)
        start = self.at
        missing = f" or {self.name_ahead()} is missing)"
        self.at = start
        inner = self.simple(missing)
        if self.is_bracket_closed:
            return inner
        assert self.take(missing), self.text[self.at :]
        name = value(missing[len(" or ") : -len(" is missing)")])
        return lambda row: is_missing(row[name]) or inner(row)

    def name_ahead(self):
        """The name, as it stands there, that the next condition is about."""
        if self.text.startswith("not (", self.at):
            self.at = self.text.index(" < ", self.at) + len(" < ")
            return self.operand()
        first = self.operand()
        if self.sign() is None:
            return first
        second = self.operand()
        return first if self.sign() is None else second

    def simple(self, ending):
        """A condition without what may follow it in brackets, which is the ending."""
        self.is_bracket_closed = False
        if self.take("not ("):
            low = NUMBER.match(self.text, self.at)[0]
            self.at += len(low)
            assert self.take(" < ")
            name = value(self.operand())
            assert self.take(" <= ")
            high = NUMBER.match(self.text, self.at)[0]
            self.at += len(high)
            assert self.take(")")
            return self.no(name, lambda cell: not float(low) < cell <= float(high))
        first = self.operand()
        if self.take(" is "):
            return self.levels(value(first), ending)
        sign, second = self.sign(), self.operand()
        other = self.sign()
        if other is None:
            return self.compare(value(first), sign, second)
        third = self.operand()
        flipped = {"<": ">", "<=": ">="}[sign]
        low = self.compare(value(second), flipped, first)
        high = self.compare(value(second), other, third)
        return lambda row: low(row) and high(row)

    def levels(self, name, ending):
        rest = self.text[self.at :]
        if re.match(r"missing($| and )", rest):
            self.take("missing")
            return lambda row: is_missing(row[name])
        if re.match(r"not missing($| and )", rest):
            self.take("not missing")
            return lambda row: not is_missing(row[name])
        if self.take("neither "):
            refused = self.list_of(" nor ", ending)
            return self.no(name, lambda cell: str(cell) not in refused)
        if self.take("not "):
            refused = self.list_of(" nor ", ending)
            return self.no(name, lambda cell: str(cell) not in refused)
        taken = self.list_of(" or ", ending)
        if name in self.columns.flags and taken == ["False"]:
            return self.no(name, lambda cell: not cell)
        return self.yes(name, lambda cell: str(cell) in taken)

    def list_of(self, joint, ending):
        found = [self.operand()]
        while not (ending and self.text.startswith(ending, self.at)) and self.take(joint):
            found.append(self.operand())
        is_at_end = bool(ending) and self.text.startswith(ending, self.at)
        if ending and not is_at_end and len(found) > 1 and joint == " or ":
            self.close_bracket(found)
        return list(map(value, found))

    def close_bracket(self, found):
        """The bracket after a list of levels is not part of the last."""
        if not self.take(")"):
            assert found[-1].endswith(")")
            found[-1] = found[-1][:-1]
        self.is_bracket_closed = True

    def compare(self, name, sign, other):
        if name in self.columns.orders:
            return self.compare_levels(name, sign, value(other))
        number = float(other)
        if sign == "=" and number == 0 and name in self.columns.flags:
            return self.no(name, lambda cell: cell == 0)
        return {
            "<=": self.yes(name, lambda cell: cell <= number),
            "=": self.yes(name, lambda cell: cell == number),
            ">": self.no(name, lambda cell: cell > number),
            "!=": self.no(name, lambda cell: cell != number),
        }[sign]

    def compare_levels(self, name, sign, level):
        order = self.columns.orders[name]
        up_to, since = order[: order.index(level) + 1], order[order.index(level) :]
        return {
            "<=": self.yes(name, lambda cell: cell in up_to),
            ">=": self.yes(name, lambda cell: cell in since),
            ">": self.no(name, lambda cell: cell not in up_to),
            "<": self.no(name, lambda cell: cell not in since),
        }[sign]

    def yes(self, name, test):
        return lambda row: not is_missing(row[name]) and test(row[name])

    def no(self, name, test):
        goes_along = name not in self.columns.gaps
        return lambda row: goes_along if is_missing(row[name]) else test(row[name])


def value(operand):
    """A name or level without its quotes."""
    return ast.literal_eval(operand) if operand[0] in "'\"" else operand


def split_reader(words, columns):
    """The function of a row that the words of a split tell."""
    plain = words.removesuffix(" or missing")
    (holds,) = Reader(plain, columns).conditions()
    if plain == words:
        return holds
    name = value(Reader(plain, columns).name_ahead())
    return lambda row: is_missing(row[name]) or holds(row)


def rules_reader(text, columns):
    """The function of a row that ``style="rules"`` tells."""
    lines = text.split("\n")

    def block(place, indent):
        """What a block does, and where the next starts."""
        line = lines[place]
        assert line.startswith(indent), line
        line = line[len(indent) :]
        if line.startswith("group "):
            group = int(line[len("group ") :].split(":")[0])
            return (lambda row: group), place + 1
        assert line.startswith("if "), line
        assert line.endswith(":"), line
        holds = split_reader(line[len("if ") : -1], columns)
        yes, place = block(place + 1, f"{indent}    ")
        # A missing value answers no, and "else" names it where there were such at the fit.
        assert re.fullmatch(rf"{indent}else(, or if .+ is missing)?:", lines[place], re.DOTALL)
        no, place = block(place + 1, f"{indent}    ")
        return (lambda row: yes(row) if holds(row) else no(row)), place

    return block(0, "")[0]


def leaves_reader(text, columns):
    """The function of a row that ``style="leaves"`` tells; each row is in one group."""
    groups = {}
    for line in text.split("\n"):
        if line.startswith("group "):
            group, rest = line[len("group ") :].split(": ", 1)
            where = rest.rsplit("; n ", 1)[0]
            all_rows = where == "all rows"
            groups[int(group)] = [] if all_rows else Reader(where, columns).conditions()

    def group_of(row):
        found = [group for group, parts in groups.items() if all(part(row) for part in parts)]
        assert len(found) == 1, (row, found)
        return found[0]

    return group_of
