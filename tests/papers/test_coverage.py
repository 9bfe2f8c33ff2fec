"""The page of what is covered names things that exist, and gives each a verdict."""

import csv
import pkgutil
import re
from pathlib import Path

import pytest

from papers.run import SCRIPTS

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
TABLES = [path.read_text(encoding="utf-8") for path in sorted(RESULTS.glob("coverage-*.csv"))]
PAGE = (RESULTS / "coverage.rst").read_text(encoding="utf-8") + "".join(TABLES)
ROWS = [row for table in TABLES for row in list(csv.reader(table.splitlines()))[1:]]
VERDICTS = (
    "reproduces",
    "reproduces with a cause",
    "ours",
    "differs",
    "cannot be run here",
    "missing",
)
LABELS = {
    label
    for page in (ROOT / "docs").glob("*/*.rst")
    for label in re.findall(r"^\.\. _(.*):$", page.read_text(encoding="utf-8"), re.MULTILINE)
}


def test_the_page_has_rows():
    assert len(ROWS) > 90


@pytest.mark.parametrize("row", ROWS)
def test_every_row_names_what_exists_and_has_a_verdict(row):
    what, where, verdict, default = row
    assert default, what
    found = re.match(r"\*\*(.*?)\*\*", verdict)
    assert found, what
    assert found.group(1) in VERDICTS
    names = re.findall(r"``(.*?)``", where)
    assert bool(names) == (found.group(1) != "missing"), "what is not missing is somewhere"
    for name in names:
        if "/" in name:
            assert (ROOT / name).exists(), name
        elif name.startswith("od."):
            assert pkgutil.resolve_name("ordinate." + name[3:]) is not None
        else:
            assert name in SCRIPTS, name


@pytest.mark.parametrize("row", ROWS)
def test_every_row_leads_to_a_section_that_exists(row):
    (kind, target), *others = re.findall(r":(doc|ref):`→ <(.*?)>`", row[0])
    assert not others
    assert target in LABELS if kind == "ref" else (RESULTS / f"{target}.rst").exists()


def test_a_single_draw_is_not_a_reproduction():
    for what, _, verdict, _ in ROWS:
        if verdict.startswith("**reproduces**"):
            claimed = verdict.partition("(")[0]  # what stands in brackets is an aside
            assert not re.search(r"\b(?:one|single) (?:draw|seed|run)\b", claimed), what


@pytest.mark.parametrize("script", list(SCRIPTS))
def test_every_experiment_is_on_the_page(script):
    assert f"``{script}``" in PAGE
