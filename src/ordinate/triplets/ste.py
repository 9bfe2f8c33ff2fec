"""Stochastic triplet embedding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ordinate import losses
from ordinate.triplets.probabilistic import ProbabilisticEmbedding, document_parameters


@document_parameters
@dataclass(eq=False, repr=False, kw_only=True)
class STE(ProbabilisticEmbedding):
    """Stochastic triplet embedding: logistic loss on squared distances.

    An answer has the probability 1 / (1 + exp(d_near² − d_far²)).

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    {shared}

    References
    ----------
    van der Maaten & Weinberger, Stochastic Triplet Embedding, MLSP 2012.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> train, test = answers.train_test_split(test_size=0.2, random_state=0)
    >>> od.STE(n_components=2, random_state=0).fit(train).score(test) > 0.85
    True
    """

    def _loss(self) -> tuple[losses.Loss, Sequence[float]]:
        return losses.ste, []
