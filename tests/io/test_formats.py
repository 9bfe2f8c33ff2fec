from pathlib import Path

import numpy as np
import pytest

import ordinate as od
from ordinate import InputError
from ordinate.io.formats import FORMATS, check_content, format_of

ENDINGS = [*FORMATS, ".csv.gz", ".tsv.gz"]
KEEP_ALL = [".parquet", ".npz"]

PLAIN = od.Comparisons([[0, 1, 2], [3, 1, 0]])
FULL = od.Comparisons(
    [[0, 1, 2], [3, 1, 0]],
    weights=[0.1, 1 / 3],
    groups={"participant": ["ann", "bob"], "trial": [1, 2], "age in years": [20.5, 30.0]},
    names=["dog", "NA", "", "10", "never seen", 'quoted "x", y'],
)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("record", [PLAIN, PLAIN.to_quadruplets()], ids=lambda record: record.kind)
def test_plain_records_come_back(tmp_path, ending, record):
    path = tmp_path / f"answers{ending}"
    od.write_comparisons(record, path)
    assert od.read_comparisons(path) == record


@pytest.mark.parametrize("ending", KEEP_ALL)
@pytest.mark.parametrize("record", [FULL, FULL.to_quadruplets()], ids=lambda record: record.kind)
def test_everything_comes_back(tmp_path, ending, record):
    path = tmp_path / f"answers{ending}"
    od.write_comparisons(record, path)
    assert od.read_comparisons(path) == record


@pytest.mark.parametrize("ending", [".csv", ".tsv.gz"])
def test_text_comes_back_if_told_what_it_cannot_hold(tmp_path, ending):
    path = tmp_path / f"answers{ending}"
    od.write_comparisons(FULL, path)
    groups = ["participant", "trial", "age in years"]
    found = od.read_comparisons(path, names=FULL.names, groups=groups)
    assert found.names == FULL.names
    np.testing.assert_array_equal(found.rows, FULL.rows)
    np.testing.assert_array_equal(found.weights, FULL.weights)
    assert found.groups["trial"].tolist() == [1, 2]
    assert found.groups["age in years"].tolist() == ["20.5", "30"]


@pytest.mark.parametrize("ending", KEEP_ALL)
def test_objects_that_do_not_occur_come_back(tmp_path, ending):
    path = tmp_path / f"answers{ending}"
    od.write_comparisons(od.Comparisons([[0, 1, 2]], n_objects=50), path)
    assert od.read_comparisons(path).n_objects == 50


@pytest.mark.parametrize("ending", KEEP_ALL)
def test_the_caller_knows_better_than_the_file(tmp_path, ending):
    path = tmp_path / f"answers{ending}"
    od.write_comparisons(PLAIN, path)
    assert od.read_comparisons(path, n_objects=9).n_objects == 9
    assert od.read_comparisons(path, names=list("abcd")).names == ("a", "b", "c", "d")


def test_the_same_record_gives_the_same_bytes(tmp_path):
    for ending in ENDINGS:
        paths = [tmp_path / f"{name}{ending}" for name in ("one", "two")]
        for path in paths:
            od.write_comparisons(FULL, path)
        assert paths[0].read_bytes() == paths[1].read_bytes(), ending


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("name", ["near", "answer", "weight"])
def test_a_group_called_like_another_column(tmp_path, ending, name):
    record = od.Comparisons([[0, 1, 2]], groups={name: [1]})
    with pytest.raises(InputError, match=f"group called '{name}' would be mistaken"):
        od.write_comparisons(record, tmp_path / f"answers{ending}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["answers.xlsx", "answers", "answers.txt", "answers.npz.gz"])
def test_unknown_ending(name):
    with pytest.raises(InputError, match=r"is not that of a known format; expected one of .csv.gz"):
        format_of(Path(name))


def test_ending_in_capitals():
    assert format_of(Path("A.CSV")) is FORMATS[".csv"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"\x89PNG\r\n\x1a\n", "holds a PNG image, but its ending promises text"),
        ("a.csv", b"PAR1\x00\x00", "holds Parquet data, but its ending promises text"),
        ("a.csv", b"PK\x03\x04xl/", "holds a zip archive, but its ending promises text"),
        ("a.csv", b"\x1f\x8b\x08", "holds gzip data, but its ending promises text"),
        ("a.csv", "a,b,c\n".encode("utf-16"), "holds UTF-16 text, but .*as CSV in UTF-8"),
        ("a.tsv", b"1\x002", "holds binary data, but its ending promises text"),
        ("a.csv.gz", b"a,b,c\n", "holds text, but its ending promises gzip data"),
        ("a.parquet", b"a,b,c\n", "holds text, but its ending promises Parquet data"),
        ("a.npz", b"a,b,c\n", "holds text, but its ending promises a zip archive"),
    ],
)
def test_content_of_another_format(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        check_content(path, format_of(path))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.parquet", b"PAR1 and nothing else", "cannot be read as Parquet"),
        ("a.npz", b"PK\x03\x04 and nothing else", "cannot be read as NPZ without pickles"),
        ("a.csv.gz", b"\x1f\x8b and nothing else", "cannot be read as gzip"),
    ],
)
def test_damaged_files(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        od.read_comparisons(path)


def test_npz_of_others(tmp_path):
    path = tmp_path / "answers.npz"
    np.savez(path, rows=[[0, 1, 2], [1, 1, 2]])
    with pytest.warns(od.DroppedRowsWarning):
        assert len(od.read_comparisons(path, on_invalid="drop")) == 1
    np.savez(path, rows=[[0, 1, 2], [1, 0, 2]], answers=[1, -1])
    assert od.read_comparisons(path).rows.tolist() == [[0, 1, 2], [1, 2, 0]]
    np.savez(path, triplets=[[0, 1, 2]], y=[1])
    with pytest.raises(InputError, match="no array 'rows'; there are 'triplets', 'y'"):
        od.read_comparisons(path)
    np.savez(path, rows=np.array([[0, 1, None]], dtype=object))
    with pytest.raises(InputError, match="cannot be read as NPZ without pickles"):
        od.read_comparisons(path)


@pytest.mark.parametrize("option", [{"columns": [0, 1, 2]}, {"answer": "y"}, {"header": True}])
def test_npz_has_neither_columns_nor_header(tmp_path, option):
    path = tmp_path / "answers.npz"
    od.write_comparisons(PLAIN, path)
    with pytest.raises(InputError, match=f"{next(iter(option))} does not apply"):
        od.read_comparisons(path, **option)


def test_parquet_has_no_header_line(tmp_path):
    path = tmp_path / "answers.parquet"
    od.write_comparisons(PLAIN, path)
    with pytest.raises(InputError, match="header does not apply"):
        od.read_comparisons(path, header=False)


def test_folders_that_look_like_partitions_add_no_columns(tmp_path):
    folder = tmp_path / "trial=3"
    folder.mkdir()
    od.write_comparisons(PLAIN, folder / "answers.parquet")
    assert od.read_comparisons(folder / "answers.parquet", groups=None) == PLAIN
