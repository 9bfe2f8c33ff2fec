"""Columns on a common scale."""

import numpy as np
import pytest

from ordinate.features.scaling import is_uneven, scale_columns, weigh_categories


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return rng.normal([5, 800, 0], [1, 300, 0.1], size=(200, 3))


def test_a_column_with_another_unit_is_noticed(table):
    assert is_uneven(table)
    assert not is_uneven(scale_columns(table, "standard"))
    assert not is_uneven(table[:, :1])


def test_pixels_that_are_mostly_empty_are_not(table):
    pixels = np.zeros((100, 20))
    pixels[::10, :12] = 255
    pixels[3, 12:] = 30
    assert not is_uneven(pixels)


def test_deviations_become_one(table):
    scaled = scale_columns(table, "standard")
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled.std(axis=0), 1)


def test_outliers_do_not_set_a_robust_scale(table):
    table[0] = 1e6
    scaled = scale_columns(table, "robust")[1:]
    np.testing.assert_allclose(scaled.std(axis=0), 1, atol=0.25)
    assert (scale_columns(table, "standard")[1:].std(axis=0) < 0.01).any()


def test_columns_that_are_the_same_for_most_stay_finite():
    column = np.r_[np.zeros(99), 1.0]
    scaled = scale_columns(np.column_stack([column, np.ones(100)]), "robust")
    assert np.isfinite(scaled).all()
    assert (scaled[:, 1] == 0).all()


def test_categories_weigh_as_one_column_and_tear_nothing():
    rng = np.random.default_rng([3])
    numbers = np.repeat(4 * np.eye(3), 100, axis=0) + rng.normal(size=(300, 3))
    coded = np.eye(4)[rng.integers(4, size=300)]
    points = scale_columns(np.hstack([numbers, coded]), "standard")
    weighed = weigh_categories(points, [[3, 4, 5, 6]])
    np.testing.assert_array_equal(weighed[:, :3], points[:, :3])
    assert weighed[:, 3:].var(axis=0).sum() <= 1.0
    apart = np.linalg.norm(weighed[:, None, 3:] - weighed[None, :, 3:], axis=2).max()
    near = np.sort(np.linalg.norm(points[:, None, :3] - points[None, :, :3], axis=2), axis=1)
    assert apart < 1.5 * near[:, 1:11].mean()


def test_categories_alone_keep_one_weight_each():
    rng = np.random.default_rng([3])
    first, second = np.eye(2)[rng.integers(2, size=200)], np.eye(9)[rng.integers(9, size=200)]
    points = scale_columns(np.hstack([first, second]), "standard")
    weighed = weigh_categories(points, [[0, 1], [*range(2, 11)]])
    assert weighed[:, :2].var(axis=0).sum() == pytest.approx(1.0)
    assert weighed[:, 2:].var(axis=0).sum() == pytest.approx(1.0)
