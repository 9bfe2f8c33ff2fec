"""`reduce` on features without groups: a map of one cloud, and none that is said to be real."""

import numpy as np
import pytest

import ordinate as od

N_SETS = 4


def noise(kind, n_rows, dimension, seed):
    rng = np.random.default_rng([seed, n_rows, dimension])
    return getattr(rng, kind)(size=(n_rows, dimension))


@pytest.mark.usual_data
@pytest.mark.parametrize("kind", ["uniform", "normal"])
@pytest.mark.parametrize(("n_rows", "dimension"), [(100, 5), (300, 2), (300, 20), (1200, 50)])
def test_no_groups_in_noise(kind, n_rows, dimension):
    maps = (od.reduce(noise(kind, n_rows, dimension, seed), random_state=seed) for seed in range(4))
    assert sum(result.to_dict()["n_groups_found_again"] > 1 for result in maps) <= 1


@pytest.mark.usual_data
def test_no_groups_along_a_curve():
    """A map of a long curve may tear, elsewhere from each seed."""
    claimed = 0
    for seed in range(N_SETS):
        rng = np.random.default_rng([seed])
        t = rng.uniform(0, 6, 800)
        curve = np.c_[np.cos(t), np.sin(t), t] + 0.05 * rng.normal(size=(800, 3))
        claimed += od.reduce(curve, random_state=seed).to_dict()["n_groups_found_again"] > 1
    assert claimed <= 1


@pytest.mark.usual_data
@pytest.mark.parametrize("dimension", [20, 100])
def test_no_clusters_are_drawn_into_noise(dimension):
    """A uniform disc has a silhouette of 0.40."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    for kind in ("uniform", "normal"):
        points = od.WeightedTETE(random_state=0).fit_transform(noise(kind, 1500, dimension, 0))
        for k in (2, 3, 4):
            labels = KMeans(k, n_init=3, random_state=0).fit_predict(points)
            assert silhouette_score(points, labels) < 0.5
