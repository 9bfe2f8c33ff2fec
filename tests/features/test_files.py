"""Features from files: which columns count, and what is refused."""

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, random_array, save_npz

import ordinate as od
from ordinate import InputError
from ordinate.features.files import (
    CONSTANT,
    DATES,
    IDS,
    NAMES_OR_TEXT,
    ROW_NUMBERS,
    read_features,
    read_object_features,
)

FRAME = pd.DataFrame(
    {"name": ["a", "b", "c"], "x": [1, 2, 3], "y": [0.5, -1.0, 2e3], "k": [7, 7, 8]}
)


@pytest.fixture(params=["csv", "parquet"])
def path(request, tmp_path):
    path = tmp_path / f"features.{request.param}"
    if request.param == "csv":
        FRAME.to_csv(path, index=False)
    else:
        FRAME.to_parquet(path)
    return path


def test_numbers_are_features_and_text_is_left_out(path):
    found = read_features(path)
    np.testing.assert_array_equal(found.points, FRAME[["x", "y", "k"]])
    assert found.labels is None
    assert list(found.texts) == ["name"]


@pytest.mark.parametrize(("label", "columns"), [("k", ["x", "y"]), ("name", ["x", "y", "k"])])
def test_a_label_is_not_a_feature(path, label, columns):
    found = read_features(path, label=label)
    np.testing.assert_array_equal(found.points, FRAME[columns])
    assert found.labels.tolist() == FRAME[label].tolist()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y\n1,2\n3,\n", r"features\.csv: Line 3 has no number in column 'y'; 1 of 2"),
        ("a,b\nu,v\n", "No column is a feature: 'a' is left out"),
        ("x,x,y\n1,2,3\n", "Several columns are called 'x'; give each a name of its own"),
        ("x,y\n", "There is no row below the header"),
        ("0,1,2\n5,,7\n", "Line 2 has no number in column '1'"),
    ],
)
def test_unusable_files_are_refused(tmp_path, text, message):
    path = tmp_path / "features.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_features(path)


def test_an_id_column_is_a_label_and_no_feature(tmp_path):
    path = tmp_path / "features.csv"
    path.write_text("x,Id,y\n1,017,2\n3,3084,4\n")
    found = read_features(path)
    assert found.points.tolist() == [[1, 2], [3, 4]]
    assert found.names == ["017", "3084"]


def test_dates_and_truth_values_stay_as_they_are_written(tmp_path):
    path = tmp_path / "features.csv"
    path.write_text("x,day,ok\n1,2026-01-02T10:00,TRUE\n3,2026-01-03,no\n")
    found = read_features(path)
    assert found.texts["day"].tolist() == ["2026-01-02T10:00", "2026-01-03"]
    assert found.texts["ok"].tolist() == ["TRUE", "no"]


def test_an_unknown_label_is_refused_with_those_there_are(path):
    with pytest.raises(InputError, match="no column 'kind'; the columns are name, x, y, k"):
        read_features(path, label="kind")


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("name", ["", "row"])
def test_columns_that_number_the_rows_are_not_features(tmp_path, name, first):
    path = tmp_path / "features.csv"
    rows = "".join(f"{first + i},{i * i % 7},{i}5\n" for i in range(6))
    path.write_text(f"{name},x,y\n{rows}")
    found = read_features(path)
    assert found.left_out == {name: ROW_NUMBERS}
    assert found.points[:, 0].tolist() == [0, 1, 4, 2, 2, 4]
    assert found.points.shape == (6, 2)


def test_rising_numbers_that_are_not_row_numbers_are_features(tmp_path):
    path = tmp_path / "features.csv"
    path.write_text("year,x\n" + "".join(f"{2000 + i},{i * i}\n" for i in range(6)))
    assert read_features(path).left_out == {}


def test_infinity_is_refused(tmp_path):
    path = tmp_path / "features.csv"
    path.write_text("x,y\n1,2\ninf,3\n")
    with pytest.raises(InputError, match="Line 3 has no number in column 'x'"):
        read_features(path)


def test_matrices_of_numpy_are_read(tmp_path):
    X = np.random.default_rng(0).normal(size=(6, 3))
    names, kinds = np.array(list("abcdef")), np.array([0, 1, 0, 1, 2, 2])
    np.save(tmp_path / "X.npy", X.astype(np.float32))
    np.savez(tmp_path / "X.npz", X=X, name=names, kind=kinds, other=np.arange(4))
    np.testing.assert_allclose(read_features(tmp_path / "X.npy").points, X, atol=1e-6)
    read = read_features(tmp_path / "X.npz", label="kind")
    np.testing.assert_array_equal(read.points, X)
    np.testing.assert_array_equal(read.labels, kinds)
    assert read.names == list("abcdef")


def test_a_first_line_of_column_numbers_is_not_an_object(tmp_path):
    path = tmp_path / "features.csv"
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(6, 3)))
    for index in (False, True):
        frame.to_csv(path, index=index)
        np.testing.assert_allclose(read_features(path).points, frame)
    frame.assign(kind=list("aabbcc")).rename(columns={"kind": 3}).to_csv(path, index=False)
    read = read_features(path, label="3")
    np.testing.assert_allclose(read.points, frame)
    assert read.labels.tolist() == list("aabbcc")
    path.write_text("0,1,3\n5,6,7\n")
    assert read_features(path).points.tolist() == [[0, 1, 3], [5, 6, 7]]


def test_sparse_matrices_stay_sparse(tmp_path):
    X = random_array((8, 5), density=0.4, format="coo", random_state=0)
    path = tmp_path / "X.npz"
    save_npz(path, X)
    points = read_features(path).points
    assert points.format == "csr"
    np.testing.assert_array_equal(points.toarray(), X.toarray())
    X.data[0] = np.nan
    save_npz(path, X)
    with pytest.raises(InputError, match="The sparse matrix must be finite"):
        read_features(path)


def test_other_formats_are_named(tmp_path):
    with pytest.raises(InputError, match=r"cells\.h5: Features are not read from \.h5; save"):
        read_features(tmp_path / "cells.h5")


def test_annotated_data_name_their_rows(tmp_path, monkeypatch):
    annotated = SimpleNamespace(X=csr_array(np.eye(3)), obs_names=["c", "a", "b"], obsm={})
    read = read_features(annotated)
    assert read.names == ["c", "a", "b"]
    np.testing.assert_array_equal(read.dense(), np.eye(3))
    asked = []

    def read_h5ad(path):
        asked.append(path)
        return annotated

    monkeypatch.setitem(sys.modules, "anndata", SimpleNamespace(read_h5ad=read_h5ad))
    path = tmp_path / "cells.h5ad"
    assert read_features(path).names == ["c", "a", "b"]
    assert asked == [path]
    monkeypatch.setitem(sys.modules, "anndata", None)
    with pytest.raises(InputError, match=r"cells\.h5ad: Files of AnnData need the package anndata"):
        read_features(path)


def test_features_of_annotated_data_make_a_map():
    points = np.random.default_rng([1]).normal(size=(9, 2))
    answers = od.sources.random_triplets(points, 200, random_state=0)
    answers = od.Comparisons(answers.rows, names=list("abcdefghi"))
    annotated = SimpleNamespace(X=points[::-1], obs_names=list("ihgfedcba"), obsm={})
    options = {"error_folds": 0, "n_components": 2, "verbose": False}
    found = od.analyze(answers, features=annotated, **options)
    frame = pd.DataFrame(points[::-1], index=list("ihgfedcba"))
    expected = od.analyze(answers, features=frame, **options)
    np.testing.assert_array_equal(found.model.embedding_, expected.model.embedding_)


def test_other_arrays_of_numpy_are_refused_in_a_sentence(tmp_path):
    def complaint(**arrays):
        np.savez(tmp_path / "X.npz", **arrays)
        with pytest.raises(InputError) as caught:
            read_features(tmp_path / "X.npz", label="kind")
        return str(caught.value)

    X = np.ones((3, 2))
    assert "there are: X (3, 2), Y (3, 2)" in complaint(X=X, Y=X)
    assert "There is no array 'kind'" in complaint(X=X, y=np.arange(3))
    assert "row 0, column 0 is nan" in complaint(X=X * np.nan, kind=np.arange(3))
    assert "Expected one matrix of numbers" in complaint(X=np.array([["a", "b"]]))
    for name in ("X.npy", "X.npz"):
        (tmp_path / name).write_text("no array")
        with pytest.raises(InputError, match=rf"{name}: It cannot be read as arrays of NumPy"):
            read_features(tmp_path / name)


def stranger(path):
    """Write a table as people have it: an id, a date, a constant, a category and a gap."""
    n = 12
    frame = pd.DataFrame(
        {
            "sample_id": np.arange(1000, 1000 + n),
            "when": [f"2024-01-{day:02}" for day in range(1, n + 1)],
            "lab": 7,
            "kind": ["red", "white", None] * 4,
            "year": np.arange(2000, 2000 + n),
            "proline": np.linspace(300, 1600, n) ** 1.1,
        }
    )
    frame.loc[4, "proline"] = np.nan
    frame.to_csv(path, index=False)
    return frame


def test_ids_dates_and_constants_are_not_features(tmp_path):
    path = tmp_path / "table.csv"
    stranger(path)
    found = read_features(path, missing="mean")
    assert found.columns == ("year", "proline")
    assert found.left_out == {
        "sample_id": IDS,
        "when": DATES,
        "lab": CONSTANT,
        "kind": NAMES_OR_TEXT,
    }


@pytest.mark.parametrize("name", ["id", "patientId", "Sample ID", "case_index"])
def test_ids_have_names_and_all_differ(tmp_path, name):
    path = tmp_path / "table.csv"
    frame = pd.DataFrame({name: [17, 5, 23, 4, 99, 31], "x": range(6, 18, 2), "y": [1.5] * 5 + [2]})
    frame.to_csv(path, index=False)
    found = read_features(path)
    assert found.columns == ("x", "y")
    frame[name] = [1, 1, 2, 2, 3, 3]  # what comes again is no id
    frame.to_csv(path, index=False)
    assert name in read_features(path, label="y").columns or name == "id"


def test_gaps_are_refused_dropped_or_filled(tmp_path):
    path = tmp_path / "table.csv"
    frame = stranger(path)
    with pytest.raises(InputError, match="Line 6 has no number in column 'proline'; 1 of 12 rows"):
        read_features(path)
    dropped = read_features(path, label="kind", missing="drop")
    assert dropped.n_dropped == 1
    assert len(dropped.points) == len(dropped.labels) == len(dropped.texts["when"]) == 11
    np.testing.assert_allclose(dropped.points[:, 1], frame["proline"].dropna())
    filled = read_features(path, missing="mean")
    assert filled.points[4, 1] == pytest.approx(frame["proline"].mean())
    assert filled.n_dropped == 0


def test_categories_become_columns_on_request(tmp_path):
    path = tmp_path / "table.csv"
    stranger(path)
    found = read_features(path, missing="drop", one_hot=True)
    assert found.columns == ("kind=red", "kind=white", "year", "proline")
    assert found.points[:3, :2].tolist() == [[1, 0], [0, 1], [0, 0]]
    assert found.categories == {"kind": [0, 1]}
    pd.DataFrame({"x": range(60), "word": [f"w{i % 55}" for i in range(60)]}).to_csv(path)
    with pytest.raises(InputError, match="'word' has 55 different texts"):
        read_features(path, one_hot=True)


def test_ids_name_the_objects(tmp_path):
    frame = pd.DataFrame({"item_id": [501, 77, 3, 12, 9], "x": [0.1, 0.4, 0.2, 0.9, 0.3]})
    assert read_features(frame).names == ["501", "77", "3", "12", "9"]
    named = frame.assign(wine=["a", "b", "c", "d", "e"])
    assert read_features(named).names == ["a", "b", "c", "d", "e"]


def test_columns_of_times_are_dates(tmp_path):
    path = tmp_path / "table.parquet"
    times = pd.date_range("2024-01-01", periods=6)
    pd.DataFrame({"at": times, "x": range(5, 11)}).to_parquet(path)
    assert read_features(path).left_out == {"at": DATES}


def test_an_object_without_any_feature_stays_unknown_and_a_gap_is_filled(tmp_path):
    points = np.array([[1.0, 2.0], [np.nan, 4.0], [np.nan, np.nan], [3.0, 0.0]])
    np.save(tmp_path / "clip.npy", points)
    pd.DataFrame(points, columns=["x", "y"]).to_csv(tmp_path / "clip.csv", index=False)
    for name in ("clip.npy", "clip.csv"):
        with pytest.warns(UserWarning, match=f"{name}: 1 gap filled with the mean"):
            found = read_object_features(tmp_path / name)
        np.testing.assert_array_equal(found.points, [[1, 2], [2, 4], [np.nan, np.nan], [3, 0]])
