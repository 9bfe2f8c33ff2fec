"""Generalised non-metric multidimensional scaling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ordinate import losses
from ordinate._arrays import Points
from ordinate.solvers.stopping import Callback, Result
from ordinate.triplets.embedding import EmbeddingEstimator, Problem, document_parameters

_WIDTHS = 0.5, 0.05
"""Of hinges that are minimised before the sharp one. Along its many kinks a solver moves slowly."""


@document_parameters
@dataclass(eq=False, repr=False, kw_only=True)
class GNMDS(EmbeddingEstimator):
    """Generalised non-metric scaling: hinge on squared distances, Σ max(0, 1 + d_near² − d_far²).

    A fit begins with hinges whose kinks are rounded off, and ends with the hinge itself; `history_`
    and `n_iter_` are those of its end.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    {shared}

    See Also
    --------
    SOE : Hinge on distances, with a margin that sets the scale.
    GramEmbedding : The same loss over Gram matrices.

    References
    ----------
    Agarwal et al., Generalized Non-metric Multidimensional Scaling, AISTATS 2007.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> train, test = answers.train_test_split(test_size=0.2, random_state=0)
    >>> od.GNMDS(n_components=2, random_state=0).fit(train).score(test) > 0.85
    True
    """

    def _loss(self) -> tuple[losses.Loss, Sequence[float]]:
        return losses.gnmds, [0.0]

    def _solve(self, problem: Problem, starts: Sequence[Points]) -> list[Result]:
        """Round the kinks off, at first much, then less, and in the end not at all."""
        objective, callback = problem.objective, problem.callback
        seen: Callback | None = None
        if callback is not None:

            def seen(number: int, _: float, points: Points) -> object:
                return callback(number, objective(points)[0], points)

        for width in _WIDTHS:
            rounded = Problem(problem.comparisons, objective.with_parameters([width]), seen)
            starts = [result.points for result in super()._solve(rounded, starts)]
        return super()._solve(problem, starts)
