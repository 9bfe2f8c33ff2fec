"""An embedding for a loss of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ordinate import losses
from ordinate.engine.check_loss import check_loss
from ordinate.triplets.embedding import EmbeddingEstimator, document_parameters


@document_parameters
@dataclass(eq=False, repr=False, kw_only=True)
class OrdinalEmbedding(EmbeddingEstimator):
    """Embedding by any loss of two squared distances.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    loss : callable
        A plain function ``loss(near2, far2, *loss_parameters)`` that returns its value and
        its partial derivatives in ``near2`` and ``far2``, written with NumPy's elementwise
        functions. It is compiled, and its derivatives are compared with finite differences, when
        it is first used.
    loss_parameters : sequence of float, default=()
        Numbers passed to the loss.
    {shared}

    Examples
    --------
    >>> import numpy as np
    >>> import ordinate as od
    >>> def exponential(near2, far2):
    ...     value = np.exp(np.minimum(near2 - far2, 30.0))
    ...     derivative = np.where(near2 - far2 < 30.0, value, 0.0)
    ...     return value, derivative, -derivative
    >>> answers = od.datasets.load_cities().comparisons
    >>> od.OrdinalEmbedding(loss=exponential, random_state=0).fit(answers).score(answers) > 0.8
    True
    """

    loss: losses.Loss = losses.soe
    loss_parameters: Sequence[float] = ()

    def _loss(self) -> tuple[losses.Loss, Sequence[float]]:
        check_loss(self.loss, tuple(self.loss_parameters))
        return self.loss, self.loss_parameters
