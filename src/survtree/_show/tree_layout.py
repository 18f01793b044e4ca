"""Which layout, how much text and how large: the most that fits."""

from collections.abc import Iterator

from survtree._show.tree_down import plan_down
from survtree._show.tree_right import plan_right
from survtree._show.tree_shape import Plan, Shape, Style, Words

FORMS = ("wide", "flat", "tall")
LARGEST, USUAL, SMALLEST, LEGIBLE, TINIEST = 14.0, 9.0, 5.5, 5.0, 3.0
MUCH_LARGER = 1.25
STEP = 0.5
# Side by side, more leaves than this make a figure too wide to be looked at.
MOST_SIDE_BY_SIDE = 8
SLOT_WIDTH, LEAST_WIDTH = 122.0, 300.0
MOST = 14_400.0  # points on a side: no PDF is larger


def plan_in(shape: Shape, words: Words, width: float, height: float, direction: str | None) -> Plan:
    """The drawing on paper of a given size: first all is told, in letters as large as possible."""
    ways = _directions(shape, direction)
    plans = [_best(shape, words, width, height, way) for way in ways]
    if plans[-1] is None:
        return plans[0] or _bare(shape, words, width, height)
    if plans[0] is None or _is_much_better(plans[-1].style, plans[0].style):
        return plans[-1]
    return plans[0]


def _is_much_better(one: Style, other: Style) -> bool:
    """Does one tell more than the other, or in letters that are much larger?"""
    if (one.is_strict, -one.info) != (other.is_strict, -other.info):
        return (one.is_strict, -one.info) > (other.is_strict, -other.info)
    return one.size > MUCH_LARGER * other.size


def _best(shape: Shape, words: Words, width: float, height: float, direction: str) -> Plan | None:
    draw = plan_down if direction == "down" else plan_right
    plans = (draw(shape, words, style, width, height) for style in _styles(width))
    return next((plan for plan in plans if plan is not None), None)


def _directions(shape: Shape, direction: str | None) -> tuple[str, ...]:
    if direction is not None:
        return (direction,)
    is_few = len(shape.leaves) <= MOST_SIDE_BY_SIDE
    return ("down", "right") if is_few else ("right", "down")


def _styles(width: float) -> Iterator[Style]:
    """From the best to look at to the least that can be drawn."""
    largest = min(LARGEST, max(SMALLEST, 5.0 + width / 100))
    for info, smallest in enumerate((SMALLEST, SMALLEST, LEGIBLE, LEGIBLE)):
        for size in _sizes(largest, smallest):
            for form in FORMS if info < 2 else FORMS[:1]:
                yield Style(size, info, form)
    yield Style(LEGIBLE, 3, is_strict=False)
    for info, smallest in ((4, LEGIBLE), (5, TINIEST)):
        for size in _sizes(SMALLEST, smallest):
            yield Style(size, info, is_strict=False)


def _sizes(largest: float, smallest: float) -> list[float]:
    return [largest - STEP * place for place in range(int((largest - smallest) / STEP) + 1)]


def _bare(shape: Shape, words: Words, width: float, height: float) -> Plan:
    """Lines and curves alone, drawn large enough and shrunk: nothing has a size of its own."""
    style = Style(TINIEST, 5, is_strict=False)
    slots = 10.0 * len(shape.leaves)
    plan = plan_right(shape, words, style, 40.0 * (shape.n_levels + 2), slots)
    assert plan is not None, "there is room for everything"
    return _scaled(plan, width / plan.width, height / plan.height)


def _scaled(plan: Plan, x: float, y: float) -> Plan:
    """The same, stretched to another size."""
    boxes = [
        box._replace(x=box.x * x, y=box.y * y, width=box.width * x, height=box.height * y)
        for box in plan.boxes
    ]
    edges = [
        edge._replace(points=tuple((a * x, b * y) for a, b in edge.points)) for edge in plan.edges
    ]
    cells = []
    for cell in plan.cells:
        left, bottom, width, height = cell.axes
        cells.append(cell._replace(axes=(left * x, bottom * y, width * x, height * y)))
    return Plan(plan.width * x, plan.height * y, plan.style, boxes, edges, cells, plan.note)


def plan_alone(shape: Shape, words: Words, direction: str | None) -> Plan:
    """The drawing of a figure of its own, which is as large as it needs to be."""
    way = _directions(shape, direction)[0]
    if way == "right":
        forms = [plan_right(shape, words, Style(USUAL, form=form), None, None) for form in FORMS]
        plan = next((plan for plan in forms if plan is not None), None)
        if plan is not None and max(plan.width, plan.height) <= MOST:
            return plan
        return plan_in(shape, words, *_usual_size(shape), way)
    width = max(LEAST_WIDTH, SLOT_WIDTH * len(shape.leaves))
    while width <= MOST:
        for form in FORMS:
            plan = plan_down(shape, words, Style(USUAL, form=form), width, None)
            if plan is not None:
                return plan
        width *= 1.15
    return plan_in(shape, words, *_usual_size(shape), way)


def _usual_size(shape: Shape) -> tuple[float, float]:
    width, height = 160.0 * (shape.n_levels + 2), 46.0 * len(shape.leaves) + 40
    return min(width, MOST), min(height, MOST)
