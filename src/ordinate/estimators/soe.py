"""Soft ordinal embedding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ordinate import losses
from ordinate._checks import check_real
from ordinate.estimators.embedding import EmbeddingEstimator, document_parameters


@document_parameters
@dataclass(eq=False, repr=False, kw_only=True)
class SOE(EmbeddingEstimator):
    """Soft ordinal embedding: squared hinge on distances, Σ max(0, d_near + δ − d_far)².

    Parameters
    ----------
    n_components : int
        Dimension of the embedding.
    delta : float
        By how much far distances should exceed near ones; it only sets the scale of the map.
    {shared}

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

    def _loss(self) -> tuple[losses.Loss, Sequence[float]]:
        return losses.soe, [check_real("delta", self.delta, minimum=0, open_minimum=True)]
