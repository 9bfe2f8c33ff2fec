"""Clusters of objects, on the map or by the kernel that predicts answers better."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp
from threadpoolctl import threadpool_limits

from ordinate._arguments import argument, parameter
from ordinate._arrays import Floats
from ordinate._checks import InputError, as_frame, check_choice, check_integer, weighted_mean
from ordinate._notebooks import ShownAsTable
from ordinate._random import RandomState, as_seed
from ordinate.comparisons.inputs import record_to_fit
from ordinate.comparisons.record import PAIR_COLUMNS, Comparisons
from ordinate.io.coordinates import object_column
from ordinate.kernels import kernel_kmeans, kernel_linkage, kernel_pca
from ordinate.kernels._kernels import TripletKernel
from ordinate.methods import METHODS, names_of
from ordinate.selection._compare import compare
from ordinate.selection._cross_validation import fit_all
from ordinate.selection._held_out import MethodSpec
from ordinate.solvers.folds import make_folds, rows_to_fit

Labels: TypeAlias = NDArray[np.int32]
Space: TypeAlias = "Floats | TripletKernel"

_MOST = 10
"""The largest number of clusters that is tried."""
_FOLDS = 5
_AS_LIKELY = 10.0
"""Difference of BIC from which a number of clusters is very strongly less likely than another."""
_ROUNDS = 50
"""Of expectation and maximization; a mixture that begins with k-means needs fewer."""
STABLE = 0.7
"""Adjusted Rand index below which a fifth of the answers changes the clusters too much."""
_WIDTH = 72
"""Characters of a line that name members of a cluster."""


@dataclass(frozen=True, eq=False)
class Clusters(ShownAsTable):
    """Clusters of objects and what they rest on; prints its reasons and the members.

    Attributes
    ----------
    labels : ndarray of int32, shape (n_objects,)
        The cluster of each object, counted from 0 in order of first members.
    space : str
        Where objects were clustered: a method and its dimension, or a kernel.
    fitted : ndarray of shape (n_objects, n_components), K1 or K2
        The map or the kernel itself, fitted to all answers.
    errors : dict of str to float
        Held-out error of the map and of the kernels, by which one was chosen; empty if it was
        named.
    evidence : dict of int to float
        For each number of clusters that was tried, from 1, by how much its BIC exceeds the lowest:
        that of a mixture of so many normal clusters of one width. Empty if the number was given.
    stability : dict of int to float
        For each number of clusters that was tried, how well they survive without a fifth of the
        answers: the adjusted Rand index with the clusters of all answers, mean over five folds.
        Empty if the number was given.
    without_data : tuple of int
        Objects that no answer places: their cluster is arbitrary.
    tree : ndarray of shape (n_objects - 1, 4), or None
        The complete-linkage tree that was cut, as SciPy has it; None for k-means.
    names : sequence of str or None
        Labels of the objects, if the answers have them.
    n_answers : int
        How many answers there were.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities(2000).comparisons
    >>> found = od.selection.find_clusters(answers, 4, kernel="K1", random_state=0)
    >>> found.n_clusters, found.space
    (4, 'K1')
    """

    labels: Labels
    space: str
    fitted: Space
    errors: dict[str, float] = field(default_factory=dict)
    evidence: dict[int, float] = field(default_factory=dict)
    stability: dict[int, float] = field(default_factory=dict)
    without_data: tuple[int, ...] = ()
    tree: Floats | None = None
    names: Sequence[str] | None = None
    n_answers: int = 0

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return int(self.labels.max()) + 1

    @property
    def plausible(self) -> tuple[int, ...]:
        """Numbers of clusters that cannot be ruled out, 1 included; empty if it was given.

        One more and one fewer than the most likely number always belong to them.
        """
        if not self.evidence:
            return ()
        best = min(self.evidence, key=self.evidence.__getitem__)
        near = [k for k in self.evidence if abs(k - best) == 1]
        return tuple(k for k, excess in self.evidence.items() if excess <= _AS_LIKELY or k in near)

    @property
    def points(self) -> Floats:
        """The map, or that of the kernel by kernel PCA in two dimensions."""
        return kernel_pca(self.fitted) if isinstance(self.fitted, TripletKernel) else self.fitted

    def members(self, number: int) -> NDArray[np.intp]:
        """Return the objects of a cluster, those nearest to its mean first.

        Parameters
        ----------
        number : int
            Number of the cluster, from 0.

        Returns
        -------
        ndarray of int
            Numbers of objects; the first is the medoid.
        """
        its = np.flatnonzero(self.labels == number)
        if isinstance(self.fitted, TripletKernel):
            features = self.fitted.features_[its]
            far = -(features @ features.mean(axis=0))
        else:
            places = self.fitted[its]
            far = np.linalg.norm(places - places.mean(axis=0), axis=1)
        return its[np.argsort(far, kind="stable")]

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why this space and this number of clusters, in a sentence each."""
        return tuple(self._reasons())

    def _reasons(self) -> Iterator[str]:
        if self.errors:
            others = [f"{name} {error:.1%}" for name, error in self.errors.items()]
            others.remove(f"{self.space} {self.errors[self.space]:.1%}")
            error = f"{self.errors[self.space]:.1%}"
            yield (
                f"{self.space} has the lowest held-out error, {error} ({', '.join(others)})."
                if others
                else f"Held-out error of {self.space}: {error}."
            )
        if self.evidence:
            yield self._about_number()
        if self.stability:
            found = self.stability[self.n_clusters]
            words = "These clusters are stable" if found >= STABLE else "They are not stable"
            if found >= STABLE and self._may_be_one_cloud:
                words = "The division hardly changes, which does not make it clusters"
            yield (
                f"{words}: without a fifth of the answers the adjusted Rand index is {found:.2f}"
                " (1: the same clusters; 0: chance)."
            )

    @property
    def _may_be_one_cloud(self) -> bool:
        """Whether one cluster is not very strongly less likely than several."""
        return self.evidence[1] <= _AS_LIKELY

    def _about_number(self) -> str:
        """Say how certain the number of clusters is."""
        if self._may_be_one_cloud:
            one = "is the most likely by" if self.evidence[1] == 0 else "cannot be ruled out by"
            return (
                f"The objects form no clearly separate clusters: one cluster {one} the BIC."
                f" The {self.n_clusters} clusters divide them for a first look."
            )
        low, high = min(self.plausible), max(self.plausible)
        return (
            f"The number of clusters is uncertain: {low} to {high} are possible by the BIC,"
            f" {self.n_clusters} the most likely. Look at others, too, with"
            f" {argument('n_clusters', high if high != self.n_clusters else low)}."
        )

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the table of objects and their clusters."""
        return {"object": object_column(len(self.labels), self.names), "cluster": self.labels}

    def to_frame(self) -> Any:
        """Return the table of objects and their clusters as a data frame."""
        return as_frame(self.to_columns(), ["object"])

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return {
            "labels": self.labels.tolist(),
            "by": self._by,
            "space": self.space,
            "n_clusters": self.n_clusters,
            "n_answers": self.n_answers,
            "n_objects": len(self.labels),
            "errors": self.errors,
            "evidence": {str(k): value for k, value in self.evidence.items()},
            "plausible": list(self.plausible),
            "stability": {str(k): value for k, value in self.stability.items()},
            "reasons": list(self.reasons),
            "without_data": list(self.without_data),
            "clusters": [
                {"number": number, "size": len(its), "medoid": its[0], "members": its}
                for number, its in enumerate(self._named_members())
            ],
        }

    @property
    def _by(self) -> str:
        return "kmeans" if self.tree is None else "tree"

    def _named_members(self) -> list[list[str]]:
        """Return the labels of each cluster's members, those nearest to its mean first."""
        labels = object_column(len(self.labels), self.names)
        return [list(map(str, labels[self.members(k)])) for k in range(self.n_clusters)]

    def __str__(self) -> str:
        lines = [
            f"{self.n_clusters} clusters by {self._by.replace('kmeans', 'k-means')} on"
            f" {self.space}: {self.n_answers:,} answers about {len(self.labels):,} objects",
            *self.reasons,
        ]
        for number, members in enumerate(self._named_members()):
            listed = textwrap.shorten(", ".join(members), _WIDTH, placeholder=" …")
            lines.append(f"cluster {number:<3} {len(members):>7,}   {listed}")
        if self.without_data:
            n_arbitrary = len(self.without_data)
            lines.append(f"→ {n_arbitrary} objects have no data: their cluster is arbitrary.")
        return "\n  ".join(lines)


def find_clusters(
    comparisons: Comparisons | ArrayLike,
    n_clusters: int | None = None,
    *,
    kernel: str | None = None,
    tree: bool = False,
    by: str | None = None,
    random_state: RandomState = None,
    n_jobs: int | None = -1,
    verbose: bool = False,
) -> Clusters:
    """Sort objects into clusters, where held-out answers are predicted best.

    The map that `compare` chooses and the kernels k1 and k2 predict answers that they were not
    fitted to; the one with the lowest error is clustered. A kernel needs many answers about every
    object; with few of them the map gives far better clusters.

    Parameters
    ----------
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        The answers; triplets if a kernel is named.
    n_clusters : int, optional
        Number of clusters. By default the number from 2 to 10 with the lowest BIC of a mixture of
        normal clusters of one width; ``plausible`` has all that cannot be ruled out. Plan to look
        at several: on simulated studies the number was right in about half.
    kernel : {"K1", "K2"}, optional
        Cluster by this kernel; nothing is compared then.
    tree : bool, default=False
        Cut a complete-linkage tree instead of k-means.
    by, random_state, n_jobs, verbose
        As for `ordinate.compare`.

    Returns
    -------
    Clusters
        Take its ``labels``, or print it.

    See Also
    --------
    ordinate.kernels.kernel_kmeans : k-means by a kernel.
    ordinate.plots.plot_dendrogram : Draws ``tree``.

    References
    ----------
    Fraley & Raftery, How Many Clusters? Which Clustering Method? Answers Via Model-Based Cluster
    Analysis, The Computer Journal 41, 1998. Lange, Roth, Braun & Buhmann, Stability-Based
    Validation of Clustering Solutions, Neural Computation 16, 2004.

    Examples
    --------
    >>> import numpy as np, ordinate as od
    >>> places = np.repeat([[0.0, 0], [9, 0], [0, 9]], 5, axis=0)
    >>> points = places + np.random.default_rng(0).normal(size=(15, 2))
    >>> answers = od.sources.random_triplets(points, 600, random_state=0)
    >>> od.selection.find_clusters(answers, 3, random_state=0).labels
    array([0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2], dtype=int32)
    """
    record = record_to_fit(comparisons)
    if n_clusters is not None:
        check_integer(parameter("n_clusters"), n_clusters, minimum=1, maximum=record.n_objects)
    seed = as_seed(random_state)
    shared: dict[str, Any] = {"n_jobs": n_jobs, "verbose": verbose}
    errors: dict[str, float] = {}
    if kernel is not None:
        check_choice("kernel", kernel, names_of(is_kernel=True))
        spec = _kernel(kernel)
    else:
        spec, errors = _choose_space(record, by, seed, shared)
    fitted = _space(spec, record, seed)
    if isinstance(fitted, np.ndarray) and np.allclose(fitted, fitted[0]):
        raise InputError(
            "The answers put all objects in one place, so they form no clusters. Check how the file"
            " was read, or collect more answers."
        )
    joined = _join(fitted) if tree else None
    evidence: dict[int, float] = {}
    stability: dict[int, float] = {}
    if n_clusters is None:
        parts = _without_a_fold(record, spec, by, seed, shared)
        stability = _stability(fitted, parts, tree, seed)
        places = kernel_pca(fitted) if isinstance(fitted, TripletKernel) else fitted
        evidence = _evidence(places, max(stability), seed)
        n_clusters = min(stability, key=evidence.__getitem__)
    unknown = (
        fitted.without_data_.tolist()
        if isinstance(fitted, TripletKernel)
        else record.describe().never_seen
    )
    return Clusters(
        labels=_form(fitted, n_clusters, joined, seed),
        space=spec.method,
        fitted=fitted,
        errors=errors,
        evidence=evidence,
        stability=stability,
        without_data=tuple(unknown),
        tree=joined,
        names=record.names,
        n_answers=len(record),
    )


# ---- where objects lie ----


def _kernel(name: str) -> MethodSpec:
    return MethodSpec(name, METHODS[name].load()(), 2)


def _space(spec: MethodSpec, answers: Comparisons, seed: int) -> Space:
    """Return the coordinates of all objects, or the fitted kernel."""
    fitted = spec.unfitted(seed, n_jobs=-1).fit(answers)
    space: Space = fitted if spec.is_kernel else fitted.embedding_
    return space


def _choose_space(
    record: Comparisons, by: str | None, seed: int, shared: dict[str, Any]
) -> tuple[MethodSpec, dict[str, float]]:
    """Return the map or the kernel that predicts held-out answers best, and all errors."""
    table = compare(record, by=by, random_state=seed, **shared)
    choice = table.choice
    ways = [MethodSpec(str(choice), choice.estimator, choice.dimension)]
    errors = {str(choice): choice.error}
    if record.rows.shape[1] == 3:
        folds = make_folds(record, table.folds, by, seed)[: table.n_folds_held_out]
        for name in names_of(is_kernel=True):
            ways.append(_kernel(name))
            errors[name] = _kernel_error(record, folds, ways[-1], seed)
    return min(ways, key=lambda spec: errors[spec.method]), errors


def _kernel_error(record: Comparisons, folds: list[Any], spec: MethodSpec, seed: int) -> float:
    """Return the share of held-out answers that distances by a kernel get wrong."""
    wrong, weights = [], []
    for fold in folds:
        kernel = _space(spec, record[rows_to_fit(record, fold)], seed)
        assert isinstance(kernel, TripletKernel)
        held_out = record[fold.held_out]
        i, j, k, l = held_out.rows[:, PAIR_COLUMNS[3]].T  # noqa: E741
        features = kernel.features_
        near, far = (
            np.asarray((features[a] - features[b]).power(2).sum(axis=1)).ravel()
            for a, b in ((i, j), (k, l))
        )
        wrong.append(near >= far)
        weights.append(np.ones(len(held_out)) if held_out.weights is None else held_out.weights)
    return weighted_mean(np.concatenate(wrong), np.concatenate(weights))


# ---- clusters ----


def _join(fitted: Space) -> Floats:
    """Join objects into a complete-linkage tree."""
    if isinstance(fitted, TripletKernel):
        return kernel_linkage(fitted)
    from scipy.cluster.hierarchy import linkage

    tree: Floats = linkage(fitted, "complete")
    return tree


def _form(fitted: Space, n_clusters: int, tree: Floats | None, seed: int) -> Labels:
    """Form clusters, counted from 0 in order of first members."""
    if tree is not None:
        from scipy.cluster.hierarchy import fcluster

        labels = fcluster(tree, n_clusters, "maxclust")
    elif isinstance(fitted, TripletKernel):
        return kernel_kmeans(fitted, n_clusters, random_state=seed)
    else:
        from sklearn.cluster import KMeans

        with threadpool_limits(1):  # threads cost more than they save, and change bits
            labels = KMeans(n_clusters, n_init=10, random_state=seed).fit_predict(fitted)
    _, first, numbers = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first)).astype(np.int32)[numbers]


def _without_a_fold(
    record: Comparisons, spec: MethodSpec, by: str | None, seed: int, shared: dict[str, Any]
) -> list[Space]:
    """Return the maps or kernels of all answers but a fold."""
    folds = make_folds(record, _FOLDS, by, seed)
    if spec.is_kernel:
        return [_space(spec, record[rows_to_fit(record, fold)], seed) for fold in folds]
    tasks = [(spec.estimator, spec.dimension, fold) for fold in folds]
    return [places for places, _ in fit_all(record, tasks, _places, **shared)]


def _places(model: Any, held_out: Comparisons) -> Floats:
    places: Floats = model.embedding_
    return places


def _stability(whole: Space, parts: list[Space], tree: bool, seed: int) -> dict[int, float]:
    """Return how well clusters survive without some of the answers, by their number."""
    from sklearn.metrics import adjusted_rand_score

    spaces = [whole, *parts]
    trees = [_join(space) if tree else None for space in spaces]
    n_objects = len(whole) if isinstance(whole, np.ndarray) else whole.n_objects_
    stability = {}
    for k in range(2, max(min(_MOST, n_objects // 2), 2) + 1):
        first, *others = (
            _form(space, k, joined, seed) for space, joined in zip(spaces, trees, strict=True)
        )
        stability[k] = float(np.mean([adjusted_rand_score(first, other) for other in others]))
    return stability


def _evidence(points: Floats, most: int, seed: int) -> dict[int, float]:
    """Return by how much the BIC of each number of clusters exceeds the lowest."""
    bic = {k: _mixture_bic(points, k, seed) for k in range(1, most + 1)}
    lowest = min(bic.values())
    return {k: value - lowest for k, value in bic.items()}


def _mixture_bic(points: Floats, n_clusters: int, seed: int) -> float:
    """Return the BIC of a mixture of round normal clusters of one width, begun with k-means."""
    from sklearn.cluster import KMeans

    n, d = points.shape
    with threadpool_limits(1):
        begun = KMeans(n_clusters, n_init=10, random_state=seed).fit(points)
    centers = begun.cluster_centers_
    shares = np.bincount(begun.labels_, minlength=n_clusters) / n
    tiny = 1e-9 * float(points.var()) + np.finfo(np.float64).tiny
    width = max(begun.inertia_ / (n * d), tiny)
    for _ in range(_ROUNDS):
        squares = np.square(points[:, None] - centers).sum(axis=2)
        logs = np.log(np.maximum(shares, 1e-12)) - 0.5 * squares / width
        logs -= 0.5 * d * np.log(2.0 * np.pi * width)
        total = logsumexp(logs, axis=1, keepdims=True)
        belongs = np.exp(logs - total)
        sizes = np.maximum(belongs.sum(axis=0), 1e-9)
        centers, shares = (belongs.T @ points) / sizes[:, None], sizes / n
        squares = np.square(points[:, None] - centers).sum(axis=2)
        width = max(float((belongs * squares).sum()) / (n * d), tiny)
    n_parameters = n_clusters * d + n_clusters
    return float(-2.0 * total.sum() + n_parameters * np.log(n))
