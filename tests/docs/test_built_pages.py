"""The documentation in a browser without a network, where it was built: `make docs`."""

import re
from pathlib import Path

import pytest

BUILT = Path(__file__).parents[2] / "docs" / "_build" / "html"

pytestmark = pytest.mark.skipif(
    not (BUILT / "index.html").exists(), reason="the documentation is not built: make docs"
)


@pytest.fixture
def visit(browser):
    """Open a page of the documentation; at the end nothing may have left it."""
    asked, errors = [], []

    def opened(address, **settings):
        page = browser.new_page(**settings)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.route(re.compile("^http"), lambda route: asked.append(route.request.url))
        page.goto(
            (BUILT / address.partition("?")[0]).as_uri() + "".join(address.partition("?")[1:])
        )
        return page

    yield opened
    assert (asked, errors) == ([], [])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_landing_page(visit, check_accessible, scheme):
    check_accessible(visit("index.html", color_scheme=scheme))


def test_formulas_are_drawn(visit):
    page = visit("uncertainty.html")
    box = page.locator("div.math math").first.bounding_box()
    assert box["width"] > 100 > box["height"] > 15


def test_a_search_finds_pages(visit):
    page = visit("search.html?q=triplet")
    page.wait_for_selector("#search-results li a")


@pytest.mark.parametrize(
    ("words", "first"),
    [("odd+one+out", "tutorials/people.html"), ("plot_map", "ordinate.plots.plot_map.html")],
)
def test_a_search_finds_guides_first_and_names_typed_in_full(visit, words, first):
    page = visit(f"search.html?q={words}")
    page.wait_for_selector("#search-results li a")  # results are listed from the best one on
    assert first in page.locator("#search-results li a").first.get_attribute("href")


@pytest.mark.parametrize("name", ["SOE", "WeightedTETE", "Ranking", "analyze", "TSTE"])
def test_the_reference_links_examples_of_the_gallery(visit, name):
    page = visit(f"api/generated/ordinate.{name}.html")
    assert page.locator("article a[href*='auto_examples/']").count() > 0


@pytest.mark.parametrize("name", ["index", "choosing", "trustworthy", "command-line"])
def test_a_phone_shows_the_whole_width(visit, name):
    page = visit(f"{name}.html", viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
