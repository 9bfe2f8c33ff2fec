import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordinate as od
from ordinate import InputError

COLUMNS = {
    "anchor": ["cat", "dog", "car"],
    "near": ["dog", "cat", "van"],
    "far": ["car", "van", "cat"],
    "participant": ["ann", "ann", "bob"],
    "weight": [1.0, 2.0, 0.5],
}
EXPECTED = od.Comparisons(
    [[1, 2, 0], [2, 1, 3], [0, 3, 1]],
    names=["car", "cat", "dog", "van"],
    groups={"participant": ["ann", "ann", "bob"]},
    weights=[1, 2, 0.5],
)


@pytest.fixture
def read(tmp_path):
    def make(content, name="answers.csv", **options):
        path = tmp_path / name
        path.write_text(content)
        return od.read_comparisons(path, **options)

    return make


@pytest.mark.parametrize(
    "frame",
    [
        COLUMNS,
        pa.table(COLUMNS),
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS, index=[7, 3, 5]),
        pd.DataFrame(COLUMNS).astype({"anchor": "category", "near": "category"}),
        pl.DataFrame(COLUMNS),
        pl.DataFrame(COLUMNS).with_columns(pl.col("anchor", "far").cast(pl.Categorical)),
        pl.DataFrame(COLUMNS).with_columns(pl.col("near").cast(pl.Enum(["cat", "dog", "van"]))),
    ],
    ids=lambda frame: f"{type(frame).__module__}",
)
def test_frames(frame):
    assert od.read_comparisons(frame) == EXPECTED


def test_numbered_frames():
    frame = {"i": [0, 1], "j": [1, 2], "k": [2, 0], "answer": [1, -1]}
    expected = od.Comparisons([[0, 1, 2], [1, 0, 2]])
    for made in (pd.DataFrame(frame), pl.DataFrame(frame), pa.table(frame)):
        assert od.read_comparisons(made) == expected


def test_frames_of_unnamed_columns():
    rows = np.array([[0, 1, 2], [3, 1, 0]])
    assert od.read_comparisons(pd.DataFrame(rows)) == od.Comparisons(rows)


def test_missing_entries_of_pandas():
    frame = pd.DataFrame({"anchor": [0, 1], "near": [1, np.nan], "far": [2, 3]})
    with pytest.raises(InputError, match="Row 1 has no entry in column 'near'"):
        od.read_comparisons(frame)
    with pytest.warns(od.DroppedRowsWarning, match="Dropped 1 of 2 rows"):
        assert len(od.read_comparisons(frame, on_invalid="drop")) == 1


@pytest.mark.parametrize("rows", [[[0, 1, 2], [3, 1, 0]], [[0, 1, 2, 3]]])
def test_arrays(rows):
    assert od.read_comparisons(rows) == od.Comparisons(rows)
    assert od.read_comparisons(np.array(rows, dtype=float)) == od.Comparisons(rows)


def test_arrays_of_names():
    answers = od.read_comparisons([["b", "a", "c"]])
    assert answers.rows.tolist() == [[1, 0, 2]]
    assert answers.names == ("a", "b", "c")


def test_columns_of_an_array():
    rows = np.array([[0, 1, 2, 1, 9], [3, 1, 0, -1, 8]])
    answers = od.read_comparisons(rows, columns=[0, 1, 2], answer=3, groups={"trial": 4})
    assert answers.rows.tolist() == [[0, 1, 2], [3, 0, 1]]
    assert answers.groups["trial"].tolist() == [9, 8]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([0, 1, 2], "2-D array"),
        ([[0, 1, 2], [0, 1]], "got rows of different lengths"),
        ([[0.5, 1, 2]], "Row 0, column 0 is 0.5; object numbers must be whole"),
        ([[0, 1, np.nan]], "Row 0, column 2 is nan; object numbers must be finite"),
        ([[True, False, True]], "Column '0' holds booleans"),
        ([[0, 1]], "Which columns hold the objects\\? There are '0', '1'"),
        (np.zeros((0, 3)), "No comparisons; expected at least one row"),
    ],
)
def test_bad_arrays(rows, message):
    with pytest.raises(InputError, match=message):
        od.read_comparisons(rows)


@pytest.mark.parametrize(
    "source",
    [
        {"anchor": [0, 1], "near": [1], "far": [2, 2]},
        {"anchor": 0, "near": 1, "far": 2},
        np.array([[0, 1, "a"], [{}, 1, 2]], dtype=object),
    ],
)
def test_sources_that_are_no_table(source):
    with pytest.raises(InputError, match="not a table of numbers or text"):
        od.read_comparisons(source)


def test_header_does_not_apply_to_frames():
    with pytest.raises(InputError, match="header does not apply"):
        od.read_comparisons(COLUMNS, header=True)


def test_csv_of_names(read):
    text = "anchor,near,far,participant,weight\n"
    text += "cat,dog,car,ann,1\ndog,cat,van,ann,2\ncar,van,cat,bob,0.5\n"
    assert read(text) == EXPECTED
    assert read(text.replace(",", "\t"), "answers.tsv") == EXPECTED
    assert read(text.replace(",", ";")) == EXPECTED


def test_csv_without_header(read):
    assert read("0,1,2\n3,1,0\n") == od.Comparisons([[0, 1, 2], [3, 1, 0]])
    assert read("0,1,2,3\n") == od.Comparisons([[0, 1, 2, 3]])
    assert read("b,a,c\n", header=False).names == ("a", "b", "c")
    assert read("0,1,2,-1\n", columns=[0, 1, 2], answer=3).rows.tolist() == [[0, 2, 1]]


def test_number_of_objects(read):
    assert read("0,1,2\n", n_objects=7).n_objects == 7
    with pytest.raises(InputError, match=r"answers.csv: Line 1, column 2 is 2; n_objects is 2"):
        read("0,1,2\n", n_objects=2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("anchor,near,far\n0,1,2\n0,1\n", "Line 3 has 2 entries, the first line has 3"),
        ("0,1,2\nanchor,near,far\n", "Line 2 is a header in the wrong place"),
        ("\nanchor,near,far\n0,1,2\nanchor,near,far\n", "Line 4 is a header in the wrong place"),
        ("Study 1\nanchor,near,far\n0,1,2\n", "Line 2 has 3 entries.*header must be the first"),
        ("x,y,z\n0,1,2\n", r"There are 'x', 'y', 'z'; name them .* with columns=\[...\]"),
        ("anchor,near,far\n0,1,2\n0,2,2\n", "Line 3 compares nothing.*on_invalid='drop'"),
        ("anchor,near,far\n0,1,2\n0,,2\n", "Line 3 has no entry in column 'near'"),
        ("anchor,near,far\n0,1,2\n0,x,2\n", "Line 3 has 'x' in column 'near' where other"),
        ("anchor,near,far\n0,1,-2\n", "Line 2, column 2 is -2; object numbers start at 0"),
        ("anchor,near,far\n0,1,2.5\n", "Line 2, column 2 is 2.5; object numbers must be whole"),
        ("anchor,near,far\n0,1,2147483648\n", r"column 2 is 2147483648; .* below 2\*\*31"),
        ("anchor,near,far\n0,1,99999999999999999999\n", r"column 2 is 1e\+20; .* below 2\*\*31"),
        ("anchor,near,far,answer\n0,1,2,0.5\n", "Answer 0 is 0.5; answers must be booleans"),
        ("anchor,near,far,weight\n0,1,2,-1\n", "Weight 0 is -1.0; weights must be finite"),
        ("anchor,near,far\n", "No comparisons"),
        ("", "There is nothing in the file"),
    ],
)
def test_bad_text(read, content, message):
    with pytest.raises(InputError, match=rf"answers\.csv: .*{message}"):
        read(content)


def test_degenerate_rows_are_dropped_on_request(read):
    with pytest.warns(od.DroppedRowsWarning, match="Dropped 2 of 4 rows") as caught:
        answers = read("0,1,2\n0,1,1\n3,,1\n3,1,0\n", on_invalid="drop")
    assert answers.rows.tolist() == [[0, 1, 2], [3, 1, 0]]
    assert caught[0].filename == __file__


def test_on_invalid_must_be_known(read):
    with pytest.raises(InputError, match="on_invalid must be one of 'raise', 'drop'; got 'skip'"):
        read("0,1,2\n", on_invalid="skip")


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.csv: There is no such file"):
        od.read_comparisons(tmp_path / "nowhere.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match=r"folder\.csv: It is a folder"):
        od.read_comparisons(str(tmp_path / "folder.csv"))


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "answers.npz"
    od.write_comparisons(EXPECTED, path)
    before = path.read_bytes()

    def half_written(file, **arrays):
        file.write_bytes(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez", half_written)
    with pytest.raises(OSError, match="disk full"):
        od.write_comparisons(EXPECTED[:1], path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_unknown_ending_writes_nothing(tmp_path):
    with pytest.raises(
        InputError, match=r"answers\.doc: The ending '\.doc' is not that of a known"
    ):
        od.write_comparisons(EXPECTED, tmp_path / "answers.doc")
    assert not list(tmp_path.iterdir())


@settings(max_examples=30, deadline=None)
@given(
    rows=st.lists(st.permutations(range(7)).map(lambda p: p[:3]), min_size=1, max_size=20),
    names=st.lists(
        st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), max_size=5),
        min_size=7,
        max_size=7,
        unique=True,
    ),
    data=st.data(),
)
@pytest.mark.parametrize("ending", [".csv", ".parquet", ".npz"])
def test_round_trip(tmp_path_factory, ending, rows, names, data):
    weights = st.lists(st.floats(0, 1e300), min_size=len(rows), max_size=len(rows))
    record = od.Comparisons(rows, names=names, weights=data.draw(weights))
    path = tmp_path_factory.mktemp("round") / f"answers{ending}"
    od.write_comparisons(record, path)
    found = od.read_comparisons(path, names=names if ending == ".csv" else None)
    assert found == record
