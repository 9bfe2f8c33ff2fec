"""Predict and judge answers, with objects matched to those of the fit by label."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError
from ordinate._estimator import check_is_fitted
from ordinate.comparisons.inputs import Record, as_comparisons, record_to_fit
from ordinate.comparisons.record import Comparisons

_R = TypeVar("_R", bound=Record)


def answer_classes(y: ArrayLike | None) -> NDArray[Any]:
    """Return the labels of false and of true rows: as in `y`, or False and True."""
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


class PredictsAnswers:
    """Gives an estimator `fit`, `decision_function`, `predict` and `score` for answers.

    A subclass fits a record in `_fit_record`, and says how far each row agrees with the fit in
    `_margins`. Objects are matched to those of the fit by label where both have labels, else by
    position.
    """

    embedding_: NDArray[Any]
    names_: Sequence[Hashable] | None
    classes_: NDArray[Any]

    def fit(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Fit the method to answers.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3 or 4)
            Triplets (anchor, near, far) or quadruplets (i, j, k, l). Where it matters who gave
            each answer, a record with a group that says so.
        y : array-like of bool or +1/-1, shape (n_comparisons,), optional
            Whether each row holds as written; by default all do.
        sample_weight : array-like of shape (n_comparisons,), optional
            Weights that replace those of the record.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._fit_record(record_to_fit(X, y, weights=sample_weight))
        self.classes_ = answer_classes(y)
        return self

    def _fit_record(self, comparisons: Comparisons) -> None:
        """Fit the method to what counts of the answers."""
        raise NotImplementedError

    def _margins(self, record: Any) -> NDArray[np.float64]:
        """Return a number for each row of a matched record, positive where the row holds."""
        raise NotImplementedError

    def decision_function(self, X: Record | ArrayLike) -> NDArray[np.float64]:
        """Return how clearly each row holds by the fit, for the person asked if that is known.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3 or 4)
            Comparisons of fitted objects, matched by label where both have labels. An array holds
            labels or, as numbers, positions in the fit.

        Returns
        -------
        ndarray of shape (n_comparisons,)
            Positive where the fit agrees with the row, aligned with the rows given: by how much
            the far distance exceeds the near one or, for several maps, by how much it is more
            probable that the row holds.
        """
        return self._margins(self._matched(X))

    def predict(self, X: Record | ArrayLike) -> NDArray[Any]:
        """Tell for each row whether it holds by the fit, for the person asked if that is known.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3 or 4)
            Comparisons of fitted objects, matched by label where both have labels. An array holds
            labels, such as ``[["tea", "milk", "wine"]]``, or positions in the fit.

        Returns
        -------
        ndarray of shape (n_comparisons,)
            The second of `classes_` where the first pair is nearer, else the first; aligned with
            the rows given.
        """
        return predicted_answers(self.decision_function(X), self.classes_)

    def score(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the share of answers that the fit predicts.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3 or 4)
            Comparisons of fitted objects, usually held out from the fit, matched by label where
            both have labels.
        y : array-like of bool or +1/-1, shape (n_comparisons,), optional
            Whether each row holds as written.
        sample_weight : array-like of shape (n_comparisons,), optional
            Weights that replace those of the record.

        Returns
        -------
        float
            Weighted accuracy between 0 and 1.
        """
        return self._share_right(self._matched(X, y, sample_weight))

    def _share_right(self, record: Any) -> float:
        """Return the weighted share of a matched record's rows that hold."""
        return share_of(*weight_that_holds(self._margins(record), record.weights))

    def _matched(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Return a record whose objects are numbered as in the fit."""
        check_is_fitted(self)
        record = as_comparisons(X, y, weights=sample_weight)
        return in_fit(record, len(self.embedding_), self.names_)


def in_fit(record: _R, n_fitted: int, names: Sequence[Hashable] | None) -> _R:
    """Return a record with objects numbered as in a fit; one that was not in it is refused."""
    if record.names is not None and names is not None:
        if tuple(record.names) == tuple(names):
            return record
        number = {name: at for at, name in enumerate(names)}
        numbers = np.array([number.get(name, -1) for name in record.names], dtype=np.int32)
        new = record.occurring(np.flatnonzero(numbers < 0))
        if len(new):
            raise InputError(
                f"Object {record.names[new[0]]!r} was not in the fit; place it with transform, or"
                " fit again with its answers."
            )
        return cast(_R, record.renumbered(numbers, n_fitted, tuple(map(str, names))))
    if record.n_objects != n_fitted and not record._n_objects_inferred:
        raise InputError(
            f"These comparisons are about {record.n_objects} objects and the fit had {n_fitted}, so"
            " their positions may stand for others. Give both labels, or set the record's n_objects"
            f" to {n_fitted} if the positions are the same."
        )
    if record.n_objects > n_fitted:
        raise InputError(
            f"Object {record.n_objects - 1} was not in the fit, which had {n_fitted} objects. Place"
            " it with transform, or fit again with its answers."
        )
    return record


def numbers_in_fit(
    comparisons: Record, n_fitted: int, names: Sequence[Hashable] | None
) -> NDArray[np.int32]:
    """Return the number that each object of a record has in a fit; new ones follow."""
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
