"""Soft ordinal embedding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import ArrayLike

from ordinate import losses
from ordinate._arguments import argument
from ordinate._arrays import Points
from ordinate._checks import InputError, check_choice, check_real, check_start
from ordinate._random import as_generator
from ordinate.comparisons.inputs import Record, as_comparisons
from ordinate.engine.objective import Objective
from ordinate.solvers.stopping import Result, Rules
from ordinate.triplets.embedding import EmbeddingEstimator, Problem, document_parameters
from ordinate.triplets.initialization import at_best_scale, random_start

if TYPE_CHECKING:
    from ordinate.triplets.ranked_distances import RankedDistances


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

    def fit(
        self,
        X: Record | ArrayLike | RankedDistances,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Place the objects so that the comparisons hold as far as possible.

        Parameters
        ----------
        X : RankedDistances, Comparisons, PartitionedComparisons, Dask array or array-like
            A complete ranking of all distances, which is not written out; or comparisons, as for
            the other methods.
        y, sample_weight
            For comparisons, as for the other methods: whether each row holds, and its weight.

        Returns
        -------
        self
            The fitted estimator.
        """
        from ordinate.triplets.ranked_distances import RankedDistances

        if not isinstance(X, RankedDistances):
            return super().fit(X, y, sample_weight)
        if not (y is None and sample_weight is None):
            raise InputError("y and sample_weight are for comparisons; RankedDistances have none.")
        if self.solver != "lbfgs" or self.device != "cpu":
            raise InputError(
                f"RankedDistances are fitted with {argument('solver', 'lbfgs')} and"
                f" {argument('device', 'cpu')}; got"
                f" {self.solver!r} and {self.device!r}."
            )
        ranking: Any = X  # answers what a fit asks of a record: its length, names and objects
        self._check_parameters(ranking)
        return self._fit_from(self._starts_of_ranking(X), ranking, None)

    def _starts_of_ranking(self, ranking: RankedDistances) -> list[Points]:
        """Return where to begin; "auto" is one start, as a ranking determines nearly everything."""
        from ordinate.triplets.ranked_distances import RankingObjective

        self.n_init_ = 1 if isinstance(self.n_init, str) else int(self.n_init)
        rng = as_generator(self.random_state)
        objective = RankingObjective(ranking, self.delta)

        def scaled(start: Points) -> Points:
            return at_best_scale(start, lambda points: objective(points)[0])

        def drawn() -> Points:
            return scaled(random_start(ranking.n_objects, self.n_components, rng))

        if not isinstance(self.init, str):
            first = check_start(self.init, ranking.n_objects, self.n_components)
        else:
            spectral = self.init == "spectral"
            first = scaled(ranking.start(self.n_components)) if spectral else drawn()
        return [first, *(drawn() for _ in range(1, self.n_init_))]

    def _objective(self, comparisons: Record) -> Objective:
        from ordinate.triplets.ranked_distances import RankedDistances, RankingObjective

        if isinstance(comparisons, RankedDistances):
            return RankingObjective(comparisons, self.delta)
        return super()._objective(comparisons)

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
