"""Pictures of curves: survival by leaf, calibration, and how the bounds closed in."""

from typing import Any, NamedTuple

from markupsafe import Markup

from survtree._base.numbers import format_number, round_ticks
from survtree._show.report_markup import colour, dash, number, tag

LEGEND_PITCH = 17


class Frame(NamedTuple):
    """A field of a picture; x and y run to the given ends, y upwards from ``floor``."""

    left: float
    top: float
    width: float
    height: float
    x_end: float
    y_end: float = 1.0
    floor: float = 0.0

    def x(self, value: float) -> float:
        """Where a value is, across."""
        return self.left + self.width * value / self.x_end

    def y(self, value: float) -> float:
        """Where a value is, from the top."""
        return self.top + self.height * (self.y_end - value) / (self.y_end - self.floor)

    def picture(self, *inner: Any, label: str, right: float = 12, class_: str = "chart") -> Markup:
        """All that is drawn, with room around it."""
        width, height = self.left + self.width + right, self.top + self.height + 40
        return tag(
            "svg",
            *inner,
            class_=class_,
            viewBox=f"0 0 {number(width)} {number(height)}",
            width=number(width),
            height=number(height),
            role="img",
            aria_label=label,
        )

    def axes(
        self, x_ticks: list[float], y_ticks: list[tuple[float, str]], x_title: str, y_title: str
    ) -> Markup:
        """Lines to read values by, with their names."""
        bottom, middle = self.top + self.height, self.left + self.width / 2
        parts = [
            self._line(f"M{number(self.left)} {number(self.y(v))}h{number(self.width)}", "grid")
            for v, _ in y_ticks
        ]
        parts += [_text(text, self.left - 7, self.y(v) + 4, "end") for v, text in y_ticks]
        parts += [self._line(f"M{number(self.x(v))} {number(bottom)}v5", "axis") for v in x_ticks]
        parts += [_text(format_number(v), self.x(v), bottom + 18, "middle") for v in x_ticks]
        parts.append(
            self._line(f"M{number(self.left)} {number(bottom)}h{number(self.width)}", "axis")
        )
        parts.append(_text(x_title, middle, bottom + 35, "middle", "title"))
        parts.append(_text(y_title, 2, 12, "start", "title"))
        return tag("g", *parts, aria_hidden="true")

    @staticmethod
    def _line(d: str, kind: str) -> Markup:
        return tag("path", d=d, class_=kind, fill="none", stroke="gray")


def _text(text: str, x: float, y: float, anchor: str, kind: str = "tick") -> Markup:
    return tag("text", text, x=number(x), y=number(y), text_anchor=anchor, class_=kind)


def step_path(
    steps: list[list[float]], end: float, per_time: float, height: float, left: float, top: float
) -> str:
    """A curve that starts at 1 and goes on to ``end``, as a path with absolute corners."""
    parts, last = [f"M{number(left)} {number(top)}"], number(top)
    for time, value in steps:
        y = number(top + height * (1 - value))
        if y != last:
            parts.append(f"H{number(left + per_time * time)}V{y}")
            last = y
    parts.append(f"H{number(left + per_time * end)}")
    return "".join(parts)


def curves_svg(facts: dict[str, Any]) -> Markup:
    """The curves of all leaves with their bands; the leaf is in data-leaf."""
    curves, n_leaves = facts["curves"], len(facts["leaves"])
    ranks = {node["node"]: node["rank"] for node in facts["tree"] if "rank" in node}
    frame = Frame(44, 26, 420, max(300, LEGEND_PITCH * n_leaves), curves["end"])
    y_ticks = [(k / 4, f"{25 * k} %") for k in range(5)]
    axes = frame.axes(curves["ticks"], y_ticks, "time", "share without the event")
    bands = [_band(frame, curve, ranks[curve["node"]], n_leaves) for curve in curves["leaves"]]
    lines = [_curve(frame, curve, ranks[curve["node"]], n_leaves) for curve in curves["leaves"]]
    label = "Kaplan-Meier curves of all leaves; the table of leaves has their numbers"
    return frame.picture(axes, *bands, *lines, label=label, right=92, class_="chart curves")


def _path_in(frame: Frame, steps: list[list[float]], end: float) -> str:
    return step_path(steps, end, frame.width / frame.x_end, frame.height, frame.left, frame.top)


def _band(frame: Frame, curve: dict[str, Any], rank: int, n_leaves: int) -> Markup:
    """The area between the limits: along the upper one, and back along the lower."""
    there = _path_in(frame, curve["high"], curve["end"])
    low = [(0.0, 1.0), *map(tuple, curve["low"])]
    back = [f"V{number(frame.y(low[-1][1]))}"]
    for k in range(len(low) - 1, 0, -1):
        back.append(f"H{number(frame.x(low[k][0]))}V{number(frame.y(low[k - 1][1]))}")
    d = f"{there}{''.join(back)}Z"
    fill = colour(rank, n_leaves)
    return tag("path", d=d, class_=f"band r{rank}", fill=fill, data_leaf=curve["node"])


def _curve(frame: Frame, curve: dict[str, Any], rank: int, n_leaves: int) -> Markup:
    """The curve, and its entry in the legend: the lowest risk comes first."""
    stroke = {"fill": "none", "stroke": colour(rank, n_leaves), "stroke_dasharray": dash(rank)}
    line = _path_in(frame, curve["survival"], curve["end"])
    x, y = frame.left + frame.width + 14, frame.top + 6 + LEGEND_PITCH * rank
    return tag(
        "g",
        tag("path", class_="line", d=line, **stroke),
        tag("path", class_="line", d=f"M{number(x)} {number(y)}h26", **stroke),
        _text(f"leaf {curve['node']}", x + 32, y + 4, "start", "label"),
        class_=f"curve r{rank}",
        data_leaf=curve["node"],
    )


def calibration_svg(facts: dict[str, Any]) -> Markup:
    """Predicted against observed, a mark a group, a shape a time."""
    frame = Frame(44, 26, 300, 300, 1.0)
    ticks = [k / 4 for k in range(5)]
    axes = frame.axes([], [(t, f"{100 * t:.0f} %") for t in ticks], "predicted", "observed")
    across = [_text(f"{100 * t:.0f} %", frame.x(t), frame.y(0) + 18, "middle") for t in ticks]
    right = f"M{number(frame.x(0))} {number(frame.y(0))}L{number(frame.x(1))} {number(frame.y(1))}"
    diagonal = tag("path", d=right, class_="axis", fill="none", stroke_dasharray="3 3")
    times = facts["scores"]["calibration"]
    marks = [_mark(frame, group, k) for k, at in enumerate(times) for group in at["groups"]]
    label = "Predicted and observed survival; the table has the numbers"
    return frame.picture(axes, *across, diagonal, *marks, label=label, right=24)


SHAPES = ("M-5 0A5 5 0 1 0 5 0A5 5 0 1 0 -5 0Z", "M-4.5 -4.5H4.5V4.5H-4.5Z", "M0 -6L6 5H-6Z")


def _mark(frame: Frame, group: dict[str, Any], k: int) -> Markup:
    x, y = number(frame.x(group["predicted"])), number(frame.y(group["observed"]))
    shape = SHAPES[k % len(SHAPES)]
    return tag("path", d=shape, transform=f"translate({x} {y})", class_=f"mark m{k % len(SHAPES)}")


def gap_svg(facts: dict[str, Any]) -> Markup:
    """Objective and lower bound against the seconds of the search."""
    history = facts["history"]
    top, end = max(s["objective"] for s in history), history[-1]["seconds"]
    frame = Frame(60, 26, 420, 170, end, top * 1.05)
    y_ticks = [(top * k / 3, f"{top * k / 3:.3f}") for k in range(4)]
    axes = frame.axes(round_ticks(end), y_ticks, "seconds", "objective and lower bound")
    lines = [
        tag("path", d=_stairs(frame, history, name), class_=f"bound {name}", fill="none")
        for name in ("objective", "lower_bound")
    ]
    return frame.picture(axes, *lines, label="How the bounds closed in on each other")


def _stairs(frame: Frame, history: list[dict[str, Any]], name: str) -> str:
    corners = [(number(frame.x(s["seconds"])), number(frame.y(s[name]))) for s in history]
    start = f"M{corners[0][0]} {corners[0][1]}"
    return start + "".join(f"H{x}V{y}" for x, y in corners[1:])
