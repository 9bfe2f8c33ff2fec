"""`ordinate reduce`: a table, a picture and a report from a file of features."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import random_array, save_npz
from sklearn.datasets import make_blobs

import ordinate as od
from ordinate.features.files import NAMES_OR_TEXT, Features, read_features
from ordinate.features.row_metrics import RowMetric, row_metric
from ordinate.verbs.reduce import Reduction, judge


@pytest.fixture
def features(tmp_path):
    X, y = make_blobs(120, 6, centers=3, random_state=0)
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(6)])
    frame["kind"] = np.array(["red", "white", "rosé"])[y]
    path = tmp_path / "features.csv"
    frame.to_csv(path, index=False)
    return path


def test_it_writes_a_table_and_a_picture(ordinate, features, tmp_path):
    table, picture = tmp_path / "map.csv", tmp_path / "map.png"
    run = ordinate("reduce", features, "-o", table, "--plot", picture, "--color", "kind")
    assert run.code == 0
    assert "120 objects with 6 features" in run.out
    assert "Left out" not in run.out
    assert pd.read_csv(table).shape == (120, 3)
    assert picture.stat().st_size > 1000


def test_a_page_is_made(ordinate, features, tmp_path):
    page = tmp_path / "map.html"
    assert ordinate("reduce", features, "--plot", page, "--color", "kind").code == 0
    assert page.read_bytes().startswith(b"<!doctype html>")


def test_a_page_can_be_coloured_by_texts_and_features(features, monkeypatch):
    read = read_features(features)
    study = replace(GOOD, features=read)
    shown = study.display.columns
    assert list(shown) == ["kind", *read.columns]
    np.testing.assert_array_equal(shown[read.columns[1]], read.points[:, 1])
    monkeypatch.setattr("ordinate.verbs.reduce._MOST_ENTRIES_OF_A_PAGE", 2 * len(read.points))
    assert list(study.display.columns) == ["kind", *read.columns[:2]]


def test_objects_are_called_by_a_column_of_different_texts(ordinate, features):
    frame = pd.read_csv(features)
    frame.insert(0, "wine", [f"bottle {number}" for number in range(len(frame))])
    frame.to_csv(features, index=False)
    found = ordinate("reduce", features, "--json").json
    assert found["coordinates"]["object"][:2] == ["bottle 0", "bottle 1"]
    assert list(found["left_out"]) == ["wine", "kind"]


def test_options_reach_the_fit(ordinate, features):
    def x(*options):
        run = ordinate("reduce", features, *options, "--json")
        return run.json["coordinates"]["x1"]

    plain = x()
    assert x("--jobs", 1) == plain
    for options in (["--seed", 1], ["--neighbors", 3], ["--metric", "cosine"], ["--dim", 1]):
        assert x(*options) != plain
    published = ["--set", "weights=published", "--set", "max_iter=50"]
    assert x(*published) == x(*published, "--neighbors", 20) != x(*published, "--neighbors", 10)


def test_a_sparse_matrix_is_reduced(ordinate, tmp_path):
    save_npz(tmp_path / "X.npz", random_array((60, 300), density=0.1, random_state=0))
    run = ordinate("reduce", tmp_path / "X.npz", "--json")
    assert (run.json["n_objects"], run.json["n_features"]) == (60, 300)
    assert 0.5 < run.json["trustworthiness"] <= 1


def test_bad_input_is_refused_in_a_sentence(ordinate, features):
    run = ordinate("reduce", features, "--color", "class")
    assert run.code == 1
    assert "There is no column 'class'" in run.err
    run = ordinate("reduce", features, "--metric", "euclid")
    assert run.code == 1
    assert "metric must be one of" in run.err


GOOD = Reduction(
    Features(np.zeros((1000, 64)), None, {}),
    scale="none",
    model=od.WeightedTETE(2),
    trustworthiness=0.97,
    triplet_accuracy=0.7,
    seconds=1.25,
)


def test_distances_are_reduced_and_judged_as_such(ordinate, tmp_path):
    points = np.random.default_rng([0]).normal(size=(60, 2)) * [1, 30]
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    assert judge(distances, points, 0, RowMetric("precomputed")) == (1.0, 1.0)
    names = [f"o{number}" for number in range(60)]
    frame, path = pd.DataFrame(distances, names, names), tmp_path / "distances.csv"
    frame.to_csv(path)
    run = ordinate("reduce", path, "--metric", "precomputed", "-o", tmp_path / "map.csv")
    assert run.code == 0
    assert "scaled" not in run.out
    plain = ordinate("reduce", path, "-o", tmp_path / "map.csv")
    assert "--metric precomputed reads distances" in plain.out
    frame[names[::-1]].to_csv(path)
    run = ordinate("reduce", path, "--metric", "precomputed")
    assert "in the order of the rows; the first column is 'o59'" in run.err
    (1 / (1 + frame)).to_csv(path)
    assert "got similarities" in ordinate("reduce", path, "--metric", "precomputed").err
    run = ordinate("reduce", path, "--metric", "precomputed", "--scale", "standard")
    assert "Distances are not scaled" in run.err


def test_a_good_map_needs_no_advice():
    assert "1,000 objects with 64 features" in str(GOOD)
    assert "0.970" in str(GOOD)
    assert "→" not in str(GOOD)
    assert json.loads(json.dumps(GOOD.to_dict()))["triplet_accuracy"] == 0.7


def test_advice_follows_from_the_figures():
    left_out = replace(GOOD.features, left_out={"name": NAMES_OR_TEXT})
    poor = replace(GOOD, features=left_out, trustworthiness=0.6)
    assert "Left out, as they hold names or text: name." in str(poor)
    assert "try n_components=3" in str(poor)


def test_a_perfect_map_is_judged_perfect_and_a_random_one_is_not():
    points = np.random.default_rng(0).normal(size=(2500, 2))
    euclidean = RowMetric("euclidean")
    assert judge(points, points.astype(np.float32), 0, euclidean) == (1.0, 1.0)
    trust, accuracy = judge(points[:300], points[300:600].astype(np.float32), 0, euclidean)
    assert 0.4 < trust < 0.6
    assert 0.4 < accuracy < 0.6


def test_a_map_is_judged_by_the_metric_it_was_made_with():
    angles, lengths = np.random.default_rng([4]).uniform(size=(2, 100))
    points = (0.1 + 100 * lengths[:, None]) * np.column_stack([np.cos(angles), np.sin(angles)])
    cosine = row_metric("cosine", None, points)
    assert min(judge(points, angles[:, None], 0, cosine)) > 0.99
    assert judge(points, angles[:, None], 0, RowMetric("euclidean"))[1] < 0.8


def test_parameters_of_a_metric_are_numbers_with_commas(ordinate, features):
    minkowski = ["reduce", features, "--metric", "minkowski", "--set", "max_iter=50", "--json"]
    usual = ordinate(*minkowski)
    run = ordinate(*minkowski, "--metric-param", "w=1,1,9,1,1,1", "--metric-param", "p=3")
    assert run.code == 0, run.err
    assert run.json["coordinates"] != usual.json["coordinates"]
    for text in ("p", "p=three"):
        run = ordinate("reduce", features, "--metric-param", text)
        assert f"--metric-param takes NAME=NUMBERS, such as p=3 or w=1,1,2; got '{text}'" in run.err


@pytest.mark.parametrize("n", [1, 2])
def test_too_few_rows_are_refused(ordinate, tmp_path, n):
    path = tmp_path / "few.csv"
    path.write_text("x,y\n" + "1,2\n" * n)
    run = ordinate("reduce", path)
    assert (run.code, run.out) == (1, "")
    assert run.err.endswith(f"features of {n} object{'s' * (n > 1)}; a map needs 3.\n")


def test_an_index_column_is_left_out_and_named(ordinate, tmp_path):
    path = tmp_path / "saved.csv"
    path.write_text(",x,y\n" + "".join(f"{i},{i * i % 7},{i % 3}\n" for i in range(12)))
    run = ordinate("reduce", path)
    assert run.code == 0, run.err
    assert "12 objects with 2 features" in run.err
    assert "Left out, as they only number the rows: the one without a name." in run.err


@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_arrays_of_numpy_are_read_or_refused_in_a_sentence(ordinate, features, tmp_path, ending):
    path = tmp_path / f"features.{ending}"
    {"npy": np.save, "npz": np.savez}[ending](path, pd.read_csv(features).iloc[:, :6].to_numpy())
    assert "120 objects with 6 features" in ordinate("reduce", path).err
    path.write_bytes(b"array")
    run = ordinate("reduce", path)
    assert (run.code, run.out) == (1, "")
    assert "It cannot be read as arrays of NumPy" in run.err


@pytest.mark.parametrize(
    ("row", "expected"), [("{0}e200,1", "X reaches 1.1e+201"), ("3,3", "No column is a feature")]
)
def test_features_without_a_map_are_refused(ordinate, tmp_path, row, expected):
    path = tmp_path / "odd.csv"
    path.write_text("x,y\n" + "".join(row.format(i) + "\n" for i in range(12)))
    run = ordinate("reduce", path)
    assert (run.code, run.out) == (1, "")
    assert expected in run.err


def test_columns_of_different_units_are_scaled_and_judged_so(ordinate, tmp_path):
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(3, 5)) * 4
    X = centers[np.arange(120) % 3] + rng.normal(size=(120, 5))
    X[:, 4] = rng.normal(800, 300, size=120)  # one unit that says nothing, and outweighs all
    path = tmp_path / "units.csv"
    pd.DataFrame(X, columns=list("abcde")).to_csv(path, index=False)
    found = ordinate("reduce", path, "--json").json
    assert found["scale"] == "standard"
    points = np.column_stack([found["coordinates"]["x1"], found["coordinates"]["x2"]])
    same = (np.arange(120)[:, None] - np.arange(120)) % 3 == 0
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    assert distances[same].mean() < 0.5 * distances[~same].mean()
    assert "Columns were scaled (standard)" in ordinate("reduce", path).err
    assert ordinate("reduce", path, "--scale", "none", "--json").json["scale"] == "none"
    assert ordinate("reduce", path, "--scale", "robust", "--json").json["scale"] == "robust"


def test_gaps_are_dropped_on_request(ordinate, features):
    frame = pd.read_csv(features)
    frame.loc[7, "f2"] = np.nan
    frame.to_csv(features, index=False)
    run = ordinate("reduce", features)
    assert run.code == 1
    assert "--missing drop" in run.err
    run = ordinate("reduce", features, "--missing", "drop")
    assert "119 objects" in run.err
    assert "Left out for gaps: 1 row." in run.err
    rows = [line.split(",")[0] for line in run.out.splitlines()[1:]]
    assert rows[6:8] == ['"6"', '"8"'], "objects keep the number of their row"
    assert "9 features" in ordinate("reduce", features, "--missing", "mean", "--one-hot").err


def test_arrays_are_not_scaled_unless_asked(ordinate, tmp_path):
    path = tmp_path / "X.npy"
    np.save(path, np.random.default_rng(0).normal(size=(40, 4)) * [1, 1, 1, 500])
    assert ordinate("reduce", path, "--json").json["scale"] == "none"
    assert ordinate("reduce", path, "--scale", "standard", "--json").json["scale"] == "standard"
    save_npz(tmp_path / "X.npz", random_array((40, 5), density=0.5, random_state=0))
    run = ordinate("reduce", tmp_path / "X.npz", "--scale", "standard")
    assert (run.code, "would become dense" in run.err) == (1, True)


def test_counts_are_not_scaled_before_shares_are_compared(ordinate, tmp_path):
    rng = np.random.default_rng([7])
    path = tmp_path / "counts.csv"
    counts = pd.DataFrame(rng.poisson([1, 5, 300], (60, 3)), columns=["a", "b", "c"])
    counts.to_csv(path, index=False)
    run = ordinate("reduce", path, "--metric", "hellinger", "--set", "max_iter=50", "--json")
    assert run.json["scale"] == "none"
