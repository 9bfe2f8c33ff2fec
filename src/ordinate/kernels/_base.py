"""What the triplet kernels have in common: similarity as agreement of answers."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ordinate._checks import InputError, check_choice, check_objects
from ordinate._docstrings import sharing
from ordinate.comparisons.answers import numbers_in_fit
from ordinate.comparisons.record import Comparisons, as_comparisons
from ordinate.kernels._entries import Rows, Statements, number_questions, unit_entries
from ordinate.kernels._features import (
    Features,
    dense_features,
    inner_products,
    smallest_eigenvalue,
    sparse_features,
    squared_lengths,
)
from ordinate.sources._landmarks import check_landmarks

Mask: TypeAlias = NDArray[np.bool_]

_PARAMETERS = """
    landmarks : array-like of int, shape (n_landmarks,), optional
        Numbers of the landmark objects, for answers to `ordinate.sources.landmark_questions`.
        Features are then dense, one for each pair of landmarks.
    dtype : {"float64", "float32"}
        Type of the features; float32 halves their memory.

    Attributes
    ----------
    features_ : csr_array or ndarray of shape (n_objects, n_features)
        One row per object, of length 1 or, without data, 0. Sparse unless there are landmarks.
    pairs_ : ndarray of int32, shape (n_features, 2)
        The two objects that each feature is about.
    without_data_ : ndarray of int
        Numbers of the objects without data.
    n_objects_ : int
        How many objects there are.
    names_ : tuple of str or None
        Their names, if the comparisons had any.
"""


class WithoutDataWarning(UserWarning):
    """Some objects have no feature vector, because no answer says anything about them.

    Examples
    --------
    >>> import warnings
    >>> import ordinate as od
    >>> with warnings.catch_warnings(action="error", category=od.kernels.WithoutDataWarning):
    ...     od.K1().fit([[0, 1, 2], [1, 0, 2]])
    Traceback (most recent call last):
    ...
    ordinate.kernels._base.WithoutDataWarning: K1 has no data on 1 of 3 objects...
    """


document_parameters = sharing(_PARAMETERS)


@dataclass(eq=False, repr=False)
class TripletKernel(TransformerMixin, BaseEstimator):
    """What `K1` and `K2` have in common."""

    landmarks: ArrayLike | None = None
    dtype: str = "float64"

    _who_has_data: ClassVar[str]
    _design: ClassVar[str]

    @staticmethod
    def _read(rows: Rows, places: Rows) -> Statements:
        """Say who answers what in each row."""
        raise NotImplementedError

    @staticmethod
    def _landmark_pairs(n_landmarks: int) -> NDArray[np.int64]:
        """List the pairs of landmarks that make a question."""
        raise NotImplementedError

    @staticmethod
    def _fits_design(anchor: Mask, near: Mask, far: Mask) -> Mask:
        """Tell, from which objects of a row are landmarks, whether it says anything."""
        raise NotImplementedError

    def fit(
        self,
        X: Comparisons | ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Compute the feature vector of every object.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3)
            Triplets (anchor, near, far). Weights count as repetitions.
        y : array-like of bool or +1/-1, shape (n_comparisons,), optional
            Whether each row holds as written; by default all do.
        sample_weight : array-like of shape (n_comparisons,), optional
            Weights that replace those of the record.

        Returns
        -------
        self
            The fitted kernel.
        """
        comparisons = self._triplets(X, y, sample_weight)
        check_choice("dtype", self.dtype, ("float32", "float64"))
        n_objects = comparisons.n_objects
        self.n_objects_ = n_objects
        self.names_ = comparisons.names
        everything = np.arange(n_objects, dtype=np.int32)
        if self.landmarks is None:
            self.features_, self.pairs_ = self._sparse(comparisons, everything, None)
        else:
            chosen = check_landmarks(self.landmarks, n_objects)
            self.pairs_ = chosen[self._landmark_pairs(len(chosen))]
            self.features_ = self._dense(comparisons, everything)
        self.without_data_ = np.flatnonzero(squared_lengths(self.features_) == 0)
        if self.without_data_.size:
            called = everything if self.names_ is None else self.names_
            some = ", ".join(str(called[number]) for number in self.without_data_[:5])
            warnings.warn(
                f"{type(self).__name__} has no data on {self.without_data_.size} of {n_objects}"
                f" objects ({some}{', …' if self.without_data_.size > 5 else ''}): it needs"
                f" answers in which {self._who_has_data}. Their features are zero.",
                WithoutDataWarning,
                stacklevel=2,
            )
        return self

    def fit_transform(
        self,
        X: Comparisons | ArrayLike,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Features:
        """Fit, and return `features_`.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3)
            Triplets (anchor, near, far).
        y : array-like of bool or +1/-1, shape (n_comparisons,), optional
            Whether each row holds as written; by default all do.
        sample_weight : array-like of shape (n_comparisons,), optional
            Weights that replace those of the record.

        Returns
        -------
        csr_array or ndarray of shape (n_objects, n_features)
            One row per object.
        """
        return self.fit(X, y, sample_weight).features_

    def transform(self, X: Comparisons | ArrayLike) -> Features:
        """Give objects, above all new ones, features from answers about them.

        The inner product of a row with a row of `features_` is the kernel of the two objects.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_comparisons, 3)
            Triplets. If they and the fit have names, objects are matched by name; otherwise
            by number, new ones being those from `n_objects_` on.

        Returns
        -------
        csr_array or ndarray of shape (X.n_objects, n_features)
            One row per object of `X`, from the answers in `X` alone. Questions that no fitted
            object has answered count in the length of a row, which is at most 1.
        """
        check_is_fitted(self)
        comparisons = self._triplets(X)
        numbers = numbers_in_fit(comparisons, self.n_objects_, self.names_)
        if self.landmarks is None:
            return self._sparse(comparisons, numbers, self.pairs_)[0]
        return self._dense(comparisons, numbers)

    def kernel(self, *, shift: bool = False) -> NDArray[Any]:
        """Return the similarity of every object to every object.

        Parameters
        ----------
        shift : bool
            Whether to subtract the smallest eigenvalue from the diagonal. With few answers
            objects are similar to themselves only; this removes as much of that as the matrix
            can lose and still be a kernel (section 2.1 of the paper). Nothing changes if there
            are more objects than features or an object has no data: that eigenvalue is 0 then.

        Returns
        -------
        ndarray of shape (n_objects, n_objects)
            Symmetric and positive semidefinite, with ones (less the shift) on the diagonal.
        """
        check_is_fitted(self)
        products = inner_products(self.features_)
        if shift:
            np.einsum("ii->i", products)[:] -= smallest_eigenvalue(self.features_, products)
        return products

    def similarity(self, a: ArrayLike, b: ArrayLike) -> float | NDArray[Any]:
        """Return the kernel of two objects, or of many pairs of them.

        Parameters
        ----------
        a, b : int or array-like of int
            Numbers of objects; arrays are matched as NumPy does.

        Returns
        -------
        float or ndarray
            Between -1 and 1.
        """
        check_is_fitted(self)
        left, right = np.broadcast_arrays(
            check_objects("a", a, self.n_objects_), check_objects("b", b, self.n_objects_)
        )
        one, other = self.features_[left.ravel()], self.features_[right.ravel()]
        products = (one * other).sum(axis=1)
        return float(products[0]) if left.ndim == 0 else products.reshape(left.shape)

    def _triplets(
        self,
        X: Comparisons | ArrayLike,
        y: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> Comparisons:
        comparisons = as_comparisons(X, y, weights=weights)
        if comparisons.kind != "triplet":
            raise InputError(
                f"{type(self).__name__} is made of triplets (anchor, near, far); got quadruplets."
                " Embed them with SOE, or write those that share an object as triplets."
            )
        if len(comparisons) == 0:
            raise InputError("No comparisons; expected at least one row.")
        return comparisons

    def _sparse(
        self, comparisons: Comparisons, numbers: Rows, pairs: Rows | None
    ) -> tuple[Features, Rows]:
        """Features for the pairs given, or for all that occur."""
        n_places = int(numbers.max()) + 1
        questions = None if pairs is None else number_questions(pairs, n_places)
        features, questions = sparse_features(
            unit_entries(comparisons, self._read, numbers, n_places),
            len(numbers),
            questions,
            self.dtype,
        )
        return features, np.column_stack(np.divmod(questions, n_places)).astype(np.int32)

    def _dense(self, comparisons: Comparisons, numbers: Rows) -> Features:
        """Features for all pairs of landmarks."""
        chosen = np.unique(self.pairs_)
        place = np.searchsorted(chosen, numbers).astype(np.int32)
        place[chosen.take(place, mode="clip") != numbers] = -1
        is_landmark = place >= 0
        fits = self._fits_design(*(is_landmark[column] for column in comparisons.rows.T))
        if not fits.all():
            first = int(np.argmin(fits))
            row = tuple(comparisons.rows[first].tolist())
            raise InputError(
                f"Row {first} is {row}: with landmarks, {type(self).__name__} takes answers in"
                f" which {self._design}. Leave such rows out, or fit without"
                " landmarks."
            )
        blocks = unit_entries(comparisons, self._read, place, len(chosen))
        questions = number_questions(self._landmark_pairs(len(chosen)), len(chosen))
        return dense_features(blocks, len(numbers), questions, self.dtype)
