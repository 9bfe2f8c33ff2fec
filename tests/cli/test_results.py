import pytest

import ordinate as od
from ordinate.cli._results import Results, temporary_map


def stop_while_writing(path):
    path.write_text("new")
    raise KeyboardInterrupt


def test_files_are_kept_together_or_not_at_all(tmp_path):
    results = Results(tmp_path / "map.csv", tmp_path / "map.png")
    with results.temporary() as (table, picture):
        table.write_text("table")
        picture.write_text("picture")
    assert results.paths == (tmp_path / "map.csv", tmp_path / "map.png")
    with pytest.raises(KeyboardInterrupt), results.temporary() as (table, picture):
        stop_while_writing(table)
    assert (tmp_path / "map.csv").read_text() == "table"


def test_nothing_is_asked_for():
    with Results().temporary() as (table, picture):
        assert table is picture is None
    with temporary_map(None) as picture:
        assert picture is None


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        (Results("map.xlsx"), "Cannot tell the format of 'map.xlsx'"),
        (Results(None, "map.docx"), r"must end in \.png, \.svg, \.pdf, \.html"),
        (Results(None, "gone/map.png"), "no folder"),
    ],
    ids=["table", "picture", "folder"],
)
def test_impossible_files_are_refused_at_once(tmp_path, monkeypatch, results, expected):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(od.InputError, match=expected), results.temporary():
        pytest.fail("began")
