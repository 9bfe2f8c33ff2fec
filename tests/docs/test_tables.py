"""Tables of results are written by scripts, say where they come from, and are on a page."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(RESULTS.glob("*.rst"))}
TABLES = sorted(RESULTS.glob("*.txt"))
SCRIPTS = {
    "align": "benchmarks/align.py",
    "dimensions": "benchmarks/dimensions.py",
    "people_test": "benchmarks/people_test.py",
}
"""Pages that are written as a whole."""
VERDICTS = ("coverage", "index")
"""Pages of judgements; tests/papers compares their figures with the tables they come from."""
TYPED = {"benchmarks_reduce": 5}
"""How many tables were typed into a page. No page may join, and the numbers may only fall."""


def typed_tables(text):
    """Count the tables that are neither between remarks of a script nor read from a file."""
    text = re.sub(
        r"^\.\. (.+): begin\n.*?^\.\. \1: end\n", "", text, flags=re.DOTALL | re.MULTILINE
    )
    blocks = re.findall(
        r"^ *\.\. (?:list-|csv-|)table::.*\n(?:(?: .*)?\n)*", text, flags=re.MULTILINE
    )
    simple = re.findall(r"(?:^|\n\n) *=+ +=[= ]*\n", text)
    return sum(":file:" not in block for block in blocks) + len(simple)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (".. list-table::\n\n   * - 1\n", 1),
        (".. csv-table:: a\n   :header-rows: 1\n\n   a,b\n\n.. csv-table::\n\n   1,2\n", 2),
        (".. csv-table::\n   :file: a.csv\n", 0),
        (".. a b: begin\n\n.. list-table::\n\n   * - 1\n\n.. a b: end\n", 0),
        (".. include:: a.txt\n", 0),
        ("Title\n=====\n\n=== ===\na   b\n=== ===\n1   2\n=== ===\n", 1),
    ],
)
def test_typed_tables_are_counted(text, count):
    assert typed_tables(text) == count


@pytest.mark.parametrize("page", sorted(set(PAGES) - set(SCRIPTS) - set(VERDICTS)))
def test_no_table_is_typed_into_a_page(page):
    assert typed_tables(PAGES[page]) <= TYPED.get(page, 0), (
        "write it by a script: pages.write_table or pages.put_tables of benchmarks/, "
        "Run.page of papers/"
    )


@pytest.mark.parametrize("page", SCRIPTS)
def test_whole_pages_have_their_scripts(page):
    assert f"{page}.rst" in (ROOT / SCRIPTS[page]).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_every_table_says_when_and_how_it_was_made(path):
    text = path.read_text(encoding="utf-8")
    origin = re.search(r"^2026-1[12]-\d\d[.;].*", text, re.MULTILINE)[0]
    assert re.search(r"python |benchmarks/|ordinate\.compare|not kept|are gone", origin)


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_every_table_is_on_a_page(path):
    assert any(f".. include:: {path.name}" in text for text in PAGES.values())
