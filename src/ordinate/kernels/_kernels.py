"""The triplet kernels K1 and K2: similarity as agreement of answers."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import NO_ROWS, InputError, check_choice, check_objects, check_points
from ordinate._distinct import distinct
from ordinate._estimator import BaseEstimator, check_is_fitted, sharing
from ordinate.comparisons.answers import numbers_in_fit
from ordinate.comparisons.inputs import record_to_fit
from ordinate.comparisons.record import Comparisons
from ordinate.kernels._features import (
    Features,
    Rows,
    Statements,
    dense_features,
    inner_products,
    number_questions,
    smallest_eigenvalue,
    sparse_features,
    squared_lengths,
    unit_entries,
)
from ordinate.sources._landmarks import check_landmarks

Mask: TypeAlias = NDArray[np.bool_]

_PARAMETERS = """
    landmarks : array-like of int, shape (n_landmarks,), optional
        Numbers of the landmark objects, for answers to `ordinate.sources.landmark_questions`.
        Features are then dense, one for each pair of landmarks.
    dtype : {"float64", "float32"}, default="float64"
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

document_parameters = sharing(_PARAMETERS)
Kernel: TypeAlias = "TripletKernel | ArrayLike"


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
    ordinate.kernels.WithoutDataWarning: K1 has no data on 1 of 3 objects...
    """

    __module__ = "ordinate.kernels"  # where users find it


@dataclass(eq=False, repr=False)
class TripletKernel(BaseEstimator):
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
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
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
                f" answers in which {self._who_has_data}, and contradictions cancel. Their"
                " features are zero.",
                WithoutDataWarning,
                stacklevel=2,
            )
        return self

    def fit_transform(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Features:
        """Fit, and return `features_`.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.

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

    def kernel(
        self, new: Comparisons | ArrayLike | None = None, *, shift: bool = False
    ) -> NDArray[Any]:
        """Return the similarity of every object to every object, or of new ones to the fitted.

        Parameters
        ----------
        new : Comparisons or array-like of shape (n_comparisons, 3), optional
            Answers about new objects, as `transform` takes them; kernel methods that were fitted
            to the matrix of the fitted objects predict from what is returned then.
        shift : bool, default=False
            Whether to subtract the smallest eigenvalue from the diagonal. With few answers
            objects are similar to themselves only; this removes as much of that as the matrix
            can lose and still be a kernel (section 2.1 of the paper). Nothing changes, and a
            warning says so, if there are more objects than features or an object has no data:
            that eigenvalue is 0 then. Similarities to new objects have no diagonal to shift.

        Returns
        -------
        ndarray of shape (n_objects, n_objects) or (new.n_objects, n_objects)
            Symmetric and positive semidefinite, with ones (less the shift) on the diagonal; of
            `new`, a row for each of its objects.
        """
        check_is_fitted(self)
        if new is not None:
            if shift:
                raise InputError(
                    "shift changes the diagonal, which similarities of new objects to fitted ones"
                    " do not have; call kernel(new) without it."
                )
            across = self.transform(new) @ self.features_.T
            return across if isinstance(across, np.ndarray) else across.toarray()
        products = inner_products(self.features_)
        if shift:
            smallest = smallest_eigenvalue(self.features_, products)
            if smallest == 0:
                warnings.warn(
                    "shift=True changed nothing: the smallest eigenvalue of the kernel matrix is 0,"
                    " as there are more objects than features or objects without data.",
                    UserWarning,
                    stacklevel=2,
                )
            np.einsum("ii->i", products)[:] -= smallest
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
        comparisons = record_to_fit(X, y, weights=weights)
        if comparisons.kind != "triplet":
            raise InputError(
                f"{type(self).__name__} is made of triplets (anchor, near, far); got quadruplets."
                " Use kernels.additive_similarity for them, or embed them with SOE."
            )
        if len(comparisons) == 0:
            raise InputError(NO_ROWS)
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
        chosen = distinct(self.pairs_)
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


@document_parameters
class K1(TripletKernel):
    """Triplet kernel k1: two objects are similar if they rank the others alike.

    The feature of object a for a pair (i, j) is +1 if a is nearer to i, -1 if nearer to j and 0
    if nobody said; where answers differ, (yes - no) / (yes + no). Rows are scaled to length 1.
    Of two of n objects that answered all questions the kernel is (n - 3) / (n - 1) times
    Kendall's rank correlation over the objects that both can rank.

    Parameters
    ----------
    {shared}

    See Also
    --------
    K2 : Similar if others rank the two alike.
    ordinate.kernels.kernel_pca : From a kernel to a map.

    References
    ----------
    M. Kleindessner and U. von Luxburg, "Kernel functions based on triplet comparisons", NIPS
    2017, equations (2) and (3).

    Examples
    --------
    >>> import ordinate as od
    >>> k = od.K1().fit(od.datasets.load_cities().comparisons)
    >>> k.kernel().shape
    (125, 125)
    >>> round(k.similarity(3, 3), 12)
    1.0
    """

    _who_has_data = "they are the anchor"
    _design = "near and far are landmarks"

    @staticmethod
    def _read(rows: Rows, places: Rows) -> Statements:
        """Read a triplet as the anchor's answer to "is the first of these two nearer to you?"."""
        near, far = places[:, 1], places[:, 2]
        return Statements(rows[:, 0], np.minimum(near, far), np.maximum(near, far), near > far)

    @staticmethod
    def _landmark_pairs(n_landmarks: int) -> NDArray[np.int64]:
        return np.column_stack(np.triu_indices(n_landmarks, k=1))

    @staticmethod
    def _fits_design(anchor: Mask, near: Mask, far: Mask) -> Mask:
        return near & far


@document_parameters
class K2(TripletKernel):
    """Triplet kernel k2: two objects are similar if others rank them alike.

    The feature of object a for a pair (i, j) is +1 if i is nearer to a than to j, -1 if nearer
    to j and 0 if nobody said; where answers differ, (yes - no) / (yes + no). Rows are scaled to
    length 1.

    Parameters
    ----------
    {shared}

    See Also
    --------
    K1 : Similar if the two rank others alike.
    ordinate.kernels.kernel_pca : From a kernel to a map.

    Notes
    -----
    With landmarks, answers say something of a landmark only as far as they compare it with
    another one, as in section 2.3 of the paper. Without, they also say something of it by
    comparing it with any other object. Similarities of objects that are no landmarks are the
    same either way.

    References
    ----------
    M. Kleindessner and U. von Luxburg, "Kernel functions based on triplet comparisons", NIPS
    2017, equation (5).

    Examples
    --------
    >>> import ordinate as od
    >>> k = od.K2().fit(od.datasets.load_cities().comparisons)
    >>> k.kernel().shape
    (125, 125)
    >>> round(k.similarity(3, 3), 12)
    1.0
    """

    _who_has_data = "they are near or far"
    _design = "the anchor and one of near and far are landmarks"

    @staticmethod
    def _read(rows: Rows, places: Rows) -> Statements:
        """Read a triplet as two answers to "are you nearer to the first than the second is?"."""
        anchor, near, far = places.T
        return Statements(
            np.concatenate([rows[:, 1], rows[:, 2]]),
            np.tile(anchor, 2),
            np.concatenate([far, near]),
            np.repeat([False, True], len(rows)),
        )

    @staticmethod
    def _landmark_pairs(n_landmarks: int) -> NDArray[np.int64]:
        return np.argwhere(~np.eye(n_landmarks, dtype=np.bool_))

    @staticmethod
    def _fits_design(anchor: Mask, near: Mask, far: Mask) -> Mask:
        return anchor & (near | far)


class Operator(NamedTuple):
    """The diagonal of a kernel matrix, and the matrix times any other."""

    diagonal: NDArray[Any]
    times: Callable[[NDArray[Any]], NDArray[Any]]


def as_operator(kernel: Kernel) -> Operator:
    """Return an operator; for a fitted kernel no matrix is formed."""
    if isinstance(kernel, TripletKernel):
        check_is_fitted(kernel)
        features = kernel.features_

        def times(other: NDArray[Any]) -> NDArray[Any]:
            # in the type of the features, which are not to be copied into another one
            products: NDArray[Any] = features @ (features.T @ other.astype(features.dtype))
            return products

        return Operator(squared_lengths(features), times)
    matrix = as_matrix(kernel)
    return Operator(matrix.diagonal(), lambda other: matrix @ other)


def as_matrix(kernel: Kernel) -> NDArray[Any]:
    """Return the kernel matrix."""
    if isinstance(kernel, TripletKernel):
        return kernel.kernel()
    matrix = check_points("kernel", kernel)
    if matrix.shape[0] != matrix.shape[1]:
        raise InputError(
            f"kernel must be a fitted K1 or K2 or a square matrix; got shape {matrix.shape}."
        )
    if not np.allclose(matrix, matrix.T):
        row, column = np.argwhere(~np.isclose(matrix, matrix.T))[0]
        raise InputError(
            f"kernel must be symmetric; entry ({row}, {column}) is {matrix[row, column]:g} and"
            f" entry ({column}, {row}) is {matrix[column, row]:g}."
        )
    return matrix
