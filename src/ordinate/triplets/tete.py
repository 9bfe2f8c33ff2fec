"""t-exponential triplet embedding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ordinate import losses
from ordinate._arrays import Points
from ordinate._checks import check_choice, check_real
from ordinate.solvers.stopping import Result
from ordinate.triplets.embedding import Problem
from ordinate.triplets.probabilistic import ProbabilisticEmbedding, document_parameters

_STEPS = 5
"""Values of t, from 1 to the one asked for, that a fit goes through."""


def published_temperature(n_components: int) -> float:
    """Return t = t' of the authors' program: 2 in the plane, less where there is more room."""
    return min(1.45 + 1.1 / n_components, 2.0)


@document_parameters
@dataclass(eq=False, repr=False, kw_only=True)
class TETE(ProbabilisticEmbedding):
    """t-exponential triplet embedding: a bounded loss that wrong answers cannot dominate.

    The loss of an answer is log_t(1 + exp_t'(−d_far²) / exp_t'(−d_near²)). With t = 1 it is that of
    STE (t' = 1) or of t-STE with α = 1 (t' = 2), and the fit begins there and raises t in steps.

    The paper sets t' = t. With t = t' = 2 the loss tends to Σ d_near² / (d_near² + d_far²) as the
    map grows, and the map that minimises it violates many answers that could all hold; with
    t' = 1 it tends to the number of violated answers. Where answers were flipped at random,
    ``t=2, t_prime=1, penalty=0`` is the best; about people's answers, of which most that are wrong
    are near ties, it is among the worst, and t = t' = 1.5 the best of six pairs. Hence the default.
    For triplets whose near object is a nearest neighbour, and to keep classes apart, pass
    ``t=2, t_prime=2``. In many dimensions, if the answers have as many, tails as light as those
    of t-STE halve the error: pass ``t_prime=1 + 2 / n_components``.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    t : float or "published", default=1.5
        From 1 to 2; for t > 1 no answer costs more than 1 / (t − 1). "published" follows the
        dimension as the authors' program does: min(1.45 + 1.1 / n_components, 2).
    t_prime : float or "published", default=1.5
        From 1 (Gaussian tails) to 2 (Student tails), or "published" as for `t`.
    {shared}

    See Also
    --------
    TSTE : The likelihood that it generalises.
    WeightedTETE : The same loss for feature vectors.

    References
    ----------
    Amid, Vlassis & Warmuth, Low-dimensional Data Embedding via Robust Ranking, arXiv:1611.09957.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> train, test = answers.train_test_split(test_size=0.2, random_state=0)
    >>> od.TETE(n_components=2, random_state=0).fit(train).score(test) > 0.85
    True
    """

    penalty: float = 0.5
    t: float | str = 1.5
    t_prime: float | str = 1.5

    def _loss(self) -> tuple[losses.Loss, Sequence[float]]:
        return losses.tete, [self._temperature("t"), self._temperature("t_prime")]

    def _temperature(self, name: str) -> float:
        value = getattr(self, name)
        if isinstance(value, str):
            check_choice(name, value, ("published",))
            return published_temperature(self.n_components)
        return check_real(name, value, minimum=1, maximum=2)

    def _first_loss(self) -> tuple[losses.Loss, Sequence[float]]:
        return self._negative_log_likelihood()

    def _negative_log_likelihood(self) -> tuple[losses.Loss, Sequence[float]]:
        return losses.tete, [1.0, self._temperature("t_prime")]

    def _solve(self, problem: Problem, starts: Sequence[Points]) -> list[Result]:
        """Raise t in steps: a bounded loss is flat wherever an answer is badly violated."""
        highest, t_prime = self._temperature("t"), self._temperature("t_prime")
        for t in np.linspace(1.0, highest, _STEPS)[:-1]:
            milder = problem._replace(objective=problem.objective.with_parameters([t, t_prime]))
            starts = [result.points for result in super()._solve(milder, starts)]
        return super()._solve(problem, starts)
