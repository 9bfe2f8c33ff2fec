"""How many dimensions the answers speak for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from ordinate._checks import check_real
from ordinate._random import RandomState
from ordinate.comparisons.record import Comparisons
from ordinate.selection._compare import MethodTable, compare


@dataclass(frozen=True)
class DimensionEstimate:
    """Held-out error against dimension, and the dimension it speaks for.

    Attributes
    ----------
    table : MethodTable
        The errors, one row per dimension in increasing order.
    p_next : tuple of float
        For each dimension but the last: p value of the test that the next one predicts better.
    p_best : tuple of float
        For each dimension: p value of the test that the best one predicts better.
    alpha : float
        Level of the tests.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> estimate = od.estimate_dimension(answers, [1, 2, 3], folds=5)
    >>> estimate.dimension
    2
    """

    table: MethodTable
    p_next: tuple[float, ...]
    p_best: tuple[float, ...]
    alpha: float

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The dimensions tried, in increasing order."""
        return tuple(row.dimension for row in self.table.rows)

    @property
    def dimension(self) -> int:
        """The smallest dimension that is not significantly worse than the best."""
        return next(d for d, p in zip(self.dimensions, self.p_best, strict=True) if p >= self.alpha)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON.

        Returns
        -------
        dict
            The dimension chosen, the p values and the table of errors.
        """
        return {
            "dimension": self.dimension,
            "alpha": self.alpha,
            "p_next": list(self.p_next),
            "p_best": list(self.p_best),
            "rows": [asdict(row) for row in self.table.rows],
        }

    def __str__(self) -> str:
        best = self.table.best
        lines = ["  dim  held-out error  95% interval    p: best is better"]
        for row, p in zip(self.table.rows, self.p_best, strict=True):
            interval = f"{row.low:.1%} – {row.high:.1%}"
            versus = "(best)" if row is best else f"{p:.2g}"
            lines.append(f"  {row.dimension:3}  {row.error:14.1%}  {interval:14}  {versus}")
        lines.append(
            f"{self.dimension} dimension{'s' if self.dimension > 1 else ''}:"
            " the smallest number that is not significantly worse than the best"
            f" (corrected one-sided tests at the level {self.alpha:g})."
        )
        return "\n".join(lines)


def estimate_dimension(
    comparisons: Comparisons | ArrayLike,
    dimensions: Sequence[int] = (1, 2, 3, 4, 5),
    method: str | BaseEstimator = "SOE",
    *,
    alpha: float = 0.05,
    folds: int = 10,
    repeats: int = 1,
    by: str | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = -1,
    verbose: bool = False,
) -> DimensionEstimate:
    """Choose the smallest dimension that predicts held-out answers as well as the best.

    Each dimension is compared with the best one by a paired one-sided t test on the errors of the
    folds, corrected for the overlap of the training parts. The tests go upwards from the smallest
    dimension and end at the first that finds no difference, so they need no further correction.

    Parameters
    ----------
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        The answers.
    dimensions : sequence of int
        Dimensions to try.
    method : str or estimator
        How maps are made; a name such as ``"SOE"`` or an estimator with its parameters.
    alpha : float
        Level of the tests: about how often a dimension too many is chosen by chance.
    folds : int
        The answers are dealt into this many parts, each held out in turn.
    repeats : int
        How often to deal anew; more deals find smaller differences.
    by : str, optional
        Name of a group, such as ``"trial"``, that is held out whole.
    random_state : int, Generator or None
        Seed of deals and fits.
    n_jobs : int or None
        Fits at a time, as in joblib; never changes the result.
    verbose : bool
        Show a progress bar.

    Returns
    -------
    DimensionEstimate
        Print it, draw it with `ordinate.plots.plot_dimensions`, or take its ``dimension``.

    References
    ----------
    Nadeau & Bengio, Inference for the Generalization Error, Machine Learning 52, 2003.
    Künstle, von Luxburg & Wichmann, Estimating the perceived dimension of psychophysical stimuli
    using triplet accuracy and hypothesis testing, Journal of Vision 22(13), 2022.

    Examples
    --------
    >>> import ordinate as od
    >>> line = [[float(place)] for place in range(20)]
    >>> answers = od.sources.random_triplets(line, 1000, random_state=0)
    >>> od.estimate_dimension(answers, [1, 2, 3]).dimension
    1
    """
    level = check_real("alpha", alpha, minimum=0, maximum=1, open_minimum=True, open_maximum=True)
    table = compare(
        comparisons,
        [method],
        np.sort(dimensions).tolist(),
        folds=folds,
        repeats=repeats,
        by=by,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    return judge_dimensions(table, level)


def judge_dimensions(table: MethodTable, alpha: float = 0.05) -> DimensionEstimate:
    """Test the dimensions of one method against each other, from a table that is there already.

    Parameters
    ----------
    table : MethodTable
        One method, its dimensions in increasing order.
    alpha : float
        Level of the tests.

    Returns
    -------
    DimensionEstimate
        As from `estimate_dimension`.
    """
    rows = table.rows
    p_next = [table.difference(row, after).p_above_zero() for row, after in pairwise(rows)]
    p_best = [table.difference(row, table.best).p_above_zero() for row in rows]
    return DimensionEstimate(table, tuple(p_next), tuple(p_best), alpha)
