"""The comparison of maps goes on where it was, and writes what it found into a page."""

import csv
import re
import runpy
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "maps.py"


@pytest.fixture(scope="module")
def maps():
    return runpy.run_path(str(BENCHMARK))


def rows_of(maps, data, method, figures):
    return [
        {"data": data, "method": method, "seed": seed} | dict.fromkeys(maps["TABLES"], figure)
        for seed, figure in enumerate(figures)
    ]


def test_rows_continue_and_a_page_is_written(maps, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARK.parent))
    rows, page = tmp_path / "rows.csv", tmp_path / "page.rst"
    page.write_text("before\n.. maps: begin\nold\n.. maps: end\nafter\n")
    asked = ["--data", "iris", "--methods", "ordinate", "--output"]
    for seeds in ("1", "2", "2"):
        given = ["maps.py", *asked, str(rows), "--seeds", seeds, "--publish", str(page)]
        monkeypatch.setattr(sys, "argv", given)
        maps["main"]()
    with rows.open() as file:
        found = list(csv.DictReader(file))
    assert [row["seed"] for row in found] == ["0", "1"]
    mean = (float(found[0]["trustworthiness"]) + float(found[1]["trustworthiness"])) / 2
    text = page.read_text()
    assert text.startswith("before\n.. maps: begin")
    assert text.endswith(".. maps: end\nafter\n")
    assert f'"trustworthiness", "**{mean:.3f}**"'.replace("0.", ".") in text
    assert "old" not in text
    assert re.search(r"\d{4}, .* cores; .*``python benchmarks/maps.py``.\n", text)


def test_means_are_those_of_the_judges_and_the_best_are_bold(maps):
    rows = [
        *rows_of(maps, "iris", "ordinate", [0.5, 0.7]),
        *rows_of(maps, "iris", "PaCMAP", ["0.4", "0.4"]),  # as they are read
        *rows_of(maps, "wine", "ordinate", [0.1, 0.1]),
        *rows_of(maps, "wine", "PaCMAP", [0.1, 0.1]),
        *rows_of(maps, "tree", "ordinate", [0.9]),  # PaCMAP has not been tried on it
    ]
    tables = maps["tables_of"](rows)
    assert tables["mean of 2 judges"][1] == ["10-NN", "**.750**", "–"]
    head, *lines = tables["piece"]
    assert head == ["data", "Ordinate", "PaCMAP"]
    assert lines == [
        ["iris, 150", "**.600 ± .141**", ".400 ± .000"],
        ["tree, 2400", "**.900**", "–"],
        ["wine, 178 (chosen on)", "**.100 ± .000**", "**.100 ± .000**"],
    ]
