"""Difference scaling: a perceptual scale over items of known order, from compared differences."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize

from ordinate._arguments import argument, parameter
from ordinate._arrays import Floats
from ordinate._checks import InputError, as_frame, check_choice, check_integer
from ordinate._estimator import BaseEstimator, check_is_fitted
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.inputs import as_comparisons
from ordinate.comparisons.labels import is_number
from ordinate.comparisons.record import Comparisons
from ordinate.scales.outcomes import LINKS

_SURE = 7.0
"""Log likelihood by which one direction of the answers must fit better: a thousand to one."""
_LARGEST_STEP = 10.0
"""A step between neighbours is a priori of this size in units of the noise, or smaller."""


@dataclass(eq=False, repr=False)
class DifferenceScale(BaseEstimator):
    """A monotone scale from answers to "which two are more different?", with intervals.

    Items have a known physical order, such as contrast. Each row says which of two differences is
    the larger one; noise is normal (maximum likelihood difference scaling) or logistic.

    Parameters
    ----------
    model : {"thurstone", "bradley-terry"}, default="thurstone"
        Normal or logistic noise.
    n_simulations : int, default=200
        Simulated studies, for intervals and the six-point test.
    random_state : int, Generator or None, default=None
        Seed of the simulations.

    Attributes
    ----------
    scale_ : ndarray of shape (n_objects,)
        From 0 at the lowest item to 1 at the highest, by the numbers of the items.
    intervals_ : ndarray of shape (n_objects, 2)
        95 % intervals by parametric bootstrap.
    noise_ : float
        Standard deviation of the noise of one answer in units of the scale.
    p_six_point_ : float
        Share of simulated studies in which the six-point property is violated as badly; NaN where
        no six points were compared. Small values say that no difference scale exists.
    p_random_ : float
        Share of sets of random answers to these questions that fit a scale as well.
    values_ : ndarray of shape (n_objects,)
        Physical values, or ranks.
    names_ : tuple or None
        Names of the items.

    See Also
    --------
    Ranking : If single items were compared, not differences.

    References
    ----------
    Maloney & Yang, Maximum likelihood difference scaling, Journal of Vision 2003.

    Examples
    --------
    >>> import numpy as np
    >>> import ordinate as od
    >>> seen = np.sqrt(np.arange(6))
    >>> answers = od.sources.random_triplets(seen[:, None], 400, random_state=0)
    >>> model = od.DifferenceScale(n_simulations=20, random_state=0).fit(answers)
    >>> bool(model.scale_[1] > 0.3)
    True
    """

    model: str = "thurstone"
    _: KW_ONLY
    n_simulations: int = 200
    random_state: RandomState = None

    def fit(self, X: Comparisons | ArrayLike, y: Any = None, *, values: Any = None) -> Self:
        """Find the scale.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n, 3) or (n, 4)
            Rows (i, j, k, l): i and j differ less than k and l; or triplets.
        y : array-like of bool or +1/-1, optional
            Whether each row holds as written.
        values : array-like of shape (n_objects,), optional
            Physical values of the items. By default their labels, if those are numbers, or their
            positions.

        Returns
        -------
        self
            The fitted estimator.
        """
        check_choice("model", self.model, LINKS)
        check_integer("n_simulations", self.n_simulations, minimum=10)
        record = as_comparisons(X, y).to_quadruplets()
        rng = as_generator(self.random_state)
        self.names_ = record.names
        self.values_ = _physical(record, values)
        rank = np.argsort(np.argsort(self.values_, kind="stable"), kind="stable")
        asked = _Asked(rank[record.rows], record.weights, self.model)
        steps = asked.fit(asked.holds)
        if asked.lead(steps) < -_SURE:
            raise InputError(
                "The answers fit better the other way round: rows (i, j, k, l) must say that i and"
                " j differ less than k and l. Pass y=-1 for all rows if they say the opposite."
            )
        chances = asked.chances(steps)
        drawn = rng.binomial(
            np.rint(asked.total).astype(int), chances, (self.n_simulations, len(chances))
        )
        scales = np.array([_scale(asked.fit(row.astype(float)))[0] for row in drawn])
        scale, self.noise_ = _scale(steps)
        self.scale_ = scale[rank]
        self.intervals_ = np.quantile(scales, [0.025, 0.975], axis=0).T[rank]
        self.p_six_point_ = asked.six_points(steps, drawn)
        self.p_random_ = asked.random_answers(steps, self.n_simulations, rng)
        return self

    def to_frame(self) -> Any:
        """Return the scale as a data frame.

        Returns
        -------
        pandas.DataFrame
            Indexed by item, in physical order: value, scale, lower, upper. Without pandas, a
            PyArrow table.
        """
        return as_frame(self.columns(), ["object"])

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns of `to_frame`, by name."""
        check_is_fitted(self)
        order = np.argsort(self.values_, kind="stable")
        names = np.arange(len(order)) if self.names_ is None else np.array(self.names_)
        return {
            "object": names[order],
            "value": self.values_[order],
            "scale": self.scale_[order],
            "lower": self.intervals_[order, 0],
            "upper": self.intervals_[order, 1],
        }


def with_smaller_first(
    record: Comparisons, values: Any = None, chosen: str = "auto"
) -> tuple[Comparisons, bool]:
    """Return rows that say which difference is the smaller one, and whether they did before.

    Items of a known order tell: a scale that follows it fits one direction far better than the
    other. Where it does not, both readings are refused, and where it does, one that was given.
    """
    rank = np.argsort(np.argsort(_physical(record, values), kind="stable"), kind="stable")
    asked = _Asked(rank[record.to_quadruplets().rows], record.weights, "thurstone")
    lead = asked.lead(asked.fit(asked.holds))
    is_alike = lead > 0 if chosen == "auto" else chosen == "alike"
    if (lead if is_alike else -lead) < -_SURE:
        other = "different" if is_alike else "alike"
        raise InputError(
            f"The answers fit better the other way round: say {argument('chosen', other)}, or check"
            " the order of the items."
        )
    if chosen == "auto" and abs(lead) < _SURE:
        raise InputError(
            "The answers do not show whether the pair that was chosen is the more different or the"
            f" more alike one; say so with {argument('chosen', 'different')} or"
            f" {argument('chosen', 'alike')}."
        )
    return (record if is_alike else record.reversed()), is_alike


def _physical(record: Comparisons, values: Any) -> Floats:
    """Return the physical values of the items, all different."""
    if values is None and record.names is not None:
        wrong = next((name for name in record.names if not is_number(name)), None)
        if wrong is not None:
            raise InputError(
                f"A difference scale needs items of known order: labels must be numbers, got"
                f" {wrong!r}. Pass their physical values as {parameter('values')}."
            )
        values = [float(name) for name in record.names]
    values = range(record.n_objects) if values is None else values
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != (record.n_objects,) or len(np.unique(found)) < len(found):
        raise InputError(
            f"values must hold a different number for each of the {record.n_objects} items."
        )
    return found


def _scale(steps: Floats) -> tuple[Floats, float]:
    """Return the scale from 0 to 1, and the noise in its units."""
    total = max(float(steps.sum()), 1e-12)
    return np.append(0.0, np.cumsum(steps)) / total, 1 / total


class _Asked:
    """Different questions about two differences, and how often the second was called larger."""

    def __init__(self, rows: NDArray[Any], weights: Floats | None, model: str) -> None:
        self.link = LINKS[model]
        low, high = np.sort(rows.reshape(-1, 2, 2), axis=2).transpose(2, 0, 1)
        pair = low * (rows.max() + 1) + high
        is_reversed = pair[:, 0] > pair[:, 1]
        keys = np.sort(pair, axis=1)
        self.questions, at = np.unique(keys, axis=0, return_inverse=True)
        weight = np.ones(len(rows)) if weights is None else weights
        self.n = int(rows.max()) + 1
        self.total = np.bincount(at.ravel(), weight, len(self.questions)).astype(float)
        self.holds = np.bincount(at.ravel(), weight * ~is_reversed, len(self.questions)).astype(
            float
        )
        ends = np.stack(np.divmod(self.questions, self.n), axis=2)
        places = np.arange(self.n - 1)
        within = (places >= ends[..., :1]) & (places < ends[..., 1:])
        self.design = within[:, 1].astype(float) - within[:, 0]

    def chances(self, steps: Floats) -> Floats:
        """Return how likely the second difference of each question is called larger."""
        return np.asarray(self.link.chance(self.design @ steps))

    def loss(self, steps: Floats, holds: Floats) -> float:
        """Return minus the log likelihood."""
        ahead = self.design @ steps
        no = self.total - holds
        return -float(holds @ self.link.log_chance(ahead) + no @ self.link.log_chance(-ahead))

    def lead(self, steps: Floats) -> float:
        """Return by how much log likelihood the answers fit better than their opposite does."""
        opposite = self.total - self.holds
        return self.loss(self.fit(opposite), opposite) - self.loss(steps, self.holds)

    def fit(self, holds: Floats) -> Floats:
        """Return the steps between neighbours that make the answers most likely."""
        no = self.total - holds

        def penalized(steps: Floats) -> tuple[float, Floats]:
            ahead = self.design @ steps
            push = holds * self.link.hazard(ahead) - no * self.link.hazard(-ahead)
            prior = steps / _LARGEST_STEP**2
            value = self.loss(steps, holds) + 0.5 * float(steps @ prior)
            return value, -(self.design.T @ push) + prior

        start = np.full(self.n - 1, 0.5)
        bounds = [(0.0, None)] * (self.n - 1)
        found: Floats = minimize(penalized, start, jac=True, method="L-BFGS-B", bounds=bounds).x
        return found

    def random_answers(self, steps: Floats, n_simulations: int, rng: np.random.Generator) -> float:
        """Test whether random answers fit a scale as well as these answers do."""
        none = np.zeros(self.n - 1)

        def gain(steps: Floats, holds: Floats) -> float:
            return self.loss(none, holds) - self.loss(steps, holds)

        drawn = rng.binomial(np.rint(self.total).astype(int), 0.5, (n_simulations, len(self.total)))
        gains = np.array([gain(self.fit(row), row) for row in drawn.astype(float)])
        return float((1 + (gains >= gain(steps, self.holds)).sum()) / (1 + len(gains)))

    def six_points(self, steps: Floats, drawn: NDArray[Any]) -> float:
        """Test: if ab exceeds a'b' and bc exceeds b'c', then ac exceeds a'c'."""
        number = np.full((self.n**2, self.n**2), -1)
        number[tuple(self.questions.T)] = np.arange(len(self.questions))
        number[tuple(self.questions[:, ::-1].T)] = np.arange(len(self.questions))
        grid = np.indices((self.n,) * 3).reshape(3, -1)
        a, b, c = grid[:, (grid[0] < grid[1]) & (grid[1] < grid[2])]
        sides = (a * self.n + b, b * self.n + c, a * self.n + c)
        one, other = np.triu_indices(len(a), 1)
        used = np.stack([number[side[one], side[other]] for side in sides])
        used = used[:, (used >= 0).all(axis=0)]
        if not used.size:
            return np.nan
        times = np.bincount(used.ravel(), minlength=len(self.questions)) / self.total
        logs = np.stack(
            [self.link.log_chance(self.design @ steps), self.link.log_chance(-self.design @ steps)]
        )

        def surprise(holds: NDArray[Any]) -> NDArray[Any]:
            return np.asarray(-(holds * logs[0] + (self.total - holds) * logs[1]) @ times)

        return float((1 + (surprise(drawn) >= surprise(self.holds)).sum()) / (1 + len(drawn)))
