"""CKL starts from anywhere."""

import numpy as np

import ordinate as od


def test_ckl_does_not_stall_at_a_tiny_start(fixture):
    noisy = od.Comparisons(fixture["triplets_noisy"])
    start = 1e-4 * np.array(fixture["X0"])
    for mu in (0.01, 0.05, 1.0):
        assert od.CKL(mu=mu, init=start).fit(noisy).score(noisy) > 0.8
