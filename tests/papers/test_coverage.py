"""The page of what is covered names things that exist, and gives each a verdict."""

import pkgutil
import re
from pathlib import Path

import pytest

from papers.run import SCRIPTS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "results" / "coverage.rst").read_text()
ROWS = re.findall(r"^   \* - (.*)\n     - (.*)\n     - (.*)$", PAGE, re.MULTILINE)
VERDICTS = ("reproduces", "differs", "cannot be run here", "missing")


def test_the_page_has_rows():
    assert len(ROWS) > 90


@pytest.mark.parametrize("row", [row for row in ROWS if row[0] != "what"])
def test_every_row_names_what_exists_and_has_a_verdict(row):
    what, where, verdict = row
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


@pytest.mark.parametrize("script", list(SCRIPTS))
def test_every_experiment_is_on_the_page(script):
    assert f"``{script}``" in PAGE


def test_the_summary_counts_what_reproduces():
    verdicts = [re.match(r"\*\*(.*?)\*\*", row[2])[1] for row in ROWS if row[0] != "what"]
    index = (ROOT / "docs" / "results" / "index.rst").read_text(encoding="utf-8")
    assert f"**{verdicts.count('reproduces')} of {len(verdicts)}**" in index
    assert f"{verdicts.count('differs')} differ" in index
