"""Soft ordinal embedding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ordinate import losses
from ordinate._arguments import argument
from ordinate._arrays import Points
from ordinate._checks import InputError, check_choice, check_real
from ordinate.comparisons.inputs import as_comparisons
from ordinate.solvers.stopping import Result, Rules
from ordinate.triplets.embedding import EmbeddingEstimator, Problem, document_parameters


@document_parameters
@dataclass(eq=False, repr=False, kw_only=True)
class SOE(EmbeddingEstimator):
    """Soft ordinal embedding: squared hinge on distances, Σ max(0, d_near + δ − d_far)².

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    delta : float, default=1.0
        By how much far distances should exceed near ones; it only sets the scale of the map.
    solver : {"lbfgs", "majorize"}, default="lbfgs"
        L-BFGS, or the paper's majorisation, which never raises the loss and is much slower.
    {shared}

    See Also
    --------
    STE : For noisy answers, with probabilities.
    OrdinalEmbedding : The same solver with a loss of your own.
    compare : Which method predicts held-out answers best.

    References
    ----------
    Terada & von Luxburg, Local Ordinal Embedding, ICML 2014.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> train, test = answers.train_test_split(test_size=0.2, random_state=0)
    >>> model = od.SOE(n_components=2, random_state=0).fit(train)
    >>> model.embedding_.shape == (answers.n_objects, 2)
    True
    >>> model.score(test) > 0.85
    True
    """

    delta: float = 1.0
    solver: str = "lbfgs"

    def _loss(self) -> tuple[losses.Loss, Sequence[float]]:
        return losses.soe, [check_real("delta", self.delta, minimum=0, open_minimum=True)]

    def _posterior_likelihood(self) -> tuple[losses.Loss, Sequence[float]]:
        return losses.logistic, (0.0,)

    def _solve(self, problem: Problem, starts: Sequence[Points]) -> list[Result]:
        if check_choice("solver", self.solver, ("lbfgs", "majorize")) == "lbfgs":
            return super()._solve(problem, starts)
        if self.device != "cpu":
            raise InputError(
                f"{argument('solver', 'majorize')} runs on the CPU; got"
                f" {argument('device', self.device)}. Choose {argument('device', 'cpu')} or"
                f" {argument('solver', 'lbfgs')}."
            )
        from ordinate.solvers.majorize import majorize
        from ordinate.triplets.majorizer import soe_majorizer

        rules: Rules = {
            "max_iter": self.max_iter,
            "tol": self.tol,
            "floor": self._floor(problem.objective, starts[0]),
            "callback": problem.callback,
        }
        improve = soe_majorizer(as_comparisons(problem.comparisons), self.delta)
        return [majorize(improve, start, **rules) for start in starts]
