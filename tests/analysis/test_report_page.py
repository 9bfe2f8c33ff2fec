import re
from base64 import b64decode
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import ordinate as od
from ordinate.analysis.findings import others_in_words
from ordinate.analysis.paragraph import (
    _TASKS,
    _choice_in_words,
    methods_paragraph,
    references_of,
)
from ordinate.io.rows import Reading
from ordinate.results.object_display import ObjectDisplay
from ordinate.results.page import write_page
from ordinate.results.provenance import Provenance
from ordinate.tasks import READ


def test_names_from_the_data_are_escaped(tmp_path):
    path = tmp_path / "<answers>.csv"
    path.write_text("any bytes")
    points = np.random.default_rng(0).normal(size=(8, 2))
    rows = od.sources.random_triplets(points, 200, random_state=0).rows
    who = np.array(["<b>Ann</b>", "Bob"])[np.arange(200) % 2]
    answers = od.Comparisons(rows, groups={"participant": who})
    look = ObjectDisplay({"half": np.arange(8) // 4}, "half")
    analysis = od.analyze(
        answers, ["SOE"], [2], folds=2, by="participant", n_jobs=1, random_state=0
    )
    named = replace(analysis.complete(), provenance=Provenance(path.name, [path]), display=look)
    page = write_page(named)
    assert "<b>Ann" not in page
    assert "&lt;b&gt;Ann" in page
    assert "the choice was made" not in page, "there is nothing to choose from one fit"


def test_the_page_says_if_near_and_far_may_have_been_exchanged():
    points = np.random.default_rng([0]).normal(size=(8, 2))
    answers = od.sources.random_triplets(points, 200, random_state=0).reversed()
    analysis = od.analyze(answers, ["SOE"], [2], folds=2, n_jobs=1, random_state=0)
    findings = analysis.complete()
    assert "Near and far may have been exchanged" in write_page(findings)
    assert findings.to_dict()["near_and_far_exchanged"]


@pytest.fixture(scope="module")
def three_dimensional(tmp_path_factory):
    """The page about a map in space, of pictures with long names."""
    path = tmp_path_factory.mktemp("report") / "answers.csv"
    path.write_text("any bytes")
    points = np.random.default_rng(0).normal(size=(40, 3))
    rows = od.sources.random_triplets(points, 1500, random_state=0).rows
    names = [f"folder/of/pictures/number_{number:02}.png" for number in range(40)]
    record = od.Comparisons(rows, names=names)
    found = od.analyze(record, ["SOE", "STE"], 3, folds=2, n_jobs=1, random_state=0)
    found = replace(found.complete(), provenance=Provenance(path.name, [path]))
    return found, write_page(found)


def test_a_map_in_space_is_printed_from_three_sides_and_can_be_turned(three_dimensional):
    findings, page = three_dimensional
    assert "Near and far may have been exchanged" not in page
    assert findings.to_dict()["near_and_far_exchanged"] is False
    assert page.count("<iframe") == 1
    first = b64decode(
        re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', page).group(1)
    ).decode()
    assert "number_0" in first
    assert "folder/of" not in first, "long names of files are shortened"
    assert "PolyCollection" in first, "regions of uncertain places are on paper too"


def test_the_table_of_coordinates_comes_along(three_dimensional):
    _, page = three_dimensional
    table = b64decode(re.search(r'href="data:text/csv;base64,([^"]+)"', page).group(1)).decode()
    assert table.splitlines()[0].startswith('"object","x1","x2","x3"')
    assert len(table.splitlines()) == 41


def test_the_methods_paragraph_names_everything_that_was_done(three_dimensional):
    findings, page = three_dimensional
    left_out = {"phase practice, catch": 17, "code p1, p2": 10}
    left_out |= {"without objects": 2, "without an answer": 1}
    roles = {"code": "the group 'participant'", "phase": "a condition"}
    reading = Reading("odd_one_out", roles, (), "", 780, left_out)
    text = methods_paragraph(findings, [reading])
    assert text.startswith(
        "Each trial asked which of the objects shown is the odd one out. The data were 750 trials,"
        " which give 1,500 triplets about 40 objects. We excluded 19 practice, catch and"
        " other rows and 2 participants (10 trials); 1 trial had no response."
    )
    assert "200 bootstrap resamples of" in text
    assert "against 99 sets of random responses to the same questions (p = 0.01)." in text
    assert "It was measured on the answers by which method and dimension were chosen." in text
    all_kept = methods_paragraph(findings, [replace(reading, left_out={})])
    assert "780 trials" in all_kept
    assert "No trial was excluded." in all_kept
    assert "SOE [1] and STE [2] in 3 dimensions were computed with Ordinate [4]" in text
    assert "STE had an L2 penalty (7.07)." in text, "not as published"
    assert "2-fold cross-validation [3]" in text
    assert f"We chose {findings.choice.choice}" in text
    assert f"Held-out accuracy was {100 * findings.to_dict()['accuracy']['share']:.1f} %" in text
    assert "lapse" not in text + "".join(references_of(findings).values()), "none were fitted"
    assert references_of(findings)["SOE"] == (
        "Terada & von Luxburg, Local Ordinal Embedding, ICML 2014."
    )
    share = findings.to_dict()["accuracy"]["share"]
    assert f"predicts {share:.1%} of new answers" in page, "one figure for one question"
    assert "Brier score plus half of the error)" in text, "one rule in both places"


@pytest.mark.parametrize(
    ("fallback", "choice", "words"),
    [
        (None, "STE in 3", "the lowest dimension whose score"),
        (None, "STE in 2", "no other had surely a lower Brier score"),
        ("CKL in 2", "CKL in 2", "this method because it predicts well from few answers"),
    ],
)
def test_the_paragraph_gives_the_rule_that_chose(fallback, choice, words):
    table = SimpleNamespace(choice=choice, fallback=fallback, smallest="STE in 3", set_aside=[])
    said = _choice_in_words(table)
    assert f"We chose {table.choice}" in said
    assert words in said
    assert "luck" not in said
    table.set_aside = ["SOE in 1", "SOE in 2"]
    assert "Lower scores of SOE in 1 and SOE in 2 were disregarded" in _choice_in_words(table)


def test_every_question_has_words():
    assert set(_TASKS) == set(READ)


def test_tied_methods_stand_in_the_table(three_dimensional):
    findings, page = three_dimensional
    verdicts = re.findall(r'data-label="beside the choice">(\w+)<', page)
    assert len(verdicts) == len(findings.choice.rows) == 2
    assert verdicts.count("chosen") == 1
    assert verdicts.count("tied") == len(findings.choice.tied)
    assert verdicts.count("better") == len(findings.choice.better)


@pytest.mark.parametrize(
    ("tied", "better", "n_rows", "words"),
    [
        (0, 0, 5, ""),
        (1, 0, 2, "the other one tried predicts as well"),
        (0, 1, 2, "the other one tried predicts slightly better"),
        (1, 0, 5, "1 of the 4 others tried predicts as well"),
        (2, 5, 23, "2 of the 22 others tried predict as well and 5 slightly better"),
    ],
)
def test_others_than_the_map_chosen(tied, better, n_rows, words):
    table = SimpleNamespace(tied=[0] * tied, better=[0] * better, rows=[0] * n_rows)
    assert others_in_words(table) == words


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_browser_finds_nothing_to_complain_of(
    three_dimensional, browser, check_accessible, tmp_path, scheme
):
    (tmp_path / "report.html").write_text(three_dimensional[1], encoding="utf-8")
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
    assert set(page.evaluate(tables)) == {0}, "a table scrolls sideways"
    check_accessible(page)
    assert complaints == []
