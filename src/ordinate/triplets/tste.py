"""Stochastic triplet embedding with Student tails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ordinate import losses
from ordinate._checks import check_real
from ordinate.engine.likelihoods import likelihood
from ordinate.triplets.probabilistic import ProbabilisticEmbedding, document_parameters


@document_parameters
@dataclass(eq=False, repr=False, kw_only=True)
class TSTE(ProbabilisticEmbedding):
    """t-distributed stochastic triplet embedding: logistic loss with heavy tails.

    An answer has the probability 1 / (1 + ((α + d_near²) / (α + d_far²))^((α+1)/2)). With
    ``penalty=0`` it is the method as published.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    alpha : float, optional
        Degrees of freedom, positive; by default max(n_components − 1, 1).
    {shared}

    See Also
    --------
    STE : With a Gaussian kernel.
    TETE : Bounded, for answers of which some are wrong.

    References
    ----------
    van der Maaten & Weinberger, Stochastic Triplet Embedding, MLSP 2012.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> train, test = answers.train_test_split(test_size=0.2, random_state=0)
    >>> od.TSTE(n_components=2, random_state=0).fit(train).score(test) > 0.85
    True
    """

    penalty: float = 0.5
    alpha: float | None = None

    def _loss(self) -> tuple[losses.Loss, Sequence[float]]:
        if self.alpha is None:
            return likelihood("TSTE", self.n_components)
        return losses.tste, [check_real("alpha", self.alpha, minimum=0, open_minimum=True)]
