"""Whatever is passed or read, a record is made or a sentence says why not."""

import contextlib
import gzip

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ordinate as od
from ordinate.features.files import read_features

NUMBERS = st.one_of(
    st.integers(-3, 12),
    st.floats(allow_nan=True, allow_infinity=True),
    st.booleans(),
    st.none(),
    st.text(max_size=3),
)
LISTS = st.lists(NUMBERS, max_size=5)
TABLES = st.lists(st.lists(NUMBERS, min_size=0, max_size=4), max_size=5)
USUAL = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
FEW = settings(USUAL, max_examples=15)
pytestmark = [
    pytest.mark.filterwarnings("ignore::ordinate.DroppedRowsWarning"),
    pytest.mark.filterwarnings("ignore::ordinate.DoubtfulObjectsWarning"),
]


def made_or_refused(make):
    """Anything but a sentence ends the test."""
    with contextlib.suppress(od.InputError, TypeError):
        make()


@USUAL
@given(rows=TABLES, weights=st.none() | LISTS, names=st.none() | LISTS, n=st.none() | NUMBERS)
def test_comparisons_are_made_or_refused(rows, weights, names, n):
    made_or_refused(lambda: od.Comparisons(rows, weights=weights, names=names, n_objects=n))


@USUAL
@given(users=LISTS, items=LISTS, values=LISTS)
def test_ratings_are_made_or_refused(users, items, values):
    made_or_refused(lambda: od.Ratings(users, items, values))
    frame = {"user": users, "item": items, "rating": values}
    made_or_refused(lambda: od.read_ratings(frame))


@USUAL
@given(edges=TABLES, n=st.none() | NUMBERS)
def test_graphs_are_made_or_refused(edges, n):
    made_or_refused(lambda: od.NeighborGraph.from_edges(edges, n_objects=n))


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz", "parquet", "npz", "json", "jsonl"])
@USUAL
@given(data=st.binary(max_size=80) | st.text(max_size=60).map(str.encode), pack=st.booleans())
def test_files(tmp_path, ending, data, pack):
    path = tmp_path / f"some.{ending}"
    path.write_bytes(gzip.compress(data) if pack and ending.endswith("gz") else data)
    made_or_refused(lambda: od.read_comparisons(path))


LINES = st.lists(st.lists(NUMBERS.map(str), min_size=1, max_size=4).map(",".join), max_size=6)


@pytest.mark.parametrize("read", [od.read_graph, od.read_ratings, read_features])
@pytest.mark.parametrize("ending", ["csv", "parquet", "json", "txt"])
@FEW
@given(data=st.binary(max_size=60) | LINES.map("\n".join).map(str.encode))
def test_files_of_other_records(tmp_path, read, ending, data):
    path = tmp_path / f"some.{ending}"
    path.write_bytes(data)
    made_or_refused(lambda: read(path))


@USUAL
@given(where=st.integers(0, 10**6), bit=st.integers(0, 7))
def test_files_with_a_broken_bit(tmp_path, where, bit):
    for ending in ("npz", "parquet"):
        path = tmp_path / f"some.{ending}"
        od.write_comparisons(od.Comparisons([[0, 1, 2], [1, 2, 0]], weights=np.ones(2)), path)
        data = bytearray(path.read_bytes())
        data[where % len(data)] ^= 1 << bit
        path.write_bytes(data)
        made_or_refused(lambda path=path: od.read_comparisons(path))


def test_every_byte_of_a_stored_record_may_be_damaged(tmp_path):
    record = od.Comparisons([[0, 1, 2], [1, 2, 0]], weights=np.ones(2))
    for ending in ("npz", "parquet"):
        path = tmp_path / f"some.{ending}"
        od.write_comparisons(record, path)
        whole = path.read_bytes()
        for place in range(len(whole)):
            damaged = bytearray(whole)
            damaged[place] ^= 1
            path.write_bytes(damaged)
            made_or_refused(lambda path=path: od.read_comparisons(path))
