"""Collaborative ordinal embedding."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._arguments import argument
from ordinate._arrays import Points
from ordinate._checks import InputError, check_choice, check_integer, check_labels, check_real
from ordinate._estimator import Runs, check_is_fitted
from ordinate._random import as_generator
from ordinate._threads import effective_n_jobs
from ordinate.comparisons.answers import in_fit
from ordinate.comparisons.inputs import as_comparisons, record_to_fit
from ordinate.comparisons.record import Comparisons
from ordinate.engine.distances import near_and_far, squared_between
from ordinate.io.columns import DroppedRowsWarning
from ordinate.io.tables import is_frame
from ordinate.ratings.base import (
    CoEmbedding,
    NearestObjects,
    Rated,
    check_ratings,
    nearest_of,
    ranked_lists,
)
from ordinate.ratings.coe_step import Ascent
from ordinate.ratings.new_ratings import FittedObjects, ScoredPairs, carry_over, place
from ordinate.ratings.normalization import NORMALIZATIONS, Normalization
from ordinate.ratings.record import Ratings
from ordinate.ratings.sgd import AscentPlan
from ordinate.ratings.triples import ListSampler, MemberSampler, RowSampler, Sampler

_START_SPREAD = 0.01
_DRAWN = {"map": "objects", "predict": "triples", "published": "triples"}
"""What is drawn with equal chances, by what the map is for."""
_PENALTY = {"map": 3e-3, "predict": 0.03, "published": 3e-3}
_PENALTY_OF_ONE_VALUE = 3e-3
"""The same where all values are alike; 0.01 and 0.001 predict visits and films less well."""
_RATE, _EXACT_RATE = 2.0, 0.03
"""Length of first steps; without a cut, some maps grow without bounds with 0.1."""
_UNRATED = {"share": 0.6, "zscore": 0.1, "none": 0.1}
"""Share of triples about what was not rated, to predict, by how values are normalised."""


@dataclass(eq=False, repr=False)
class COE(Runs, CoEmbedding):
    """Collaborative ordinal embedding: users and items on one map, near what they prefer.

    A triple says that an anchor (a user or an item) goes better with one object than with
    another; its probability grows with the difference Δ of the two distances on the map. COE
    maximises the posterior of the coordinates by stochastic gradient over drawn triples.

    Parameters
    ----------
    n_components : int, default=2
        Dimension of the map.
    probability : {"sigmoid", "gompertz"}, default="sigmoid"
        Probability of a triple: 1 / (1 + exp(−Δ)), or exp(−ln 2 · exp(−Δ)), which punishes
        wrong triples more than it rewards right ones. The derivative of the second has no bound:
        we cut its exponent at Δ = −1, so that steps may be long, unless `objective` is
        "published".
    penalty : float or None, default=None
        Weight η of the prior: every drawn triple adds −(η/2)‖·‖² for each of its three points.
        A scale of Δ would be a second name for it, as only their ratio matters. None takes 0.03
        to predict from different values and 0.003 otherwise.
    objective : {"map", "predict", "published"}, default="map"
        What the map is for. For "map" each user and each item is the anchor equally often, so
        that everybody's own preferences are kept, which is what the paper measures. For
        "predict" each triple is equally likely, and each object has an offset besides its
        place, which is added to its distance from any anchor: a film that all like counts as
        nearer to everybody. This orders ratings best that were not seen. "published" is
        Algorithm 1 of the paper: each triple of either type is equally likely, there are no
        offsets, and nothing is cut.
    user_anchored : float or None, default=None
        Share of drawn triples whose anchor is a user (a user and two items), between 0 and 1;
        the anchor of the others is an item. None takes one half, and for "published" the share
        that these have among all triples.
    unrated : float or None, default=None
        Share of the triples that compare what was rated with what was not, between 0 and 1: an
        item that a user rated with one it did not, or a user who rated an item with one who did
        not. None takes 0.6 to predict counts (`normalize="share"`), where no entry means a count
        of zero, 0.1 to predict ratings, and 0 otherwise. To recommend lists from ratings, 0.9 is
        better: what a user rates tells more about that than how. Where all values are the same,
        as for visits or purchases, nothing else can be compared: the share is 1, and 0 is refused.
    normalize : {"zscore", "share", "none"}, default="zscore"
        What makes the values of different users comparable: standard scores of each user (for
        ratings), shares in the user's total (for counts), or nothing. Equal scores make no
        triple.
    draws_per_object : int, default=16_000
        Triples drawn for each user and item on average.
    learning_rate : float or None, default=None
        Length of the first steps; it falls to 0 as (1 − t)². None takes 2, and 0.03 for the
        published form of "gompertz", which longer steps let grow without bounds.
    random_state : int, Generator or None, default=None
        Seed. The same seed gives the same bits, whatever `n_jobs`.
    n_jobs : int or None, default=-1
        Threads, as in joblib: -1 for all cores, None for one.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_objects, n_components)
        Coordinates of all objects: users, then items; or the objects of explicit triples.
    names_ : tuple or None
        Names of users, then of items; or of the objects of explicit triples, if they have any.
    types_ : ndarray of str, shape (n_objects,)
        Type of each object: ``"user"`` and ``"item"``, or the types given to `fit`.
    user_embedding_, item_embedding_ : ndarray of shape (n_users or n_items, n_components)
        Coordinates after a fit to ratings.
    ratings_ : Ratings
        The ratings that were fitted.
    triples_ : Comparisons
        The explicit triples that were fitted, if there are no ratings.
    offsets_ : ndarray of shape (n_objects,)
        What is added to the distance of each object from an anchor, by `nearest_items`,
        `recommend`, `score` and `coe_report` alike; 0 unless the objective is to predict.

    See Also
    --------
    CFEE : Fits the values by squared distances.
    BPRPlus : Ranks by inner products, turned into distances.
    CODE : Fits frequencies of co-occurrence.
    coe_report : Measures a map of users and items.

    Notes
    -----
    There is no `converged_`. The fit takes a fixed number of random steps whose length falls to
    zero, so it comes to rest wherever it is, and the objective, summed over triples that are drawn,
    is known up to chance only. To see whether more steps would help, fit again with twice
    `draws_per_object`, and compare `score`.

    References
    ----------
    Le & Lauw, Euclidean Co-Embedding of Ordinal Data for Multi-Type Visualization, SDM 2016.

    Examples
    --------
    >>> import ordinate as od
    >>> frame = {
    ...     "user": ["Ann", "Ann", "Bob", "Bob", "Cid", "Cid"],
    ...     "item": ["Alien", "Heat", "Alien", "Big", "Heat", "Big"],
    ...     "rating": [5, 2, 1, 4, 3, 5],
    ... }
    >>> ratings = od.read_ratings(frame)
    >>> coe = od.COE(random_state=0).fit(ratings)
    >>> coe.nearest_items("Ann", k=1, exclude_rated=False).names
    ['Alien']
    """

    _: KW_ONLY
    probability: str = "sigmoid"
    penalty: float | None = None
    objective: str = "map"
    user_anchored: float | None = None
    unrated: float | None = None
    normalize: str = "zscore"
    draws_per_object: int = 16_000
    learning_rate: float | None = None

    def fit(
        self,
        X: Any,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        types: ArrayLike | None = None,
    ) -> Self:
        """Place users and items, or the objects of explicit triples.

        Parameters
        ----------
        X : Ratings, data frame, Comparisons or array-like of shape (n_triples, 3)
            Ratings, or a frame of them with the columns user, item and rating; or explicit triples
            (anchor, near, far) that join objects of any types.
        y : array-like of bool or +1/-1, shape (n_triples,), optional
            For explicit triples: whether each holds as written.
        sample_weight : array-like of shape (n_triples,), optional
            For explicit triples: how often each is drawn, relatively.
        types : array-like of str, shape (n_objects,), optional
            For explicit triples: the type of each object.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._check_parameters()
        rng = as_generator(self.random_state)
        if isinstance(X, Ratings) or is_frame(X):
            X = check_ratings(X)
            if not (y is None and sample_weight is None and types is None):
                raise InputError(
                    "y, sample_weight and types are for explicit triples; Ratings have none."
                )
            start = self._random_start(X.n_users + X.n_items, rng)
            return self._fit_ratings(X, rng, start, self._rate)
        triples = record_to_fit(X, y, weights=sample_weight)
        if triples.kind != "triplet":
            raise InputError("COE takes triples (anchor, near, far); got quadruplets.")
        start = self._random_start(triples.n_objects, rng)
        self._one_value = False
        self._ascend(RowSampler(triples), start, rng, self._rate)
        labels = ["object"] * triples.n_objects if types is None else types
        self.types_ = check_labels("types", labels, triples.n_objects)
        self.names_ = triples.names
        self.triples_ = triples
        if hasattr(self, "ratings_"):
            del self.ratings_, self.user_embedding_, self.item_embedding_, self._normalization
        return self

    def partial_fit(self, X: Ratings) -> Self:
        """Go on from the present map, for instance when ratings have arrived.

        Users and items are matched by name; new ones begin in the middle. Only the ratings given
        here count, so pass the old ones along. The learning rate begins at a tenth.

        Parameters
        ----------
        X : Ratings
            All ratings known now.

        Returns
        -------
        self
            The fitted estimator.
        """
        if not hasattr(self, "ratings_"):
            return self.fit(X)
        self._check_parameters()
        old, new = self.ratings_, check_ratings(X)
        if self.user_embedding_.shape[1] != self.n_components:
            raise InputError(
                f"The map has {self.user_embedding_.shape[1]} dimensions and n_components is"
                f" {self.n_components}; use fit to change it."
            )
        rng = as_generator(self.random_state)
        start = self._random_start(new.n_users + new.n_items, rng)
        users, items = np.split(self._state(), [old.n_users])
        carry_over(old.user_names, users, new.user_names, start[: new.n_users])
        carry_over(old.item_names, items, new.item_names, start[new.n_users :])
        return self._fit_ratings(new, rng, start, 0.1 * self._rate)

    def transform_users(self, X: Ratings) -> NDArray[np.float64]:
        """Place new users by their ratings, without moving anything.

        Parameters
        ----------
        X : Ratings
            Ratings by users that are all taken for new. Ratings of items that were not fitted
            are left out, with a warning; a user without any other lies in the middle.

        Returns
        -------
        ndarray of shape (n_users, n_components)
            Coordinates of the users of `X`.
        """
        return self._placed(X)[0]

    def _placed(self, new: Ratings) -> tuple[Points, Rated]:
        known, new = self._fitted_ratings(), check_ratings(new)
        numbers = np.array([known._item_numbers.get(name, -1) for name in new.item_names])
        items = numbers[new.items]
        kept = items >= 0
        if not kept.any():
            raise InputError(
                "None of the items that the new users have rated was fitted; items are called"
                f" {', '.join(repr(name) for name in known.item_names[:3])}, …."
            )
        if not kept.all():
            unknown = [new.item_names[item] for item in np.unique(new.items[~kept])[:3]]
            warnings.warn(
                f"Left out {(~kept).sum():,} of {len(new):,} ratings, of items that were not"
                f" fitted, such as {', '.join(repr(name) for name in unknown)}.",
                DroppedRowsWarning,
                stacklevel=3,
            )
        scores = Normalization.of(self.normalize, new).scores(new)
        pairs = ScoredPairs(new.users[kept], known.n_users + items[kept], scores[kept])
        known_scores = self._normalization.scores(known)
        known_pairs = ScoredPairs(known.users, known.n_users + known.items, known_scores)
        rated = Rated(new.users[kept].astype(np.intp), items[kept])
        items = range(known.n_users, known.n_users + known.n_items)
        fitted = FittedObjects(items, range(known.n_users))
        return self._place(known_pairs, pairs, new.n_users, fitted), rated

    def transform_items(self, X: Ratings) -> NDArray[np.float64]:
        """Place new items by the ratings they received, without moving anything.

        Parameters
        ----------
        X : Ratings
            Ratings by users that were fitted, of items that are all taken for new.

        Returns
        -------
        ndarray of shape (n_items, n_components)
            Coordinates of the items of `X`.
        """
        known, new = self._fitted_ratings(), check_ratings(X)
        by_item = np.argsort(new.items, kind="stable")
        numbers = np.array([known.user_number(name) for name in new.user_names], dtype=np.intp)
        users = numbers[new.users[by_item]]
        scores = self._normalization(users, new.values[by_item])
        new_pairs = ScoredPairs(new.items[by_item], users, scores)
        known_scores = self._normalization.scores(known)
        known_pairs = ScoredPairs(known.n_users + known.items, known.users, known_scores)
        items_known = range(known.n_users, known.n_users + known.n_items)
        fitted = FittedObjects(range(known.n_users), items_known)
        return self._place(known_pairs, new_pairs, new.n_items, fitted)

    def nearest(self, name: Hashable, k: int = 10, *, type: str | None = None) -> NearestObjects:
        """Find the objects nearest to one, whatever their types.

        Parameters
        ----------
        name : hashable
            Name of the object, or its number where the triples had no names. After a fit to
            ratings use `nearest_items` and `nearest_users`, as a user and an item may have the
            same name.
        k : int, default=10
            How many objects; fewer are returned only if there are no more.
        type : str, optional
            Only objects of this type.

        Returns
        -------
        NearestObjects
            Names and distances, nearest first.
        """
        check_is_fitted(self)
        if hasattr(self, "ratings_"):
            raise InputError("After a fit to Ratings call nearest_items or nearest_users.")
        names: Sequence[Hashable] = self.names_ or range(len(self.embedding_))
        if name not in names:
            some = ", ".join(repr(known) for known in names[:3])
            raise InputError(f"There is no object {name!r}; objects are called {some}, ….")
        number = names.index(name)
        among = np.ones(len(names), dtype=np.bool_)
        if type is not None:
            check_choice("type", type, sorted(set(self.types_.tolist())))
            among = self.types_ == type
        among[number] = False
        others = np.flatnonzero(among)
        if not len(others):
            return NearestObjects([], np.empty(0))
        points, offsets = self.embedding_, self.offsets_[others]
        found, distances = nearest_of(points[[number]], points[others], k, None, offsets)
        return NearestObjects([names[at] for at in others[found[0]]], distances[0])

    def score(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """Return the share of triples that hold on the map; 0.5 is guessing.

        Parameters
        ----------
        X : Ratings, data frame, Comparisons or array-like of shape (n_triples, 3)
            Ratings of fitted users and items, which stand for pairs of each user's; or triples
            (anchor, near, far) of fitted objects, where after a fit to ratings items are
            numbered behind the users, as in `sample_triples`.
        y : array-like of bool or +1/-1, shape (n_triples,), optional
            Whether each holds as written.
        sample_weight : array-like of shape (n_triples,), optional
            Weights that replace those of the record.

        Returns
        -------
        float
            Between 0 and 1.
        """
        if isinstance(X, Ratings) or is_frame(X):
            return super().score(X)
        triples = self._matched(X, y, sample_weight)
        return float(np.average(self._hold(triples), weights=triples.weights))

    def score_by_type(
        self, X: Comparisons | ArrayLike, y: ArrayLike | None = None, *, over: str = "triples"
    ) -> dict[tuple[str, str, str], tuple[float, int]]:
        """Return the share of triples that hold for each combination of types.

        Parameters
        ----------
        X : Comparisons or array-like of shape (n_triples, 3)
            Triples (anchor, near, far) of fitted objects.
        y : array-like of bool or +1/-1, shape (n_triples,), optional
            Whether each holds as written.
        over : {"triples", "anchors"}, default="triples"
            Whether each triple counts alike, or each anchor: the mean over anchors of the share
            of their triples that hold.

        Returns
        -------
        dict
            From the types of anchor and of the two others, in alphabetical order, to the share
            and the number of triples.
        """
        check_choice("over", over, ("triples", "anchors"))
        triples = self._matched(X, y)
        holds = self._hold(triples)
        types = self.types_[triples.rows]
        types[:, 1:].sort(axis=1)
        kinds, which = np.unique(types, axis=0, return_inverse=True)
        which = which.ravel()
        counts = np.bincount(which)
        weights = np.ones(len(which))
        if over == "anchors":
            pairs = which * len(self.embedding_) + triples.rows[:, 0]
            _, of_pair, sizes = np.unique(pairs, return_inverse=True, return_counts=True)
            weights = 1 / sizes[of_pair]
        shares = np.bincount(which, weights * holds) / np.bincount(which, weights)
        return {
            (str(kind[0]), str(kind[1]), str(kind[2])): (float(share), int(count))
            for kind, share, count in zip(kinds, shares, counts, strict=True)
        }

    def _matched(self, X: Any, y: Any = None, weights: Any = None) -> Comparisons:
        """Return triples whose objects are numbered as in the fit."""
        check_is_fitted(self)
        triples = as_comparisons(X, y, weights=weights)
        if triples.kind != "triplet" or len(triples) == 0:
            raise InputError("Expected at least one triple (anchor, near, far).")
        return in_fit(triples, len(self.embedding_), self.names_)

    def _hold(self, triples: Comparisons) -> NDArray[np.bool_]:
        return _hold(self.embedding_, self.offsets_, triples.rows)

    def _offsets_of(self, type: str) -> NDArray[np.float64] | None:
        return self.offsets_[self.types_ == type] if self.offsets_.any() else None

    def _check_parameters(self) -> None:
        check_integer("n_components", self.n_components, minimum=1)
        check_choice("probability", self.probability, ("sigmoid", "gompertz"))
        if self.penalty is not None:
            check_real("penalty", self.penalty, minimum=0)
        check_choice("objective", self.objective, tuple(_DRAWN))
        if self.user_anchored is not None:
            check_real("user_anchored", self.user_anchored, minimum=0, maximum=1)
        if self.unrated is not None:
            check_real("unrated", self.unrated, minimum=0, maximum=1)
        check_choice("normalize", self.normalize, NORMALIZATIONS)
        check_integer("draws_per_object", self.draws_per_object, minimum=1)
        if self.learning_rate is not None:
            check_real("learning_rate", self.learning_rate, minimum=0, open_minimum=True)

    def _random_start(self, n_objects: int, rng: np.random.Generator) -> Points:
        start = _START_SPREAD * rng.standard_normal((n_objects, self.n_components))
        return np.column_stack([start, np.zeros(n_objects)]) if self._with_offsets else start

    @property
    def _with_offsets(self) -> bool:
        return self.objective == "predict"

    @property
    def _rate(self) -> float:
        if self.learning_rate is not None:
            return float(self.learning_rate)
        exact = self.objective == "published" and self.probability == "gompertz"
        return _EXACT_RATE if exact else _RATE

    @property
    def _eta(self) -> float:
        if self.penalty is not None:
            return float(self.penalty)
        return _PENALTY_OF_ONE_VALUE if self._one_value else _PENALTY[self.objective]

    @property
    def _share_unrated(self) -> float:
        if self.unrated is not None:
            return self.unrated
        return _UNRATED[self.normalize] if self.objective == "predict" else 0.0

    def _state(self) -> Points:
        """Return what steps move: coordinates, and offsets as a last column if there are any."""
        if not self._with_offsets:
            return self.embedding_
        return np.column_stack([self.embedding_, self.offsets_])

    def _fit_ratings(
        self, ratings: Ratings, rng: np.random.Generator, start: Points, rate: float
    ) -> Self:
        self._normalization = Normalization.of(self.normalize, ratings)
        self._one_value = bool(np.ptp(ratings.values) == 0)
        if self._one_value and self.unrated == 0:
            raise InputError(
                f"All values are {ratings.values[0]:g}, so that only items with and without a value"
                f" can be compared; got {argument('unrated', 0)}. Leave it out."
            )
        self._ascend(self._sampler(ratings, self._share_unrated), start, rng, rate)
        self.types_ = np.repeat(["user", "item"], [ratings.n_users, ratings.n_items])
        if hasattr(self, "triples_"):
            del self.triples_
        return self._store(ratings, *np.split(self.embedding_, [ratings.n_users]))

    def _sampler(self, ratings: Ratings, unrated: float) -> Sampler:
        share = self.user_anchored
        if share is None and (self._one_value or self.objective != "published"):
            share = 0.5
        scores = self._normalization.scores(ratings)
        if self._one_value:
            scores = np.zeros(len(ratings))
        lists = ranked_lists(ratings, scores, effective_n_jobs(self.n_jobs))
        if self._one_value:
            return MemberSampler(lists, _DRAWN[self.objective], share)
        return ListSampler(lists, _DRAWN[self.objective], share, unrated)

    def _ascend(
        self,
        sampler: Sampler,
        start: Points,
        rng: np.random.Generator,
        learning_rate: float,
    ) -> None:
        plan = AscentPlan(
            name=type(self).__name__,
            n_triples=self.draws_per_object * len(start),
            learning_rate=learning_rate,
            n_threads=effective_n_jobs(self.n_jobs),
            verbose=self.verbose,
        )
        cut = self.objective != "published"
        step = Ascent(self.probability, self._eta, offsets=self._with_offsets, cut=cut)
        found, self.offsets_ = self._split(plan.run(step, sampler, start, rng))
        self.embedding_ = found - found.mean(axis=0)

    def _split(self, points: Points) -> tuple[Points, NDArray[np.float64]]:
        """Take coordinates and offsets apart."""
        if not self._with_offsets:
            return points, np.zeros(len(points))
        return points[:, :-1].copy(), points[:, -1].copy()

    def _place(
        self, known: ScoredPairs, new: ScoredPairs, n_new: int, fitted: FittedObjects
    ) -> Points:
        """Place new objects by those on the other side, beside those on their own."""
        placed = place(
            self._state(),
            known,
            new,
            n_new,
            n_draws=self.draws_per_object,
            penalty=self._eta,
            gompertz=self.probability == "gompertz",
            offsets=self._with_offsets,
            fitted=fitted,
            unrated=1.0 if self._one_value else self._share_unrated,
            rng=as_generator(self.random_state),
        )
        return self._split(placed)[0]


def _hold(points: Points, offsets: NDArray[np.float64], rows: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell of each triple whether its near object is nearer, offsets included."""
    squared = squared_between(points)
    holds = np.empty(len(rows), dtype=np.bool_)
    for part, near, far in near_and_far(
        rows, lambda anchors, others: np.sqrt(squared(anchors, others)) + offsets[others]
    ):
        holds[part] = near < far
    return holds
