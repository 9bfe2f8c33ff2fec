"""Chunks cover every row once, for triplets and quadruplets."""

import numpy as np
import pytest

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
