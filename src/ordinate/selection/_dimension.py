"""How many dimensions the answers speak for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ordinate._estimator import Estimator
from ordinate._notebooks import ShownAsTable, aligned, in_dimensions
from ordinate._random import RandomState
from ordinate.comparisons.record import Comparisons
from ordinate.selection._compare import compare
from ordinate.selection._method_table import MethodRow, MethodTable, score_of


@dataclass(frozen=True, eq=False)
class DimensionEstimate(ShownAsTable):
    """Held-out error against dimension, and the dimension it speaks for.

    Attributes
    ----------
    table : MethodTable
        The errors of all methods and dimensions that were tried.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities(2000).comparisons
    >>> estimate = od.estimate_dimension(answers, [1, 2, 3], "SOE", random_state=0)
    >>> estimate.dimension, estimate.dimension_range
    (2, (2, 2))
    """

    table: MethodTable

    @property
    def rows(self) -> tuple[MethodRow, ...]:
        """The best method of each dimension, in increasing order."""
        best: dict[int, MethodRow] = {}
        for row in sorted(self.table.rows, key=lambda row: (row.dimension, score_of(row))):
            best.setdefault(row.dimension, row)
        return tuple(best.values())

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The dimensions tried, in increasing order."""
        return tuple(row.dimension for row in self.rows)

    @property
    def dimension(self) -> int:
        """The dimension of `MethodTable.smallest`."""
        return self.table.smallest.dimension

    @property
    def dimension_range(self) -> tuple[int, int]:
        """The lowest and the highest dimension that the answers do not speak against."""
        return self.table.dimension_range

    @property
    def p_next(self) -> tuple[float, ...]:
        """For each dimension but the last: p value of the test that the next predicts better."""
        return tuple(
            self.table.difference(row, after).p_above_zero() for row, after in pairwise(self.rows)
        )

    @property
    def p_best(self) -> tuple[float, ...]:
        """For each dimension: p value of the test that the best one predicts better."""
        best = self.table.best
        return tuple(self.table.difference(row, best).p_above_zero() for row in self.rows)

    @property
    def advice(self) -> str:
        """How many dimensions, in a sentence."""
        best, choice = self.table.best, self.table.smallest
        low, high = self.dimension_range
        scores = [f"{row.brier_score:.4f}" for row in (choice, best)]
        if choice is best:
            reason = f"{choice.dimension} predicts best"
        elif scores[0] == scores[1]:
            reason = f"{choice.dimension} predicts as well as {best.dimension}"
        else:
            reason = (
                f"{choice.dimension} (Brier score {scores[0]}) predicts nearly as"
                f" well as {best.dimension} ({scores[1]}), which predicts best"
            )
        edge = f" {self.table.edge}" if self.table.edge else ""
        if not self.table.doubt:
            return f"{in_dimensions(choice.dimension)}: {reason}.{edge}"
        apart = "the answers cannot distinguish them"
        return f"{low} to {in_dimensions(high)}: {apart}; {reason}.{edge}"

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return {
            "dimension": self.dimension,
            "dimension_range": list(self.dimension_range),
            "edge_reached": bool(self.table.edge),
            "p_next": list(self.p_next),
            "p_best": list(self.p_best),
            "rows": [row.to_dict() for row in self.rows],
            "advice": self.advice,
        }

    def __str__(self) -> str:
        shown = [self.table.rows.index(row) + 1 for row in self.rows]
        cells = self.table.cells()
        rows = [cells[number][:6] for number in (0, *shown)]
        return "\n".join([self.advice, self.table.title(), *aligned(rows)])


def estimate_dimension(
    comparisons: Comparisons | ArrayLike,
    n_components: Sequence[int] | None = None,
    method: str | Estimator | None = None,
    *,
    folds: int = 5,
    repeats: int | None = None,
    by: str | None = None,
    random_state: RandomState = None,
    n_jobs: int | None = -1,
    verbose: bool = False,
) -> DimensionEstimate:
    """Choose the smallest dimension that predicts held-out answers as well as the best.

    Dimensions are compared answer by answer, by `compare`, of whose rows the best one of each
    dimension is shown. The dimension is that of `MethodTable.smallest`: the smallest whose score,
    Brier score plus half of the error, exceeds the lowest by at most 1 % of what the best one
    explains. It is not always that of the map to look at, `MethodTable.choice`, which is flat
    unless another map is surely better.

    Parameters
    ----------
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        The answers.
    n_components : sequence of int, optional
        Dimensions to try. By default 1, 2, 3 and 4; while the largest predicts best, twice as many
        are tried too, as `compare` does.
    method : str or estimator, optional
        How maps are made; a name such as ``"SOE"`` or an estimator with its parameters. By default
        the methods that `compare` tries, the best of them in each dimension.
    folds, repeats, by, random_state, n_jobs, verbose
        As for `compare`.

    Returns
    -------
    DimensionEstimate
        Print it, draw it with `ordinate.plots.plot_dimensions`, or take its ``dimension``.

    See Also
    --------
    compare : Methods and dimensions together.
    ordinate.plots.plot_dimensions : Draws the errors.
    ordinate.uncertainty.compare_maps : Whether maps of two dimensions are really different.

    References
    ----------
    Künstle, von Luxburg & Wichmann, Estimating the perceived dimension of psychophysical stimuli
    using triplet accuracy and hypothesis testing, Journal of Vision 22(13), 2022.

    Examples
    --------
    >>> import ordinate as od
    >>> line = [[float(place)] for place in range(20)]
    >>> answers = od.sources.random_triplets(line, 1000, random_state=0)
    >>> od.estimate_dimension(answers, [1, 2, 3], "SOE", random_state=0).dimension
    1
    """
    table = compare(
        comparisons,
        method,
        None if n_components is None else np.sort(n_components).tolist(),
        folds=folds,
        repeats=repeats,
        by=by,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    return DimensionEstimate(table)
