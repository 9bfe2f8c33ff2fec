"""t-exponential triplet embedding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ordinate import losses
from ordinate._checks import check_real
from ordinate.estimators.embedding import EmbeddingEstimator, document_parameters


@document_parameters
@dataclass(eq=False, repr=False, kw_only=True)
class TETE(EmbeddingEstimator):
    """t-exponential triplet embedding: a bounded loss that wrong answers cannot dominate.

    The loss of an answer is log_t(1 + exp_t'(−d_far²) / exp_t'(−d_near²)). With t = 1 it is that of
    STE (t' = 1) or of t-STE with α = 1 (t' = 2).

    Parameters
    ----------
    n_components : int
        Dimension of the embedding.
    t : float
        From 1 to 2; for t > 1 no answer costs more than 1 / (t − 1).
    t_prime : float
        From 1 (Gaussian tails) to 2 (Student tails).
    {shared}

    References
    ----------
    Amid, Vlassis & Warmuth, t-Exponential Triplet Embedding, arXiv:1611.09957.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> train, test = answers.train_test_split(test_size=0.2, random_state=0)
    >>> od.TETE(n_components=2, random_state=0).fit(train).score(test) > 0.85
    True
    """

    t: float = 2.0
    t_prime: float = 2.0

    def _loss(self) -> tuple[losses.Loss, Sequence[float]]:
        t = check_real("t", self.t, minimum=1, maximum=2)
        return losses.tete, [t, check_real("t_prime", self.t_prime, minimum=1, maximum=2)]
