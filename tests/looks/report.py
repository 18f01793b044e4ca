"""The picture of a report in the docs. ``python -m tests.looks.report`` makes it anew."""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from survtree import OptimalSurvivalTree
from survtree.datasets import load
from tests.browser.conftest import CHROMIUM, OPTIONS

PICTURE = Path(__file__).parents[2] / "docs" / "images" / "report.png"


def main() -> None:
    """Takes a picture of the top of the page, with one leaf followed."""
    X, y = load("veterans")
    model = OptimalSurvivalTree(max_depth=3, regularization=0.002).fit(X, y)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder, "report.html")
        model.report(path, X, y, title="Veterans' lung cancer trial")
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        page = browser.new_page(viewport={"width": 1280, "height": 920}, color_scheme="light")
        page.goto(path.as_uri())
        page.click(".tree .leaf[data-node='7'] .box")
        page.mouse.move(0, 0)
        page.screenshot(path=PICTURE)
        browser.close()
    print(f"{PICTURE.name}: {PICTURE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
