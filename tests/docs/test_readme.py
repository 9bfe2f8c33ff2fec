"""The README: links that work, the version that is cited, commands that exist."""

import re
from pathlib import Path

from typer.main import get_command

import ordinate as od
from ordinate.cli import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_links_and_pictures_exist():
    targets = re.findall(r"\]\(([^)#]+)\)", README) + re.findall(r'src="([^"]+)"', README)
    assert len(targets) > 20
    missing = [one for one in targets if "://" not in one and not (ROOT / one).exists()]
    assert missing == []


def test_the_version_cited_is_this_one():
    assert f"version = {{{od.__version__.split('.dev')[0]}}}" in README
    assert f"version: {od.__version__.split('.dev')[0]}\n" in (ROOT / "CITATION.cff").read_text()


def test_commands_and_functions_exist():
    known = get_command(app).commands
    named = {*re.findall(r"\bordinate ([a-z]+)\b(?= [a-z-])", README)}
    assert {"embed", "report", "rank"} <= named & set(known)
    assert all(hasattr(od, name) for name in re.findall(r"\bod\.(\w+)", README))
