"""`ordinate report`: the page, its figures, and the commands that give them again."""

import re

import pytest

QUICK = ("--method", "SOE,TETE", "--dim", "1,2", "--folds", 2)


def test_the_page_and_the_figures_say_what_was_found(ordinate, answers, tmp_path):
    path = tmp_path / "report.html"
    figures = ordinate("report", answers, *QUICK, "-o", path, "--json").json
    page = path.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "400 triplets about 12 objects" in page
    for section in ("Method and dimension", "Participants", "more answers help"):
        assert section in page
    assert "Uncertainty of the map, by 200 bootstrap resamples" in page
    assert "the answers hold structure." in page
    assert page.count("data:image/svg+xml;base64,") == 6
    assert not re.search(r'(src|href)="(?!data:|#)', page), "the page asks for another file"
    assert "How to get the same again" in page
    assert figures["answers"]["n_rows"] == 400
    assert figures["comparison"]["choice"]["method"] in ("SOE", "TETE")
    assert figures["noise"]["per_group"][0]["label"] in ("0", "1", "2")
    assert figures["learning"]["points"][-1]["n_answers"] == 200
    assert figures["uncertainty"]["n_draws"] == 200
    assert figures["structure_p_value"] == 0.01
    assert figures["files"] == [str(path)]
    choice = figures["comparison"]["choice"]
    fixed = ("--method", choice["method"], "--dim", choice["dimension"], "--json")
    map_of_all = ordinate("embed", answers, *fixed).json
    assert map_of_all["held_out_error"] == figures["held_out"]["error"], "one number for one thing"


def test_a_pattern_of_files_is_known_by_all_of_them(ordinate, tmp_path):
    for name in ("a.csv", "b.csv"):
        rows = "0,1,2,x\n1,2,0,x\n2,0,1,x\n0,2,1,y\n" * 9
        (tmp_path / name).write_text(f"anchor,near,far,phase\n{rows}")
    path = tmp_path / "report.html"
    pattern = tmp_path / "*.csv"
    options = ("--method", "SOE", "--dim", 1, "--folds", 2, "--exclude", "phase=y", "-o", path)
    run = ordinate("report", pattern, *options)
    assert run.code == 0, run.err
    assert run.out.startswith("The map, by ")
    assert run.out.endswith(f"Wrote {path}\n")
    page = path.read_text(encoding="utf-8")
    assert "Left out 9 of 36 rows" in page
    assert "a.csv: <code>" in page
    assert "b.csv: <code>" in page


@pytest.mark.parametrize(
    ("wrong", "code", "expected"),
    [
        (["-o", "report.pdf"], 1, "must end in .html"),
        (["-o", "gone/report.html"], 1, "no folder"),
        (["--method", "ASTROLOGY"], 2, "ASTROLOGY"),
    ],
)
def test_mistakes_are_refused(ordinate, answers, monkeypatch, wrong, code, expected):
    monkeypatch.chdir(answers.parent)
    run = ordinate("report", answers, *wrong)
    assert (run.code, run.out) == (code, "")
    assert expected in run.err
    assert [path.name for path in answers.parent.iterdir()] == ["answers.csv"]


def test_no_jobs_are_refused_in_a_sentence(ordinate, answers, tmp_path):
    run = ordinate("report", answers, "--jobs", 0, "-o", tmp_path / "report.html")
    assert (run.code, "n_jobs must be None or an integer other than 0" in run.err) == (1, True)
    assert not (tmp_path / "report.html").exists()
