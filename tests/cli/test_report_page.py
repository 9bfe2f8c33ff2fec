import re
from base64 import b64decode
from pathlib import Path

import numpy as np
import pytest

import ordinate as od
from ordinate.cli._appearance import Look
from ordinate.cli._report_findings import Plan, find_out
from ordinate.cli._report_page import (
    Origin,
    _DrawnMap,
    _unnamed,
    methods_paragraph,
    references_of,
    write_page,
)


def test_names_from_the_data_are_escaped(tmp_path):
    path = tmp_path / "<answers>.csv"
    path.write_text("any bytes")
    points = np.random.default_rng(0).normal(size=(8, 2))
    rows = od.sources.random_triplets(points, 200, random_state=0).rows
    who = np.array(["<b>Ann</b>", "Bob"])[np.arange(200) % 2]
    answers = od.Comparisons(rows, groups={"participant": who})
    plan = Plan(["SOE"], [2], 2, "participant", 0, 1)
    origin = Origin(path, [str(path), "--group", "participant"], plan)
    findings = find_out(answers, plan)
    look = Look({"half": np.arange(8) // 4}, "half")
    page = write_page(findings, origin, look)
    assert "<b>Ann" not in page
    assert "&lt;b&gt;Ann" in page
    assert "the choice was made" not in page, "there is nothing to choose from one fit"
    report, compare, noise, embed = origin.commands(findings)
    assert report.startswith("ordinate report '") and "--split-by participant" in report  # noqa: PT018
    assert compare.replace("compare", "report", 1) == report
    assert "--method SOE --dim 2" in noise
    assert embed.endswith("-o map.csv")


def test_a_pattern_of_files_is_known_by_all_of_them(tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("anchor,near,far\n" + "0,1,2\n1,2,0\n2,0,1\n0,2,1\n" * 9)
    answers = od.read_comparisons(tmp_path / "a.csv")
    plan = Plan(["SOE"], [1], 2, None, 0, 1)
    pattern = Path(tmp_path / "*.csv")
    page = write_page(
        find_out(answers, plan), Origin(pattern, [str(pattern)], plan, ["Left out 3 of 9"]), Look()
    )
    assert "<p>Left out 3 of 9</p>" in page
    assert "a.csv: <code>" in page
    assert "b.csv: <code>" in page


@pytest.fixture(scope="module")
def three_dimensional(tmp_path_factory):
    """The page about a map in space, of pictures with long names."""
    path = tmp_path_factory.mktemp("report") / "answers.csv"
    path.write_text("any bytes")
    points = np.random.default_rng(0).normal(size=(40, 3))
    rows = od.sources.random_triplets(points, 1500, random_state=0).rows
    names = [f"folder/of/pictures/number_{number:02}.png" for number in range(40)]
    plan = Plan(["SOE", "STE"], [3], 2, None, 0, 1)
    findings = find_out(od.Comparisons(rows, names=names), plan)
    return findings, plan, write_page(findings, Origin(path, [str(path)], plan), Look())


def test_a_map_in_space_is_printed_from_three_sides_and_can_be_turned(three_dimensional):
    _, _, page = three_dimensional
    assert [int(side) for side in re.findall(r"seen along dimension (\d)", page)] == [3, 2, 1]
    assert page.count("<iframe") == 1
    first = b64decode(
        re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', page).group(1)
    ).decode()
    assert "number_0" in first
    assert "folder/of" not in first, "long names of files are shortened"
    assert "PolyCollection" in first, "regions of uncertain places are on paper too"


def test_names_left_out_are_counted():
    points = np.concatenate([np.zeros((30, 2)), [[1, 1]]])
    drawn = od.plots.plot_map(points, names := [f"object {k}" for k in range(31)])
    assert _unnamed(_DrawnMap([drawn], names)) == 31 - len(drawn.texts) > 20


def test_the_table_of_coordinates_comes_along(three_dimensional):
    _, _, page = three_dimensional
    table = b64decode(re.search(r'href="data:text/csv;base64,([^"]+)"', page).group(1)).decode()
    assert table.splitlines()[0] == '"object","x1","x2","x3"'
    assert len(table.splitlines()) == 41


def test_the_methods_paragraph_names_everything_that_was_done(three_dimensional):
    findings, plan, page = three_dimensional
    text = methods_paragraph(findings, plan)
    assert text.startswith("The data were 1,500 triplets about 40 objects.")
    assert "SOE [1] and STE [2] in 3 dimensions were computed with Ordinate [4]" in text
    assert "2-fold cross-validation [3]" in text
    assert f"We chose {findings.choice}" in text
    assert f"Held-out accuracy was {100 * findings.accuracy.share:.1f} %" in text
    assert references_of(findings)["SOE"] == (
        "Terada & von Luxburg, Local Ordinal Embedding, ICML 2014."
    )
    assert f"{100 * findings.accuracy.share:.1f}&nbsp;%</b>" in page, "one figure for one question"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_finds_nothing_to_complain_of(
    three_dimensional, browser, check_accessible, tmp_path, scheme
):
    (tmp_path / "report.html").write_text(three_dimensional[2], encoding="utf-8")
    page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme=scheme)
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.route(re.compile("^http"), lambda route: complaints.append(route.request.url))
    page.goto((tmp_path / "report.html").as_uri())
    page.frame_locator("iframe").locator("body[data-ready=yes]").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    tables = (
        "[...document.querySelectorAll('.wide')].map(wide => wide.scrollWidth - wide.clientWidth)"
    )
    assert page.evaluate(tables) == [0], "a table scrolls sideways"
    check_accessible(page)
    assert complaints == []
