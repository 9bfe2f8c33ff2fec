"""Dissimilarities of all pairs of objects, as other programs exchange them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import pdist, squareform

from ordinate import sources
from ordinate._checks import InputError, check_names, check_points, refuse_similarities
from ordinate._random import RandomState
from ordinate.comparisons.record import Comparisons
from ordinate.dimensions.objective import choice_similarity
from ordinate.io.atomic import atomic_path
from ordinate.io.coordinates import write_table
from ordinate.io.tables import errors_naming

_HDF5 = (".h5", ".hdf5")
_ENDINGS = (".npz", *_HDF5)
_DECIMALS = 5
"""Of tables of all pairs."""


@dataclass(frozen=True, eq=False)
class Dissimilarities:
    """A representational dissimilarity matrix (RDM) with the labels of its objects.

    Attributes
    ----------
    condensed : ndarray of shape (n_objects * (n_objects - 1) / 2,)
        The dissimilarity of each pair, in the order of `scipy.spatial.distance.pdist`.
    names : tuple of str or None
        The objects' labels.
    measure : str
        What the numbers are, such as ``"euclidean"``.

    See Also
    --------
    dissimilarities : From a fitted model, coordinates or a matrix.

    Examples
    --------
    >>> import ordinate as od
    >>> rdm = od.dissimilarities([[0.0], [1.0], [3.0]], names=["a", "b", "c"])
    >>> rdm.condensed
    array([1., 3., 2.])
    """

    condensed: NDArray[np.float64]
    names: tuple[str, ...] | None
    measure: str

    @property
    def matrix(self) -> NDArray[np.float64]:
        """The dissimilarities as a symmetric matrix."""
        square: NDArray[np.float64] = squareform(self.condensed)
        return square

    def to_comparisons(self, n: int, *, random_state: RandomState = None) -> Comparisons:
        """Compare random pairs: which of two objects is nearer to a third.

        Parameters
        ----------
        n : int
            How many triplets.
        random_state : int, Generator or None, default=None
            Seed of the triplets.

        Returns
        -------
        Comparisons
            Triplets that hold for these dissimilarities, with the same labels.

        Examples
        --------
        >>> import ordinate as od
        >>> rdm = od.dissimilarities([[0.0], [1.0], [3.0]], names=["a", "b", "c"])
        >>> rdm.to_comparisons(2, random_state=0).names
        ('a', 'b', 'c')
        """
        found = sources.random_triplets(
            self.matrix, n, metric="precomputed", random_state=random_state
        )
        return Comparisons(found.rows, n_objects=found.n_objects, names=self.names)

    def to_rsatoolbox(self) -> Any:
        """Return the same as an object of rsatoolbox, which must be installed.

        Returns
        -------
        rsatoolbox.rdm.RDMs
            One RDM; the labels are its pattern descriptor ``"object"``.
        """
        from rsatoolbox.rdm import RDMs

        described = {} if self.names is None else {"object": list(self.names)}
        return RDMs(
            self.condensed[None], dissimilarity_measure=self.measure, pattern_descriptors=described
        )

    @classmethod
    def from_rsatoolbox(cls, rdms: Any) -> Self:
        """Take one RDM of rsatoolbox.

        Parameters
        ----------
        rdms : rsatoolbox.rdm.RDMs
            One RDM; of several choose one first, such as ``rdms[0]``. Labels come from the pattern
            descriptor ``"object"``, or from the only one there is beside ``"index"``.

        Returns
        -------
        Dissimilarities
            The same pairs in the same order.
        """
        vectors = np.asarray(rdms.get_vectors(), dtype=np.float64)
        if len(vectors) != 1:
            raise InputError(
                f"Expected one matrix of dissimilarities; got {len(vectors)}. Choose one, such as"
                " rdms[0]."
            )
        described = {k: v for k, v in rdms.pattern_descriptors.items() if k != "index"}
        labels = described.get("object")
        if labels is None and len(described) == 1:
            labels = next(iter(described.values()))
        return cls(
            _finite(vectors[0]),
            None if labels is None else check_names([str(label) for label in labels]),
            rdms.dissimilarity_measure or "dissimilarity",
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file: .npz, .h5 and .hdf5 as rsatoolbox reads it, or a square table.

        Parameters
        ----------
        path : str or path
            Where to. A table ends in .csv, .tsv or .parquet, and has a column per object.
        """
        ending = Path(path).suffix.lower()
        if ending not in _ENDINGS:
            write_table(path, self._columns())
            return
        with atomic_path(path) as temporary:
            if ending == ".npz":
                arrays: dict[str, Any] = {
                    "dissimilarities": self.condensed,
                    "measure": np.array(self.measure),
                }
                if self.names is not None:
                    arrays["names"] = np.array(self.names)
                with open(temporary, "wb") as file:
                    np.savez(file, **arrays)
            else:
                self.to_rsatoolbox().save(str(temporary), overwrite=True)

    def _columns(self) -> dict[str, NDArray[Any]]:
        """Return the square table; numbers are rounded, as there are many."""
        matrix = np.round(self.matrix, _DECIMALS)
        labels = [str(name) for name in self.names or range(len(matrix))]
        key = "object" if "object" not in labels else "name of object"
        columns: dict[str, NDArray[Any]] = {key: np.array(labels, dtype=object)}
        return columns | dict(zip(labels, matrix, strict=True))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file that `save` or rsatoolbox has written.

        Parameters
        ----------
        path : str or path
            A file ending in .npz, .h5 or .hdf5.

        Returns
        -------
        Dissimilarities
            What it holds.
        """
        with errors_naming(os.fspath(path)):
            ending = Path(path).suffix.lower()
            if ending not in _ENDINGS:
                raise InputError(f"Expected a file ending in .npz, .h5 or .hdf5; got {ending!r}.")
            if ending in _HDF5:
                from rsatoolbox.rdm import load_rdm

                return cls.from_rsatoolbox(load_rdm(os.fspath(path), file_type="hdf5"))
            with np.load(path, allow_pickle=False) as arrays:
                if "dissimilarities" not in arrays:
                    listed = ", ".join(arrays.files)
                    raise InputError(f"Expected an array 'dissimilarities'; there are: {listed}.")
                names = check_names(arrays["names"].tolist()) if "names" in arrays else None
                measure = str(arrays["measure"]) if "measure" in arrays else "dissimilarity"
                return cls(_condensed(arrays["dissimilarities"]), names, measure)


def dissimilarities(
    source: Any, *, metric: str | None = None, names: Sequence[object] | None = None
) -> Dissimilarities:
    """Return the dissimilarities of all pairs of objects, with their labels.

    Parameters
    ----------
    source : fitted estimator or array-like
        A model with `embedding_`; coordinates or features, shape (n_objects, n_features); or with
        ``metric="precomputed"`` the dissimilarities themselves, square or condensed.
    metric : str, optional
        A metric of `scipy.spatial.distance.pdist`, such as ``"cosine"`` or ``"correlation"``, or
        ``"precomputed"``. By default Euclidean distances; for a model of dot products, such as
        `SparseDimensions`, the probability that two objects are not kept together beside a random
        third one (``"choice"``).
    names : sequence of str, optional
        Labels of the objects; by default those of the model.

    Returns
    -------
    Dissimilarities
        With `matrix`, `save`, `to_comparisons` and `to_rsatoolbox`.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities(2000).comparisons
    >>> rdm = od.dissimilarities(od.SOE(2, random_state=0).fit(answers))
    >>> rdm.matrix.shape
    (125, 125)
    """
    if hasattr(source, "embedding_"):
        labels = getattr(source, "names_", None) if names is None else names
        points = source.embedding_
    else:
        labels, points = names, source
    if metric == "precomputed":
        found, measure = _condensed(points), "dissimilarity"
        if np.ndim(points) == 2:
            refuse_similarities("source", np.asarray(points, dtype=np.float64))
    elif metric is None and getattr(source, "_is_dot", False):
        found, measure = _condensed(1 - choice_similarity(points)), "choice"
    else:
        measure = metric or "euclidean"
        try:
            found = pdist(check_points("source", points), cast(Any, measure))
        except ValueError as error:
            raise InputError(f"metric must be one that SciPy knows; {error}.") from None
    n_objects = round((1 + (1 + 8 * len(found)) ** 0.5) / 2)
    given = None if labels is None else check_names([str(label) for label in labels])
    if given is not None and len(given) != n_objects:
        raise InputError(f"There are {len(given)} names and {n_objects} objects; name each once.")
    return Dissimilarities(found, given, measure)


def _condensed(given: ArrayLike) -> NDArray[np.float64]:
    """Return the dissimilarities of pairs from a square matrix or a vector of them."""
    array = np.asarray(given, dtype=np.float64)
    if array.ndim == 1:
        n = round((1 + (1 + 8 * len(array)) ** 0.5) / 2)
        if n * (n - 1) // 2 != len(array) or n < 2:
            raise InputError(
                f"Expected n(n−1)/2 condensed dissimilarities; got {len(array)}. Pass"
                " scipy.spatial.distance.pdist(X) or a square matrix."
            )
        return _finite(array)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InputError(f"Expected a square matrix of dissimilarities; got shape {array.shape}.")
    if not np.allclose(array, array.T):
        raise InputError("The matrix of dissimilarities must be symmetric; average it with its"
                         " transpose if it is not.")  # fmt: skip
    return _finite(array[np.triu_indices(len(array), 1)])


def _finite(condensed: NDArray[np.float64]) -> NDArray[np.float64]:
    if not np.isfinite(condensed).all():
        raise InputError("Dissimilarities must be finite; leave out objects that have none.")
    return condensed
