"""What the page is made of, and the page itself in a real browser where there is one."""

import base64
import gzip
import json
import re

import numpy as np
import pytest

import ordinate as od
from ordinate.plots import _interactive as interactive
from ordinate.plots import plot_interactive_map
from ordinate.plots._colors import COLORS
from ordinate.plots._interactive import MOST_EDGES

RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(30, 2))
NAMES = [f"object {number:02}" for number in range(30)]
COLUMNS = {"kind": np.arange(30) % 3, "size": RNG.random(30)}


def packed(page, part):
    text = re.search(rf'id="{part}">([^<]*)<', page).group(1)
    return gzip.decompress(base64.b64decode(text)).decode()


def test_the_page_carries_contents_and_plotly():
    page = plot_interactive_map(POINTS, NAMES, COLUMNS, color="kind")
    text = page.to_html()
    assert json.loads(packed(text, "contents"))["names"] == NAMES
    assert packed(text, "plotly").lstrip().startswith("/**\n* plotly.js")
    assert not re.search(r"(src|href)=", text), "the page asks for another file"


def test_contents():
    contents = plot_interactive_map(POINTS, NAMES, COLUMNS, color="kind").contents
    np.testing.assert_allclose(np.transpose(contents["positions"]), POINTS, atol=1e-4)
    kind, size = contents["columns"]
    assert (kind["name"], kind["classes"], kind["codes"][4]) == ("kind", ("0", "1", "2"), 1)
    np.testing.assert_array_equal(size["values"], COLUMNS["size"])
    assert contents["shown"] == 0
    assert contents["images"] == [None] * 30


def test_neighbors_are_the_nearest_in_all_dimensions():
    points = np.random.default_rng(1).normal(size=(40, 6))
    found = plot_interactive_map(points, n_neighbors=4).contents["neighbors"]
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    np.fill_diagonal(distances, np.inf)
    np.testing.assert_array_equal(found, np.argsort(distances, axis=1)[:, :4])


def test_nobody_is_a_neighbor_of_itself_even_in_a_heap():
    found = plot_interactive_map(np.zeros((8, 2)), n_neighbors=3).contents["neighbors"]
    assert all(number not in others and len(others) == 3 for number, others in enumerate(found))


@pytest.mark.parametrize("d", [1, 2, 3, 6])
def test_every_dimension_is_drawn_in_two_or_three(d):
    contents = plot_interactive_map(np.random.default_rng(d).normal(size=(9, d))).contents
    assert len(contents["positions"]) == (3 if d == 3 else 2)
    assert contents["ordered"] == (d == 1)


def test_a_single_object_has_no_neighbors():
    assert plot_interactive_map([[1.0, 2.0]]).contents["neighbors"] == [[]]


def test_edges_are_listed_once_unless_they_are_too_many():
    assert plot_interactive_map(POINTS, edges=[[1, 0], [0, 1]]).contents["edges"] == [[0, 1]]
    points = np.zeros((400, 2))
    many = np.argwhere(np.triu(np.ones((400, 400)), 1))
    assert len(many) > MOST_EDGES
    assert plot_interactive_map(points, edges=many).contents["edges"] == []


def test_same_map_same_bytes(tmp_path):
    paths = [tmp_path / "first.html", tmp_path / "second.html"]
    for path in paths:
        plot_interactive_map(POINTS, NAMES).save(path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_a_notebook_shows_it_in_a_frame():
    assert plot_interactive_map(POINTS)._repr_html_().startswith('<iframe srcdoc="&lt;!doctype')


def test_refuses(monkeypatch):
    with pytest.raises(od.InputError, match=r"no column 'age' to colour by; .* are: 'kind'"):
        plot_interactive_map(POINTS, columns={"kind": COLUMNS["kind"]}, color="age")
    with pytest.raises(od.InputError, match=r"edges must have two columns.*\(1, 3\)"):
        plot_interactive_map(POINTS, edges=[[0, 1, 2]])
    monkeypatch.setattr(interactive, "find_spec", lambda name: None)
    with pytest.raises(od.InputError, match=r'pip install "ordinate\[interactive\]"'):
        plot_interactive_map(POINTS).to_html()


# ---- in a browser ----


@pytest.fixture
def open_page(browser, tmp_path):
    """Open a map and fail at the end if the browser complained."""
    complaints = []

    def opened(shown):
        shown.save(tmp_path / "map.html")
        page = browser.new_page(viewport={"width": 1000, "height": 700})
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: said.type == "error" and complaints.append(said.text))
        page.route(re.compile("^http"), lambda route: complaints.append(route.request.url))
        page.goto((tmp_path / "map.html").as_uri())
        page.wait_for_selector("body[data-ready=yes]")
        return page

    yield opened
    assert complaints == []


def test_a_search_finds_and_highlights_an_object(open_page):
    images = [np.zeros((4, 4))] * 30
    page = open_page(plot_interactive_map(POINTS, NAMES, COLUMNS, images=images))
    page.fill("#search", "ECT 2")
    assert page.locator("#matches button").all_inner_texts() == NAMES[20:28]
    page.press("#search", "ArrowDown")
    page.press("#search", "Enter")
    card = page.inner_text("#card")
    nearest = plot_interactive_map(POINTS).contents["neighbors"][21]
    assert card.splitlines()[0] == "object 21"
    assert card.splitlines()[-5:] == [NAMES[number] for number in nearest]
    assert page.locator("#card img").get_attribute("src").startswith("data:image/webp")
    ring = page.evaluate("map.layout.shapes.at(-1)")
    assert (ring["xanchor"], ring["yanchor"]) == pytest.approx(tuple(POINTS[21]), abs=1e-4)
    page.locator("#card button").first.click()
    assert page.inner_text("#card").splitlines()[0] == NAMES[nearest[0]]
    page.fill("#search", "unicorn")
    assert page.inner_text("#matches") == "no object of that name"
    page.press("#search", "Escape")
    assert page.locator("#card").is_hidden()


def test_pointing_at_an_object_shows_it(open_page):
    page = open_page(plot_interactive_map([[0, 0], [1, 1], [2, 0]], ["left", "top", "right"]))
    at = page.evaluate(
        "(() => { const { xaxis, yaxis } = map._fullLayout, box = map.getBoundingClientRect();"
        " return [box.x + xaxis._offset + xaxis.d2p(1), box.y + yaxis._offset + yaxis.d2p(1)]; })()"
    )
    page.mouse.move(at[0] - 60, at[1] - 60)
    page.mouse.move(*at, steps=5)
    page.wait_for_selector("#card:not([hidden])")
    assert page.inner_text("#card").splitlines()[0] == "top"
    assert {"left", "right"} <= set(page.inner_text("#card").splitlines())


@pytest.mark.parametrize("d", [2, 3])
def test_colours_follow_the_chosen_column(open_page, d):
    points = np.random.default_rng(d).normal(size=(30, d))
    page = open_page(plot_interactive_map(points, NAMES, COLUMNS, color="kind"))
    assert page.evaluate("map.data.map((trace) => trace.name)") == ["0", "1", "2"]
    colors = page.evaluate("map.data.map((trace) => trace.marker.color)")
    assert colors == list(COLORS[:3])
    page.select_option("#color", label="size")
    page.wait_for_function("map.data.length === 1")
    values = page.evaluate("map.data[0].marker.color")
    np.testing.assert_allclose(values, COLUMNS["size"])


def test_names_are_written_beside_each_other(open_page):
    page = open_page(plot_interactive_map(POINTS, NAMES))
    boxes = [name.bounding_box() for name in page.locator("#names span").all()]
    assert len(boxes) >= 15
    for number, a in enumerate(boxes):
        for b in boxes[:number]:
            apart_across = abs(a["x"] - b["x"]) >= min(a["width"], b["width"]) - 1
            assert apart_across or abs(a["y"] - b["y"]) >= 10


def test_names_are_text_whatever_they_hold(open_page):
    page = open_page(plot_interactive_map(POINTS[:2], ["<img src=x onerror=boom()>", "$&"]))
    page.fill("#search", "<img")
    page.press("#search", "Enter")
    assert page.inner_text("#card").startswith("<img src=x")


def test_classes_in_the_legend_are_text_and_no_links(open_page):
    kind = ["<a href='https://example.org'>tea</a>", "a & b &lt; c"]
    page = open_page(
        plot_interactive_map(POINTS[:2], ["x", "y"], columns={"kind": kind}, color="kind")
    )
    assert page.locator(".legend a").count() == 0
    assert sorted(page.locator(".legend .legendtext").all_text_contents()) == sorted(kind)


def test_regions_are_on_the_page_only_if_asked_for():
    rng = np.random.default_rng(0)
    points = rng.standard_normal((6, 2))
    points -= points.mean(axis=0)
    sure = od.uncertainty.MapUncertainty(
        embedding_=points,
        draws_=(points + 0.1 * rng.standard_normal((20, 6, 2))).astype(np.float32),
        names_=None,
        method="posterior",
        by=None,
        level=0.9,
        n_neighbors=3,
        n_answers_=np.full(6, 9),
        at_odds_=np.zeros(6),
    )
    contents = od.plots.plot_interactive_map(points, uncertainty=sure).contents
    assert np.shape(contents["regions"]) == (6, 33, 2)
    assert contents["regions_name"] == "90% regions"
    np.testing.assert_allclose(
        np.mean(contents["regions"][2][:-1], axis=0), sure.mean_[2], atol=1e-3
    )
    assert od.plots.plot_interactive_map(points).contents["regions"] == []
