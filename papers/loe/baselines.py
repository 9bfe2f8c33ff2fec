"""The methods that LOE is compared with, each through the library that does it well."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import igraph
import numpy as np
from sklearn.manifold import SpectralEmbedding

import ordinate as od
from ordinate.gram.base import embed_gram
from ordinate.gram.hinge import HingeProblem

TOLERANCE = 1e-2
"""How far above the optimum GNMDS's loss may be, relatively."""


def joined(graph: od.NeighborGraph) -> np.ndarray:
    """Return the symmetric adjacency matrix: 1 where either is a neighbour of the other."""
    adjacency = graph.adjacency
    return ((adjacency + adjacency.T) > 0).astype(np.float64).tocsr()


def as_igraph(graph: od.NeighborGraph) -> igraph.Graph:
    """Return the undirected graph."""
    edges = np.argwhere(np.triu(joined(graph).toarray()))
    return igraph.Graph(n=graph.n_objects, edges=edges.tolist())


def laplacian_eigenmaps(graph: od.NeighborGraph, seed: int) -> np.ndarray:
    """Take the eigenvectors of the graph Laplacian (scikit-learn)."""
    model = SpectralEmbedding(2, affinity="precomputed", random_state=seed)
    return model.fit_transform(joined(graph))


def kamada_kawai(graph: od.NeighborGraph, seed: int) -> np.ndarray:
    """Match distances on the map to hop counts (igraph)."""
    igraph.set_random_number_generator(Random(seed))
    return np.array(as_igraph(graph).layout_kamada_kawai(maxiter=5 * graph.n_objects))


def fruchterman_reingold(graph: od.NeighborGraph, seed: int) -> np.ndarray:
    """Let edges attract and everyone repel (igraph)."""
    igraph.set_random_number_generator(Random(seed))
    return np.array(as_igraph(graph).layout_fruchterman_reingold())


def tsne(graph: od.NeighborGraph, seed: int) -> np.ndarray:
    """Run t-SNE with the graph as affinities (openTSNE)."""
    from openTSNE import TSNE
    from openTSNE.affinity import PrecomputedAffinities

    model = TSNE(random_state=seed, initialization="spectral", n_jobs=1)
    return np.array(model.fit(affinities=PrecomputedAffinities(joined(graph))))


def gnmds(graph: od.NeighborGraph, seed: int) -> np.ndarray:
    """Fit all comparisons the graph stands for."""
    return od.GNMDS(2, random_state=seed).fit(graph.to_comparisons()).embedding_


def searched_gnmds(
    graph: od.NeighborGraph, penalties: Iterable[float], max_iter: int = 2000
) -> np.ndarray:
    """Solve GNMDS's convex problem for many penalties; keep the map with the best GARI.

    The search looks at the graph that is to be recovered, as the paper's does. Penalties fall, and
    each solution is where the next one begins.
    """
    problem = HingeProblem(graph.to_comparisons(), graph.n_objects)
    solution, best, highest = None, np.zeros((graph.n_objects, 2)), -np.inf
    for penalty in sorted(penalties, reverse=True):
        solution = problem.solve(float(penalty), max_iter=max_iter, tol=TOLERANCE, before=solution)
        points = embed_gram(solution.result.points, 2)
        gari = od.metrics.graph_adjusted_rand_index(graph, embedding=points)
        if gari > highest:
            best, highest = points, gari
    return best


def random(graph: od.NeighborGraph, seed: int) -> np.ndarray:
    """Draw points that know nothing."""
    return np.random.default_rng(seed).standard_normal((graph.n_objects, 2))


def loe(graph: od.NeighborGraph, seed: int) -> np.ndarray:
    """Fit the graph as it is."""
    return od.LOE(2, random_state=seed).fit(graph).embedding_


def structure_preserving_embedding(
    graph: od.NeighborGraph, penalty: float = 1000.0, max_iter: int = 20_000
) -> np.ndarray:
    """Solve the semidefinite programme of Shaw and Jebara (cvxpy); up to some 200 objects.

    Maximise tr(KA) − C ξ over positive semidefinite K of trace at most 1 and centred, such that
    each non-neighbour is farther than every neighbour, up to ξ.
    """
    import cvxpy as cp

    n = graph.n_objects
    adjacency = graph.adjacency.toarray().astype(float)
    gram = cp.Variable((n, n), PSD=True)
    slack = cp.Variable(nonneg=True)
    diagonal = cp.reshape(cp.diag(gram), (n, 1), order="C")
    squares = diagonal @ np.ones((1, n)) + np.ones((n, 1)) @ diagonal.T - 2 * gram
    limits = [cp.trace(gram) <= 1, cp.sum(gram) == 0]
    for i in range(n):
        near = np.flatnonzero(adjacency[i])
        far = np.flatnonzero((adjacency[i] == 0) & (np.arange(n) != i))
        if len(near) and len(far):
            limits.append(squares[i, far] >= cp.max(squares[i, near]) - slack)
    goal = cp.Maximize(cp.trace(gram @ adjacency) - penalty * slack)
    cp.Problem(goal, limits).solve(solver=cp.SCS, max_iters=max_iter)
    values, vectors = np.linalg.eigh(gram.value)
    return vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0))


DRAWN_FROM_GRAPH = {
    "LE": laplacian_eigenmaps,
    "KK": kamada_kawai,
    "FR": fruchterman_reingold,
    "t-SNE": tsne,
    "LOE": loe,
}
"""Methods that can take thousands of objects."""
