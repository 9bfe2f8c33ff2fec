"""Crowd kernel learning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ordinate import losses
from ordinate._checks import check_real
from ordinate.triplets.probabilistic import ProbabilisticEmbedding, document_parameters


@document_parameters
@dataclass(eq=False, repr=False, kw_only=True)
class CKL(ProbabilisticEmbedding):
    """Crowd kernel learning: −log of a ratio of squared distances.

    An answer has the probability (μ + d_far²) / (2μ + d_near² + d_far²). With ``penalty=0`` it is
    the method as published.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    mu : float, default=0.05
        Positive; keeps probabilities away from 0 and 1 at distances below √μ.
    {shared}

    See Also
    --------
    STE : Another probability of an answer.

    References
    ----------
    Tamuz et al., Adaptively Learning the Crowd Kernel, ICML 2011.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> train, test = answers.train_test_split(test_size=0.2, random_state=0)
    >>> od.CKL(n_components=2, random_state=0).fit(train).score(test) > 0.85
    True
    """

    penalty: float = 0.5
    mu: float = 0.05

    def _loss(self) -> tuple[losses.Loss, Sequence[float]]:
        return losses.ckl, [check_real("mu", self.mu, minimum=0, open_minimum=True)]
