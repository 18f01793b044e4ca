"""The picture of a page of near-optimal trees in the docs. ``python -m tests.looks.explore``."""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from survtree import OptimalSurvivalTree
from survtree.datasets import load
from tests.browser.conftest import CHROMIUM, OPTIONS

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "explore.png"


def main() -> None:
    """Takes a picture of the builder, with one split chosen."""
    X, y = load("gbsg2")
    model = OptimalSurvivalTree(thresholds=10, time_unit="days").fit(X, y)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder, "trees.html")
        near = model.near_optimal(within=0.05, limit=2_000)
        near.report(path, title="German Breast Cancer Study Group 2", sizes=False)
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
        page.goto(path.as_uri())
        page.click(".tree [data-place='n'] .box")
        page.click("#options button >> nth=1")
        page.mouse.move(0, 0)
        page.locator("#build").screenshot(path=PICTURE)
        browser.close()
    print(f"{PICTURE.name}: {PICTURE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
