"""How much of a neighbour graph a map gives back."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ordinate._checks import InputError, check_points
from ordinate.graphs.recovery import (
    adjusted_rand_index,
    check_graph,
    disagreements,
    neighbors_kept,
)


def graph_adjusted_rand_index(
    adjacency: Any, recovered: Any = None, *, embedding: ArrayLike | None = None
) -> float:
    r"""Agreement of two directed graphs, corrected for chance.

    Parameters
    ----------
    adjacency : NeighborGraph, array-like or sparse array, shape (n_objects, n_objects)
        The graph that was given: 1 or True where row i has column j as its neighbour.
    recovered : NeighborGraph, array-like or sparse array, shape (n_objects, n_objects), optional
        The graph to compare with it; exactly one of `recovered` and `embedding` is needed.
    embedding : array-like of float, shape (n_objects, n_components), optional
        Coordinates, which give the graph back by joining each object to its :math:`k_i`
        nearest ones, :math:`k_i` being its number of neighbours in `adjacency`.

    Returns
    -------
    float
        1 if the graphs are equal, about 0 for unrelated ones, negative if they agree less
        than by chance. Loops are left out.

    See Also
    --------
    graph_error : Plain share of edges.
    ordinate.LOE : Makes maps of graphs.

    Notes
    -----
    With :math:`M_i` the number of objects other than i on which row i of the two graphs
    agrees, the index is :math:`\sum_i (M_i - E_i) / \sum_i (n - 1 - E_i)`, where
    :math:`E_i = n - 1 - 2 k_i (n - 1 - k_i) / (n - 1)` is what k_i neighbours drawn at random
    would give.

    References
    ----------
    Y. Terada and U. von Luxburg, "Local ordinal embedding", ICML 2014, section 6.1.

    Examples
    --------
    >>> import ordinate as od
    >>> path = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> od.metrics.graph_adjusted_rand_index(path, embedding=[[0], [1], [2], [3]])
    1.0
    >>> round(od.metrics.graph_adjusted_rand_index(path, embedding=[[0], [1], [3], [1.8]]), 2)
    0.25
    """
    return adjusted_rand_index(check_graph("adjacency", adjacency), recovered, embedding)


def graph_error(
    adjacency: Any, recovered: Any = None, *, embedding: ArrayLike | None = None
) -> float:
    r"""Share of pairs on which two directed graphs disagree: 0 if they are equal.

    The error is small for every sparse graph, however wrong;
    `graph_adjusted_rand_index` corrects it for chance.

    Parameters
    ----------
    adjacency : NeighborGraph, array-like or sparse array, shape (n_objects, n_objects)
        The graph that was given: 1 or True where row i has column j as its neighbour.
    recovered : NeighborGraph, array-like or sparse array, shape (n_objects, n_objects), optional
        The graph to compare with it; exactly one of `recovered` and `embedding` is needed.
    embedding : array-like of float, shape (n_objects, n_components), optional
        Coordinates, which give the graph back by joining each object to its :math:`k_i`
        nearest ones, :math:`k_i` being its number of neighbours in `adjacency`.

    Returns
    -------
    float
        :math:`\lVert \hat A - A \rVert_F^2 / (n (n - 1))`. Loops are left out.

    See Also
    --------
    graph_adjusted_rand_index : Corrected for chance.
    ordinate.LOE : Makes maps of graphs.

    References
    ----------
    Y. Terada and U. von Luxburg, "Local ordinal embedding", ICML 2014, section 6.1 (Err).

    Examples
    --------
    >>> import ordinate as od
    >>> path = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> od.metrics.graph_error(path, embedding=[[0], [1], [2], [3]])
    0.0
    >>> round(od.metrics.graph_error(path, embedding=[[0], [1], [3], [1.8]]), 2)
    0.33
    """
    given = check_graph("adjacency", adjacency)
    n = given.shape[0]
    return float(disagreements(given, recovered, embedding) / (n * (n - 1)))


def neighborhood_jaccard(adjacency: Any, embedding: ArrayLike) -> float:
    """Share of neighbourhoods that a drawing preserves; every object counts the same.

    Parameters
    ----------
    adjacency : NeighborGraph, array-like or sparse array, shape (n_objects, n_objects)
        The graph: 1 or True where row i has column j as its neighbour.
    embedding : array-like of float, shape (n_objects, n_components)
        Coordinates. Beside the k neighbours of an object stand the k objects nearest to it.

    Returns
    -------
    float
        Mean over objects with neighbours of the Jaccard index of the two sets, from 0 to 1.

    See Also
    --------
    graph_adjusted_rand_index : Every edge counts the same, and chance is 0.

    Examples
    --------
    >>> import ordinate as od
    >>> path = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> od.metrics.neighborhood_jaccard(path, [[0], [1], [2], [3]])
    1.0
    """
    given = check_graph("adjacency", adjacency)
    points = check_points("embedding", embedding, n_rows=given.shape[0])
    degree = np.diff(given.indptr).astype(np.int64)
    if not degree.any():
        raise InputError("The graph has no edges, so there are no neighbourhoods.")
    kept = neighbors_kept(given, degree, points)[degree > 0]
    return float(np.mean(kept / (2 * degree[degree > 0] - kept)))
