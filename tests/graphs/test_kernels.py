import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ordinate.graphs.kernels import _sort


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), max_size=300))
def test_keys_are_sorted_and_their_origins_known(values):
    keys = np.array(values, dtype=np.float64)
    rank = np.empty(len(keys) + 3, dtype=np.int64)
    given_keys = keys.copy()
    _sort(keys, rank)
    np.testing.assert_array_equal(keys, np.sort(given_keys))
    np.testing.assert_array_equal(given_keys[rank[: len(keys)]], keys)
