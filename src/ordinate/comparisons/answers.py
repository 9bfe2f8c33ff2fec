"""How estimators write answers, and which objects they know."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError


def answer_classes(y: ArrayLike | None) -> NDArray[Any]:
    """Return how a denied and a confirmed row are written: as in `y`, or False and True."""
    signed = y is not None and np.asarray(y).dtype.kind != "b"
    return np.array([-1, 1]) if signed else np.array([False, True])


def check_in_fit(largest: int, n_objects: int, *, otherwise: str = "") -> None:
    """Refuse an object whose number is beyond those of a fit, and say what to do."""
    if largest >= n_objects:
        raise InputError(
            f"Object {largest} was not in the fit, which had {n_objects} objects."
            f" Fit a Comparisons record whose n_objects covers all objects{otherwise}."
        )
