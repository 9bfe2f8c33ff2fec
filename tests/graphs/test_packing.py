import numpy as np
import pytest
from scipy.spatial.distance import cdist

from ordinate.graphs.packing import pack


@pytest.mark.parametrize("d", [1, 2, 3])
def test_maps_keep_their_shape_and_distance(d):
    rng = np.random.default_rng(d)
    maps = [rng.normal(size=(n, d)) * size for n, size in [(9, 1), (1, 1), (5, 4), (2, 0.1)]]
    packed = pack(maps, gap=2.0)
    for before, after in zip(maps, packed, strict=True):
        np.testing.assert_allclose(after - after[0], before - before[0])
    for i in range(4):
        for j in range(i):
            assert cdist(packed[i], packed[j]).min() >= 2.0 - 1e-12


def test_many_maps_fill_about_a_square():
    packed = np.concatenate(pack([np.zeros((1, 2))] * 100, gap=1.0))
    assert np.ptp(packed, axis=0).max() <= 11
