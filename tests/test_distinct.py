"""Distinct whole numbers, beside NumPy's."""

import numpy as np
import pytest

from ordinate._distinct import distinct


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("shape", [(0,), (1,), (200,), (50, 3)])
def test_numbers_are_those_of_numpy(shape, dtype):
    numbers = np.random.default_rng(0).integers(-20, 20, size=shape, dtype=dtype)
    before = numbers.copy()
    found = distinct(numbers)
    np.testing.assert_array_equal(found, np.unique(numbers))
    assert found.dtype == dtype
    np.testing.assert_array_equal(numbers, before)
