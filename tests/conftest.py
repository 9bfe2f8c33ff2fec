"""Points and triplets that several tests of estimators use, a browser, and a judge of pages."""

import json
import os
import shutil
import socket
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from ordinate.sources import random_triplets

PATIENCE_MS = 300_000
"""Milliseconds after which nothing will happen in a browser, on a busy machine either."""
_DRAW = np.random.default_rng


def _other_numbers(seed=None):
    """Draw other numbers than usual where a test, or a `random_state`, gives one number as seed.

    A seed in a list, which draws the same numbers, says that a test needs these ones.
    """
    if isinstance(seed, int | np.integer):
        caller = Path(sys._getframe(1).f_code.co_filename)
        if caller.name == "_random.py" or Path(__file__).parent in caller.parents:
            seed = int(seed) + int(os.environ["ORDINATE_TEST_SEEDS"])
    return _DRAW(seed)


if os.environ.get("ORDINATE_TEST_SEEDS"):  # make test-seeds
    np.random.default_rng = _other_numbers

# no verdict may depend on how busy a machine is, or on luck; --hypothesis-profile=search finds more
settings.register_profile("same for all", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None)
settings.load_profile("same for all")


def pytest_terminal_summary(terminalreporter):
    """Write which tests were skipped: .ci/run comes back to them with what they lacked."""
    if path := os.environ.get("ORDINATE_TEST_SKIPPED"):
        skipped = [report.nodeid for report in terminalreporter.getreports("skipped")]
        Path(path).write_text("".join(f"{test}\n" for test in skipped), encoding="utf-8")


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
def free_port():
    """A port that stays free until a test takes it.

    It lies below those that systems hand out by themselves, and each process begins elsewhere.
    """
    for port in range(20_000 + os.getpid() % 10_000, 32_000):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("there is no free port")


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


def _patient(make):
    """Let pages wait for long: no verdict may depend on how busy a machine is."""

    def made(**options):
        page_or_context = make(**options)
        page_or_context.set_default_timeout(PATIENCE_MS)
        return page_or_context

    return made


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
                executable_path=wanted or next(on_path, None), args=software, timeout=PATIENCE_MS
            )
        except sync_api.Error as error:
            if wanted:
                raise
            pytest.skip(f"no browser: {error.message.splitlines()[0]}")
        started.new_page = _patient(started.new_page)
        started.new_context = _patient(started.new_context)
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
