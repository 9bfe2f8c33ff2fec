"""The branch-free functions agree with NumPy's to two units in the last place."""

import numpy as np
import pytest
from numba import njit

from ordinate.engine import vectormath

RNG = np.random.default_rng(0)
INPUTS = {
    "exp": np.concatenate([np.linspace(-700, 700, 20001), RNG.normal(size=20000)]),
    "expm1": np.concatenate([np.linspace(-700, 700, 20001), 10.0 ** RNG.uniform(-18, 1, 20000)]),
    "log": np.concatenate(
        [10.0 ** np.linspace(-300, 300, 20001), 1 + 1e-3 * RNG.normal(size=20000)]
    ),
    "log1p": 10.0 ** np.linspace(-300, 300, 20001),
}


@pytest.mark.parametrize("name", INPUTS)
def test_agrees_with_numpy(name):
    function = getattr(vectormath, name)
    x = INPUTS[name]

    @njit
    def apply(x):
        y = np.empty_like(x)
        for i in range(x.size):
            y[i] = function(x[i])
        return y

    expected = getattr(np, name)(x)
    np.testing.assert_array_max_ulp(apply(x), expected, maxulp=4 if name == "expm1" else 2)


def test_functions_are_right_at_their_limits():
    assert vectormath.exp(-1e9) == 0.0
    assert vectormath.exp(1e9) == np.inf
    assert vectormath.expm1(-1e9) == -1.0
    assert vectormath.expm1(1e9) == np.inf
    assert vectormath.log(1.0) == 0.0


def test_everything_else_is_numpys():
    assert vectormath.tanh is np.tanh
    with pytest.raises(AttributeError):
        _ = vectormath.no_such_function
