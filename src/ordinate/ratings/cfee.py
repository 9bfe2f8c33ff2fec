"""Collaborative filtering via Euclidean embedding."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Floats, Points
from ordinate._checks import InputError, check_choice, check_real
from ordinate._random import as_generator
from ordinate.ratings.base import SmoothCoEmbedding, check_ratings
from ordinate.ratings.record import Ratings


@dataclass(eq=False, repr=False)
class CFEE(SmoothCoEmbedding):
    """Collaborative filtering via Euclidean embedding: fits values, not their order.

    A rating is predicted as r̂ = μ + b_u + b_i − ‖x_u − y_i‖², and the squared errors are
    minimised. On the map only the distances remain; what the offsets b explain is not on it.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the map.
    offsets : {"both", "user"}, default="both"
        Whether users and items have offsets, as published, or users only. Item offsets take
        what all users agree on away from the map, which then keeps less of the order.
    penalty : float, default=0.01
        Weight of ‖x_u − y_i‖⁴ + b_u² + b_i² beside the squared error of each rating.
    max_iter : int, default=300
        Most iterations of the solver.
    random_state : int, Generator or None, default=None
        Seed of the start.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_users + n_items, n_components)
        The coordinates of users, then of items.
    user_embedding_, item_embedding_ : ndarray of shape (n_users or n_items, n_components)
        The coordinates of each.
    names_ : tuple
        Names of users, then of items.
    mean_ : float
        The mean rating μ.
    user_offset_, item_offset_ : ndarray of shape (n_users or n_items,)
        The offsets; those of items are 0 with ``offsets="user"``.
    ratings_ : Ratings
        The ratings that were fitted.
    loss_ : float
        The penalised sum of squared errors.
    n_iter_ : int
        Iterations of the solver.
    history_ : ndarray of shape (n_iterations + 1,)
        The loss at the start and after each iteration.
    converged_ : bool
        Whether the fit converged; if not, it has warned.

    See Also
    --------
    COE : Fits the order of the values.

    References
    ----------
    Khoshneshin & Street, Collaborative Filtering via Euclidean Embedding, RecSys 2010.

    Examples
    --------
    >>> import ordinate as od
    >>> ratings = od.Ratings([0, 0, 1, 1], [0, 1, 0, 1], [5, 3, 2, 4])
    >>> model = od.CFEE(random_state=0).fit(ratings)
    >>> model.nearest_items(0, k=1, exclude_rated=False).names
    [0]
    >>> model.predict([[0, 0], [0, 1]]).round(1)
    array([5., 3.])
    """

    _: KW_ONLY
    offsets: str = "both"
    penalty: float = 0.01

    def _placed_by(self, ratings: Ratings) -> tuple[Points, Points]:
        check_choice("offsets", self.offsets, ("both", "user"))
        check_real("penalty", self.penalty, minimum=0)
        rng = as_generator(self.random_state)
        n_objects = ratings.n_users + ratings.n_items
        start = rng.standard_normal((n_objects, self.n_components + 1))
        start *= 0.5 * ratings.values.std() ** 0.5
        start[:, -1] = 0
        # distances only lower a prediction, so that the mean over users must lie above
        start[: ratings.n_users, -1] = 2 * self.n_components * start[:, :-1].var()
        found = self._minimize(_SquaredErrors(ratings, self.penalty, self.offsets == "both"), start)
        self.mean_ = float(ratings.values.mean())
        self.user_offset_, self.item_offset_ = np.split(found[:, -1], [ratings.n_users])
        users, items = np.split(found[:, :-1], [ratings.n_users])
        return users, items

    def predict(self, X: Any) -> Floats:
        """Predict the ratings that users would give to items.

        Parameters
        ----------
        X : Ratings, or array-like of shape (n_pairs, 2)
            Pairs of a fitted user and a fitted item, by name; values of ratings are not looked at.

        Returns
        -------
        ndarray of shape (n_pairs,)
            r̂ = μ + b_u + b_i − ‖x_u − y_i‖², aligned with the pairs.
        """
        if isinstance(X, Ratings):
            users, items = self._numbers_of(X)
        else:
            known, pairs = self._fitted_ratings(), np.asarray(X, dtype=object)
            if pairs.ndim != 2 or pairs.shape[1] != 2:
                raise InputError(
                    f"Expected pairs (user, item) in 2 columns; got shape {pairs.shape}."
                )
            users = np.array([known.user_number(name) for name in pairs[:, 0]], dtype=np.int32)
            items = np.array([known.item_number(name) for name in pairs[:, 1]], dtype=np.int32)
        steps = self.user_embedding_[users] - self.item_embedding_[items]
        offsets = self.user_offset_[users] + self.item_offset_[items]
        predicted: Floats = self.mean_ + offsets - np.square(steps).sum(axis=1)
        return predicted

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the coefficient of determination R² of the predicted ratings.

        Parameters
        ----------
        X : Ratings or data frame with the columns user, item and rating
            Ratings of fitted users and items, usually held out from the fit; matched by name.
        y, sample_weight : None
            Not used; scikit-learn's searches pass them.

        Returns
        -------
        float
            1 for perfect predictions, 0 for those as good as the mean.
        """
        given = check_ratings(X)
        from sklearn.metrics import r2_score

        return float(r2_score(given.values, self.predict(given)))


class _SquaredErrors:
    """The penalised sum of squared errors and its gradient; the last column holds offsets."""

    def __init__(self, ratings: Ratings, penalty: float, item_offsets: bool) -> None:
        self._users = ratings.users
        self._items = ratings.n_users + ratings.items
        self._values = ratings.values - ratings.values.mean()
        self._penalty = penalty
        self._item_offsets = item_offsets

    def __call__(self, points: Points) -> tuple[float, Points]:
        users, items = points[self._users], points[self._items]
        steps = users[:, :-1] - items[:, :-1]
        distance2 = np.square(steps).sum(axis=1)
        errors = users[:, -1] + items[:, -1] - distance2 - self._values
        offsets2 = users[:, -1] ** 2 + items[:, -1] ** 2
        value = np.sum(errors**2 + self._penalty * (distance2**2 + offsets2))
        pull = 4 * (self._penalty * distance2 - errors)[:, None] * steps
        gradient = np.empty_like(points)
        for axis in range(steps.shape[1]):
            gradient[:, axis] = self._sum(pull[:, axis], -pull[:, axis], len(points))
        gradient[:, -1] = self._sum(
            2 * (errors + self._penalty * users[:, -1]),
            2 * (errors + self._penalty * items[:, -1]) * self._item_offsets,
            len(points),
        )
        return float(value), gradient

    def _sum(
        self, of_users: NDArray[np.float64], of_items: NDArray[np.float64], n: int
    ) -> NDArray[np.float64]:
        sums = np.bincount(self._users, of_users, minlength=n).astype(np.float64)
        return sums + np.bincount(self._items, of_items, minlength=n)
