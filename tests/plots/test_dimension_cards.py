"""Cards of dimensions: what they hold, what is refused, and the page in a browser."""

import json

import numpy as np
import pytest

import ordinate as od
from ordinate.plots import plot_dimension_cards

LOADINGS = np.array([[2.0, 0, 0], [1.5, 0.5, 0], [0, 3, 0], [0, 2, 0.7], [0.2, 0, 1.1]])
NAMES = ["cat", "cow", "car", "<b>bus</b>", "pie"]


def test_the_contents_hold_what_the_page_shows():
    page = plot_dimension_cards(LOADINGS, NAMES, n_top=3, reproducibility=[1, 0.5, np.nan])
    contents = page.contents
    assert contents["top"] == [[0, 1, 4], [2, 3, 1], [4, 3]]
    assert contents["reproducibility"] == [1, 0.5, None]
    assert sum(contents["shares"]) == pytest.approx(1, abs=1e-3)
    assert not contents["has_pictures"]
    assert contents["title"] == "3 dimensions of 5 objects"


def test_pictures_are_on_the_cards():
    grey = np.full((8, 8), 0.5)
    contents = plot_dimension_cards(LOADINGS, NAMES, images=[grey, None, None, None, None]).contents
    assert contents["has_pictures"]
    assert contents["images"][0].startswith("data:image/webp")


def test_bad_arguments_are_refused():
    with pytest.raises(od.InputError, match="must not be negative"):
        plot_dimension_cards(-LOADINGS)
    with pytest.raises(od.InputError, match="one entry per dimension, 3; got 2"):
        plot_dimension_cards(LOADINGS, shares=[0.5, 0.5])


def test_the_page_in_a_browser(tmp_path, browser):
    path = tmp_path / "cards.html"
    plot_dimension_cards(LOADINGS, NAMES).save(path)
    page = browser.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_selector("body[data-ready]")
    assert page.locator(".card").count() == 3
    assert "<b>bus</b>" in page.locator("#dimension-1").inner_text()  # text, not markup
    page.fill("#dimension-0 input", "animal </script>")
    page.click("#dimension-0 li >> nth=0")
    assert page.locator("#objects h2").inner_text() == "cat"
    assert page.locator("#objects svg path").count() == 1
    page.fill("#search", "cow")
    page.press("#search", "Enter")
    said = page.locator("#objects").inner_text()
    assert "Similarity 3.00" in said
    assert "animal </script>" in said
    page.fill("#filter", "animal")
    assert page.locator(".card:visible").count() == 1
    with page.expect_download() as got:
        page.click("#save")
    saved = tmp_path / "saved.html"
    got.value.save_as(saved)
    again = browser.new_page()
    again.goto(saved.as_uri())
    again.wait_for_selector("body[data-ready]")
    assert again.input_value("#dimension-0 input") == "animal </script>"
    assert again.locator(".card").count() == 3
    assert json.loads(again.locator("#names").text_content())[0] == "animal </script>"
    assert not errors


def test_pictures_are_equally_wide_whatever_the_names(tmp_path, browser):
    path = tmp_path / "pictures.html"
    names = ["a", "a_rather_long_name", "b", "another_long_name", "c"]
    grey = np.full((8, 8), 0.5)
    plot_dimension_cards(LOADINGS + 0.1, names, images=[grey] * 5).save(path)
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("body[data-ready]")
    pictures = page.locator("#dimension-0 img")
    widths = [pictures.nth(at).bounding_box()["width"] for at in range(5)]
    assert max(widths) - min(widths) < 1
