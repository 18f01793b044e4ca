"""A real browser without a window. Every page it opens must be quiet and ask for nothing else."""

import os
import shutil

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
OPTIONS = [
    *("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
    *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
]


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser):
    """Opens a file; afterwards fails if any page complained, asked, or went elsewhere."""
    contexts, noise = [], []

    def listen(page, address):
        page.on("console", lambda message: noise.append(message.text))
        page.on("pageerror", lambda error: noise.append(str(error)))
        page.on("dialog", lambda dialog: (noise.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda r: r.url.split("#")[0] == address or noise.append(r.url))

    def open_file(path, **options):
        given = {"viewport": {"width": 1280, "height": 900}, **options}
        contexts.append(browser.new_context(**given))
        page = contexts[-1].new_page()
        listen(page, path.as_uri())
        page.goto(path.as_uri())
        return page

    yield open_file
    for context in contexts:
        context.close()
    assert [text for text in noise if text != "data:,"] == []
