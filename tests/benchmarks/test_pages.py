"""Tables that benchmarks write for pages."""

import importlib
from pathlib import Path


def test_a_table_is_written_with_where_it_comes_from(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    pages = importlib.import_module("pages")
    monkeypatch.setattr(pages, "RESULTS", tmp_path)
    rows = [{"n": "1,000", "seconds": 2}, {"n": "2,000", "seconds": 3}]
    pages.write_table("a-b", "a caption", rows, "python benchmarks/a.py")
    text = (tmp_path / "a-b.txt").read_text(encoding="utf-8")
    assert '.. csv-table:: a caption\n   :header-rows: 1\n\n   n,seconds\n   "1,000",2\n' in text
    assert text.splitlines()[-1].startswith("20")
    assert text.endswith("; python benchmarks/a.py.\n")
