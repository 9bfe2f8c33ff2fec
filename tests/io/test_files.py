import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordinate as od
from ordinate import InputError
from ordinate.comparisons.labels import one_spelling
from ordinate.io import headings

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
def test_frames_are_read_as_comparisons(frame):
    assert od.read_comparisons(frame) == EXPECTED


def test_numbered_frames():
    frame = {"i": [0, 1], "j": [1, 2], "k": [2, 0], "answer": [1, -1]}
    expected = od.Comparisons([[0, 1, 2], [1, 0, 2]], names="012")
    for made in (pd.DataFrame(frame), pl.DataFrame(frame), pa.table(frame)):
        assert od.read_comparisons(made) == expected


def test_frames_of_unnamed_columns():
    rows = np.array([[0, 1, 2], [3, 1, 0]])
    assert od.read_comparisons(pd.DataFrame(rows)) == od.Comparisons(rows, names="0123")


def test_missing_entries_of_pandas():
    frame = pd.DataFrame({"anchor": [0, 1], "near": [1, np.nan], "far": [2, 3]})
    with pytest.raises(InputError, match="Row 1 has no entry in column 'near'"):
        od.read_comparisons(frame)
    with pytest.warns(od.DroppedRowsWarning, match="Dropped 1 of 2 rows"):
        assert len(od.read_comparisons(frame, on_invalid="drop")) == 1


@pytest.mark.parametrize("rows", [[[0, 1, 2], [3, 1, 0]], [[0, 1, 2, 3]]])
def test_arrays_are_read_as_comparisons(rows):
    assert od.read_comparisons(rows) == od.Comparisons(rows)
    assert od.read_comparisons(np.array(rows, dtype=float)) == od.Comparisons(rows)


@pytest.mark.parametrize(("dtype", "largest"), [("float16", 2048), ("float32", 2**24)])
def test_numbers_that_may_have_been_rounded_are_refused(dtype, largest):
    rows = np.array([[0, 1, largest - 1]], dtype=dtype)
    names = ["anchor", "near", "far"]
    assert od.read_comparisons(pd.DataFrame(rows, columns=names)).names[-1] == str(largest - 1)
    for source in (rows + 1, pd.DataFrame(rows + 1, columns=names)):
        with pytest.raises(InputError, match=f"{dtype} rounds whole numbers from {largest} on"):
            od.read_comparisons(source)


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
def test_bad_arrays_are_refused(rows, message):
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
def test_sources_that_are_not_a_table_are_refused(source):
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
    assert read("sep=;\r\n" + text.replace(",", ";")) == EXPECTED


def test_csv_without_header(read):
    assert read("0,1,2\n3,1,0\n") == od.Comparisons([[0, 1, 2], [3, 1, 0]], names="0123")
    assert read("0,1,2,3\n", question="pair_against_pair") == od.Comparisons(
        [[0, 1, 2, 3]], names="0123"
    )
    assert read("b,a,c\n", header=False).names == ("a", "b", "c")
    assert read("0,1,2,-1\n", columns=[0, 1, 2], answer=3).rows.tolist() == [[0, 2, 1]]


def test_objects_of_a_file_are_the_labels_that_occur(read):
    answers = read("anchor,near,far\n1020,1001,017\n017,1500000000,1001\n")
    assert answers.names == ("017", "1001", "1020", "1500000000")
    assert answers.rows.tolist() == [[2, 1, 0], [0, 3, 1]]


def test_labels_have_their_natural_order(read):
    answers = read("item10,item2,7\nb,10,item1\n", header=False)
    assert answers.names == ("7", "10", "b", "item1", "item2", "item10")


def test_further_objects_are_named(read):
    answers = read("3,1,2\n", names=["1", "2", "3", "9"])
    assert (answers.names, answers.n_objects) == (("1", "2", "3", "9"), 4)
    with pytest.raises(InputError, match=r"answers.csv: n_objects counts the positions.*names="):
        read("0,1,2\n", n_objects=7)
    assert od.read_comparisons([[0, 1, 2]], n_objects=7).n_objects == 7


def test_labels_in_no_row_do_not_count(read):
    with pytest.warns(od.DroppedRowsWarning):
        answers = read("a,b,c\na,b,b\nx,y,x\n", header=False, on_invalid="drop")
    assert answers.names == ("a", "b", "c")
    categories = pd.CategoricalDtype([*"xyz", "cat", "dog", "car"])
    assert od.read_comparisons(pd.DataFrame(COLUMNS).astype({"anchor": categories})) == EXPECTED


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("anchor,near,far\n0,1,2\n0,1\n", "Line 3 has 2 entries, the first line has 3"),
        ("0,1,2\nanchor,near,far\n", "Line 2 is a header in the wrong place"),
        ("\nanchor,near,far\n0,1,2\nanchor,near,far\n", "Line 4 is a header in the wrong place"),
        ("Study 1\nanchor,near,far\n0,1,2\n", "Line 2 has 3 entries.*header must be the first"),
        ("x,y,z\n0,1,2\n", r"There are 'x', 'y', 'z'; name them .* with columns=\[...\]"),
        ("anchor,near,far\n0,1,2\n0,2,2\n", "Line 3 .*compares nothing.*on_invalid='drop'"),
        ("anchor,near,far\n0,1,2\n0,,2\n", "Line 3 has no entry in column 'near'"),
        ("i,j,k,answer\n0,1,2,0.5\n", "Line 2 has '0.5' in column 'answer'; expected"),
        ("anchor,near,far,weight\n0,1,2,-1\n", "Weight 0 is -1.0; weights must be finite"),
        ("anchor,near,far\n", "No comparisons"),
        ("", "There is nothing in the file"),
    ],
)
def test_bad_text_is_refused(read, content, message):
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
    with pytest.raises(InputError, match=r"Cannot tell the format of .*answers\.doc'"):
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
    ).filter(lambda names: not one_spelling(names)),
    data=st.data(),
)
@pytest.mark.parametrize("ending", [".csv", ".parquet", ".npz"])
@pytest.mark.filterwarnings("ignore:Labels")
def test_what_is_written_is_read_back(tmp_path_factory, ending, rows, names, data):
    weights = st.lists(
        st.just(0.0) | st.floats(1e-29, 1e29), min_size=len(rows), max_size=len(rows)
    )
    if ending == ".csv":
        names = [name or "no letters" for name in names]
    record = od.Comparisons(rows, names=names, weights=data.draw(weights))
    path = tmp_path_factory.mktemp("round") / f"answers{ending}"
    od.write_comparisons(record, path)
    found = od.read_comparisons(path, names=names if ending == ".csv" else None)
    assert found == record


LABELS = st.one_of(
    st.integers(0, 2 * 10**9).map(str),
    st.integers(0, 999).map("{:04}".format),
    st.integers(0, 99).map("item{}".format),
    st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=5),
).filter(lambda label: label not in ("NA", "NaN", "nan", "null"))


# "1" and "0001" are two labels, and a warning says that they look alike
@pytest.mark.filterwarnings("ignore::ordinate.DoubtfulObjectsWarning")
@settings(max_examples=30, deadline=None)
@given(labels=st.lists(LABELS, min_size=4, max_size=9, unique=True), data=st.data())
def test_labels_survive_every_way(tmp_path_factory, labels, data):
    rows = data.draw(st.lists(st.permutations(labels).map(lambda p: p[:3]), min_size=1))
    record = od.read_comparisons(np.array(rows))
    assert set(record.names) == {label for row in rows for label in row}
    assert [[record.names[o] for o in row] for row in record.rows] == [list(row) for row in rows]
    folder = tmp_path_factory.mktemp("labels")
    for ending in (".csv", ".tsv.gz", ".parquet", ".npz"):
        od.write_comparisons(record, folder / f"a{ending}")
        assert od.read_comparisons(folder / f"a{ending}") == record
    columns = dict(zip(("anchor", "near", "far"), zip(*rows, strict=True), strict=True))
    assert od.read_comparisons(pd.DataFrame(columns)) == record
    assert od.read_comparisons(pl.DataFrame(columns)) == record
    assert od.scan_parquet(folder / "a.parquet")[:] == record
    pd.DataFrame(columns).to_parquet(folder / "b.parquet")
    assert od.scan_parquet(folder / "b.parquet")[:] == record


ENDINGS = [".csv", ".tsv", ".parquet", ".npz", ".csv.gz", ".tsv.gz"]
KEEP_ALL = [".parquet", ".npz"]

PLAIN = od.Comparisons([[0, 1, 2], [3, 1, 0]])
LABELLED = od.Comparisons([[0, 1, 2], [3, 1, 0]], names=["9", "017", "item2", "item10"])
FULL = od.Comparisons(
    [[0, 1, 2], [3, 1, 0]],
    weights=[0.1, 1 / 3],
    groups={"participant": ["ann", "bob"], "trial": [1, 2], "age in years": [20.5, 30.0]},
    names=["dog", "NA", "1 e", "10", "never seen", 'quoted "x", y'],
)
UNNAMED = od.Comparisons([[0, 1, 2], [3, 1, 0]], names=["dog", "", "cat", "cow"])


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("record", [LABELLED, LABELLED.to_quadruplets()], ids=lambda r: r.kind)
def test_labels_come_back(tmp_path, ending, record):
    path = tmp_path / f"answers{ending}"
    od.write_comparisons(record, path)
    assert od.read_comparisons(path) == record


@pytest.mark.parametrize("ending", KEEP_ALL)
@pytest.mark.filterwarnings("ignore:Labels that may mean that there is no entry")
@pytest.mark.parametrize("record", [FULL, FULL.to_quadruplets(), PLAIN, UNNAMED], ids=repr)
def test_everything_comes_back(tmp_path, ending, record):
    path = tmp_path / f"answers{ending}"
    od.write_comparisons(record, path)
    assert od.read_comparisons(path) == record


def test_text_does_not_hold_an_object_without_a_name(tmp_path):
    with pytest.raises(InputError, match="Text cannot hold an empty label"):
        od.write_comparisons(UNNAMED, tmp_path / "answers.csv")


@pytest.mark.parametrize("ending", [".csv", ".tsv.gz"])
@pytest.mark.filterwarnings("ignore:Labels that may mean that there is no entry")
def test_text_is_read_back_if_given_what_it_cannot_hold(tmp_path, ending):
    path = tmp_path / f"answers{ending}"
    od.write_comparisons(FULL, path)
    found = od.read_comparisons(path, names=FULL.names)
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


ALIASES = sorted(
    {
        *(
            name
            for names in (*headings.OBJECTS, *headings.SIDES, *headings.PAIRS)
            for name in names
        ),
        *(name for names in (*headings.VOTES, *headings.GROUPS.values()) for name in names),
        *(
            *headings.ANCHORS,
            *headings.OBJECT_STEMS,
            *headings.OPTION_STEMS,
            *headings.CHOSEN,
            *headings.ODD,
        ),
        *(
            *headings.CENTRAL,
            *headings.ANSWERS,
            *headings.RANKED,
            *headings.LABEL,
            *headings.GROUPS,
        ),
        *("answer", headings.WEIGHT, "choices", "rank_1", "rank_2", "0", "1", "2", "stim_1"),
    }
)
SPELT = (str, str.title, str.upper, "Spreadsheet: {}".format, "{}_id".format, "group:{}".format)
GROUP_NAMES = st.builds(
    lambda name, spell: spell(name), st.sampled_from(ALIASES), st.sampled_from(SPELT)
) | st.text(st.characters(exclude_categories=["Cc", "Cs", "Z"]), max_size=8)


@pytest.mark.parametrize("ending", ENDINGS)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    names=st.lists(GROUP_NAMES, max_size=6, unique=True),
    values=st.sampled_from([[0, 1, 1], [1, -1, 1], ["a", "b", "b"], ["0", "x", "1"]]),
    weighted=st.booleans(),
    quadruplets=st.booleans(),
)
def test_any_group_comes_back(tmp_path_factory, ending, names, values, weighted, quadruplets):
    record = od.Comparisons(
        [[0, 1, 2], [1, 2, 3], [3, 0, 1]],
        names=["a", "b", "near", "1"],
        groups=dict.fromkeys(names, values),
        weights=[1, 2, 0.5] if weighted else None,
    )
    record = record.to_quadruplets() if quadruplets else record
    path = tmp_path_factory.mktemp("any") / f"answers{ending}"
    od.write_comparisons(record, path)
    labels = None if ending in KEEP_ALL else record.names
    assert od.read_comparisons(path, names=labels) == record


@pytest.mark.parametrize("name", ["response", "Answer", "Weight"])
def test_groups_are_not_taken_for_answers_where_files_stay(tmp_path, name):
    pytest.importorskip("dask")
    record = od.Comparisons([[0, 1, 2], [1, 2, 0]], groups={name: [0, 0]})
    od.write_comparisons(record, tmp_path / "answers.parquet")
    found = od.scan_parquet(tmp_path / "answers.parquet")[:]
    assert found.rows.tolist() == record.rows.tolist()
    assert found.weights is None


def test_groups_are_chosen_by_their_own_name(tmp_path):
    record = od.Comparisons([[0, 1, 2], [1, 2, 0]], groups={"mood": ["good", "bad"]})
    od.write_comparisons(record, tmp_path / "answers.csv")
    assert (tmp_path / "answers.csv").read_text().startswith('"anchor","near","far","group:mood"')
    for groups in ("mood", ["group:mood"], {"mood": "mood"}):
        found = od.read_comparisons(tmp_path / "answers.csv", groups=groups, where="mood=good")
        assert found.groups["mood"].tolist() == ["good"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"names": ["a", "b", "c "]}, "blanks around labels, as in the object 'c '"),
        ({"groups": {"mood": [" good"]}}, "blanks around labels, as in the 'mood' ' good'"),
        ({"groups": {"mood ": [1]}}, "cannot hold the group 'mood '"),
        ({"groups": {"mood\nday": [1]}}, "cannot hold the group"),
    ],
)
def test_what_text_would_change_is_refused(tmp_path, change, message):
    record = od.Comparisons([[0, 1, 2]], **change)
    with pytest.raises(InputError, match=message):
        od.write_comparisons(record, tmp_path / "answers.csv")
    assert not list(tmp_path.iterdir())
    od.write_comparisons(record, tmp_path / "answers.parquet")
    assert od.read_comparisons(tmp_path / "answers.parquet") == record


@pytest.mark.parametrize("name", ["answers.pickle", "answers", "answers.npz.gz"])
def test_an_unknown_ending_is_refused(name):
    with pytest.raises(InputError, match=r"is not that of a known format; expected one of .csv"):
        od.read_comparisons(name)


def test_ending_in_capitals(tmp_path):
    (tmp_path / "A.CSV").write_text("a,b,c\n1,2,3\n")
    assert len(od.read_comparisons(tmp_path / "A.CSV", columns=[0, 1, 2])) == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"\x89PNG\r\n\x1a\n", "holds a PNG image, but its ending says text"),
        ("a.csv", b"PAR1\x00\x00", "holds Parquet data, but its ending says text"),
        ("a.csv", b"PK\x03\x04xl/", "holds a zip archive, but its ending says text"),
        ("a.csv", b"\x1f\x8b\x08", "holds gzip data, but its ending says text"),
        ("a.parquet", "a,b,c\n".encode("utf-16"), "holds text, but its ending says Parquet"),
        ("a.csv", b"\xff\xfea", "It is not UTF-16 text; pass its encoding"),
        ("a.tsv", b"1\x002", "holds binary data, but its ending says text"),
        ("a.csv.gz", b"a,b,c\n", "holds text, but its ending says gzip data"),
        ("a.parquet", b"a,b,c\n", "holds text, but its ending says Parquet data"),
        ("a.npz", b"a,b,c\n", "holds text, but its ending says a zip archive"),
    ],
)
def test_content_of_another_format(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        od.read_comparisons(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.parquet", b"PAR1 and nothing else", "cannot be read as Parquet"),
        ("a.npz", b"PK\x03\x04 and nothing else", "cannot be read as NPZ without pickles"),
        ("a.csv.gz", b"\x1f\x8b and nothing else", "cannot be read as gzip"),
    ],
)
def test_damaged_files_are_refused(tmp_path, name, content, message):
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


GAP = "anchor,left,right,winner\n5,6.0,7,6.0\n6,7.0,5,5.0\n7,,5,\n8,5.0,6,5.0\n"


def test_a_column_with_a_gap_names_the_same_objects(read):
    with pytest.warns(od.DroppedRowsWarning):
        answers = read(GAP, on_invalid="drop")
    assert answers.names == ("5", "6", "7", "8")
    assert answers.rows.tolist() == [[0, 1, 2], [1, 0, 2], [3, 0, 1]]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", '[{"anchor": "tea ", "near": "milk", "far": "tea"}]'),
        ("a.jsonl", '{"anchor": "Tea", "near": "milk", "far": "tea"}'),
        ("a.csv", "anchor,near,far\ntea,milk,te\u200ba\n"),
    ],
)
def test_files_with_labels_that_look_alike(read, name, content):
    with pytest.warns(od.DoubtfulObjectsWarning, match="'tea'"):
        assert read(content, name).n_objects == 3


def test_text_does_not_hold_two_spellings_of_a_number(tmp_path):
    record = od.Comparisons([[0, 1, 2]], names=["1", "1.0", "a"])
    with pytest.raises(InputError, match=r"cannot distinguish the objects '1\.0' and '1'"):
        od.write_comparisons(record, tmp_path / "answers.csv")
    od.write_comparisons(record, tmp_path / "answers.parquet")
    with pytest.warns(od.DoubtfulObjectsWarning):
        assert od.read_comparisons(tmp_path / "answers.parquet") == record


def test_swapped_arguments_of_writing_are_named(tmp_path):
    with pytest.raises(od.InputError, match="got Comparisons"):
        od.write_comparisons(tmp_path / "answers.csv", od.Comparisons([[0, 1, 2]]))
