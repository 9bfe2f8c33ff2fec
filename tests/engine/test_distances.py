"""Chunks cover every row once, for triplets and quadruplets; neighbours are others."""

import dask.array
import numpy as np
import pytest

import ordinate as od
from ordinate.engine import distances


@pytest.mark.parametrize("n_columns", [3, 4])
@pytest.mark.parametrize("n_rows", [1, 7, 8, 20])
def test_equals_the_plain_formula(n_columns, n_rows, monkeypatch):
    monkeypatch.setattr(distances, "CHUNK", 8)
    rng = np.random.default_rng(n_rows)
    points = rng.normal(size=(6, 3))
    rows = np.array([rng.permutation(6)[:n_columns] for _ in range(n_rows)], dtype=np.int32)
    i, j, k, l = rows.T if n_columns == 4 else rows[:, [0, 1, 0, 2]].T  # noqa: E741
    near2, far2 = distances.squared_distances(points, rows)
    np.testing.assert_allclose(near2, np.sum((points[i] - points[j]) ** 2, axis=1))
    np.testing.assert_allclose(far2, np.sum((points[k] - points[l]) ** 2, axis=1))


POINTS = np.array([[0.0], [1.0], [3.0], [7.0]])
ROWS = np.array([[0, 1, 2], [0, 2, 1], [1, 2, 3]])
IN_PARTITIONS = od.from_dask(dask.array.from_array(ROWS, chunks=(2, 3)))


@pytest.mark.parametrize(
    "record", [od.Comparisons(ROWS), IN_PARTITIONS], ids=["memory", "partitions"]
)
def test_rows_are_measured_wherever_they_are(record):
    np.testing.assert_array_equal(
        distances.record_distances(record, POINTS), distances.squared_distances(POINTS, ROWS)
    )
    assert distances.share_that_holds(record, POINTS) == 2 / 3


def test_the_share_counts_weights():
    assert distances.share_that_holds(od.Comparisons(ROWS, weights=[1, 2, 5]), POINTS) == 0.75


@pytest.mark.parametrize("n_neighbors", [0, 1, 4, 9])
def test_the_nearest_are_others_in_the_order_of_their_distances(n_neighbors):
    points = np.random.default_rng(n_neighbors).normal(size=(10, 2))
    between = np.linalg.norm(points[:, None] - points, axis=2)
    np.fill_diagonal(between, np.inf)
    expected = np.argsort(between, axis=1)[:, :n_neighbors]
    assert distances.nearest_others(points, n_neighbors).tolist() == expected.tolist()


def test_objects_in_one_place_are_not_their_own_neighbours():
    nearest = distances.nearest_others(np.zeros((6, 2)), 3)
    assert nearest.shape == (6, 3)
    assert not (nearest == np.arange(6)[:, None]).any()
