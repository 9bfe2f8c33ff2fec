import numpy as np
import pytest

import ordinate as od
from ordinate.plots import plot_kernel
from ordinate.plots._kernel import MOST_ROWS, cluster_order

BLOCKS = np.kron(np.eye(2), np.ones((3, 3)))[[0, 3, 1, 4, 2, 5]][:, [0, 3, 1, 4, 2, 5]]
CODES = np.array([0, 1, 0, 1, 0, 1])


@pytest.mark.parametrize("codes", [None, CODES], ids=["tree", "clusters"])
def test_similar_objects_stand_together(codes):
    order = cluster_order(BLOCKS, codes)
    assert sorted(order.tolist()) == list(range(6))
    assert len({int(number) % 2 for number in order[:3]}) == 1


def test_blocks_are_parted_and_rows_named():
    ax = plot_kernel(BLOCKS, CODES, names=list("abcdef"))
    np.testing.assert_array_equal(ax.images[0].get_array(), np.kron(np.eye(2), np.ones((3, 3))))
    assert [line.get_ydata()[0] for line in ax.lines if line.get_ydata()[0] == 2.5] == [2.5]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == list("acebdf")


@pytest.mark.parametrize("labelled", [False, True])
def test_of_very_many_objects_some_are_drawn(labelled):
    rng = np.random.default_rng(0)
    n = 2 * MOST_ROWS
    triplets = rng.integers(n, size=(30_000, 3))
    distinct = (np.diff(np.sort(triplets, axis=1), axis=1) > 0).all(axis=1)
    kernel = od.K1().fit(od.Comparisons(triplets[distinct], n_objects=n))
    ax = plot_kernel(kernel, np.arange(n) % 3 if labelled else None)
    assert ax.images[0].get_array().shape == (MOST_ROWS, MOST_ROWS)


def test_a_fitted_kernel_is_drawn_as_its_matrix():
    k = od.K1().fit(od.datasets.load_cities(2000, random_state=0).comparisons)
    codes = np.arange(125) % 4
    order = cluster_order(k, codes)
    drawn = plot_kernel(k, codes).images[0].get_array()
    np.testing.assert_allclose(drawn, k.kernel()[np.ix_(order, order)], atol=1e-6)


def test_bad_arguments_are_refused():
    with pytest.raises(od.InputError, match=r"labels must have one entry per object, shape \(6,\)"):
        plot_kernel(BLOCKS, [0, 1])
