"""Features as a map takes them: on one scale, and if asked for, bent by a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError

MAPS = ("linear", "rbf", "mlp", "prior")
"""From features to coordinates: a matrix, a matrix on kernel features, a hidden layer, a prior."""
_CENTERS = 300
"""Objects that the kernel features of the others are computed from."""


class FeatureMap:
    """Centre features, divide them by their standard deviations, and bend them if asked for.

    With ``standardise=False`` all are divided by the same number, so that the geometry of the
    features stays as it is. Rows come out with a mean square length of 1, whatever the number and
    the units of the features, so that a penalty means the same for all tables. With a constant,
    on which dot products depend, a feature follows that all objects share.
    """

    def __init__(
        self,
        features: NDArray[Any],
        kind: str,
        seed: int,
        *,
        standardise: bool = True,
        with_constant: bool = False,
    ) -> None:
        self._with_constant = with_constant
        with np.errstate(over="ignore", invalid="ignore"):
            self._center = features.mean(axis=0, dtype=np.float64)
            spread = features.std(axis=0, dtype=np.float64)
        if not np.isfinite(spread).all():
            column = int(np.argmin(np.isfinite(spread)))
            raise InputError(
                f"The features in column {column} are so large that their squares overflow;"
                " divide them by a constant."
            )
        varying = spread > 0  # squares of tiny numbers are zero
        constant = features.max(axis=0) == features.min(axis=0)
        self.constant: NDArray[np.bool_] = constant | ~varying
        if self.constant.all():
            raise InputError("All features are constant; they must differ between objects.")
        self._factor = np.where(varying, 1 / np.where(varying, spread, 1), 0)
        if not standardise:
            self._factor[:] = 1 / np.sqrt(np.mean(np.square(spread[~self.constant])))
        self._factor[self.constant] = 0
        self._kernel: Any = None
        n_varying = int(np.count_nonzero(self._factor))
        if kind == "rbf":
            self._bend(features, n_varying, seed)
        else:
            self._factor /= np.sqrt(n_varying)
        self.n_outputs = features.shape[1] if self._kernel is None else len(self._shift)

    def _bend(self, features: NDArray[Any], n_varying: int, seed: int) -> None:
        from sklearn.kernel_approximation import Nystroem

        n_centers = min(_CENTERS, len(features))
        standardised = self._standardise(features)
        self._kernel = Nystroem(gamma=1 / n_varying, n_components=n_centers, random_state=seed)
        bent = self._kernel.fit_transform(standardised)
        self._shift = bent.mean(axis=0)
        self._length = np.sqrt(np.square(bent - self._shift).sum(axis=1).mean())

    def _standardise(self, features: NDArray[Any]) -> NDArray[Any]:
        center, factor = (a.astype(features.dtype) for a in (self._center, self._factor))
        return np.asarray((features - center) * factor)

    def __call__(self, features: NDArray[Any]) -> NDArray[Any]:
        """Return rows of features as the map takes them, in the precision they came in."""
        rows = self._standardise(features)
        if self._kernel is not None:
            rows = (self._kernel.transform(rows) - self._shift) / self._length
        return np.column_stack([rows, np.ones_like(rows[:, :1])]) if self._with_constant else rows

    def in_features(self, components: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the linear map of the features as they were given, and what it adds."""
        of_features = components.T * self._factor
        return of_features, -of_features @ self._center
