"""`ordinate align`: tables of features matched with answers, and how well they predict them."""

import numpy as np
import pandas as pd
import pytest

NAMES = [f"o{number:02}" for number in range(12)]


@pytest.fixture
def tables(tmp_path):
    """The true places of the twelve objects in a CSV with labels, and noise in an array."""
    rows = [f"{name},{at}" for at, name in reversed(list(enumerate(NAMES)))]
    (tmp_path / "true.csv").write_text("\n".join(["object,place", *rows]) + "\n")
    np.save(tmp_path / "noise.npy", np.random.default_rng(0).normal(size=(12, 3)))
    (tmp_path / "objects.txt").write_text("\n".join(NAMES) + "\n")
    return tmp_path


def test_tables_are_scored_beside_one_another(ordinate, answers, tables):
    run = ordinate(
        "align", answers, tables / "true.csv", tables / "noise.npy",
        "--objects", tables / "objects.txt", "--similarity", "euclidean", "--dim", "1",
        "--plot", tables / "models.png", "--json",
    )  # fmt: skip
    assert run.code == 0, run.err
    first, second, last = run.json["rows"]
    assert (first["name"], first["accuracy"]) == ("true", 1.0)
    assert second["name"] == "map of the answers, 1-D"
    assert last["name"] == "noise"
    assert last["accuracy"] < 0.8
    assert (tables / "models.png").exists()
    text = ordinate("align", answers, tables / "true.csv", "--dim", "").out
    assert "chance" in text
    assert "map" not in text


def test_labels_decide_not_the_order_of_rows(ordinate, answers, tables):
    np.savez(tables / "turned.npz", X=np.arange(12.0)[::-1, None], names=NAMES[::-1])
    options = ("--similarity", "euclidean", "--dim", "", "--json")
    for path in ("turned.npz", "true.csv"):
        assert ordinate("align", answers, tables / path, *options).json["rows"][0]["accuracy"] == 1


def test_rows_without_labels_are_refused_if_answers_have_labels(ordinate, answers, tables):
    run = ordinate("align", answers, tables / "noise.npy")
    assert run.code == 1
    assert "the rows have no labels" in run.err
    assert "--objects" in run.err
    (tables / "objects.txt").write_text("\n".join(NAMES[:-1]))
    run = ordinate(
        "align", answers, tables / "noise.npy", "--objects", tables / "objects.txt"
    )  # fmt: skip
    assert "There are 12 rows and 11 labels in --objects" in run.err


@pytest.mark.filterwarnings("always:Rows of features have no labels")
@pytest.mark.parametrize(
    ("first", "n_rows", "said"),
    [
        (0, 5, "row 0 is taken for object 0"),
        (1, 4, "row 1 is taken for object 1"),
        (1, 5, "may count from 0 or from 1"),
        (0, 3, "There are 3 rows, and the answers number objects 0 to 3"),
    ],
)
def test_numbered_objects_are_matched_with_a_message_or_refused(
    ordinate, tmp_path, first, n_rows, said
):
    lines = [[0, 1, 2], [1, 2, 3], [3, 2, 0], [0, 1, 3]]
    rows = "\n".join(",".join(str(first + at) for at in line) for line in lines)
    (tmp_path / "answers.csv").write_text(f"anchor,near,far\n{rows}\n")
    np.save(tmp_path / "X.npy", np.arange(n_rows)[:, None].astype(float))
    run = ordinate(
        "align", tmp_path / "answers.csv", tmp_path / "X.npy", "--dim", "",
        "--similarity", "euclidean", "--json",
    )  # fmt: skip
    assert said in run.err
    if "taken" in said:
        assert run.json["rows"][0]["accuracy"] == 1.0


@pytest.mark.filterwarnings("always:Rows of features have no labels")
def test_published_trials_are_whole(ordinate, tmp_path):
    (tmp_path / "trials.txt").write_text("0 1 3 7\n2 1 3 7\n0 1 2 8\n")
    np.save(tmp_path / "X.npy", np.array([[0.0], [1.0], [3.0], [7.0]]))
    found = ordinate(
        "align", tmp_path / "trials.txt", "--question", "odd-one-out",
        tmp_path / "X.npy", "--similarity", "euclidean", "--dim", "", "--json",
    ).json  # fmt: skip
    assert found["question"] == "odd-one-out trial"
    assert found["chance"] == pytest.approx(1 / 3)
    assert found["rows"][0]["accuracy"] == 1.0


def test_a_log_of_odd_one_out_trials_is_whole_too(ordinate, tmp_path):
    (tmp_path / "log.csv").write_text("item1,item2,item3,odd_one\na,b,d,d\nc,b,d,d\n")
    (tmp_path / "X.csv").write_text("object,x\na,0\nb,1\nc,3\nd,7\n")
    run = ordinate(
        "align", tmp_path / "log.csv", "--question", "odd-one-out", tmp_path / "X.csv",
        "--similarity", "euclidean", "--dim", "", "--json",
    )  # fmt: skip
    assert run.json["question"] == "odd-one-out trial"
    assert run.json["n_answers"] == 2


def test_features_must_be_given(ordinate, answers):
    assert "Missing argument 'FEATURES...'" in ordinate("align", answers).err


def test_one_table_is_aligned_judged_and_written(ordinate, answers, tables):
    path = tables / "aligned.csv"
    options = ("--dim", "", "--rank", 2, "--similarity", "euclidean", "--fit", "-o", path, "--json")
    found = ordinate("align", answers, tables / "true.csv", *options).json
    assert [row["held_out"] for row in found["alignment"]["rows"]] == ["answers", "objects", "both"]
    assert found["files"] == [str(path)]
    assert found["aligned_by"] == "euclidean"
    frame = pd.read_csv(path).set_index("object")
    assert frame.shape == (12, 2)
    assert frame.index.tolist() == NAMES


def test_of_several_tables_the_best_is_aligned(ordinate, answers, tables):
    path = tables / "aligned.csv"
    both = (tables / "noise.npy", tables / "true.csv")
    options = ("--objects", tables / "objects.txt", "--rank", 1, "--similarity", "euclidean")
    run = ordinate("align", answers, *both, *options, "--dim", "", "--fit", "-o", path, "--json")
    assert run.json["aligned"] == "true"
    assert pd.read_csv(path).shape == (12, 2)  # label, direction


def test_a_page_of_the_comparison(ordinate, answers, tables):
    page = tables / "page.html"
    both = (tables / "noise.npy", tables / "true.csv", "--similarity", "euclidean")
    options = ("--objects", tables / "objects.txt", "--dim", "", "--report", page)
    run = ordinate("align", answers, *both, *options)
    assert run.code == 0, run.err
    assert run.out.startswith("true predicts 100.0% of the answers")
    text = page.read_text(encoding="utf-8")
    assert "<h2>Differences in points</h2>" in text
    assert "<h2>How to get the same again</h2>" in text
