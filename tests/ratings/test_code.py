import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.sparse import csr_array

import ordinate as od
from ordinate.ratings.code import _Divergence


def test_value_and_gradient_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    joint = rng.random((4, 5)) * (rng.random((4, 5)) < 0.7)
    joint /= joint.sum()
    objective = _Divergence(csr_array(joint))

    def by_definition(flat):
        x, y = np.split(flat.reshape(9, 2), [4])
        distance2 = np.square(x[:, None] - y[None]).sum(axis=2)
        weights = np.outer(joint.sum(axis=1), joint.sum(axis=0))
        model = weights * np.exp(-distance2)
        some = joint > 0
        return np.sum(joint[some] * np.log(joint[some] / (model / model.sum())[some]))

    points = rng.normal(size=(9, 2))
    value, gradient = objective(points)
    assert value == pytest.approx(by_definition(points.ravel()))
    numeric = approx_fprime(points.ravel(), by_definition, 1e-7)
    np.testing.assert_allclose(gradient.ravel(), numeric, atol=1e-6)


def test_what_occurs_together_is_near():
    counts = np.kron(np.eye(3), np.ones((8, 6))) * 20 + 1
    users, items = np.nonzero(counts)
    ratings = od.Ratings(users, items, counts[users, items])
    model = od.CODE(random_state=0).fit(ratings)
    nearest = model.nearest_items(0, k=6, exclude_rated=False).names
    assert set(nearest) == set(range(6))


def test_negative_values_are_refused():
    ratings = od.Ratings([0, 0], [0, 1], [-1, 2])
    with pytest.raises(od.InputError, match="not negative; the lowest value is -1"):
        od.CODE().fit(ratings)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_shares_give_all_users_the_same_weight():
    counts = np.random.default_rng([0]).integers(1, 9, (4, 5)).astype(float)
    users, items = np.nonzero(counts)
    busy = counts * np.array([[1], [100], [1], [7]])
    one, two = (
        od.CODE(normalize="share", random_state=0).fit(od.Ratings(users, items, some[users, items]))
        for some in (counts, busy)
    )
    np.testing.assert_allclose(one.embedding_, two.embedding_, atol=1e-6)
    plain = od.CODE(random_state=0).fit(od.Ratings(users, items, busy[users, items]))
    assert not np.allclose(plain.embedding_, two.embedding_, atol=1e-2)
