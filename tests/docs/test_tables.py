"""Tables of results are written by scripts, say where they come from, and are on a page."""

import re
from fnmatch import fnmatchcase
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
UNWRITTEN = {
    "questions.csv",
    "questions-batched.csv",
    "questions-prototype.txt",
}
"""Tables that no script writes. None may join."""
DATED_ELSEWHERE = {"choosing": 3, "rank": 11}
"""How many blocks of a script get their date from a line of the page. None may join."""


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
    assert typed_tables(PAGES[page]) == 0, (
        "write it by a script: pages.write_table or pages.put_tables of benchmarks/, "
        "Run.page of papers/"
    )


@pytest.mark.parametrize("page", sorted(set(PAGES) - set(SCRIPTS) - set(VERDICTS)))
def test_every_block_of_a_script_says_when_it_was_measured(page):
    blocks = re.findall(
        r"^\.\. (.+): begin\n(.*?)^\.\. \1: end\n", PAGES[page], re.DOTALL | re.MULTILINE
    )
    undated = [
        name
        for name, text in blocks
        if not re.search(r"\d [A-Z][a-z]+ 20\d\d|20\d\d-\d\d-\d\d", text)
    ]
    assert len(undated) <= DATED_ELSEWHERE.get(page, 0), undated


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


def names_in(folder, script):
    """Return the files that a script names, as patterns; those of a paper begin with its name."""
    found = re.findall(r'"([\w{}-]+)(\.csv)?"', script)
    names = ((re.sub(r"{.*?}", "*", name), ending or ".txt") for name, ending in found)
    paper = "" if folder == "benchmarks" else f"{folder}-"
    return {f"{paper}{name}{ending}" for name, ending in names if re.search("[a-z]{4}", name)}


def test_names_of_tables_are_found_in_scripts():
    script = 'write("a-table", "Words of a text."); f"page-{part}.csv"; f"{one}-{two}"'
    assert names_in("benchmarks", script) == {"a-table.txt", "page-*.csv"}
    assert names_in("loe", 'run.table("figure1")') == {"loe-figure1.txt"}


def test_every_table_has_a_script_that_writes_it():
    scripts = [*ROOT.glob("benchmarks/*.py"), *ROOT.glob("papers/*/*.py")]
    names = set().union(
        *(names_in(path.parent.name, path.read_text(encoding="utf-8")) for path in scripts)
    )
    tables = {path.name for path in [*TABLES, *RESULTS.glob("*.csv")]}
    unwritten = {table for table in tables if not any(fnmatchcase(table, name) for name in names)}
    assert unwritten <= UNWRITTEN, "give a table --publish in its script: pages.write_table"
