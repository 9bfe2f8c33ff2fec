"""Quality of maps: beside scikit-learn and principal components, and what is refused."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from ordinate import InputError
from ordinate.metrics import _maps as maps
from ordinate.metrics import global_score, map_quality, trustworthiness

RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(90, 6)) * [3, 2, 1, 1, 0.5, 0.1]
MAP = RNG.normal(size=(90, 2)) + POINTS[:, :2]


@pytest.mark.parametrize("block", [1, 700, 2**22])
def test_trustworthiness_is_that_of_scikit_learn(monkeypatch, block):
    monkeypatch.setattr(maps, "_BLOCK", block)
    quality = map_quality(POINTS, MAP, random_state=0)
    assert quality.trustworthiness == pytest.approx(trustworthiness(POINTS, MAP, n_neighbors=5))


def test_principal_components_have_the_global_score_1_and_others_less():
    components = PCA(2).fit_transform(POINTS)
    assert global_score(POINTS, components) == pytest.approx(1)
    assert global_score(POINTS, 5 - 2 * components @ [[0, 1], [3, 1]]) == pytest.approx(1)
    assert 0 < global_score(POINTS, RNG.normal(size=(90, 2))) < global_score(POINTS, MAP) < 1


def test_the_global_score_is_its_formula_even_with_more_features_than_objects():
    wide = RNG.normal(size=(12, 40))

    def error(Y):
        X, Y = wide - wide.mean(axis=0), Y - Y.mean(axis=0)
        return np.square(X - Y @ np.linalg.pinv(Y) @ X).sum()

    Y = RNG.normal(size=(12, 2))
    best = error(PCA(2).fit_transform(wide))
    assert global_score(wide, Y) == pytest.approx(np.exp(-(error(Y) - best) / best))


@pytest.mark.usual_data
def test_classes_are_optional_and_seeds_decide():
    labels = POINTS[:, 0] > 0
    quality = map_quality(POINTS, MAP, labels, n_triplets=500, random_state=0)
    assert quality.accuracy_1 > 0.6
    assert quality.accuracy_10 > 0.6
    assert map_quality(POINTS, MAP, random_state=0).to_dict()["accuracy_1"] is None
    other = map_quality(POINTS, MAP, n_triplets=500, random_state=1)
    assert other.triplets != quality.triplets


@pytest.mark.parametrize(
    ("points", "embedding", "message"),
    [
        (POINTS[:20], MAP[:20], "with 21 objects or more; got 20"),
        (POINTS[:, :2], MAP, "the global score is not defined"),
        (POINTS, MAP[:50], "embedding has 50 rows; expected 90"),
    ],
)
def test_what_cannot_be_judged_is_refused(points, embedding, message):
    with pytest.raises(InputError, match=message):
        map_quality(points, embedding, random_state=0)


def test_a_class_in_two_places_and_a_stray_are_seen():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    labels = np.repeat(["a", "b", "c"], 100)
    Y = rng.normal(size=(300, 2))
    Y[100:200] += 50
    Y[200:300] += [100, 0]
    whole = map_quality(X, Y, labels, random_state=0)
    assert whole.one_piece_least > 0.95
    assert whole.frame > 0.9
    assert whole.accuracy_coarse == whole.accuracy_10  # there are fewer than 3000
    Y[:40] -= 70
    split = map_quality(X, Y, labels, random_state=0)
    assert split.one_piece_least == pytest.approx(0.6, abs=0.05)
    others = (whole.one_piece * 3 - whole.one_piece_least) / 3  # at most two classes of three
    assert split.one_piece == pytest.approx(others + 0.2, abs=0.05)
    Y[-1] = 900
    assert map_quality(X, Y, random_state=0).frame < 0.3
    assert split.connected == pytest.approx(whole.connected - 0.4 / 3, abs=0.05)
    assert map_quality(X, Y, random_state=0).connected is None
    assert map_quality(X, Y, random_state=0).one_piece is None


@pytest.mark.parametrize("n", [100, 178, 569, 3000])
def test_an_even_disc_is_in_one_piece_however_few_objects_it_has(n):
    rng = np.random.default_rng([4, n])
    angle, radius = rng.uniform(0, 2 * np.pi, n), np.sqrt(rng.random(n))
    Y = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    halves = (Y[:, 0] > 0).astype(int)
    assert np.mean(maps._in_one_piece(Y, halves)) > 0.9
    torn = Y + np.outer(Y[:, 1] > 0, [0, 0.8])  # each half in two, the gap nearly a radius wide
    assert np.mean(maps._in_one_piece(torn, halves)) < 0.75


@pytest.mark.usual_data
def test_classes_of_many_objects_are_judged_among_some_of_them(monkeypatch):
    monkeypatch.setattr(maps, "_COARSE", 40)
    labels = POINTS[:, 0] > 0
    quality = map_quality(POINTS, MAP, labels, random_state=0)
    assert quality.accuracy_coarse != quality.accuracy_10
    assert 0.5 < quality.accuracy_coarse <= 1
