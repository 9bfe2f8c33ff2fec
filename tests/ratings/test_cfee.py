import numpy as np
import pytest
from scipy.optimize import approx_fprime

import ordinate as od
from ordinate.ratings.cfee import _SquaredErrors


def planted(seed=0, n_users=40, n_items=50):
    rng = np.random.default_rng([seed])  # the best of the minima is found from the usual start
    users, items = rng.normal(size=(n_users, 2)), rng.normal(size=(n_items, 2))
    u, i = np.nonzero(rng.random((n_users, n_items)) < 0.5)
    offset = rng.normal(size=n_users)
    values = 3 + offset[u] - np.square(users[u] - items[i]).sum(axis=1)
    return users, items, od.Ratings(u, i, values)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_planted_positions_are_recovered():
    users, items, ratings = planted()
    model = od.CFEE(
        offsets="user", penalty=0, max_iter=1000, random_state=np.random.default_rng([0])
    ).fit(ratings)
    both = np.concatenate([model.user_embedding_, model.item_embedding_])
    assert od.metrics.procrustes_distance(both, np.concatenate([users, items])) < 0.01
    assert (model.item_offset_ == 0).all()


@pytest.mark.parametrize("item_offsets", [True, False])
def test_gradient_is_that_by_differences(item_offsets):
    _, _, ratings = planted(n_users=4, n_items=5)
    objective = _SquaredErrors(ratings, 0.3, item_offsets)
    points = np.random.default_rng(0).normal(size=(9, 3))
    if not item_offsets:
        points[4:, -1] = 0
    value, gradient = objective(points)
    numeric = approx_fprime(points.ravel(), lambda x: objective(x.reshape(9, 3))[0], 1e-6)
    numeric = numeric.reshape(9, 3)
    if not item_offsets:
        numeric[4:, -1] = 0
    np.testing.assert_allclose(gradient, numeric, atol=1e-3 * abs(value))


def test_bad_parameters_are_refused():
    with pytest.raises(od.InputError, match="offsets must be one of 'both', 'user'"):
        od.CFEE(offsets="none").fit(planted(n_users=6, n_items=7)[2])
    with pytest.raises(od.InputError, match="Expected Ratings; got ndarray"):
        od.CFEE().fit(np.zeros((3, 3)))


def test_the_history_ends_at_the_loss():
    ratings = od.Ratings([0, 0, 1, 1], [0, 1, 0, 1], [5, 3, 2, 4])
    for model in (od.CFEE(random_state=0), od.CODE(random_state=0)):
        model.fit(ratings)
        assert model.history_[-1] == model.loss_ < model.history_[0]
        assert model.n_iter_ == len(model.history_) - 1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_predictions_are_those_of_the_formula_and_of_the_planted_map():
    _, _, ratings = planted()
    train, test = ratings.train_test_split(random_state=0)
    model = od.CFEE(penalty=1e-4, max_iter=1000, random_state=0).fit(train)
    predicted = model.predict(test)
    pairs = np.column_stack([test.users, test.items])
    np.testing.assert_allclose(predicted, model.predict(pairs))
    u, i = test.users[3], test.items[3]
    square = np.sum((model.user_embedding_[u] - model.item_embedding_[i]) ** 2)
    by_hand = train.values.mean() + model.user_offset_[u] + model.item_offset_[i] - square
    assert predicted[3] == pytest.approx(by_hand)
    residual = np.sum((test.values - predicted) ** 2)
    total = np.sum((test.values - test.values.mean()) ** 2)
    assert model.score(test) == pytest.approx(1 - residual / total)
    assert model.score(test) > 0.9


def test_pairs_to_predict_are_two_columns_of_known_names():
    model = od.CFEE(random_state=0).fit(od.Ratings([0, 0, 1, 1], [0, 1, 0, 1], [5, 3, 2, 4]))
    with pytest.raises(od.InputError, match=r"pairs \(user, item\) in 2 columns; got shape"):
        model.predict([[0, 0, 5]])
    with pytest.raises(od.InputError, match="There is no item 7"):
        model.predict([[0, 7]])
