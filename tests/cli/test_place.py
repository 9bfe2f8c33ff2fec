"""`ordinate embed --features` and `ordinate place`: objects nobody was asked about."""

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.filterwarnings("always:There are no answers:UserWarning")


@pytest.fixture
def features(tmp_path):
    """Features of the twelve objects on a line that the answers are about, and of two more."""
    rng = np.random.default_rng(0)
    at = np.array([*range(12), 3.5, 20])
    frame = pd.DataFrame({"object": [f"o{i:02}" for i in range(12)] + ["new", "far"]})
    frame["length"] = 2 * at + 0.01 * rng.normal(size=14)
    frame["noise"] = rng.normal(size=14)
    path = tmp_path / "features.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.mark.usual_data
def test_answers_and_features_make_a_map_of_all_objects(
    ordinate, answers, features, tmp_path, monkeypatch
):
    monkeypatch.setattr("ordinate.uncertainty._map_uncertainty._N_REFITS", 12)  # 200 take long
    table = tmp_path / "map.csv"
    options = ("-d", 1, "--folds", 2, "--set", "folds=2")
    run = ordinate("embed", answers, "--features", features, *options, "-o", table)
    assert run.code == 0
    assert "FeatureEmbedding(folds=2) in 1 dimension" in run.out
    assert "2 by features" in run.out
    assert "12 by answers and features" in run.out
    assert "leave them out" not in run.out
    assert "no answers for objects new, far: placed by features alone" in run.err
    x = pd.read_csv(table).set_index("object").x1
    x = x * np.sign(x["o11"] - x["o00"])
    assert x["o02"] < x["new"] < x["o05"]
    assert x["far"] > x["o11"]
    options = ("--error-folds", 0, "--uncertainty", "bootstrap", "--set", "folds=2", "--json")
    sure = ordinate("embed", answers, "--features", features, *options, "-o", table).json
    assert sure["uncertainty"]["n_draws"] == 12
    assert pd.read_csv(table).set_index("object").loc["new", "answers"] == 0
    report = ordinate("embed", answers, "--features", features, "--error-folds", 0, "--json").json
    assert report["features"]["placed_by"] == {"both": 12, "features": 2}
    assert report["features"]["unseen_error"] < 0.3


@pytest.mark.usual_data
def test_settings_reach_the_fit(ordinate, answers, features):
    options = ("embed", answers, "--features", features, "--error-folds", 0, "--json")
    plain = ordinate(*options).json
    assert plain["features"]["share"] > 0
    ckl = ordinate(*options, "--method", "CKL").json
    assert ckl["coordinates"]["x1"] != plain["coordinates"]["x1"]


def test_new_objects_are_placed_by_features(ordinate, features, tmp_path):
    table = tmp_path / "map.csv"
    known = pd.DataFrame({"object": [f"o{i:02}" for i in range(12)], "x1": np.arange(12.0)})
    known.assign(x2=-known.x1).to_csv(table, index=False)
    placed = tmp_path / "placed.csv"
    run = ordinate("place", table, "--features", features, "-o", placed)
    assert "2 new objects placed by features on a map of 12" in run.out
    assert "The features explain 100.0% of the variance" in run.out
    found = pd.read_csv(placed).set_index("object")
    assert list(found.index) == ["new", "far"]
    np.testing.assert_allclose(found.x1, [3.5, 20], atol=1)
    np.testing.assert_allclose(found.x2, -found.x1, atol=1e-6)
    assert 0 < found["std"]["new"] < found["std"]["far"]


def test_rows_without_labels_are_named_by_a_list(ordinate, features, tmp_path):
    table, matrix, names = (tmp_path / name for name in ("map.csv", "x.npy", "names.txt"))
    frame = pd.read_csv(features)
    pd.DataFrame({"object": frame.object[:12], "x1": np.arange(12.0)}).to_csv(table, index=False)
    np.save(matrix, frame[["length", "noise"]])
    names.write_text("\n".join(frame.object))
    run = ordinate("place", table, "--features", matrix, "--objects", names, "--json")
    assert run.json["coordinates"]["object"] == ["new", "far"]
    run = ordinate("place", table, "--features", matrix)
    assert "the rows in --objects" in run.err
    names.write_text("one")
    run = ordinate("place", table, "--features", matrix, "--objects", names)
    assert "14 rows and 1 labels in --objects" in run.err


def test_new_objects_are_placed_by_answers(ordinate, tmp_path):
    table, answers = tmp_path / "map.csv", tmp_path / "new.csv"
    x = np.arange(12.0)
    names = [f"o{i:02}" for i in range(12)]
    pd.DataFrame({"object": names, "x1": 100 * x}).to_csv(table, index=False)
    rows = [
        ("new", names[i], names[j])
        for i in range(12)
        for j in range(12)
        if abs(x[i] - 3.4) < abs(x[j] - 3.4)
    ]
    pd.DataFrame(rows, columns=["anchor", "near", "far"]).to_csv(answers, index=False)
    run = ordinate("place", table, "--answers", answers, "--json")
    assert run.json["coordinates"]["object"] == ["new"]
    assert run.json["coordinates"]["x1"][0] == pytest.approx(340, abs=30)
    assert run.json["value"] > 0.95
    assert run.json["n_answers"] == run.json["coordinates"]["answers"][0] == len(rows)
    assert run.json["coordinates"]["uncertainty"][0] < 0.15
    assert run.json["hardly_known"] == []


@pytest.mark.usual_data
def test_three_answers_hardly_place_an_object(ordinate, tmp_path):
    table, answers = tmp_path / "map.csv", tmp_path / "new.csv"
    points = np.random.default_rng(0).normal(size=(20, 2))
    frame = pd.DataFrame(points, columns=["x1", "x2"])
    frame.insert(0, "object", [f"o{i:02}" for i in range(20)])
    frame.to_csv(table, index=False)
    answers.write_text("anchor,near,far\nnew,o01,o02\nnew,o03,o04\nnew,o05,o06\n")
    run = ordinate("place", table, "--answers", answers, "-o", tmp_path / "placed.csv")
    assert "Of the 3 answers, 100.0% hold on the map." in run.out
    assert "→ The place of new is hardly known: collect more answers." in run.out
    placed = pd.read_csv(tmp_path / "placed.csv")
    assert placed["answers"].tolist() == [3]
    assert 0.5 < placed["uncertainty"][0] < 1.1
    assert f"±{placed['uncertainty'][0]:.2f} of the map's own spread" in run.out


def test_mistakes_are_explained(ordinate, answers, features, tmp_path):
    table = tmp_path / "map.csv"
    pd.DataFrame({"object": ["a", "b"], "x1": [0, 1]}).to_csv(table, index=False)

    def complaint(*arguments):
        run = ordinate(*arguments)
        assert run.code == 1
        return run.err

    assert "either --features or --answers" in complaint("place", table)
    assert "0 objects of the map have features" in complaint("place", table, "--features", features)
    assert "columns of coordinates x1" in complaint("place", features, "--features", features)
    unrelated = tmp_path / "unrelated.csv"
    unrelated.write_text("anchor,near,far\nx,y,z\n")
    assert "No answer compares a new object" in complaint("place", table, "--answers", unrelated)
    for rows, words in (
        ("a,0\na,1\n", "'a' occurs more than once"),
        ("a,1\nb,1\n", "more than one place"),
        ("a,1e300\nb,-1e300\n", "whose squares are numbers; their variance is inf"),
    ):
        table.write_text(f"object,x1\n{rows}")
        assert words in complaint("place", table, "--features", features)
    assert "names a loss, one of STE" in complaint(
        "embed", answers, "--features", features, "--method", "TETE"
    )
    frame = pd.read_csv(features)
    frame.assign(object=["", *frame["object"][1:]]).to_csv(features, index=False)
    assert "The name of object 1 is empty" in complaint("embed", answers, "--features", features)
    frame.drop(columns="object").to_csv(features, index=False)
    assert "Name them in a column 'object'" in complaint("embed", answers, "--features", features)
    frame.assign(object=[f"p{i}" for i in range(14)]).to_csv(features, index=False)
    assert "No object of the answers has features" in complaint(
        "embed", answers, "--features", features
    )
