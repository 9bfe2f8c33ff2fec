"""NumPy's functions on tensors, and on numbers."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import ordinate as od  # noqa: E402
from ordinate.engine.torch_blocks import functions, with_torch  # noqa: E402

X = torch.tensor([-2.0, 0.5, 3.0], dtype=torch.float64)
FUNCTIONS = ["exp", "expm1", "abs", "tanh", "square", "sign", "negative"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_a_tensor_are_those_of_numpy(name):
    expected = getattr(np, name)(X.numpy())
    np.testing.assert_allclose(getattr(functions, name)(X), expected)


@pytest.mark.parametrize("name", ["maximum", "minimum", "power"])
@pytest.mark.parametrize("other", [2.0, X.abs()], ids=["number", "tensor"])
def test_functions_of_two(name, other):
    expected = getattr(np, name)(X.numpy(), np.asarray(other))
    np.testing.assert_allclose(getattr(functions, name)(X, other), expected)


def test_numbers_stay_numbers():
    assert functions.log(1.0) == 0.0
    assert functions.where(True, 3.0, 4.0) == 3.0
    assert functions.pi == np.pi


def test_where_takes_numbers_and_tensors():
    np.testing.assert_array_equal(functions.where(X > 0, X, 0.0), [0.0, 0.5, 3.0])
    np.testing.assert_array_equal(functions.where(X > 0, 1.0, 0.0), [0.0, 1.0, 1.0])


def test_what_torch_does_not_have_is_named():
    def root(near2, far2):
        return np.cbrt(near2), near2, far2

    with pytest.raises(od.InputError, match=r"np\.cbrt, which PyTorch does not have"):
        with_torch(root)(X, X)


def test_the_loss_itself_is_left_alone():
    with_torch(od.losses.ste)
    assert od.losses.np is np
