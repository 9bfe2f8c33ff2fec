"""Points and triplets that several tests of estimators use, a browser, and a judge of pages."""

import json
import os
import shutil
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from ordinate.sources import random_triplets

# no test may depend on how busy a machine is
settings.register_profile("no deadlines", deadline=None)
settings.load_profile("no deadlines")


@pytest.fixture(scope="session")
def points():
    return np.random.default_rng(0).normal(size=(20, 2))


@pytest.fixture(scope="session")
def triplets(points):
    return random_triplets(points, 1500, random_state=1)


@pytest.fixture(scope="session")
def fixture():
    """Numbers of independent implementations; the file says whose."""
    path = Path(__file__).parent / "data" / "triplet_losses.json"
    return json.loads(path.read_text())


@pytest.fixture
def full_disk(monkeypatch):
    """Send what is written through `atomic_path` to a device that is always full."""
    if not Path("/dev/full").exists():
        pytest.skip("there is no device that is full")
    from ordinate.io import atomic

    name = atomic._temporary_name

    def link_to_full(target):
        temporary = name(target)
        target.with_name(temporary).symlink_to("/dev/full")
        return temporary

    monkeypatch.setattr(atomic, "_temporary_name", link_to_full)


@pytest.fixture(scope="module")
def browser():
    """A Chromium: the one ORDINATE_BROWSER names, one on the path, or playwright's own.

    Where ORDINATE_BROWSER is set there must be one; elsewhere a test without a browser skips.
    """
    wanted = os.environ.get("ORDINATE_BROWSER")
    if not wanted:
        pytest.importorskip("playwright")
    from playwright import sync_api

    on_path = filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))
    software = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    with sync_api.sync_playwright() as driver:
        try:
            started = driver.chromium.launch(
                executable_path=wanted or next(on_path, None), args=software
            )
        except sync_api.Error as error:
            if wanted:
                raise
            pytest.skip(f"no browser: {error.message.splitlines()[0]}")
        yield started
        started.close()


@pytest.fixture(scope="session")
def check_accessible():
    """Return a function that lets axe-core judge a page of the browser; it may find nothing.

    Where ORDINATE_BROWSER is set axe-core must be there; elsewhere a test without it skips.
    """
    if not os.environ.get("ORDINATE_BROWSER"):
        pytest.importorskip("axe_playwright_python")
    script = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")

    def check(page):
        page.evaluate(script)
        found = page.evaluate("axe.run()")["violations"]
        assert [(rule["id"], rule["nodes"][0]["html"]) for rule in found] == []

    return check
