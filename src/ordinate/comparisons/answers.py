"""How estimators write answers, and which objects they know."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError
from ordinate.comparisons.record import Comparisons


def answer_classes(y: ArrayLike | None) -> NDArray[Any]:
    """Return how a denied and a confirmed row are written: as in `y`, or False and True."""
    signed = y is not None and np.asarray(y).dtype.kind != "b"
    return np.array([-1, 1]) if signed else np.array([False, True])


def predicted_answers(margins: NDArray[np.float64], classes: NDArray[Any]) -> NDArray[Any]:
    """Return the second class where the far distance exceeds the near one, else the first."""
    predicted: NDArray[Any] = classes[(margins > 0).astype(np.intp)]
    return predicted


def weight_that_holds(
    margins: NDArray[np.float64], weights: NDArray[np.float64] | None
) -> tuple[float, float]:
    """Return the weight of the rows that hold, of which a tie is none, and that of all rows."""
    holds = margins > 0
    if weights is None:
        return float(np.count_nonzero(holds)), float(len(holds))
    return float(weights[holds].sum()), float(weights.sum())


def share_of(part: float, total: float) -> float:
    """Return which share of the weight a part has; somewhere there must be weight."""
    if total == 0:
        raise InputError("All weights are 0; at least one comparison must count.")
    return part / total


def check_in_fit(largest: int, n_objects: int, *, otherwise: str = "") -> None:
    """Refuse an object whose number is beyond those of a fit, and say what to do."""
    if largest >= n_objects:
        raise InputError(
            f"Object {largest} was not in the fit, which had {n_objects} objects."
            f" Fit a Comparisons record whose n_objects covers all objects{otherwise}."
        )


def numbers_in_fit(
    comparisons: Comparisons, n_fitted: int, names: Sequence[Hashable] | None
) -> NDArray[np.int32]:
    """Return the number that each object of a record has in a fit; new ones follow.

    Parameters
    ----------
    comparisons : Comparisons
        About fitted objects and new ones.
    n_fitted : int
        How many objects the fit had.
    names : sequence or None
        What they are called; objects are matched by name where both have names.

    Returns
    -------
    ndarray of int32, shape (n_objects,)
        Below `n_fitted` for an object of the fit.
    """
    if comparisons.names is None or names is None:
        if comparisons.n_objects < n_fitted:
            raise InputError(
                f"The fit has {n_fitted} objects and these comparisons {comparisons.n_objects};"
                " pass a Comparisons record whose n_objects counts the fitted objects and the"
                " new ones after them."
            )
        return np.arange(comparisons.n_objects, dtype=np.int32)
    number = {name: at for at, name in enumerate(names)}
    return np.array(
        [number.setdefault(name, len(number)) for name in comparisons.names], dtype=np.int32
    )
