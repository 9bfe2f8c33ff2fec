"""Centres, outliers and classes from which objects lie between which others."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array

from ordinate._checks import InputError, check_integer
from ordinate.comparisons.inputs import as_comparisons
from ordinate.comparisons.record import Comparisons


class _Statements(NamedTuple):
    """Statements "of these three, `chosen` is the one between", or the outlier, with weights."""

    chosen: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    weight: NDArray[np.float64]


def lens_depth(
    comparisons: Comparisons | ArrayLike, *, labels: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Estimate how central every object is, directly from triplets.

    The lens of two objects is where one is closer to both of them than they are to each other.
    The depth of an object is the share of lenses it lies in: high in the middle of the objects,
    low at the border. Of three objects, the one opposite the longest side lies in the lens of the
    others; an answer to "which is the most central?" says so, and so do two triplets that agree.

    Parameters
    ----------
    comparisons : Comparisons or array-like of shape (n_comparisons, 3)
        Triplets (anchor, near, far). Only triples of objects for which both other objects called
        the same one near are used; see `ordinate.sources.from_most_central`.
    labels : array-like of shape (n_objects,), optional
        Classes. Depths are then measured within each class, which gives features for a
        classifier. Objects whose label is unknown have None.

    Returns
    -------
    ndarray of shape (n_objects,) or (n_objects, n_classes)
        Depths from 0 to 1; NaN if there is no triple of the object (with two members of the
        class). Classes are in sorted order.

    See Also
    --------
    relative_neighborhood_graph : Neighbours by the same lenses.
    kernel_medoid : The most central object by a kernel.

    References
    ----------
    Kleindessner & von Luxburg, Lens depth function and k-relative neighborhood graph: versatile
    tools for ordinal data analysis, JMLR 18, 2017.

    Examples
    --------
    >>> import numpy as np
    >>> import ordinate as od
    >>> line = od.sources.all_triplets(np.arange(5.0)[:, None])
    >>> od.kernels.lens_depth(line).round(2)
    array([0.  , 0.5 , 0.67, 0.5 , 0.  ])
    """
    return _share_chosen(*_statements(comparisons, "central"), labels)


def outlier_share(
    comparisons: Comparisons | ArrayLike, *, labels: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Estimate how far out every object lies, directly from triplets.

    Of three objects the outlier is the one opposite the shortest side; an answer to "which is the
    odd one out?" names it, and so do two triplets that agree. The share of its triples in which an
    object is the outlier is low where objects are dense and high for outliers. The object with
    the lowest share is the crowd median.

    Parameters
    ----------
    comparisons : Comparisons or array-like of shape (n_comparisons, 3)
        Triplets (anchor, near, far). Only triples of objects for which both other objects called
        the same one far are used; see `ordinate.sources.from_odd_one_out`.
    labels : array-like of shape (n_objects,), optional
        Classes, as for `lens_depth`.

    Returns
    -------
    ndarray of shape (n_objects,) or (n_objects, n_classes)
        Shares from 0 to 1; NaN if there is no triple of the object (with two members of the
        class). Classes are in sorted order.

    See Also
    --------
    lens_depth : The same from answers about the most central of three.

    References
    ----------
    Heikinheimo & Ukkonen, The crowd-median algorithm, HCOMP 2013.

    Rendsburg & Garreau, Comparison-based centrality measures, International Journal of Data
    Science and Analytics 2021.

    Examples
    --------
    >>> import ordinate as od
    >>> line = od.sources.all_triplets([[0.0], [1.0], [3.0], [9.0]])
    >>> od.kernels.outlier_share(line).round(2)
    array([0.  , 0.  , 0.33, 1.  ])
    """
    return _share_chosen(*_statements(comparisons, "outlier"), labels)


def relative_neighborhood_graph(comparisons: Comparisons | ArrayLike, k: int) -> csr_array:
    """Connect objects with fewer than `k` others in their lens, directly from triplets.

    The share of the other objects that lie in the lens of two is estimated from the triples in
    which both occur. Objects that never occur together are not connected.

    Parameters
    ----------
    comparisons : Comparisons or array-like of shape (n_comparisons, 3)
        Triplets (anchor, near, far), used as `lens_depth` does.
    k : int
        How many objects are too many: 1 for the relative neighbourhood graph, more for more edges.

    Returns
    -------
    csr_array of shape (n_objects, n_objects)
        Symmetric, 1 where two objects are connected.

    See Also
    --------
    lens_depth : How central every object is.

    References
    ----------
    Kleindessner & von Luxburg, Lens depth function and k-relative neighborhood graph: versatile
    tools for ordinal data analysis, JMLR 18, 2017.

    Examples
    --------
    >>> import numpy as np
    >>> import ordinate as od
    >>> line = od.sources.all_triplets(np.arange(4.0)[:, None])
    >>> od.kernels.relative_neighborhood_graph(line, 1).toarray().astype(int)
    array([[0, 1, 0, 0],
           [1, 0, 1, 0],
           [0, 1, 0, 1],
           [0, 0, 1, 0]])
    """
    n, lenses = _statements(comparisons, "central")
    check_integer("k", k, minimum=1, maximum=max(n - 2, 1))
    ends = (lenses.first, lenses.second)
    sides = [ends, (lenses.chosen, lenses.first), (lenses.chosen, lenses.second)]
    low = np.concatenate([np.minimum(*side) for side in sides])
    high = np.concatenate([np.maximum(*side) for side in sides])
    inside = np.concatenate([lenses.weight, np.zeros(2 * len(lenses.weight))])
    codes, pair = np.unique(low * n + high, return_inverse=True)
    share = np.bincount(pair, inside) / np.bincount(pair, np.tile(lenses.weight, 3))
    near = codes[share * (n - 2) < k]
    rows, columns = near // n, near % n
    edges = coo_array((np.ones(len(near)), (rows, columns)), shape=(n, n)).tocsr()
    return csr_array(edges + edges.T)


def _statements(
    comparisons: Comparisons | ArrayLike, which: Literal["central", "outlier"]
) -> tuple[int, _Statements]:
    """Find triples whose central object, or outlier, is known: both others called it near, or far.

    Returns the number of objects, too.
    """
    record = as_comparisons(comparisons)
    if record.kind != "triplet":
        raise InputError("Expected triplets (anchor, near, far); got comparisons of two pairs.")
    anchor, near, far = (column.astype(np.int64) for column in record.rows.T)
    chosen, other = (near, far) if which == "central" else (far, near)
    weights = np.ones(len(record)) if record.weights is None else record.weights
    first, second = np.minimum(anchor, other), np.maximum(anchor, other)
    rows = np.stack([chosen, first, second], axis=1)
    found, statement = np.unique(rows, axis=0, return_inverse=True)
    statement = statement.reshape(-1)  # NumPy 2.0 gives it a second axis
    from_first = np.bincount(statement, weights * (anchor == first), len(found))
    weight = np.minimum(from_first, np.bincount(statement, weights, len(found)) - from_first)
    known = weight > 0
    if len(record) and not known.any():
        what = "most central one" if which == "central" else "outlier"
        question = "the most central" if which == "central" else "the odd one out"
        raise InputError(
            f"Expected triples of objects whose {what} is known; got none. Ask 'which of the three"
            f" is {question}?', or ask all three objects of a triple."
        )
    chosen, low, high = found[known].T
    return record.n_objects, _Statements(chosen, low, high, weight[known])


def _share_chosen(n: int, statements: _Statements, labels: ArrayLike | None) -> NDArray[np.float64]:
    """Return in what share of its triples every object is the one chosen, by class."""
    if labels is None:
        classes, member = np.zeros(1, dtype=np.int64), np.zeros(n, dtype=np.int64)
    else:
        classes, member = _classes(labels, n)
    inside = np.zeros((n, len(classes)))
    asked = np.zeros((n, len(classes)))
    objects = np.stack([statements.chosen, statements.first, statements.second])
    for place in range(3):
        subject, one, other = objects[place], *np.delete(objects, place, axis=0)
        kind = member[one]
        use = (kind == member[other]) & (kind >= 0)
        np.add.at(asked, (subject[use], kind[use]), statements.weight[use])
        if place == 0:
            np.add.at(inside, (subject[use], kind[use]), statements.weight[use])
    share = np.divide(inside, asked, out=np.full_like(asked, np.nan), where=asked > 0)
    found: NDArray[np.float64] = share[:, 0] if labels is None else share
    return found


def _classes(labels: ArrayLike, n_objects: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers of the classes in sorted order, and that of each object; −1 if unknown."""
    given = np.asarray(labels, dtype=object)
    if given.shape != (n_objects,):
        raise InputError(
            f"Expected a label for each of {n_objects} objects; got shape {given.shape}."
        )
    known = sorted({label for label in given if label is not None}, key=str)
    numbers = {label: number for number, label in enumerate(known)}
    member = np.array([-1 if label is None else numbers[label] for label in given])
    return np.arange(len(known)), member
