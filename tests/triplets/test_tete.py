"""TETE: clean answers hold, wrong ones do little harm."""

import numpy as np
import pytest

import ordinate as od
from ordinate.sources import random_triplets


@pytest.mark.parametrize("init", ["spectral", "random", "tiny"])
def test_tete_with_t_2_satisfies_clean_answers(init, fixture):
    clean = od.Comparisons(fixture["triplets_clean"])
    start = 1e-4 * np.array(fixture["X0"]) if init == "tiny" else init
    model = od.TETE(penalty=0, t=2, t_prime=1, init=start, random_state=0).fit(clean)
    authors = next(r for r in fixture["tete_runs"] if r["data"] == "clean" and r["t"] == 2)
    assert authors["violation_on_clean"] == 0.16
    assert 1 - model.score(clean) < 0.01


@pytest.mark.usual_data
def test_tete_resists_wrong_answers(points):
    noisy = random_triplets(points, 4000, noise=od.sources.FlippedAnswers(0.2), random_state=0)
    truth = random_triplets(points, 4000, random_state=1)
    robust = od.TETE(t=2, t_prime=1, random_state=0).fit(noisy).score(truth)
    assert robust > od.STE(random_state=0).fit(noisy).score(truth) + 0.01
    assert robust > od.TSTE(random_state=0).fit(noisy).score(truth) + 0.01


def test_the_published_temperature_falls_with_the_dimension():
    points = np.random.default_rng(0).normal(size=(15, 5))
    answers = od.sources.random_triplets(points, 300, random_state=0)
    published = od.TETE(5, t="published", t_prime="published", random_state=0, n_init=1).fit(
        answers
    )
    by_hand = od.TETE(5, t=1.67, t_prime=1.67, random_state=0, n_init=1).fit(answers)
    np.testing.assert_allclose(published.embedding_, by_hand.embedding_, rtol=1e-6, atol=1e-9)
    with pytest.raises(od.InputError, match="t_prime must be"):
        od.TETE(t_prime="authors").fit(answers)
