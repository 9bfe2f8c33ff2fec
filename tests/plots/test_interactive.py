"""What the page is made of, and the page itself in a real browser where there is one."""

import base64
import gzip
import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest

import ordinate as od
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


def test_the_page_carries_everything_and_is_small():
    page = plot_interactive_map(POINTS, NAMES, COLUMNS, color="kind")
    text = page.to_html()
    assert json.loads(packed(text, "contents"))["names"] == NAMES
    assert not re.search(r"(src|href)=", text), "the page asks for another file"
    assert "default-src 'none'" in text
    assert len(text) < 65_000


def test_the_contents_hold_what_the_page_shows():
    contents = plot_interactive_map(POINTS, NAMES, COLUMNS, color="kind").contents
    np.testing.assert_allclose(np.transpose(contents["positions"]), POINTS, atol=1e-4)
    kind, size = contents["columns"]
    assert (kind["name"], kind["classes"], kind["codes"][4]) == ("kind", ("0", "1", "2"), 1)
    np.testing.assert_array_equal(size["values"], COLUMNS["size"])
    assert contents["shown"] == 0
    assert contents["images"] == [None] * 30
    assert contents["labels"] is None
    files = [f"folder/{name}.png" for name in NAMES]
    assert plot_interactive_map(POINTS, files).contents["labels"] == NAMES


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
    assert (
        plot_interactive_map(POINTS)
        ._repr_html_()
        .startswith('<iframe title="Map of 30 objects" srcdoc="&lt;!doctype')
    )


def test_spokes_lead_from_objects_to_others():
    spokes = plot_interactive_map(POINTS, spokes={3: ([1, 2], [4]), 5: ([], [0])}).contents[
        "spokes"
    ]
    assert spokes == [
        {"from": 3, "full": [1, 2], "dotted": [4], "color": COLORS[1]},
        {"from": 5, "full": [], "dotted": [0], "color": COLORS[2]},
    ]


def test_bad_arguments_are_refused():
    with pytest.raises(od.InputError, match=r"no column 'age' to colour by; .* are: 'kind'"):
        plot_interactive_map(POINTS, columns={"kind": COLUMNS["kind"]}, color="age")
    with pytest.raises(od.InputError, match=r"edges must have two columns.*\(1, 3\)"):
        plot_interactive_map(POINTS, edges=[[0, 1, 2]])
    with pytest.raises(
        od.InputError, match=r"spokes must join objects from 0 to 29; got \[0, 30\]"
    ):
        plot_interactive_map(POINTS, spokes={0: ([30], [])})


# ---- in a browser ----


@pytest.fixture
def open_page(browser, tmp_path):
    """Open a map and fail at the end if the browser complained or anything left the page."""
    complaints = []

    def opened(shown, **settings):
        shown.save(tmp_path / "map.html")
        page = browser.new_page(**{"viewport": {"width": 1000, "height": 700}} | settings)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: said.type == "error" and complaints.append(said.text))
        page.route(re.compile("^http"), lambda route: complaints.append(route.request.url))
        page.goto((tmp_path / "map.html").as_uri())
        page.wait_for_selector("body[data-ready=yes]")
        return page

    yield opened
    assert complaints == []


def place(page, object):
    """Where an object is drawn on the screen."""
    return page.evaluate(
        "(object) => { const box = canvas.getBoundingClientRect();"
        " return [box.x + view.left[object], box.y + view.top[object]]; }",
        object,
    )


def shade(page, at):
    """The colour of a pixel of the canvas."""
    return page.evaluate(
        "([x, y]) => { const box = canvas.getBoundingClientRect();"
        " return [...canvas.getContext('2d').getImageData(x - box.x, y - box.y, 1, 1).data]; }",
        at,
    )


def wait_until(page, condition):
    """Ask again and again; Playwright's own way needs eval, which the page forbids itself."""
    for _ in range(3000):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"never: {condition}")


def settle(page):
    """Draw what was asked for now, not with the next frame."""
    page.evaluate("paint()")


def saved(page, button):
    with page.expect_download() as download:
        page.click(button)
    return download.value


def test_a_search_finds_and_highlights_an_object(open_page):
    images = [np.zeros((4, 4))] * 30
    page = open_page(plot_interactive_map(POINTS, NAMES, COLUMNS, images=images))
    page.fill("#search", "ECT 2")
    assert page.locator("#matches li").all_inner_texts() == NAMES[20:28]
    page.press("#search", "ArrowDown")
    page.press("#search", "Enter")
    card = page.inner_text("#card")
    nearest = plot_interactive_map(POINTS).contents["neighbors"][21]
    assert card.splitlines()[0] == "object 21"
    box, (across, down) = page.locator("#card").bounding_box(), place(page, 21)
    assert not (box["x"] < across < box["x"] + box["width"] and box["y"] < down)
    assert card.splitlines()[-5:] == [NAMES[number] for number in nearest]
    assert page.locator("#card img").get_attribute("src").startswith("data:image/webp")
    assert page.evaluate("scene.focused") == 21
    page.locator("#card button").first.click()
    assert page.inner_text("#card").splitlines()[0] == NAMES[nearest[0]]
    page.fill("#search", "unicorn")
    assert page.inner_text("#matches") == "no object of that name"
    page.press("#search", "Escape")
    assert page.locator("#card").is_hidden()


def test_a_picture_does_not_take_the_room_of_its_own_name(open_page):
    across, down = np.meshgrid(np.arange(6), np.arange(4))
    # places that do not lie alike on the grid by which names find room
    shifts = np.random.default_rng(1).normal(size=(24, 2)) / 20
    points = np.column_stack([1.7 * across.ravel(), down.ravel()]) + shifts
    images = [np.zeros((4, 4)), np.zeros((4, 2)), np.zeros((2, 4))] * 8
    page = open_page(plot_interactive_map(points, NAMES[:24], images=images))
    wait_until(page, "painter.pictures.every((image) => image.complete)")
    settle(page)
    written = page.evaluate(
        "written.map(({ object, left, top, width }) => [object, left, top, width])"
    )
    assert sorted(object for object, *_ in written) == list(range(24))
    places = page.evaluate("contents.names.map((_, at) => [view.left[at], view.top[at]])")
    for _, left, top, width in written:
        for picture, (x, y) in enumerate(places):
            wide, high = [(20, 20), (10, 20), (20, 10)][picture % 3]
            assert left >= x + wide or left + width <= x - wide or abs(top - y) >= high + 5


def test_a_search_needs_no_accents(open_page):
    page = open_page(plot_interactive_map(POINTS[:3], ["Málaga", "Tromsø", "Łódź"]))
    for words, name in [("malaga", "Málaga"), ("TROMSO", "Tromsø"), ("lodz", "Łódź")]:
        page.fill("#search", words)
        assert page.inner_text("#matches") == name


def test_pointing_at_an_object_shows_it(open_page):
    page = open_page(plot_interactive_map([[0, 0], [1, 1], [2, 0]], ["left", "top", "right"]))
    at = place(page, 1)
    page.mouse.move(at[0] - 60, at[1] - 60)
    page.mouse.move(*at)
    page.wait_for_selector("#card:not([hidden])")
    assert page.inner_text("#card").splitlines()[0] == "top"
    assert {"left", "right"} <= set(page.inner_text("#card").splitlines())
    page.mouse.move(at[0] - 60, at[1] - 60)
    assert page.locator("#card").is_hidden()
    page.mouse.click(*at)
    page.mouse.move(at[0] - 60, at[1] - 60)
    assert page.locator("#card.pinned").is_visible()


@pytest.mark.parametrize("n", [30, 6000], ids=["points", "crowd"])
def test_colours_follow_the_chosen_column(open_page, n):
    points = np.random.default_rng(2).normal(size=(n, 2))
    points[0] = [9, 9]
    columns = {"kind": np.arange(n) % 12, "size": np.linspace(0, 1, n)}
    page = open_page(plot_interactive_map(points, None, columns, color="kind"))
    legend = page.locator("#legend button")
    assert legend.all_inner_texts() == [str(kind) for kind in range(12)]
    blue = shade(page, place(page, 0))
    assert blue[2] > blue[0] + 60
    legend.first.click()
    settle(page)
    assert shade(page, place(page, 0))[:3] == [255, 255, 255], "a class that is off is not drawn"
    page.select_option("#color", label="size")
    settle(page)
    assert page.inner_text("#legend").split() == ["1", "0"]
    assert sum(shade(page, place(page, 0))[:3]) < sum(blue[:3])


@pytest.mark.parametrize("d", [2, 3])
def test_pointing_leaves_a_crowd_as_it_was(open_page, d):
    points = np.random.default_rng(3).normal(size=(6000, d))
    page = open_page(plot_interactive_map(points))
    drawn = "() => { paint(); return canvas.toDataURL(); }"
    before = page.evaluate(drawn)
    page.evaluate("focus(7)")
    assert page.evaluate(drawn) != before, "a ring and a name"
    page.evaluate("focus(null)")
    assert page.evaluate(drawn) == before
    page.evaluate("() => { view.zoomAt(2, 0, 0); redraw(); }")
    moved = page.evaluate(drawn)
    page.evaluate("() => { stale = true; }")
    assert before != moved == page.evaluate(drawn), "the old picture is not kept"


def test_names_are_written_beside_each_other(open_page):
    page = open_page(plot_interactive_map(POINTS, NAMES))
    names = page.evaluate("written")
    assert len(names) >= 15
    for number, a in enumerate(names):
        for b in names[:number]:
            apart = a["left"] >= b["left"] + b["width"] or b["left"] >= a["left"] + a["width"]
            assert apart or abs(a["top"] - b["top"]) >= 10


def test_names_and_classes_are_text_whatever_they_hold(open_page):
    kind = ["<a href='https://example.org'>tea</a>", "a & b &lt; c"]
    names = ["<img src=x onerror=boom()>", "$&"]
    page = open_page(plot_interactive_map(POINTS[:2], names, columns={"kind": kind}, color="kind"))
    page.fill("#search", "<img")
    page.press("#search", "Enter")
    assert page.inner_text("#card").startswith("<img src=x")
    assert page.locator("#legend a").count() == 0
    assert sorted(page.locator("#legend button").all_text_contents()) == sorted(kind)


def test_objects_drawn_around_are_saved_as_a_table(open_page):
    names = ['a, "b"', "far", "near"]
    page = open_page(plot_interactive_map([[0, 0], [9, 0], [0, 1]], names, {"kind": [1, 2, 2]}))
    (left, top), (_, high) = place(page, 0), place(page, 2)
    page.click("#lasso")
    corners = [(-20, high - 20), (20, high - 20), (20, top + 20), (-20, top + 20)]
    page.mouse.move(left - 20, top + 20)
    page.mouse.down()
    for across, down in corners:
        page.mouse.move(left + across, down)
    page.mouse.up()
    assert page.inner_text("#selection span") == "2 objects selected"
    assert {text["object"] for text in page.evaluate("written")} >= {0, 2}
    table = saved(page, "#csv-selected")
    assert table.suggested_filename == "selection.csv"
    assert table.path().read_text() == 'object,x1,x2,kind\n"a, ""b""",0,0,1\nnear,0,1,2\n'
    page.click("#clear")
    assert page.locator("#selection").is_hidden()


@pytest.mark.parametrize("n", [30, 6000], ids=["points", "crowd"])
def test_the_picture_that_is_saved_contains_names_and_legend(open_page, n):
    """The same map without names gives other pixels."""
    from PIL import Image

    points = np.random.default_rng(3).normal(size=(n, 2))
    pictures = {}
    for names in ("named", " "):
        shown = plot_interactive_map(points, [names] * n, {"kind": np.arange(n) % 2}, color="kind")
        page = open_page(shown, color_scheme="dark", viewport={"width": 500, "height": 350})
        page.evaluate("pin(0)")
        pictures[names] = np.asarray(Image.open(saved(page, "#png").path()).convert("L"), float)
        assert pictures[names].shape[0] == int(2 * page.evaluate("view.height"))
    named, nameless = pictures.values()
    assert named[0, 0] == 255, "pictures are for paper, also from a dark screen"
    assert (named != nameless).mean() > 1e-4
    assert (nameless[20:80, -80:] < 200).any(), "the legend stands in the corner"


@pytest.mark.parametrize("d", [2, 3])
def test_the_page_works_with_keys(open_page, d):
    points = np.random.default_rng(d).normal(size=(30, d))
    page = open_page(plot_interactive_map(points, NAMES))
    places = "[...view.left, ...view.top]"
    before = page.evaluate(places)
    page.focus("#map")
    for pressed in ("ArrowLeft", "ArrowUp", "+"):
        page.keyboard.press(pressed)
    settle(page)
    assert page.evaluate(places) != pytest.approx(before, abs=5)
    page.keyboard.press("0")
    settle(page)
    assert page.evaluate(places) == pytest.approx(before)
    page.keyboard.press("Shift+ArrowRight")
    first = page.evaluate("scene.focused")
    page.keyboard.press("Shift+ArrowRight")
    second = page.evaluate("scene.focused")
    assert page.evaluate(f"view.left[{second}] > view.left[{first}]")
    page.keyboard.press(" ")
    assert page.evaluate("[...scene.selected]") == [second]
    page.keyboard.press("Escape")
    assert page.evaluate("[scene.focused, scene.selected.size]") == [None, 0]


def test_fingers_move_and_pinch(open_page):
    page = open_page(plot_interactive_map(POINTS, NAMES), has_touch=True)
    apart = "Math.hypot(view.left[0] - view.left[1], view.top[0] - view.top[1])"
    before = page.evaluate(apart)
    page.evaluate(
        """() => {
        const finger = (type, pointerId, clientX) => canvas.dispatchEvent(new PointerEvent(
          type, { pointerId, clientX, clientY: 300, pointerType: "touch", bubbles: true }));
        canvas.setPointerCapture = () => {};
        finger("pointerdown", 1, 400); finger("pointerdown", 2, 500);
        finger("pointermove", 2, 600); finger("pointerup", 1, 400); finger("pointerup", 2, 600);
        }"""
    )
    settle(page)
    assert page.evaluate(apart) == pytest.approx(2 * before, rel=1e-3)


def test_a_map_in_space_has_names_and_turns(open_page):
    points = np.random.default_rng(3).normal(size=(30, 3))
    page = open_page(plot_interactive_map(points, NAMES))
    assert len(page.evaluate("written")) >= 10
    before = page.evaluate("[...view.depth]")
    page.mouse.move(300, 300)
    page.mouse.down()
    page.mouse.move(400, 320)
    page.mouse.up()
    settle(page)
    after = page.evaluate("[...view.depth]")
    assert not np.allclose(before, after, atol=0.1)
    assert np.allclose(np.linalg.norm(points - (points.max(0) + points.min(0)) / 2, axis=1) ** 2,
        [sum(part**2 for part in page.evaluate(
            f"[(view.left[{k}] - view.width / 2) / view.zoom[0],"
            f" (view.top[{k}] - view.height / 2) / view.zoom[0], view.depth[{k}]]"
        )) for k in range(30)], rtol=1e-3)  # fmt: skip


def test_dark_where_the_screen_is(open_page):
    page = open_page(plot_interactive_map(POINTS), color_scheme="dark")
    assert max(shade(page, [300, 60])[:3]) < 60
    page.emulate_media(color_scheme="light")
    wait_until(page, "scene.palette.paper === '#ffffff'")
    settle(page)
    assert shade(page, [300, 60])[:3] == [255, 255, 255]


def doubtful(points, spread=0.1):
    """The uncertainty of a map, with draws around each object."""
    rng = np.random.default_rng(0)
    n_objects = len(points)
    return od.uncertainty.MapUncertainty(
        embedding_=points - points.mean(axis=0),
        draws_=(points + spread * rng.standard_normal((20, *points.shape))).astype(np.float32),
        names_=None,
        method="posterior",
        by=None,
        level=0.9,
        n_neighbors=3,
        n_answers_=np.full(n_objects, 9),
        contradicted_=np.zeros(n_objects),
    )


def test_regions_are_on_the_page_only_if_asked_for():
    points = np.random.default_rng(0).standard_normal((6, 2))
    points -= points.mean(axis=0)
    sure = doubtful(points)
    contents = od.plots.plot_interactive_map(points, uncertainty=sure).contents
    assert np.shape(contents["regions"]) == (6, 33, 2)
    assert contents["regions_name"] == "90% regions"
    np.testing.assert_allclose(
        np.mean(contents["regions"][2][:-1], axis=0), sure.mean_[2], atol=1e-3
    )
    assert [column["name"] for column in contents["columns"]] == [
        "stability",
        "answers",
        "contradicted",
    ]
    assert od.plots.plot_interactive_map(points).contents["regions"] == []


DESKTOP, PHONE = {"width": 1400, "height": 900}, {"width": 390, "height": 844}


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_everything_is_in_sight_at_first(open_page, viewport, d):
    """Objects, and regions on a line, though the legend takes its room after the first drawing.

    On a map regions of uncertain objects may reach beyond the screen, or the map would be small.
    """
    points = np.random.default_rng(d).normal(size=(30, d)) * [9, 1, 1][:d]
    kinds = np.array(["a class with a rather long name", "b"])[np.arange(30) % 2]
    page = open_page(
        plot_interactive_map(
            points, NAMES, {"kind": kinds}, color="kind", uncertainty=doubtful(points, 1)
        ),
        viewport=viewport,
    )
    corners = page.evaluate("contents.names.map((_, at) => [view.left[at], view.top[at]])")
    if d == 1:
        corners += page.evaluate("contents.regions.flat().map(view.placer())")
    width, height = page.evaluate("[view.width, view.height]")
    assert np.min(corners) > 0
    assert max(x for x, _ in corners) < width
    assert max(y for _, y in corners) < height
    assert page.locator("#stage").bounding_box()["width"] == pytest.approx(width, abs=1)


def test_a_map_that_was_moved_stays_where_it_is(open_page):
    page = open_page(plot_interactive_map(POINTS, NAMES))
    page.evaluate("() => { view.move(200, 0); redraw(); }")
    before = page.evaluate("[...view.pan]")
    page.set_viewport_size({"width": 800, "height": 700})
    wait_until(page, "view.width === 800")
    assert page.evaluate("[...view.pan]") == before


def test_every_name_is_written_where_there_is_room(open_page):
    turn = np.linspace(0, 2 * np.pi, 30, endpoint=False)
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    page = open_page(plot_interactive_map(circle, NAMES))
    assert len(page.evaluate("written")) == 30


def blobs(n):
    """Three clouds of objects far from each other."""
    rng = np.random.default_rng(4)
    kinds = np.arange(n) % 3
    centers = np.array([[0, 0], [20, 0], [0, 20]])
    return rng.normal(size=(n, 2)) + centers[kinds], np.array(["tea", "milk", "beer"])[kinds]


@pytest.mark.parametrize("n", [2000, 7000])
def test_of_many_objects_classes_are_named(open_page, n):
    points, kinds = blobs(n)
    page = open_page(plot_interactive_map(points, None, {"kind": kinds}, color="kind"))
    names = page.evaluate("written")
    assert sorted(name["text"] for name in names) == ["beer", "milk", "tea"]
    places = page.evaluate("contents.names.map((_, at) => [view.left[at], view.top[at]])")
    for name in names:
        members = np.flatnonzero(kinds == name["text"])
        left, top = np.mean([places[member] for member in members], axis=0)
        assert abs(name["left"] + name["width"] / 2 - left) < 20
        assert abs(name["top"] - top) < 20
    page.locator("#legend button").first.click()
    settle(page)
    assert sorted(name["text"] for name in page.evaluate("written")) == ["milk", "tea"]


def test_row_numbers_are_not_written_all_over_a_large_map(open_page):
    points, _ = blobs(2000)
    page = open_page(plot_interactive_map(points))
    assert page.evaluate("written") == []
    page.evaluate("() => { view.zoomAt(60, view.left[0], view.top[0]); paint(); }")
    assert 0 < len(page.evaluate("written")) <= page.evaluate("painter.inSight().length") <= 100


def test_objects_that_a_search_finds_are_named_and_ringed(open_page):
    points, _ = blobs(2000)
    page = open_page(plot_interactive_map(points))
    before = page.evaluate("canvas.toDataURL()")
    page.fill("#search", "199")
    settle(page)
    found = page.evaluate("scene.found")
    assert found == [199, 1990, 1991, 1992, 1993, 1994, 1995, 1996]
    assert {name["object"] for name in page.evaluate("written")} <= set(found)
    assert page.evaluate("written")
    assert page.evaluate("canvas.toDataURL()") != before
    page.press("#search", "Escape")
    settle(page)
    assert page.evaluate("canvas.toDataURL()") == before


def test_a_column_of_texts_that_all_differ_is_not_offered_as_colour(open_page):
    columns = {"note": [f"note {k}" for k in range(150)], "size": np.arange(150)}
    page = open_page(
        plot_interactive_map(np.random.default_rng(1).normal(size=(150, 2)), None, columns)
    )
    assert page.locator("#color option").all_inner_texts() == ["none", "size"]
    page.mouse.click(*place(page, 3))
    assert "note 3" in page.inner_text("#card")


@pytest.mark.parametrize("n", [30, 6000], ids=["points", "crowd"])
def test_the_drawing_that_is_saved_holds_objects_names_and_legend(open_page, n):
    points = np.random.default_rng(3).normal(size=(n, 2))
    names = ["<&>", *(f"object {number}" for number in range(1, n))]
    kinds = np.array(["tea", "milk"])[np.arange(n) % 2]
    shown = plot_interactive_map(points, names, {"kind": kinds}, color="kind")
    page = open_page(shown, color_scheme="dark")
    page.evaluate("pin(0)")
    file = saved(page, "#svg")
    assert file.suggested_filename == "map.svg"
    tree = ElementTree.parse(file.path())
    texts = [text.text for text in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert {"<&>", "kind", "tea", "milk"} <= set(texts)
    uses = [use.attrib for use in tree.iter("{http://www.w3.org/2000/svg}use")]
    assert len(uses) == n + 2, "the objects, and the legend's two"
    at = [float(uses[5][axis]) for axis in "xy"]
    assert at == pytest.approx(page.evaluate("[view.left[5], view.top[5]]"), abs=0.01)
    assert uses[0]["href"] != uses[1]["href"]
    assert next(tree.iter("{http://www.w3.org/2000/svg}rect")).get("fill") == "#ffffff"


def test_a_scale_is_saved_as_a_gradient(open_page):
    page = open_page(plot_interactive_map(POINTS, NAMES, COLUMNS, color="size"))
    text = saved(page, "#svg").path().read_text()
    assert 'fill="url(#scale' in text
    assert "<linearGradient" in text


def test_all_objects_are_saved_as_a_table(open_page):
    points = np.random.default_rng(2).normal(size=(30, 5)) * [9, 5, 1, 1, 1]
    page = open_page(plot_interactive_map(points, NAMES, COLUMNS))
    table = saved(page, "#csv")
    assert table.suggested_filename == "map.csv"
    header, *rows = table.path().read_text().splitlines()
    assert header == "object,principal_1,principal_2,kind,size"
    assert [row.split(",")[0] for row in rows] == NAMES
    assert [row.split(",")[3] for row in rows] == [str(kind) for kind in COLUMNS["kind"]]
    assert [float(row.split(",")[4]) for row in rows] == COLUMNS["size"].tolist()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_page, check_accessible, scheme):
    shown = plot_interactive_map(POINTS, NAMES, COLUMNS, color="kind")
    page = open_page(shown, color_scheme=scheme)
    page.fill("#search", "object 1")
    page.mouse.click(*place(page, 0))
    page.focus("#map")
    page.keyboard.press(" ")
    check_accessible(page)
