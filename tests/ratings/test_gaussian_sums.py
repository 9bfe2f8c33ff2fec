import numpy as np
import pytest

from ordinate.ratings import code as module
from ordinate.ratings.code import gaussian_sums


def by_definition(one, other, of_one, of_other):
    kernel = np.exp(-np.square(one[:, None] - other[None]).sum(axis=2))
    return kernel @ of_other, kernel.T @ of_one


@pytest.mark.parametrize("by", ["_by_polynomials", "_by_pairs"])
@pytest.mark.parametrize("spread", [0.0, 0.1, 1.0, 3.0])
def test_sums_are_those_over_all_pairs(by, spread, monkeypatch):
    rng = np.random.default_rng(0)
    one, other = (5.0 + spread * rng.standard_normal((n, 2)) for n in (60, 90))
    of_one, of_other = rng.random((60, 3)), rng.random((90, 3))
    called = []
    original = getattr(module, by)
    monkeypatch.setattr(module, by, lambda *given: called.append(by) or original(*given))
    monkeypatch.setattr(module, "_CELL_COST", 1e9 if by == "_by_polynomials" else 0)
    monkeypatch.setattr(module, "_BLOCK_CELLS", 1000)  # several blocks
    found = gaussian_sums(one, other, of_one, of_other)
    assert called == [by]
    for mine, expected in zip(found, by_definition(one, other, of_one, of_other), strict=True):
        np.testing.assert_allclose(mine, expected, atol=1e-12 * expected.max())


@pytest.mark.parametrize("n_components", [1, 3])
def test_lines_and_spaces_are_summed_as_well(n_components):
    rng = np.random.default_rng(1)
    one, other = (0.1 * rng.standard_normal((n, n_components)) for n in (400, 500))
    weights = rng.random((400, 1)), rng.random((500, 1))
    found = gaussian_sums(one, other, *weights)
    for mine, expected in zip(found, by_definition(one, other, *weights), strict=True):
        np.testing.assert_allclose(mine, expected, rtol=1e-12)


def test_many_near_points_are_summed_by_polynomials_and_few_far_ones_pair_by_pair(monkeypatch):
    called = []
    for by in ("_by_polynomials", "_by_pairs"):
        monkeypatch.setattr(
            module, by, lambda one, other, *_, by=by: called.append(by) or (one, other)
        )
    points, weights = np.random.default_rng(2).random((1000, 2)), np.ones((1000, 1))
    gaussian_sums(points, points, weights, weights)
    gaussian_sums(100 * points, points, weights, weights)
    gaussian_sums(points[:3], points[:3], weights[:3], weights[:3])
    assert called == ["_by_polynomials", "_by_pairs", "_by_pairs"]
