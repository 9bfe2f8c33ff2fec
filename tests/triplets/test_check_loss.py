"""A user's loss is tried before it is used."""

import numpy as np
import pytest

import ordinate as od
from ordinate.triplets.custom import check_loss


def cubic(near2, far2, power):
    gap = np.maximum(near2 - far2 + 1.0, 0.0)
    return gap**power, power * gap ** (power - 1.0), -power * gap ** (power - 1.0)


def test_a_right_loss_passes():
    check_loss(cubic, (3.0,))


def test_wrong_derivative_is_named():
    def wrong(near2, far2):
        return near2 - far2, 1.0, 1.0

    with pytest.raises(od.InputError, match=r"returns 1 as its derivative in far².*give -1"):
        check_loss(wrong)


@pytest.mark.compiled
def test_what_cannot_be_compiled_is_reported():
    def opens_a_file(near2, far2):
        return open(str(near2)), 1.0, -1.0

    with pytest.raises(od.InputError, match="'opens_a_file' cannot be compiled"):
        check_loss(opens_a_file)


def test_two_results_instead_of_three():
    def two(near2, far2):
        return near2 - far2, 1.0

    with pytest.raises(od.InputError, match="returns three numbers"):
        check_loss(two)


def test_missing_parameter():
    with pytest.raises(od.InputError, match="cannot be compiled"):
        check_loss(cubic)
