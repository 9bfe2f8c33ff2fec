"""`ordinate demo`: the map of Europe, its picture and its report."""

import numpy as np
import pytest

import ordinate as od
from ordinate.cli.demo import draw_demo, in_words


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


def test_the_figures_come_as_json(ordinate, folder):
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


FOUND = {
    "n_objects": 125,
    "wrong": 0.1,
    "seconds": 0.123,
    "fitted": {"n_rows": 40_000, "by_answers": 0.88, "by_globe": 0.973},
    "held_out": {"n_rows": 10_000, "by_answers": 0.8665, "by_globe": 0.9671},
    "median_km": 76.4,
    "procrustes_distance": 0.00523,
    "files": ["demo/map.png", "demo/map.csv", "demo/answers.csv"],
}


def test_text_says_what_was_done_how_well_and_where():
    text = in_words(FOUND)
    assert "125 European cities and no coordinates, only 50,000 answers" in text
    assert "10% of the answers are wrong" in text
    assert "TETE found a map in 0.12 s" in text
    assert "  40,000 fitted                88.0%           97.3%" in text
    assert "  10,000 held out              86.7%           96.7%" in text
    assert "more than about 90% of the answers" in text
    assert "within 76 km" in text
    assert "Procrustes distance 0.0052" in text
    assert max(map(len, text.splitlines())) <= 80
    last = text.splitlines()[-3:]
    assert [line.split()[0] for line in last] == FOUND["files"]
    assert last[2].endswith("ordinate describe demo/answers.csv")


@pytest.fixture(scope="module")
def picture():
    cities = od.datasets.load_cities(1000)
    return cities, draw_demo(cities, cities.points)


def test_most_names_are_legible(picture):
    cities, ax = picture
    written = {text.get_text() for text in ax.texts} & set(cities.names)
    assert len(written) > 0.6 * len(cities.names)


def test_the_picture_says_what_it_shows(picture):
    _, ax = picture
    said = [text.get_text() for text in ax.get_legend().get_texts()]
    assert said == ["found from the answers", "true place"]


def test_land_does_not_widen_the_view(picture):
    cities, ax = picture
    assert np.ptp(ax.get_xlim()) < 1.3 * np.ptp(cities.points[:, 0])
    assert np.ptp(ax.get_ylim()) < 1.3 * np.ptp(cities.points[:, 1])
