"""Methods with probabilities."""

import numpy as np
import pytest

import ordinate as od

PROBABILISTIC = [od.CKL, od.STE, od.TSTE, od.TETE]


@pytest.mark.parametrize("method", PROBABILISTIC, ids=lambda method: method.__name__)
def test_probabilities(method, triplets):
    model = method(random_state=0).fit(triplets)
    probabilities = model.predict_proba(triplets)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(probabilities[:, 1] > 0.5, model.predict(triplets))
    opposite = model.predict_proba(triplets.swapped())
    np.testing.assert_allclose(opposite[:, ::-1], probabilities, atol=1e-12)


def test_only_probabilistic_methods_have_probabilities():
    assert not hasattr(od.SOE(), "predict_proba")
