"""t-STE's degrees of freedom follow the dimension unless given."""

import pytest

import ordinate as od


@pytest.mark.parametrize(("dimension", "alpha"), [(1, 1), (2, 1), (5, 4)])
def test_alpha_depends_on_the_dimension(dimension, alpha, triplets):
    default = od.TSTE(dimension, random_state=0).fit(triplets)
    given = od.TSTE(dimension, alpha=alpha, random_state=0).fit(triplets)
    assert default.loss_ == given.loss_
    assert default.loss_ != od.TSTE(dimension, alpha=alpha + 2, random_state=0).fit(triplets).loss_
