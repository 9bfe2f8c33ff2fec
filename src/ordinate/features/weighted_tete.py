"""Weighted t-ETE: a map of feature vectors from triplets of neighbours and outliers."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ordinate._arguments import argument
from ordinate._checks import (
    InputError,
    check_choice,
    check_integer,
    check_points,
    check_real,
    on_host,
    refuse_comparisons,
    refuse_similarities,
)
from ordinate._estimator import BaseEstimator, EmbeddingMixin, Runs
from ordinate._progress import progress
from ordinate._random import as_generator
from ordinate._threads import effective_n_jobs
from ordinate.engine.objective import cpu_or_cuda
from ordinate.features.cpu_reduction import CPUReduction
from ordinate.features.feature_space import FeatureSpace
from ordinate.features.neighbor_agreement import choose_margin
from ordinate.features.neighbor_search import without_self
from ordinate.features.objective import MarginSchedule, ReductionObjective, WeightedTriplets
from ordinate.features.pins import Pins
from ordinate.features.row_metrics import EUCLIDEAN_METRICS, check_metric
from ordinate.features.torch_reduction import TorchReduction
from ordinate.features.triplets import (
    SCALE_RANK,
    local_scales,
    neighbors_of_classes,
    numbered_classes,
    paper_triplets,
    rank_triplets,
    ranked_neighbors,
)
from ordinate.solvers.adam import adam
from ordinate.solvers.stopping import planned_run_converged, warn_unless_converged

_LARGEST = 1e15
"""Far beyond it sums of squares over features and objects leave single precision."""
_FLOATS = (np.float32, np.float64)
_STEP = 2.0
"""First step of the solver; the loss has a length of 1 built in, so this suits all data."""
_STEPS_OF_TRANSFORM = 100
_AROUND = 10
"""Objects that stand for a place of the map."""
_LARGEST_MARGIN = 1e3
_USUAL_MARGIN = 4.0
"""The margin of data whose neighbourhoods agree."""
_BRING_BACK = 0.7
"""Share of the steps after which strays are brought back: late, but with time to settle."""
_STRAY = 3.0
"""Who is this many times farther from the middle of his neighbours than usual is a stray."""
_PIN = 0.3
"""Share of the steps after which objects are fixed: until then the map finds its size."""
_USUAL: dict[str, dict[str, Any]] = {
    "rank": {"n_neighbors": 10, "global_weight": 4.0},
    "published": {"n_neighbors": 20, "global_weight": 0.0},
}
"""What parameters that are None stand for, by the weights of triplets."""
_POOL = 2
"""Neighbours are chosen from this many times as many, by distances in local scales."""
_POOL_OF_CLASSES = 5
"""The same where those of an object's class are preferred."""


@dataclass(eq=False, repr=False)
class WeightedTETE(
    EmbeddingMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, Runs, BaseEstimator
):
    """Reduce feature vectors to a map that preserves neighbours and global structure.

    Each object i is to lie nearer to its neighbours j than to objects k from elsewhere; a triplet
    (i, j, k) costs w (1 + α d_ij²) / (2 + α d_ij² + d_ik²) on the map, the t-ETE loss with
    t = t' = 2 and a margin α, which no single triplet can raise above w. At first, triplets of
    objects drawn from everywhere count too and arrange the global structure.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the map.
    n_neighbors : int or None, default=None
        Neighbours per object; more of them smooth the map. At most a half of the other objects
        is used. None takes 10, or 20 with the published weights.
    global_weight : float or None, default=None
        Weight of the global structure at the first step; it is zero after 80 % of them. With
        0 the start alone supplies it. None takes 4, or 0 with the published weights and with a
        sparse matrix of neighbours, which knows no far pairs.
    margin : float or None, default=None
        How many times farther than neighbours, in squared distances, others are to lie: the
        largest α. It begins with 1, while clusters find their places, is reached after 60 % of the
        steps and falls again, so that the holes within them close: to √α, or lower if objects
        are so few that they would lie farther apart than 1/√α if they filled the map evenly. More
        of it brings neighbours nearer and makes clusters denser. None takes up to 4, the more
        the neighbourhoods of neighbours agree, and 1 if they agree no more than in noise, where a
        margin would draw clusters that mean nothing. With the published weights α is the same
        at every step, and None takes 1.
    metric : str or callable, default="euclidean"
        A metric of `sklearn.neighbors.NearestNeighbors`, or "hellinger" for counts and shares.
        "cosine" compares the directions of rows, by the distances of unit vectors. With
        "precomputed", X holds distances: all of them, or a sparse matrix of the distances to at
        least `n_neighbors` others, as `sklearn.neighbors.KNeighborsTransformer` makes it.
    metric_params : dict or None, default=None
        Parameters of the metric: p and w (weights of features) of "minkowski"; V (variances of
        features) of "seuclidean"; V (covariances) or VI (their inverse) of "mahalanobis"; keyword
        arguments of a callable. Variances and covariances that are not given are those of X.
    target_weight : float, default=0.0
        From 0 to 1: the share of an object's neighbours from other classes `y` that are replaced by
        the nearest of its own class, if there are as many around. With 0 classes are ignored.
    weights : {"rank", "published"}, default="rank"
        "rank" gives the r-th neighbour the weight 1 / r and draws other outliers at each step.
        "published" is the method of the paper: as many outliers as neighbours, drawn once,
        triplets weighed by equation (13), a random start, strays left where they are, and unless
        they are set otherwise 20 neighbours, no margin and no global structure.
    init : "auto" or array-like of shape (n_samples, n_components), default="auto"
        Where to begin: the first principal components, or at random where these cannot be had or
        the weights are published; or given coordinates. To go on with an earlier fit pass its
        `embedding_`, with ``global_weight=0``.
    max_iter : int, default=500
        Steps of the solver.
    random_state : int, Generator or None, default=None
        Seed of outliers and random starts. The same seed gives the same bits, whatever `n_jobs`.
    n_jobs : int or None, default=-1
        Threads of the solver, as in joblib: -1 for all cores, None for one.
    device : str, default="cpu"
        "cpu", "cuda" or "cuda:N", where torch computes everything, or "auto" for a GPU if there is
        one. A GPU takes ``weights="rank"`` and the metrics "euclidean", "cosine", "hellinger",
        "seuclidean" and "mahalanobis"; its maps are as good as those of the CPU and not the same.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of float32, shape (n_samples, n_components)
        The map, centred.
    margin_ : float
        The margin that was taken.
    names_ : tuple or None
        The index of X, if X was a pandas data frame.
    history_ : ndarray of shape (n_iterations,)
        The loss at each step, with the margin and the weight of that step: the mean over triplets
        of neighbours plus the weighted mean over those of the global structure.
    n_iter_ : int
        Steps made: `max_iter`.
    converged_ : bool
        Whether the second half of the steps brought no more than a quarter of what all of them
        did for neighbours, with the last margin; if False, the fit has warned.
    n_features_in_ : int
        Number of columns of X.

    See Also
    --------
    TETE : The same loss for answers instead of features.
    ordinate.metrics.map_quality : How much of the features a map keeps.

    Notes
    -----
    More than 100 Euclidean features are first reduced to their first 100 principal components.

    References
    ----------
    E. Amid, N. Vlassis and M. K. Warmuth, "Low-dimensional data embedding via robust ranking",
    arXiv:1611.09957, section 6.

    Examples
    --------
    >>> import ordinate as od
    >>> sphere = od.datasets.make_sphere(300, random_state=0)
    >>> od.WeightedTETE(random_state=0).fit_transform(sphere.points).shape
    (300, 2)
    """

    n_components: int = 2
    _: KW_ONLY
    n_neighbors: int | None = None
    global_weight: float | None = None
    margin: float | None = None
    metric: Any = "euclidean"
    metric_params: dict[str, Any] | None = None
    target_weight: float = 0.0
    weights: str = "rank"
    init: str | ArrayLike = "auto"
    max_iter: int = 500
    device: str = "cpu"

    def fit(self, X: Any, y: Any = None, *, fixed: ArrayLike | None = None) -> Self:
        """Place the rows of X on a map.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features, or distances if `metric` is "precomputed".
        y : array-like of shape (n_samples,), optional
            Classes, for a positive `target_weight`; −1, NaN or None where they are not known.
        fixed : array-like of shape (n_samples, n_components), optional
            Coordinates of objects that stay there, and NaN for others. The map is turned and
            scaled to suit them, so they may be of any size.

        Returns
        -------
        self
            The fitted estimator.
        """
        names = X.index if hasattr(X, "columns") and hasattr(X, "index") else None
        X = self._check(X)
        pins = None if fixed is None else Pins(fixed, (X.shape[0], self.n_components))
        classes = numbered_classes(y, X.shape[0]) if self.target_weight > 0 else None
        rng = as_generator(self.random_state)
        self._seed = int(rng.integers(2**31))
        self._scales: NDArray[np.float32]
        self._space = FeatureSpace(
            X, self.metric, self._seed, self._place_of_fit(), self.metric_params
        )
        points = self._solve(self._start(X.shape[0], rng), classes, pins)
        if not np.ptp(points, axis=0).any():
            raise InputError(
                "All objects came out at one place: X is constant or its differences are too small"
                " to compute with, or init puts them there. Scale X, or choose another init."
            )
        self._length = 1.0 if pins is None else pins.length
        self.embedding_: NDArray[np.float32] = (
            points - points.mean(axis=0) if pins is None else pins.in_their_frame(points)
        )
        self.names_: Any = None if names is None else tuple(names)
        self.n_iter_ = len(self.history_)
        n_iter = self.n_iter_
        warn_unless_converged("WeightedTETE", self.converged_, n_iter, n_iter, limits=["max_iter"])
        return self

    def _solve(
        self, start: NDArray[np.float32], classes: NDArray[np.int64] | None, pins: Pins | None
    ) -> NDArray[np.float32]:
        """Move the objects from a start to where they belong."""
        place = self._place_of_fit()
        local = self._local_triplets(len(start), classes)
        published = self.weights == "published"
        margin = MarginSchedule(self.margin_, 0 if published else self.max_iter)
        settings: dict[str, Any] = {
            "margin": margin,
            "global_weight": self._global_weight(),
            "max_iter": self.max_iter,
            "seed": self._seed,
        }
        run = (
            CPUReduction(self._space, local, n_threads=effective_n_jobs(self.n_jobs), **settings)
            if place == "cpu"
            else TorchReduction(self._space.points, local, device=place, **settings)
        )
        free = None if pins is None else run.there(pins.free)
        pinned = False
        halfway = self.max_iter // 2 + 1
        begin = run.there(start)
        at_half = begin

        def before(number: int, points: Any) -> None:
            nonlocal pinned, at_half
            if number == halfway:
                at_half = points + 0  # a copy, of NumPy or torch
            if pins is not None and number == int(_PIN * self.max_iter) + 1:
                points[:] = run.there(pins.fix(run.back(points)))
                pinned = True
            if not published and number == int(_BRING_BACK * self.max_iter) + 1:
                middles = run.middles(points)
                bring_back(points, middles if free is None else points + free * (middles - points))

        def objective(points: Any) -> tuple[Any, Any]:
            value, gradient = run.objective(points)
            return value, gradient * free if pinned else gradient

        with progress("WeightedTETE", total=self.max_iter, enabled=self.verbose) as advance:

            def after(value: Any) -> None:
                advance(1, note=f"loss {float(value):.4f}")

            points, self.history_ = adam(
                objective,
                begin,
                max_iter=self.max_iter,
                step=_STEP,
                before=before,
                after=after if self.verbose else None,  # on a device it would wait for the value
            )
        judged = [run.loss(each) for each in (begin, at_half, points)]  # all with that margin
        # a single step has no half way
        self.converged_ = self.max_iter > 1 and planned_run_converged(*judged)
        found: NDArray[np.float32] = run.back(points)
        return found

    # written out, as scikit-learn's set_output sees only what a class itself defines
    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> NDArray[np.float32]:
        """Place the rows of X on a map and return it.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Features, or distances if `metric` is "precomputed".
        y : array-like of shape (n_samples,), optional
            As for `fit`.
        **fit_params
            The `init` and `fixed` of `fit`.

        Returns
        -------
        ndarray of float32, shape (n_samples, n_components)
            The map.
        """
        return super().fit_transform(X, y, **fit_params)

    def partial_fit(self, X: Any, y: object = None) -> Self:
        """Add rows to the map, which stays as it is; the first call fits.

        Other than rows that are transformed, rows that are added are neighbours of each other and
        of those that come later.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Rows like those of the fit.
        y : None
            Ignored after the first call.

        Returns
        -------
        self
            The estimator, with the positions of the new rows at the end of `embedding_`.
        """
        if not hasattr(self, "embedding_"):
            return self.fit(X, y)
        if self.metric == "precomputed":
            raise InputError(
                "Rows cannot be added to a fit of distances, as their distances to each other are"
                " not known; use transform, or fit all together."
            )
        names = X.index if hasattr(X, "columns") and hasattr(X, "index") else None
        start = self.transform(X)
        X = validate_data(self, X, accept_sparse="csr", dtype=_FLOATS, reset=False)
        rows, n_before = self._space.project(X), len(self.embedding_)
        self._space.append(rows)
        n_searched = min(max(_POOL * self._n_used, SCALE_RANK), n_before)
        found = without_self(*self._space.search.of(rows, n_searched + 1), first=n_before)
        self._scales = np.concatenate([self._scales, local_scales(found[1])])
        indices, _ = ranked_neighbors(found, self._n_used, self._scales)
        added = self._place(rank_triplets(indices), start)
        self.embedding_ = np.vstack([self.embedding_, added])
        self.names_ = (*self.names_, *names) if self.names_ and names is not None else None
        return self

    def transform(self, X: Any) -> NDArray[np.float32]:
        """Place other rows on the fitted map, each for itself; the map stays as it is.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Rows like those of the fit, or their distances to those if `metric` is "precomputed".

        Returns
        -------
        ndarray of float32, shape (n_rows, n_components)
            Their positions. Rows that were fitted come out where they are on the map, and no row
            depends on which others are asked for with it.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=_FLOATS, reset=False)
        _refuse_large("X", X)
        rows = self._space.project(X)
        n_fitted, m = len(self.embedding_), self._n_used
        found = self._space.search.of(rows, min(_POOL * m, n_fitted))
        self._check_enough(found[0].shape[1])
        same = self._space.are_same(rows, found[0][:, 0], found[1][:, 0], self._scales)
        indices, _ = ranked_neighbors(found, m, self._scales)
        start = np.median(self.embedding_[indices], axis=1)
        placed = self._place(rank_triplets(indices), start)
        placed[same] = self.embedding_[found[0][same, 0]]
        return placed

    def inverse_transform(self, X: Any) -> NDArray[np.float64]:
        """Return what lies at given places of the map: means of the features of those around.

        A map of two dimensions does not determine the features, so this is no inverse: the ten
        nearest objects on the map are averaged, with weights 1 / distance², which gives a picture
        of a place, and at the place of an object that object.

        Parameters
        ----------
        X : array-like of shape (n_places, n_components)
            Places on the map.

        Returns
        -------
        ndarray of shape (n_places, n_features)
            Features; of wide data, those that the principal components tell.
        """
        check_is_fitted(self)
        if self.metric == "precomputed":
            raise InputError("A fit of distances has no features to go back to.")
        places = check_points("X", X)
        if places.shape[1] != self.embedding_.shape[1]:
            raise InputError(
                f"X has {places.shape[1]} columns; the map has {self.embedding_.shape[1]}."
            )
        from sklearn.neighbors import NearestNeighbors  # whose import takes a while

        around = NearestNeighbors(n_neighbors=min(_AROUND, len(self.embedding_)))
        distances, indices = around.fit(self.embedding_).kneighbors(places)
        tiny = 1e-12 * float(self.embedding_.var()) + np.finfo(np.float64).tiny
        weights = 1 / (np.square(distances, dtype=np.float64) + tiny)
        weights /= weights.sum(axis=1, keepdims=True)
        return self._space.mean_features(indices, weights)

    def _place(self, triplets: WeightedTriplets, start: NDArray[np.float32]) -> NDArray[np.float32]:
        """Move new objects from a start to where they belong among those that stay."""
        n_fitted = len(self.embedding_)
        start = np.vstack([self.embedding_, start]) / np.float32(self._length)
        objective = ReductionObjective(
            triplets,
            first=n_fitted,
            seed=self._seed,
            margin=self.margin_,
            n_threads=effective_n_jobs(self.n_jobs),
        )

        def with_fitted_at_rest(points: NDArray[np.float32]) -> tuple[float, NDArray[np.float32]]:
            value, gradient = objective(points)
            gradient[:n_fitted] = 0
            return value, gradient

        step = 0.02 * float(self.embedding_.std()) / self._length
        points, _ = adam(with_fitted_at_rest, start, max_iter=_STEPS_OF_TRANSFORM, step=step)
        placed: NDArray[np.float32] = points[n_fitted:] * np.float32(self._length)
        return placed

    def _check(self, X: Any) -> Any:
        refuse_comparisons("X", X)
        check_integer("n_components", self.n_components, minimum=1)
        check_choice("weights", self.weights, tuple(_USUAL))
        if isinstance(self.init, str):
            check_choice("init", self.init, ("auto",))
        check_integer("n_neighbors", self._setting("n_neighbors"), minimum=1)
        check_real("global_weight", self._setting("global_weight"), minimum=0)
        if self.margin is not None:
            check_real("margin", self.margin, minimum=1, maximum=_LARGEST_MARGIN)
        check_real("target_weight", self.target_weight, minimum=0, maximum=1)
        check_integer("max_iter", self.max_iter, minimum=1)
        if self.weights == "published" and self.target_weight > 0:
            raise InputError(
                f"target_weight needs {argument('weights', 'rank')}; the published weights have"
                " no classes."
            )
        check_metric(self.metric, X)
        X = validate_data(self, X, accept_sparse="csr", dtype=_FLOATS, ensure_min_samples=3)
        if self.metric == "precomputed" and X.shape[0] != X.shape[1]:
            raise InputError(
                f"With {argument('metric', 'precomputed')} X must be a square matrix; got shape"
                f" {X.shape}."
            )
        if self.metric == "precomputed" and not issparse(X):
            refuse_similarities("X", X)
        _refuse_large("X", X)
        return X

    def _setting(self, name: str) -> Any:
        """Return a parameter, or what is usual with these weights where it is None."""
        value = getattr(self, name)
        return _USUAL[self.weights][name] if value is None else value

    def _global_weight(self) -> float:
        """Return the weight of the global structure: 0 without far pairs, unless given."""
        if self.global_weight is None and not self._space.has_far_pairs:
            return 0.0
        return float(self._setting("global_weight"))

    def _place_of_fit(self) -> str:
        """Return where to compute, or say why it cannot be done there."""
        place = cpu_or_cuda(self.device, "WeightedTETE")
        euclidean = isinstance(self.metric, str) and self.metric in EUCLIDEAN_METRICS
        if place != "cpu" and not (euclidean and self.weights == "rank"):
            raise InputError(
                f"On a GPU WeightedTETE takes the metrics {', '.join(EUCLIDEAN_METRICS)} and"
                f" {argument('weights', 'rank')}; got {self.metric!r} and {self.weights!r}. Choose"
                f" {argument('device', 'cpu')}."
            )
        return place

    def _local_triplets(
        self, n_objects: int, classes: NDArray[np.int64] | None
    ) -> WeightedTriplets:
        """Return each object's neighbours and their weights."""
        self._n_used = min(self._setting("n_neighbors"), (n_objects - 1) // 2)
        published = self.weights == "published"
        pool = 1 if published else _POOL if classes is None else _POOL_OF_CLASSES
        n_searched = min(max(pool * self._n_used, SCALE_RANK), n_objects - 1)
        found = self._space.search.among(n_searched)
        self._check_enough(found[0].shape[1])
        self._scales = local_scales(found[1])
        self.margin_ = self._choose_margin(found[0])
        if published:
            near = found[0][:, : self._n_used].copy(), found[1][:, : self._n_used]
            return paper_triplets(self._space, near, self._scales, self._seed)
        if classes is not None:
            given = self._n_used, self._scales, classes, self.target_weight
            return rank_triplets(neighbors_of_classes(found, *given))
        return rank_triplets(ranked_neighbors(found, self._n_used, self._scales)[0])

    def _choose_margin(self, neighbors: NDArray[Any]) -> float:
        """Return the margin that is given, or that of the paper, or one that suits the data."""
        if self.margin is not None or self.weights == "published":
            return float(self.margin or 1.0)
        points = self._space.points
        euclidean = self._space.metric == "euclidean" and not issparse(points)
        given = points if euclidean else None
        return choose_margin(given, neighbors, _USUAL_MARGIN, self._seed)

    def _check_enough(self, n_found: int) -> None:
        """Refuse a sparse matrix of neighbours that holds fewer than are used."""
        if n_found < self._n_used:
            raise InputError(
                f"A row of X holds the distances to {n_found} others; n_neighbors is"
                f" {self._n_used}. Pass more distances, or {argument('n_neighbors', n_found)}."
            )

    def _start(self, n_objects: int, rng: np.random.Generator) -> NDArray[np.float32]:
        """Return where to begin: as asked, or by principal components, or at random."""
        if not isinstance(self.init, str):
            start = check_points("init", self.init, n_rows=n_objects)
            if start.shape[1] != self.n_components:
                raise InputError(
                    f"init has {start.shape[1]} columns; n_components is {self.n_components}."
                )
            _refuse_large("init", start)
            return start.astype(np.float32)
        if self.weights == "rank" and self._space.has_far_pairs:
            return self._space.start(self.n_components)
        return 0.01 * rng.standard_normal((n_objects, self.n_components), dtype=np.float32)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])


def bring_back(points: Any, middles: Any) -> None:
    """Put strays where the middle of their neighbours is, in place."""
    away = ((points - middles) ** 2).sum(1) ** 0.5
    stray = away > _STRAY * float(np.median(on_host(away)))
    points[stray] = middles[stray]


def _refuse_large(name: str, values: Any) -> None:
    """Refuse numbers whose squares cannot be added up in single precision."""
    entries: NDArray[Any] = getattr(values, "data") if issparse(values) else values  # noqa: B009
    largest = max(entries.max(initial=0), -entries.min(initial=0))
    if largest > _LARGEST:
        raise InputError(
            f"{name} reaches {largest:.3g}; beyond {_LARGEST:.0e} squared distances are too large"
            " to compute: scale it, with StandardScaler for instance."
        )
