"""Soft ordinal embedding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ordinate import losses
from ordinate._checks import InputError, check_choice, check_real
from ordinate._random import as_generator
from ordinate.comparisons.partitions import Record
from ordinate.comparisons.record import as_comparisons
from ordinate.engine.objective import Objective
from ordinate.solvers.stopping import Callback, Points, Result
from ordinate.triplets.embedding import EmbeddingEstimator, document_parameters
from ordinate.triplets.initialization import at_best_scale, random_start

if TYPE_CHECKING:
    from ordinate.triplets.ranking import Ranking


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
        X: Record | ArrayLike | Ranking,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Place the objects so that the comparisons hold as far as possible.

        Parameters
        ----------
        X : Ranking, Comparisons, PartitionedComparisons, Dask array or array-like, 3 or 4 columns
            A complete ranking of all distances, which is not written out, or triplets (anchor,
            near, far) or quadruplets (i, j, k, l). A Dask data frame will do, too. Comparisons in
            partitions stay where they are.
        y : array-like of bool or +1/-1, shape (n_comparisons,), optional
            Whether each row holds as written; by default all do.
        sample_weight : array-like of shape (n_comparisons,), optional
            Weights that replace those of the record.

        Returns
        -------
        self
            The fitted estimator.
        """
        from ordinate.triplets.ranking import Ranking

        if not isinstance(X, Ranking):
            return super().fit(X, y, sample_weight)
        if not (y is None and sample_weight is None):
            raise InputError("y and sample_weight are for comparisons; a Ranking has none.")
        if self.solver != "lbfgs" or self.device != "cpu":
            raise InputError(
                'A Ranking is fitted with solver="lbfgs" and device="cpu"; got'
                f" {self.solver!r} and {self.device!r}."
            )
        ranking: Any = X  # answers what a fit asks of a record: its length, names and objects
        self._check_parameters(ranking)
        return self._fit_from(self._starts_of_ranking(X), ranking, None)

    def _starts_of_ranking(self, ranking: Ranking) -> list[Points]:
        """Return where to begin; "auto" is one start, as a ranking determines nearly everything."""
        from ordinate.triplets.ranking import RankingObjective

        self.n_init_ = 1 if isinstance(self.n_init, str) else int(self.n_init)
        rng = as_generator(self.random_state)
        objective = RankingObjective(ranking, self.delta)

        def scaled(start: Points) -> Points:
            return at_best_scale(start, lambda points: objective(points)[0])

        def drawn() -> Points:
            return scaled(random_start(ranking.n_objects, self.n_components, rng))

        if not isinstance(self.init, str):
            first = self._given_start(ranking.n_objects)
        else:
            spectral = self.init == "spectral"
            first = scaled(ranking.start(self.n_components)) if spectral else drawn()
        return [first, *(drawn() for _ in range(1, self.n_init_))]

    def _objective(self, comparisons: Record) -> Objective:
        from ordinate.triplets.ranking import Ranking, RankingObjective

        if isinstance(comparisons, Ranking):
            return RankingObjective(comparisons, self.delta)
        return super()._objective(comparisons)

    def _loss(self) -> tuple[losses.Loss, Sequence[float]]:
        return losses.soe, [check_real("delta", self.delta, minimum=0, open_minimum=True)]

    def _solve(
        self,
        comparisons: Record,
        objective: Objective,
        starts: Sequence[Points],
        callback: Callback | None,
    ) -> list[Result]:
        if check_choice("solver", self.solver, ("lbfgs", "majorize")) == "lbfgs":
            return super()._solve(comparisons, objective, starts, callback)
        if self.device != "cpu":
            raise InputError(
                f'solver="majorize" runs on the CPU; got device={self.device!r}. Choose'
                ' device="cpu" or solver="lbfgs".'
            )
        from ordinate.solvers.majorize import majorize
        from ordinate.triplets.majorizer import soe_majorizer

        floor = self.tol * objective(np.zeros_like(starts[0]))[0]
        improve = soe_majorizer(as_comparisons(comparisons), self.delta)
        run = partial(majorize, improve, max_iter=self.max_iter, tol=self.tol, floor=floor)
        return [run(start, callback=callback) for start in starts]
