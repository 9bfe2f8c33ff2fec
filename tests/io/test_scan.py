import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ordinate as od
from ordinate import InputError
from ordinate.io import scan
from ordinate.io.scan import scan_parquet

HEADER = ("anchor", "near", "far")


def write(path, rows, *, row_group_size=None, system=None, **others):
    table = pa.table({**dict(zip(HEADER, zip(*rows, strict=True), strict=True)), **others})
    pq.write_table(table, path, row_group_size=row_group_size, filesystem=system)


@pytest.fixture
def cities():
    return od.datasets.load_cities().comparisons


@pytest.fixture
def folder(tmp_path, cities):
    for number, start in enumerate(range(0, 20_000, 5000)):
        od.write_comparisons(cities[start : start + 5000], tmp_path / f"{number}.parquet")
    return tmp_path


@pytest.mark.parametrize("kind", ["pattern", "folder", "list"])
def test_files_are_read_as_one(folder, cities, kind):
    paths = {
        "pattern": f"{folder}/*.parquet",
        "folder": folder,
        "list": sorted(folder.iterdir()),
    }
    answers = scan_parquet(paths[kind])
    assert answers[:] == od.Comparisons(cities.rows, names=cities.names)


def test_files_may_lie_anywhere_that_fsspec_reads():
    system = fsspec.filesystem("memory")
    write("/answers/a.parquet", [("x", "y", "z")], system=system)
    write("/answers/b.parquet", [("z", "y", "w")], system=system)
    answers = scan_parquet("memory://answers/*.parquet")
    assert answers[:] == od.Comparisons([[1, 2, 3], [3, 2, 0]], names="wxyz")


def test_columns_are_chosen_as_by_the_file_reader(tmp_path):
    pq.write_table(
        pa.table({"a": [0, 1], "b": [1, 2], "c": [2, 0], "ok": [True, False], "w": [2.0, 3.0]}),
        tmp_path / "a.parquet",
    )
    chosen = {"columns": ["a", "b", "c"], "answer": "ok", "weight": "w"}
    answers = scan_parquet(tmp_path, **chosen)
    assert answers[:] == od.read_comparisons(tmp_path / "a.parquet", **chosen, coding="holds")


def test_an_answer_that_nobody_spoke_of_flips_no_rows(tmp_path):
    columns = {"head": [0, 1], "winner": [1, 2], "loser": [2, 0], "response": [1, 0]}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"answer='response', or leave it out with answer=\[\]"):
        scan_parquet(tmp_path)
    assert scan_parquet(tmp_path, answer=[])[:].rows.tolist() == [[0, 1, 2], [1, 2, 0]]
    assert scan_parquet(tmp_path, answer="response")[:].rows.tolist() == [[0, 1, 2], [1, 0, 2]]
    named = dict(zip(("i", "j", "k", "answer"), columns.values(), strict=True))
    pq.write_table(pa.table(named), tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"'answer' holds 0, which may mean .* answer='answer'"):
        scan_parquet(tmp_path)


def test_what_the_writer_stored_is_kept(tmp_path):
    for name, n_objects in (("a", 5), ("b", 9)):
        od.write_comparisons(
            od.Comparisons([[0, 1, 2]], n_objects=n_objects), f"{tmp_path}/{name}.parquet"
        )
    assert scan_parquet(tmp_path).n_objects == 9


def test_files_with_different_names_share_one_numbering(tmp_path):
    for names in ("abc", "bcd"):
        path = tmp_path / f"{names}.parquet"
        od.write_comparisons(od.Comparisons([[2, 1, 0]], names=names), path)
    answers = scan_parquet(tmp_path)
    assert answers[:] == od.Comparisons([[2, 1, 0], [3, 2, 1]], names="abcd")


@pytest.mark.parametrize("row_group_size", [1, 3, 10])
def test_row_groups_are_cut_into_pieces_and_spread_evenly(tmp_path, monkeypatch, row_group_size):
    monkeypatch.setattr(scan, "_PIECE_ROWS", 6)
    monkeypatch.setattr(scan, "_FEWEST_PARTITIONS", 2)
    rows = np.random.default_rng(0).permuted(np.tile(np.arange(7), (60, 1)), axis=1)[:, :3]
    for number in range(3):
        part = rows[20 * number : 20 * number + 20].tolist()
        write(tmp_path / f"{number}.parquet", part, row_group_size=row_group_size)
    answers = scan_parquet(tmp_path)
    np.testing.assert_array_equal(answers[:].rows, rows)
    np.testing.assert_array_equal(
        answers.map(len), {1: [6, 6, 6, 2], 3: [6, 6, 6, 2], 10: [10] * 2}[row_group_size] * 3
    )
    assert "in 2 partitions" in repr(answers)


def test_errors_name_the_file_and_the_row(tmp_path, monkeypatch):
    monkeypatch.setattr(scan, "_PIECE_ROWS", 2)
    write(tmp_path / "a.parquet", [(0, 1, 2)] * 4)
    write(tmp_path / "b.parquet", [(0, 1, 2)] * 3 + [(0, 1, 1)], row_group_size=2)
    where = "b.parquet, after its first 2 rows: Row 1 .*compares nothing"
    with pytest.raises(od.InputError, match=where):
        scan_parquet(tmp_path)


def test_numbers_are_labels_in_the_order_of_their_values(tmp_path):
    write(tmp_path / "a.parquet", [(1500000000, 20, 3)])
    write(tmp_path / "b.parquet", [(3, 20, 100)])
    names = ["3", "20", "100", "1500000000"]
    assert scan_parquet(tmp_path)[:] == od.Comparisons([[3, 1, 0], [0, 1, 2]], names=names)


def test_labels_may_be_numbers_in_one_file_and_text_in_another(tmp_path):
    write(tmp_path / "a.parquet", [(0, 1, 2)])
    write(tmp_path / "b.parquet", [("x", "2", "01")])
    names = ["0", "01", "1", "2", "x"]
    with pytest.warns(od.DoubtfulObjectsWarning, match="'01' and '1'"):
        assert scan_parquet(tmp_path)[:] == od.Comparisons([[0, 2, 3], [4, 3, 1]], names=names)


def test_files_must_have_the_same_columns(tmp_path):
    write(tmp_path / "a.parquet", [(0, 1, 2)])
    write(tmp_path / "b.parquet", [(0, 1, 2)], weight=[2.0])
    with pytest.raises(od.InputError, match=r"b.parquet: The columns .*'weight' would be read"):
        scan_parquet(tmp_path)


def test_a_file_without_the_columns_is_named(tmp_path):
    pq.write_table(pa.table({"x": [1]}), tmp_path / "a.parquet")
    with pytest.raises(od.InputError, match=r"a.parquet: Which columns hold the objects"):
        scan_parquet(tmp_path)


def test_no_file_and_no_parquet_are_refused(tmp_path):
    with pytest.raises(od.InputError, match=r"nothing/\*.parquet: There is no such Parquet file"):
        scan_parquet(tmp_path / "nothing" / "*.parquet")
    (tmp_path / "a.parquet").write_text("anchor,near,far")
    with pytest.raises(od.InputError, match=r"a.parquet: It cannot be read as Parquet"):
        scan_parquet(tmp_path)


def test_dropped_rows_are_counted(tmp_path):
    write(tmp_path / "a.parquet", [(0, 1, 2), (0, 1, 1), (None, 1, 2)])
    with pytest.warns(od.DroppedRowsWarning, match="Dropped 2 of 3 rows") as caught:
        answers = scan_parquet(tmp_path, on_invalid="drop")
    assert caught[0].filename == __file__
    assert len(answers) == 1


def test_a_file_that_changed_after_the_scan_is_refused_by_name(tmp_path):
    write(tmp_path / "a.parquet", [("x", "y", "z")] * 3)
    answers = scan_parquet(tmp_path)
    write(tmp_path / "a.parquet", [("z", "y", "x")] * 4)
    with pytest.raises(od.InputError, match=r"a\.parquet has changed since it was scanned"):
        answers[:]
