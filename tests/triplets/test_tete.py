"""TETE: clean answers hold, wrong ones do little harm."""

import numpy as np
import pytest

import ordinate as od
from ordinate.sources import random_triplets


@pytest.mark.parametrize("init", ["spectral", "random", "tiny"])
def test_tete_with_t_2_satisfies_clean_answers(init, fixture):
    clean = od.Comparisons(fixture["triplets_clean"])
    start = 1e-4 * np.array(fixture["X0"]) if init == "tiny" else init
    model = od.TETE(t=2, t_prime=1, init=start, random_state=0).fit(clean)
    authors = next(r for r in fixture["tete_runs"] if r["data"] == "clean" and r["t"] == 2)
    assert authors["violation_on_clean"] == 0.16
    assert 1 - model.score(clean) < 0.01


def test_tete_resists_wrong_answers(points):
    noisy = random_triplets(points, 4000, noise=od.sources.FlippedAnswers(0.2), random_state=0)
    truth = random_triplets(points, 4000, random_state=1)
    robust = od.TETE(t=2, t_prime=1, random_state=0).fit(noisy).score(truth)
    assert robust > od.STE(random_state=0).fit(noisy).score(truth) + 0.01
    assert robust > od.TSTE(random_state=0).fit(noisy).score(truth) + 0.01
