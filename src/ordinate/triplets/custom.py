"""An embedding for a loss of one's own, which is tried before it is used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numba.core.errors import NumbaError

from ordinate import losses
from ordinate._checks import InputError
from ordinate.comparisons.record import Comparisons
from ordinate.engine.cpu import CPUObjective
from ordinate.triplets.embedding import EmbeddingEstimator, document_parameters

_STEP = 1e-5
_SQUARED_DISTANCES = np.array([[0.31, 1.73], [1.73, 0.31], [2.9, 2.7], [0.013, 0.41], [57.3, 61.9]])


@document_parameters
@dataclass(eq=False, repr=False, kw_only=True)
class OrdinalEmbedding(EmbeddingEstimator):
    """Embedding by any loss of two squared distances.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the embedding.
    loss : callable, default=ordinate.losses.soe
        A plain function ``loss(near2, far2, *loss_parameters)`` that returns its value and
        its partial derivatives in ``near2`` and ``far2``, written with NumPy's elementwise
        functions. It is compiled, and its derivatives are compared with finite differences, when
        it is first used.
    loss_parameters : sequence of float, default=()
        Numbers passed to the loss.
    {shared}

    See Also
    --------
    SOE, STE, TSTE, CKL, GNMDS, TETE : Methods with a loss of their own.
    ordinate.losses.logistic : A loss to begin with.

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


@cache
def check_loss(loss: losses.Loss, parameters: tuple[float, ...] = ()) -> None:
    """Refuse a loss that cannot be compiled or whose partial derivatives are wrong."""
    name = getattr(loss, "__name__", repr(loss))
    try:
        compiled = CPUObjective(Comparisons([[0, 1, 0, 2]]), loss, parameters)
        compiled(np.arange(3.0)[:, None])
    except (NumbaError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        reason = next(line for line in str(error).splitlines()[::-1] if line.strip())
        raise InputError(
            f"The loss {name!r} cannot be compiled: {reason.strip()} A loss takes two squared"
            " distances and its parameters, uses arithmetic, if and NumPy's elementwise functions"
            " only, and returns three numbers: value, derivative in near² and derivative in far²."
        ) from error
    for squared in _SQUARED_DISTANCES:
        for position, label in enumerate(("near²", "far²")):
            step = np.zeros(2)
            step[position] = _STEP * squared[position]
            above = _compiled_value(compiled, squared + step)
            below = _compiled_value(compiled, squared - step)
            measured = (above - below) / (2.0 * step[position])
            stated = float(loss(*squared, *parameters)[1 + position])
            if not abs(stated - measured) <= 1e-4 * max(1.0, abs(measured)):
                raise InputError(
                    f"The loss {name!r} returns {stated:.6g} as its derivative in {label} at"
                    f" near² = {squared[0]:g}, far² = {squared[1]:g}, but finite differences give"
                    f" {measured:.6g}."
                )


def _compiled_value(objective: CPUObjective, squared: np.ndarray) -> float:
    """Value of the compiled loss at two squared distances, on a line."""
    near, far = np.sqrt(squared)
    return objective(np.array([[0.0], [near], [far]]))[0]
