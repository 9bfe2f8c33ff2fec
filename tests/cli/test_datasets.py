"""`ordinate datasets`: the catalogue, as text or JSON."""

from dataclasses import asdict

import pandas as pd
import pytest

import ordinate as od


def test_json_is_the_catalogue(ordinate, tmp_path):
    run = ordinate("datasets", "--data-home", tmp_path, "--json")
    assert run.json["datasets"] == [asdict(e) for e in od.datasets.catalogue(tmp_path)]


def test_table_names_every_data_set_and_says_what_is_here(ordinate, tmp_path):
    run = ordinate("datasets", "--data-home", tmp_path)
    assert run.code == 0
    lines = run.out.splitlines()
    for entry in od.datasets.catalogue(tmp_path):
        line = next(line for line in lines if entry.name in line.split())
        assert line.split()[0] == ("yes" if entry.present else "no")


def test_a_data_set_is_written_as_answers(ordinate, tmp_path):
    path = tmp_path / "answers.csv"
    run = ordinate("datasets", "cities", "-o", path)
    assert run.code == 0, run.err
    assert "Cite: " in run.out
    assert "(it has too: --part features, --part objects)" in run.out
    assert run.out.endswith(f"Wrote {path}\n")
    expected = od.datasets.load_cities().comparisons
    found = od.read_comparisons(path)
    assert len(found) == len(expected)
    assert set(found.names) == set(expected.names)


def test_features_and_objects_are_tables(ordinate, tmp_path):
    cities = od.datasets.load_cities()
    path = tmp_path / "features.csv"
    ordinate("datasets", "cities", "--part", "features", "-o", path)
    features = pd.read_csv(path)
    assert list(features.columns) == ["object", "label", "f1", "f2"]
    assert features["object"].tolist() == list(cities.names)
    assert features["label"].tolist() == [cities.label_names[i] for i in cities.labels]
    printed = ordinate("datasets", "cities", "--part", "objects")
    assert printed.out.splitlines()[0].startswith('"object","label","country","latitude"')
    assert "Terms: " in printed.err


def test_what_is_made_by_chance_is_the_same_each_time(ordinate):
    one = ordinate("datasets", "two_squares", "--json").json
    assert one["part"] == "features"
    assert one == ordinate("datasets", "two_squares", "--json").json


def test_ratings_are_written_by_name(ordinate, tmp_path):
    if not dict_of_present().get("movielens100k"):
        pytest.skip("the data set is not here")
    path = tmp_path / "ratings.csv"
    ordinate("datasets", "movielens100k", "-o", path)
    frame = pd.read_csv(path)
    assert list(frame.columns) == ["user", "item", "rating"]
    assert len(frame) == 100_000


def dict_of_present():
    return {entry.name: entry.present for entry in od.datasets.catalogue()}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["atlantis"], "There is no data set 'atlantis'; there are cities, "),
        (["cities", "--part", "ratings"], "has no ratings; it has answers, features, objects"),
        (["-o", "a.csv"], "Name the data set to write"),
        (["cities", "-o", "a.xlsx"], "Cannot tell the format"),
    ],
)
def test_mistakes_are_explained(ordinate, arguments, expected):
    run = ordinate("datasets", *arguments)
    assert (run.code, run.out) == (1, "")
    assert expected in run.err
