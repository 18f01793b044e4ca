"""The page of near-optimal trees: its size, how long it takes to write and to open, and clicks.

    python -m benchmarks.explore_page [--repeats 5]

Pages of the first 2,000 trees of veterans, gbsg2 and whas500 as raw tables: depth 3, a penalty of
0.002 per leaf, all trees within 15 % of the optimum up to that number. `write_s` is a call of
`report`, cross-validated sizes included; `open_s` the median time until Chromium has loaded the
page and shows the best tree, in a new window each time. `clicks` is how many clicks a new visitor
needs to see the best tree without a `column`, at a width of 1,280 pixels and at 375
(`phone_clicks`): a section that is closed must be opened first. `shown_before` is what the page
says of the cost of that tree before any click. Needs Chromium.
"""

import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks.tables import Table, machine, parsed, parser_of, revision
from survtree import OptimalSurvivalTree
from survtree.datasets import load
from tests.browser.conftest import CHROMIUM, OPTIONS

# The column that a visitor wants to do without.
DATASETS = {"veterans": "Celltype", "gbsg2": "progrec", "whas500": "age"}
MOST, WITHIN = 2_000, 0.15
SCREENS = {"clicks": (1280, 900), "phone_clicks": (375, 700)}
KEY = ("dataset",)
FIELDS = (
    *(*KEY, "trees", "megabytes", "write_s", "open_s"),
    *("column", "shown_before", "clicks", "phone_clicks"),
)


def written(name: str, path: Path) -> dict[str, Any]:
    """Writes a page; its facts."""
    X, y = load(name)
    model = OptimalSurvivalTree(3, 0.002).fit(X, y)
    near = model.near_optimal(WITHIN, MOST)
    start = perf_counter()
    near.report(path, cv=5)
    return {
        "trees": len(near),
        "write_s": f"{perf_counter() - start:.1f}",
        "megabytes": f"{path.stat().st_size / 1e6:.2f}",
    }


def opened(browser: Any, path: Path, screen: tuple[int, int]) -> tuple[float, Any]:
    """Seconds until the best tree is there, and the page."""
    width, height = screen
    page = browser.new_context(viewport={"width": width, "height": height}).new_page()
    start = perf_counter()
    page.goto(path.as_uri())
    page.wait_for_selector("#state :text('best tree')")
    return perf_counter() - start, page


def clicks_to_do_without(page: Any, column: str) -> int:
    """Real clicks at what can be seen, until the tree shown does not split on the column."""
    button = page.locator(f"[aria-label='without {column}']")
    n = 0
    if not button.is_visible():
        page.click("#wishes summary")
        n += 1
    button.click()
    n += 1
    splits = page.inner_text("#state").partition("Splits on")[2]
    if column in splits.replace(f"without {column}", ""):
        raise SystemExit(f"the page still shows a tree that splits on {column}")
    return n


def measured(browser: Any, name: str, repeats: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trees.html")
        facts, column = written(name, path), DATASETS[name]
        times = [opened(browser, path, (1280, 900))[0] for _ in range(repeats)]
        pages = {name: opened(browser, path, screen)[1] for name, screen in SCREENS.items()}
        row = pages["clicks"].locator("tr[data-column]", has_text=column)
        shown = row.locator(".cost-without").inner_text().replace("\u00a0", " ")
        clicks = {name: clicks_to_do_without(page, column) for name, page in pages.items()}
    opening = {"open_s": f"{median(times):.2f}", "column": column, "shown_before": shown}
    return {"dataset": name, **facts, **opening, **clicks}


def show(table: Table) -> None:
    for row in table.rows:
        print(
            f"{row['dataset']}: {int(row['trees']):,} trees, {row['megabytes']} MB, written in "
            f"{row['write_s']} s, opens in {row['open_s']} s; the best tree without "
            f"{row['column']} ({row['shown_before']}): clicks {row['clicks']}, on a phone "
            f"{row['phone_clicks']}"
        )


def main() -> None:
    parser = parser_of(__doc__, "explore_page.csv", needs_data=False)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parsed(parser)
    table = Table(arguments.out, FIELDS, KEY)
    left = [] if arguments.summary else [name for name in DATASETS if not table.has(name)]
    if left:
        from playwright.sync_api import sync_playwright

        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
            for name in left:
                found = measured(browser, name, arguments.repeats)
                table.add({**found, **machine(), "programs": f"survtree{revision()}"})
            browser.close()
    show(table)


if __name__ == "__main__":
    main()
