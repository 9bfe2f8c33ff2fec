import pickle

import numpy as np
import pytest

import ordinate as od
from ordinate.datasets import Dataset

ABOUT = {
    "name": "things",
    "title": "Things",
    "size": "few",
    "description": "Some things.",
    "citation": "Nobody.",
    "terms": "None.",
}


def table():
    return od.Ratings([0, 1, 1], [1, 0, 1], [1.0, 2.0, 3.0])


def test_arrays_are_read_only():
    dataset = Dataset(
        **ABOUT,
        points=np.zeros((2, 3)),
        labels=np.zeros(2, dtype=int),
        attributes={"weight": np.ones(2)},
        ratings=table(),
    )
    arrays = [dataset.points, dataset.labels, dataset.attributes["weight"]]
    arrays += [dataset.ratings.users, dataset.ratings.items, dataset.ratings.values]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_fields_cannot_be_replaced():
    with pytest.raises(AttributeError):
        Dataset(**ABOUT).name = "others"


def test_survives_pickling():
    cities = od.datasets.load_cities(10)
    again = pickle.loads(pickle.dumps(cities))
    assert again.comparisons == cities.comparisons
    np.testing.assert_array_equal(again.attributes["country"], cities.attributes["country"])


def test_the_callers_arrays_stay_writeable():
    points = np.zeros((2, 2))
    labels = np.zeros(2, dtype=int)
    Dataset(**ABOUT, points=points, labels=labels, attributes={"weight": labels})
    assert points.flags.writeable
    assert labels.flags.writeable


def test_repr_names_the_parts_there_are():
    comparisons = od.Comparisons([[0, 1, 2, 3]])
    shown = repr(
        Dataset(
            **ABOUT,
            comparisons=comparisons,
            points=np.zeros((4, 5)),
            labels=np.zeros(4, dtype=int),
            label_names=("a", "b"),
        )
    )
    assert shown == "Dataset(things: 1 quadruplet, 4 objects, 5 features, 2 labels)"
    assert repr(Dataset(**ABOUT, texts=("a", "b"))) == "Dataset(things: 2 texts)"
    assert repr(Dataset(**ABOUT, points=np.zeros((4, 5)))) == (
        "Dataset(things: 4 objects, 5 features)"
    )
    assert repr(Dataset(**ABOUT, ratings=table())) == "Dataset(things: 3 values, 2 users, 2 items)"
