import pytest

import ordinate as od
from ordinate.engine.likelihoods import LIKELIHOODS, likelihood


@pytest.mark.parametrize("n_components", [1, 2, 4])
@pytest.mark.parametrize("method", LIKELIHOODS)
def test_likelihoods_are_those_of_the_methods(method, n_components):
    loss, parameters = likelihood(method, n_components)
    model = getattr(od, method)(n_components)
    expected, given = model._posterior_likelihood()
    assert loss is expected
    assert parameters == tuple(given)


def test_unknown_likelihoods_are_refused():
    with pytest.raises(od.InputError, match="likelihood must be one of 'STE', 'TSTE', 'CKL'"):
        likelihood("GNMDS", 2)
