"""Low-rank ordinal embedding: the fit finds how many dimensions the answers need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ordinate import losses
from ordinate._arrays import Points
from ordinate._checks import check_real
from ordinate.comparisons.inputs import Record
from ordinate.engine.objective import Objective
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.stopping import Function, Result
from ordinate.triplets.embedding import EmbeddingEstimator, Problem, document_parameters

_ROUNDS = 60
"""Times that the weights of the axes are adapted, at most."""
_FIRST_WIDTH, _LAST_WIDTH = 0.3, 1e-4
"""Singular values below this share of the largest one are treated alike, at first and at last."""
_NARROWER = 0.7
_ZERO = 1e-2
"""Axes with less than this share of the largest singular value are left out."""
_COLLAPSED = 0.999
"""From this share of the loss of a map without extent on, the penalty has emptied all axes."""


@document_parameters
@dataclass(eq=False, repr=False)
class LORE(EmbeddingEstimator):
    """Low-rank ordinal embedding: a penalty on singular values chooses the dimension.

    Minimises the mean of log(1 + exp(d_near − d_far + margin)) plus λ Σ σ^p over the singular
    values σ of the map. With p < 1 the penalty empties the axes that answers do not support, so
    that the map has `rank_` columns.

    Parameters
    ----------
    n_components : int, default=10
        The most dimensions that the map may have.
    penalty : float, default=0.01
        λ: the larger, the fewer dimensions.
    power : float, default=0.5
        p, above 0 and at most 1.
    margin : float, default=0.1
        By how much far distances should exceed near ones.
    {shared}

    Notes
    -----
    The answers decide about an axis only if they are many: `estimate_dimension`, which looks at
    held-out answers, makes no such choice in the fit. The penalty is minimised by L-BFGS with
    weights of the axes that are adapted in turn; the paper uses proximal steps.

    See Also
    --------
    estimate_dimension : Chooses the dimension by held-out answers.

    References
    ----------
    Anand et al., LORE: Jointly Learning the Intrinsic Dimensionality and Relative Similarity
    Structure from Ordinal Data, ICLR 2026, arXiv:2602.04192.

    Examples
    --------
    >>> import ordinate as od
    >>> line = [[float(place)] for place in range(20)]
    >>> answers = od.sources.random_triplets(line, 2000, random_state=0)
    >>> od.LORE(5, random_state=0).fit(answers).rank_
    1
    """

    n_components: int = 10
    _: KW_ONLY
    penalty: float = 0.01
    power: float = 0.5
    margin: float = 0.1

    @property
    def rank_(self) -> int:
        """How many dimensions the map has."""
        return int(self.embedding_.shape[1])

    def _check_parameters(self, comparisons: Record) -> None:
        super()._check_parameters(comparisons)
        check_real("penalty", self.penalty, minimum=0)
        check_real("power", self.power, minimum=0, maximum=1, open_minimum=True)

    def _loss(self) -> tuple[losses.Loss, Sequence[float]]:
        return losses.logistic, [check_real("margin", self.margin, minimum=0)]

    def _posterior_likelihood(self) -> tuple[losses.Loss, Sequence[float]]:
        return losses.logistic, (0.0,)

    def _solve(self, problem: Problem, starts: Sequence[Points]) -> list[Result]:
        return [self._with_few_axes(problem, start) for start in starts]

    def _with_few_axes(self, problem: Problem, start: Points) -> Result:
        """Minimise from one start, with a weight per axis that follows its singular value."""
        strength = self.penalty * _total_weight(problem.comparisons)
        points, width = start, _FIRST_WIDTH
        histories: list[NDArray[np.float64]] = []
        for _ in range(_ROUNDS):
            axes, values = _principal_axes(points)
            floor = (width * values[0]) ** 2
            weights = 0.5 * self.power * (values**2 + floor) ** (0.5 * self.power - 1)
            found = lbfgs(
                _penalized_axes(problem.objective, strength * weights),
                axes,
                max_iter=self.max_iter,
                tol=self.tol,
                floor=self._floor(problem.objective, axes),
                callback=problem.callback,
            )
            histories.append(found.history[bool(histories) :])
            moved = float(np.linalg.norm(found.points - axes))
            points, width = found.points, max(_NARROWER * width, _LAST_WIDTH)
            if moved <= self.tol * float(np.linalg.norm(axes)) and width == _LAST_WIDTH:
                break
        axes, values = _principal_axes(points)
        kept = axes[:, values > _ZERO * values[0]]
        without_extent = problem.objective(np.zeros_like(axes))[0]
        if problem.objective(axes)[0] > _COLLAPSED * without_extent:
            kept = axes[:, :1]  # what is left of the axes is rounding
        value = problem.objective(kept)[0]
        value += strength * float(np.sum(np.linalg.norm(kept, axis=0) ** self.power))
        return replace(found, points=kept, value=value, history=np.concatenate(histories))


def _penalized_axes(objective: Objective, weights: NDArray[np.float64]) -> Function:
    """Add the squares of the coordinates to an objective, weighted by axis."""

    def penalized(points: Points) -> tuple[float, Points]:
        value, gradient = objective(points)
        pulled = weights * points
        return value + float(np.sum(pulled * points)), gradient + 2.0 * pulled

    return penalized


def _principal_axes(points: Points) -> tuple[Points, NDArray[np.float64]]:
    """Turn a map, centred, to its principal axes; with them their singular values."""
    left, values, _ = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
    return left * values, values


def _total_weight(comparisons: Record) -> float:
    """Return how many answers there are, or the sum of their weights."""
    weights = getattr(comparisons, "weights", None)
    return float(len(comparisons) if weights is None else np.sum(weights))
