import numpy as np
import pytest

import ordinate as od


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "here" / "demo"


def test_leaves_a_picture_coordinates_and_answers(ordinate, folder):
    run = ordinate("demo", "--answers", 5000, "-o", folder)
    assert run.code == 0, run.err
    assert sorted(path.name for path in folder.iterdir()) == ["answers.csv", "map.csv", "map.png"]
    cities = od.datasets.load_cities(5000, wrong=0.1)
    table = (folder / "map.csv").read_text().splitlines()
    assert table[0] == '"object","x1","x2"'
    assert [line.split(",")[0].strip('"') for line in table[1:]] == list(cities.names)
    answers = od.read_comparisons(folder / "answers.csv", names=cities.names)
    np.testing.assert_array_equal(answers.rows, cities.comparisons.rows)
    assert all(str(folder / name) in run.out for name in ("map.png", "map.csv", "answers.csv"))


def test_coordinates_lie_on_the_true_map(ordinate, folder):
    ordinate("demo", "--answers", 20000, "-o", folder)
    points = np.loadtxt(folder / "map.csv", delimiter=",", skiprows=1, usecols=(1, 2))
    error = np.linalg.norm(points - od.datasets.load_cities().points, axis=1)
    assert np.median(error) < 200


def test_json_figures(ordinate, folder):
    run = ordinate("demo", "--answers", 5000, "--wrong", 0, "--seed", 3, "-o", folder, "--json")
    figures = run.json
    assert figures["n_objects"] == 125
    assert figures["seed"] == 3
    assert figures["fitted"]["n_rows"] == 4000
    assert figures["held_out"]["n_rows"] == 1000
    assert figures["held_out"]["by_answers"] == figures["held_out"]["by_globe"] > 0.9
    assert 0 < figures["procrustes_distance"] < 0.05
    assert figures["files"] == [str(folder / n) for n in ("map.png", "map.csv", "answers.csv")]


def test_wrong_answers_are_seen_by_the_answers_only(ordinate, folder):
    figures = ordinate("demo", "--wrong", 0.3, "-o", folder, "--json").json
    assert figures["wrong"] == 0.3
    assert figures["held_out"]["by_answers"] < 0.7 < 0.9 < figures["held_out"]["by_globe"]


def test_same_seed_same_files(ordinate, tmp_path):
    for name, seed in [("a", 1), ("b", 1), ("c", 2)]:
        ordinate("demo", "--answers", 2000, "--seed", seed, "-o", tmp_path / name)
    for file in ("map.png", "map.csv", "answers.csv"):
        a, b, c = ((tmp_path / name / file).read_bytes() for name in "abc")
        assert a == b != c


def test_refuses_a_file_in_place_of_the_folder(ordinate, tmp_path):
    (tmp_path / "demo").write_text("mine")
    run = ordinate("demo", "-o", tmp_path / "demo")
    assert (run.code, run.out) == (1, "")
    assert run.err.startswith("Error: Cannot make the folder")
    assert (tmp_path / "demo").read_text() == "mine"


@pytest.mark.parametrize("option", [["--answers", "9"], ["--wrong", "0.9"], ["--seed", "-1"]])
def test_refuses_options_out_of_range(ordinate, folder, option):
    run = ordinate("demo", *option, "-o", folder)
    assert run.code == 2
    assert not folder.exists()
