import subprocess
import sys

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import ordinate as od
from ordinate.datasets._cities import great_circle, project


@pytest.fixture(scope="module")
def cities():
    return od.datasets.load_cities()


def distances(cities):
    return great_circle(cities.attributes["latitude"], cities.attributes["longitude"])


def share_wrong(cities):
    anchor, near, far = cities.comparisons.rows.T
    true = distances(cities)
    return np.mean(true[anchor, near] > true[anchor, far])


def test_table_is_complete(cities):
    n = len(cities.names)
    assert n == 125
    assert len(set(cities.names)) == n
    assert cities.points.shape == (n, 2)
    assert cities.comparisons.names == cities.names
    assert set(cities.labels) == set(range(len(cities.label_names)))
    assert {len(column) for column in cities.attributes.values()} == {n}
    # places that coincide would make questions nobody can answer
    assert np.unique(distances(cities)).size == n * (n - 1) // 2 + 1


def test_places_lie_in_europe_and_countries_in_one_region(cities):
    assert np.all((cities.attributes["latitude"] > 34) & (cities.attributes["latitude"] < 72))
    assert np.all((cities.attributes["longitude"] > -25) & (cities.attributes["longitude"] < 45))
    region_of = {}
    for country, label in zip(cities.attributes["country"], cities.labels, strict=True):
        assert region_of.setdefault(country, label) == label


@pytest.mark.parametrize(
    ("one", "other", "kilometres"),
    [
        ("London", "Paris", 344),
        ("Lisbon", "Moscow", 3908),
        ("Berlin", "Madrid", 1870),
        ("Helsinki", "Tallinn", 82),
        ("Reykjavík", "Athens", 4170),
        ("Rome", "Istanbul", 1377),
    ],
)
def test_distances_of_cities_are_right(cities, one, other, kilometres):
    i, j = cities.names.index(one), cities.names.index(other)
    assert distances(cities)[i, j] == pytest.approx(kilometres, rel=0.01)


def test_great_circle_by_geometry():
    quarter = np.pi / 2 * 6371.0088
    found = great_circle(np.array([90.0, 0.0, 0.0, -90.0]), np.array([0.0, 0.0, 90.0, 123.0]))
    expected = quarter * np.array([[0, 1, 1, 2], [1, 0, 1, 1], [1, 1, 0, 1], [2, 1, 1, 0]])
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_map_has_north_up_and_keeps_distances(cities):
    oslo, rome = (cities.names.index(name) for name in ("Oslo", "Rome"))
    lisbon, moscow = (cities.names.index(name) for name in ("Lisbon", "Moscow"))
    assert cities.points[oslo, 1] > cities.points[rome, 1]
    assert cities.points[moscow, 0] > cities.points[lisbon, 0]
    pairs = np.triu_indices(len(cities.names), k=1)
    ratio = cdist(cities.points, cities.points)[pairs] / distances(cities)[pairs]
    assert 0.98 < ratio.min() < ratio.max() < 1.025


def test_projection_of_its_centre_and_of_a_small_step_north():
    found = project(np.array([52.0, 53.0]), np.array([10.0, 10.0]))
    np.testing.assert_allclose(found, [[0, 0], [0, np.pi / 180 * 6371.0088]], atol=0.01)


def test_same_seed_same_answers():
    first, again = od.datasets.load_cities(), od.datasets.load_cities(random_state=0)
    assert first.comparisons == again.comparisons
    assert first.comparisons != od.datasets.load_cities(random_state=1).comparisons


@pytest.mark.parametrize(("wrong", "low", "high"), [(0, 0, 0), (0.1, 0.09, 0.11), (1, 1, 1)])
def test_share_of_wrong_answers(wrong, low, high):
    assert low <= share_wrong(od.datasets.load_cities(wrong=wrong)) <= high


def test_default_is_enough_for_a_map(cities):
    assert len(cities.comparisons) == 20_000
    report = cities.comparisons.describe()
    assert report.never_seen == ()


def test_number_of_comparisons():
    assert len(od.datasets.load_cities(17).comparisons) == 17


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"wrong": 1.5}, r"wrong must be a number in \[0, 1\]; got 1.5"),
        ({"wrong": float("nan")}, r"wrong must be a number in \[0, 1\]; got nan"),
        ({"n_comparisons": 0}, "must be an integer >= 1; got 0"),
        ({"random_state": -1}, "random_state must be .* got -1"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(od.InputError, match=message):
        od.datasets.load_cities(**arguments)


def test_loading_cities_needs_no_heavy_library():
    code = (
        "import sys, ordinate as od\nod.datasets.load_cities()\n"
        "print(*{name.split('.')[0] for name in sys.modules})"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"sklearn", "pooch", "h5py", "pyarrow", "numba"} & set(run.stdout.split())
