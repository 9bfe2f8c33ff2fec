"""Columns on a common scale."""

import numpy as np
import pytest

from ordinate.features.scaling import is_uneven, scale_columns


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
