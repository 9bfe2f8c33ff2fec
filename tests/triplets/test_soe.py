"""SOE against the R package, and its two solvers."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import ordinate as od


def test_soe_reaches_what_r_reaches(fixture):
    for optimum in fixture["soe_optima"]:
        comparisons = od.Comparisons(fixture[optimum["kind"]], n_objects=30)
        model = od.SOE(delta=optimum["delta"], n_init=5, tol=1e-7, max_iter=5000, random_state=0)
        model.fit(comparisons)
        scale = len(comparisons) * optimum["delta"] ** 2
        assert model.loss_ <= optimum["objective"] * 1.001 + 1e-6 * scale


@pytest.mark.usual_data
def test_soe_majorisation_descends_to_the_same_loss(triplets):
    fast = od.SOE(random_state=0).fit(triplets)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        slow = od.SOE(solver="majorize", max_iter=500, random_state=0).fit(triplets)
    assert (np.diff(slow.history_) <= 0).all()
    assert slow.score(triplets) > 0.98
    assert slow.n_iter_ > fast.n_iter_
    with pytest.raises(od.InputError, match="solver must be one of 'lbfgs', 'majorize'"):
        od.SOE(solver="newton").fit(triplets)
