"""Tables of coordinates: what is written can be read back, and mistakes leave no file."""

import gzip
import tracemalloc

import numpy as np
import pyarrow.parquet
import pytest
from pyarrow import csv

from ordinate import InputError
from ordinate.io.coordinates import (
    coordinate_columns,
    without_formulas,
    write_coordinates,
    write_table,
)

POINTS = np.array([[0.1, -2.0], [1 / 3, 1e-300], [5.0, 6.0]])
NAMES = ["Zürich", 'the "hill", far', "-1"]


def read(path):
    if path.suffix == ".parquet":
        return pyarrow.parquet.read_table(path).to_pydict()
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name].tolist() for name in arrays}
    delimiter = "\t" if ".tsv" in path.name else ","
    options = csv.ParseOptions(delimiter=delimiter)
    return csv.read_csv(path, parse_options=options).to_pydict()


@pytest.mark.parametrize(
    "file", ["a.csv", "a.tsv", "a.csv.gz", "a.tsv.gz", "a.parquet", "a.npz", "A.CSV"]
)
def test_coordinates_come_back_to_the_last_bit(tmp_path, file):
    write_coordinates(POINTS, tmp_path / file, NAMES)
    assert read(tmp_path / file) == {
        "object": NAMES,
        "x1": POINTS[:, 0].tolist(),
        "x2": POINTS[:, 1].tolist(),
    }
    assert [path.name for path in tmp_path.iterdir()] == [file]


def test_unnamed_objects_are_numbered_from_0():
    assert coordinate_columns(POINTS)["object"].tolist() == [0, 1, 2]


def test_gzipped_tables_have_the_same_bytes_every_time(tmp_path):
    for name in ("a.csv.gz", "b.csv.gz"):
        write_coordinates(POINTS, tmp_path / name)
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.csv.gz").read_bytes()).startswith(b'"object","x1"')


def test_unknown_extension_lists_those_there_are(tmp_path):
    with pytest.raises(InputError, match=r"map\.xlsx.*ends in \.csv, \.tsv, .*\.npz\.$"):
        write_coordinates(POINTS, tmp_path / "map.xlsx")


def test_wrong_number_of_names_leaves_the_old_file(tmp_path):
    path = tmp_path / "map.csv"
    path.write_text("precious")
    with pytest.raises(InputError, match="names has 2 entries; embedding has 3 rows"):
        write_coordinates(POINTS, path, ["only", "two"])
    assert path.read_text() == "precious"


def test_missing_folder_is_named(tmp_path):
    with pytest.raises(InputError, match="there is no folder"):
        write_coordinates(POINTS, tmp_path / "nowhere" / "map.csv")


def test_one_long_name_does_not_widen_all_others(tmp_path):
    names = ["x" * 50_000, *map(str, range(2_000))]
    tracemalloc.start()
    try:
        write_coordinates(np.zeros((2_001, 2)), tmp_path / "map.csv", names)
        assert tracemalloc.get_traced_memory()[1] < 2e7
    finally:
        tracemalloc.stop()
    assert (tmp_path / "map.csv").stat().st_size < 1e5


def test_nothing_that_a_spreadsheet_would_compute(tmp_path):
    names = ["=1+1", "+a", "-b", "@c", "\td", "-1", "+2.5e3", "milk"]
    for ending in ("csv", "tsv", "csv.gz"):
        with without_formulas():
            write_coordinates(np.zeros((8, 1)), tmp_path / f"safe.{ending}", names)
        open_ = gzip.open if ending.endswith("gz") else open
        with open_(tmp_path / f"safe.{ending}", "rt") as file:
            written = [line[1 : line.rindex('"')] for line in file.readlines()[1:]]
        assert written == ["'=1+1", "'+a", "'-b", "'@c", "'\td", "-1", "+2.5e3", "milk"]
    with without_formulas():
        write_table(tmp_path / "head.csv", {"=sum": np.array([1.5])})
    assert (tmp_path / "head.csv").read_text() == '"\'=sum"\n1.5\n'
    write_coordinates(np.zeros((8, 1)), tmp_path / "plain.csv", names)
    assert '"=1+1"' in (tmp_path / "plain.csv").read_text()
