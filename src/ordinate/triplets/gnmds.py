"""Generalised non-metric multidimensional scaling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ordinate import losses
from ordinate.triplets.embedding import EmbeddingEstimator, document_parameters


@document_parameters
@dataclass(eq=False, repr=False, kw_only=True)
class GNMDS(EmbeddingEstimator):
    """Generalised non-metric scaling: hinge on squared distances, Σ max(0, 1 + d_near² − d_far²).

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
        return losses.gnmds, []
