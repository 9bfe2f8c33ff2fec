"""One way of running every experiment, and tables that a killed run goes on with."""

import importlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from papers._common import Run, Table, missing, print_table, read, summarise
from papers.run import SCRIPTS, listing, run

ROOT = Path(__file__).parents[2]


def test_every_script_is_listed_and_every_listed_one_exists():
    written = {
        f"{path.parent.name}.{path.stem}"
        for path in (ROOT / "papers").glob("*/*.py")
        if "\ndef main(run" in path.read_text()
    }
    assert written == set(SCRIPTS)
    assert all(name in listing() for name in SCRIPTS)


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_can_be_imported(name):
    absent = missing(SCRIPTS[name].extras)
    if absent:
        pytest.skip(f"needs {absent}")
    module = importlib.import_module(f"papers.{name}")
    assert module.__doc__
    assert callable(module.main)


def test_a_killed_run_continues(tmp_path):
    calls = []

    def measure(n):
        calls.append(n)
        return {"square": n * n}

    path = tmp_path / "rows.csv"
    with Table(path, "# by hand\n") as table:
        for n in (1, 2):
            table.row({"n": n, "name": "x, y"}, lambda n=n: measure(n))
    with path.open("a") as file:
        file.write("3,to")  # killed while it wrote
    with Table(path, "# again\n") as table:
        for n in (1, 2, 3):
            table.row({"n": n, "name": "x, y"}, lambda n=n: measure(n))
    assert calls == [1, 2, 3]
    assert read(path) == [{"n": n, "name": "x, y", "square": n * n} for n in (1, 2, 3)]
    assert path.read_text().startswith("# by hand\n")


def test_when_time_is_up_nothing_new_is_measured(tmp_path):
    with Run("loe.figure1", True, 0, tmp_path).table("rows") as table:
        table.row({"n": 1}, lambda: {"square": 1})
    late = Run("loe.figure1", True, 0, tmp_path, until=time.monotonic())
    with late.table("rows") as table:
        for n in (1, 2, 3):
            table.row({"n": n}, lambda n=n: {"square": n * n})
    assert table.found == read(tmp_path / "rows.csv") == [{"n": 1, "square": 1}]
    with late.table("none") as table:
        table.row({"n": 1}, lambda: {"square": 1})
    print_table(table.found)  # nothing to show is no error
    late.page(table, "nothing", table.found)
    assert not (tmp_path / "none.txt").exists()


def test_groups_of_rows_are_written_together(tmp_path):
    with Table(tmp_path / "rows.csv", "") as table:
        table.rows({"n": 1}, lambda: [{"m": "a", "v": 0.5}, {"m": "b", "v": 1.5}])
        again = table.rows({"n": 1}, lambda: [])
    assert [row["m"] for row in again] == ["a", "b"]
    assert summarise(table.found, ["n"], ["v"]) == [{"n": 1, "runs": 2, "v": 1.0, "v sd": 0.5}]


def test_results_say_where_they_come_from(tmp_path):
    this = Run("loe.figure1", True, 3, tmp_path / "deep" / "er")
    with this.table("x") as table:
        table.row({"n": 1}, lambda: {"v": 2})
    header = (tmp_path / "deep" / "er" / "x.csv").read_text().splitlines()[0]
    assert header.endswith("python -m papers.run loe.figure1 --quick --seed 3")
    assert "cores" in header
    assert list(this.seeds(2, 100)) == [3, 4]


def test_tables_and_known_pictures_go_to_the_pages(tmp_path):
    this = Run("loe.figure1", False, 0, tmp_path / "results")
    pages = tmp_path / "pages"
    pages.mkdir()
    with this.table("figure1") as table:
        table.row({"n": 1}, lambda: {"v": 0.25})
    this.page(table, "values", [{"n": 1, "a, b": 0.25}, {"n": 2}])
    for name in ("figure1.png", "other.png"):
        this.path(name).write_text("new")
    (pages / "loe-figure1.png").write_text("old")
    published = [path.name for path in this.publish(pages)]
    assert published == ["loe-figure1.csv", "loe-figure1.png", "loe-figure1.txt"]
    assert (pages / "loe-figure1.png").read_text() == "new"
    table, _, note = (pages / "loe-figure1.txt").read_text().rpartition("\n\n")
    assert table.splitlines() == [
        ".. csv-table:: values",
        "   :header-rows: 1",
        "",
        '   n,"a, b"',
        "   1,0.25",
        "   2,-",
    ]
    assert "python -m papers.run loe.figure1 --full" in note


def test_tables_show_what_is_missing(capsys):
    print_table([{"a": 1.23456, "b": ""}])
    assert capsys.readouterr().out.split() == ["a", "b", "1.235", "-"]


def test_a_missing_library_is_named(monkeypatch, tmp_path):
    script = SCRIPTS["tete.figure2"]._replace(extras=("no_such_library",))
    monkeypatch.setitem(SCRIPTS, "tete.figure2", script)
    with pytest.raises(SystemExit, match=r"tete.figure2 needs no_such_library: pip install"):
        run("tete.figure2", quick=True, output=tmp_path)


def test_without_a_name_the_scripts_are_listed():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    listed = subprocess.run(
        [sys.executable, "-m", "papers.run"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env=environment,
    ).stdout
    assert "loe.figure4" in listed
    assert "--full" in listed


def test_a_gpu_is_for_scripts_that_have_use_for_one(tmp_path):
    with pytest.raises(SystemExit, match=r"loe.figure1 computes on the CPU; --device is for tete"):
        run("loe.figure1", quick=True, output=tmp_path, device="cuda")


def test_results_of_a_gpu_say_so(tmp_path, monkeypatch):
    monkeypatch.setattr("papers._common.graphics_card", lambda device: f"card of {device}")
    header = Run("tete.figure3", False, 0, tmp_path, device="cuda").header()
    assert "card of cuda" in header
    assert header.endswith("python -m papers.run tete.figure3 --full --seed 0 --device cuda\n")
