"""STE stays exact where exponentials overflow, and equals TETE with t = t' = 1."""

import numpy as np

import ordinate as od


def test_far_apart_points(triplets, points):
    model = od.STE(init=1e4 * points).fit(triplets)
    assert np.isfinite(model.loss_)
    assert model.score(triplets) == 1


def test_equals_tete_with_t_1(triplets):
    ste = od.STE(random_state=0).fit(triplets)
    tete = od.TETE(t=1, t_prime=1, random_state=0).fit(triplets)
    np.testing.assert_allclose(tete.predict_proba(triplets), ste.predict_proba(triplets), atol=0.05)
