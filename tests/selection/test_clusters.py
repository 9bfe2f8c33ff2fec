from dataclasses import replace

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

import ordinate as od
from ordinate.selection._clusters import Clusters, _evidence


@pytest.fixture(scope="module")
def families():
    """Six families of five objects and 1,200 answers about them, 5 % of them wrong."""
    rng = np.random.default_rng([0])  # at most two objects nearer to another family
    angles = 2 * np.pi * np.arange(6) / 6
    family = np.arange(30) % 6
    points = np.column_stack([np.cos(angles), np.sin(angles)])[family]
    points += 0.12 * rng.normal(size=points.shape)
    noise = od.sources.FlippedAnswers(0.05)
    return family, od.sources.random_triplets(points, 1200, noise=noise, random_state=rng)


@pytest.fixture(autouse=True)
def one_method(monkeypatch):
    monkeypatch.setattr("ordinate.selection._compare.USUAL_METHODS", ("CKL",))


@pytest.mark.usual_data
def test_families_are_found_as_well_as_on_the_map(families):
    family, answers = families
    found = od.selection.find_clusters(answers, 6, random_state=0)
    kernel = od.selection.find_clusters(answers, 6, kernel="K1", random_state=0)
    choice = od.compare(answers, random_state=0).choice
    assert found.space == str(choice)
    assert found.errors == {str(choice): choice.error} | {
        name: found.errors[name] for name in ("K1", "K2")
    }
    assert choice.error < min(found.errors["K1"], found.errors["K2"])
    own = od.CKL(choice.dimension, random_state=0).fit(answers).embedding_
    np.testing.assert_array_equal(found.fitted, own)
    on_map = KMeans(6, n_init=10, random_state=0).fit_predict(own)
    assert adjusted_rand_score(found.labels, on_map) == 1
    assert adjusted_rand_score(found.labels, family) > 0.85
    assert adjusted_rand_score(kernel.labels, family) < 0.6
    assert kernel.errors == {}
    assert found.stability == {}
    assert found.reasons[0].startswith(f"{choice} has the lowest held-out error, ")


def test_the_number_of_clusters_is_reported_with_its_range(families):
    _, answers = families
    found = od.selection.find_clusters(answers, random_state=0)
    assert found.evidence[found.n_clusters] == min(found.evidence[k] for k in range(2, 11))
    assert list(found.stability) == list(range(2, 11))
    assert (
        min(found.plausible) <= found.n_clusters - 1 < found.n_clusters + 1 <= max(found.plausible)
    )
    low, high = min(found.plausible), max(found.plausible)
    assert f"uncertain: {low} to {high} are possible" in found.reasons[1]
    assert "adjusted Rand index" in found.reasons[2]
    assert found.to_dict()["n_clusters"] == found.n_clusters
    assert str(found).startswith(f"{found.n_clusters} clusters by k-means on CKL in ")


@pytest.mark.parametrize("n_clusters", [1, 2, 4, 6])
def test_clear_clusters_are_counted_rightly(n_clusters):
    rng = np.random.default_rng([n_clusters])
    angles = 2 * np.pi * np.arange(n_clusters) / n_clusters
    places = np.column_stack([np.cos(angles), np.sin(angles)]) * 10 * (n_clusters > 1)
    points = np.repeat(places, 40 // n_clusters, axis=0)
    points = points + rng.standard_normal(points.shape)
    evidence = _evidence(points, 8, 0)
    assert min(evidence, key=evidence.__getitem__) == n_clusters
    found = Clusters(np.zeros(len(points), np.int32), "map", points, evidence=evidence)
    assert n_clusters in found.plausible
    if n_clusters == 1:
        assert "form no clearly separate clusters" in found.reasons[0]


def test_the_tree_has_the_distances_of_the_map(families):
    from scipy.cluster.hierarchy import fcluster

    _, answers = families
    found = od.selection.find_clusters(answers, 6, tree=True, random_state=0)
    expected = fcluster(found.tree, 6, "maxclust")
    assert adjusted_rand_score(expected, found.labels) == 1
    widest = np.linalg.norm(found.points[:, None] - found.points[None], axis=2).max()
    assert found.tree[-1, 2] == pytest.approx(widest)


def test_guesses_form_no_clusters():
    rng = np.random.default_rng(0)
    rows = np.array([rng.permutation(12)[:3] for _ in range(150)])
    found = od.selection.find_clusters(rows, kernel="K1", random_state=0)
    assert "They are not stable" in found.reasons[-1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_clusters": 31}, "n_clusters must be an integer >= 1 and <= 30; got 31"),
        ({"kernel": "K3"}, "kernel must be one of"),
    ],
)
def test_bad_arguments_are_refused(families, arguments, message):
    with pytest.raises(od.InputError, match=message):
        od.selection.find_clusters(families[1], **arguments)


@pytest.mark.usual_data
def test_a_division_of_one_cloud_is_not_called_stable_clusters(monkeypatch):
    monkeypatch.setattr("ordinate.selection._compare.USUAL_METHODS", ("SOE",))
    points = np.random.default_rng([1]).normal(size=(15, 2))
    answers = od.sources.random_triplets(points, 1000, random_state=0)
    found = od.selection.find_clusters(answers, random_state=0)
    found = replace(found, stability={found.n_clusters: 0.9})
    assert "The objects form no clearly separate clusters" in str(found)
    assert "The division hardly changes, which does not make it clusters" in str(found)
    apart = np.repeat([[0.0, 0], [9, 0], [0, 9]], 5, axis=0) + points
    answers = od.sources.random_triplets(apart, 1000, random_state=0)
    assert "These clusters are stable" in str(od.selection.find_clusters(answers, random_state=0))


def test_pairs_of_pairs_have_a_map_alone():
    """Kernels take triplets, so that nothing else is tried."""
    points = np.random.default_rng([3]).normal(size=(12, 2)) + np.repeat(
        [[0, 0], [8, 0]], 6, axis=0
    )
    answers = od.sources.random_quadruplets(points, 800, random_state=0)
    found = od.selection.find_clusters(answers, 2, random_state=0)
    assert sorted(np.bincount(found.labels)) == [6, 6]
    assert found.reasons[0].startswith("Held-out error of CKL in ")
    assert "()" not in found.reasons[0]


@pytest.mark.filterwarnings("ignore:K[12] has no data")
def test_answers_that_contradict_one_another_have_no_clusters():
    rows = np.random.default_rng(0).random((100, 8)).argsort(axis=1)[:, :3]
    with pytest.raises(od.InputError, match="all objects in one place"):
        od.selection.find_clusters(np.vstack([rows, rows[:, [0, 2, 1]]]), random_state=0)
