"""How well a map of users and items keeps and predicts preferences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from ordinate._arguments import parameter
from ordinate._checks import InputError, check_integer
from ordinate._notebooks import ShownAsTable, aligned
from ordinate._threads import effective_n_jobs
from ordinate.ratings.base import Rated, nearest_of
from ordinate.ratings.normalization import Normalization
from ordinate.ratings.pair_counts import PairCounts, count_right
from ordinate.ratings.ranked_lists import RankedLists
from ordinate.ratings.record import Ratings

if TYPE_CHECKING:
    from ordinate.comparisons.record import Comparisons
    from ordinate.ratings.coe import COE


@dataclass(frozen=True)
class TopK:
    """What lists of k recommended items are worth; means over users, 1 is best.

    Attributes
    ----------
    k : int
        Length of the lists.
    n_users : int
        Users with something held out that they liked; others are not judged.
    ndcg : float
        Normalised discounted cumulative gain: a hit at rank r counts 1 / log₂(r + 1), and the best
        list that is possible has 1.
    recall : float
        Share of the held-out items that are in the list.
    mrr : float
        Mean reciprocal rank of the first hit; 0 without one.
    coverage : float
        Share of the items that are recommended to anybody.

    Examples
    --------
    >>> import ordinate as od
    >>> held_out = od.Ratings([0, 1], [2, 0], [1, 1])
    >>> od.metrics.top_k([[2, 1], [1, 0]], held_out).mrr
    0.75
    """

    k: int
    n_users: int
    ndcg: float
    recall: float
    mrr: float
    coverage: float

    def to_dict(self) -> dict[str, float]:
        """Return the figures as plain Python values, ready for JSON."""
        return asdict(self)


def top_k(recommended: ArrayLike, held_out: Ratings, liked: ArrayLike | None = None) -> TopK:
    """Judge a list of recommended items for each user by what users rated elsewhere.

    Parameters
    ----------
    recommended : array-like of int, shape (n_users, k)
        Numbers of items, best first, a row for each user of `held_out`; −1 where a list is shorter.
        `Recommendations.numbers` of `recommend` has them.
    held_out : Ratings
        Ratings that were not fitted, from `train_test_split`.
    liked : array-like of bool, shape (n_ratings,), optional
        Which held-out ratings count as liked; all of them by default, as for visits or purchases.

    Returns
    -------
    TopK
        The figures.

    See Also
    --------
    ordinate.coe_report : Measures a map of users and items in this and other ways.

    Examples
    --------
    >>> import ordinate as od
    >>> held_out = od.Ratings([0, 0, 1], [2, 3, 0], [1, 1, 1])
    >>> od.metrics.top_k([[2, 1], [1, 3]], held_out).recall
    0.25
    """
    lists = np.asarray(recommended)
    if lists.ndim != 2 or len(lists) != held_out.n_users or lists.shape[1] == 0:
        raise InputError(
            f"recommended must have a row for each of the {held_out.n_users} users and a column for"
            f" each rank; got shape {lists.shape}."
        )
    if lists.dtype.kind not in "iu" or lists.max() >= held_out.n_items:
        raise InputError(
            f"recommended must hold numbers of items below {held_out.n_items}; got dtype"
            f" {lists.dtype}, up to {lists.max()}."
        )
    chosen = np.ones(len(held_out), bool) if liked is None else np.asarray(liked, dtype=bool)
    users, items = held_out.users[chosen], held_out.items[chosen]
    n_liked = np.bincount(users, minlength=held_out.n_users)
    judged = np.flatnonzero(n_liked)
    if not len(judged):
        raise InputError("No user has a held-out rating that counts as liked; nothing to judge.")
    pairs = users.astype(np.int64) * held_out.n_items + items
    listed = judged[:, None] * held_out.n_items + lists[judged]
    hits, n_liked = np.isin(listed, pairs) & (lists[judged] >= 0), n_liked[judged]
    k = lists.shape[1]
    gains = 1 / np.log2(np.arange(2, k + 2))
    ideal = np.cumsum(gains)[np.minimum(n_liked, k) - 1]
    return TopK(
        k=k,
        n_users=len(hits),
        ndcg=float((hits @ gains / ideal).mean()),
        recall=float((hits.sum(axis=1) / n_liked).mean()),
        mrr=float((hits / np.arange(1, k + 1)).max(axis=1).mean()),
        coverage=len(np.unique(lists[lists >= 0])) / held_out.n_items,
    )


_MOST_JUDGED = 2000
"""Users whose lists of recommended items are judged, at most."""

Kind: TypeAlias = tuple[str, str, str]
"""The types of a triple's anchor and of its two others, these in alphabetical order."""


class _CoEmbedding(Protocol):
    """What a report needs of a fitted estimator."""

    ratings_: Ratings
    user_embedding_: NDArray[np.float64]
    item_embedding_: NDArray[np.float64]


def harmonic_mean(*figures: float) -> float:
    """Return the harmonic mean of figures; 0 if one of them is 0."""
    if not all(figure > 0 for figure in figures):
        return 0.0
    return len(figures) / sum(1 / figure for figure in figures)


@dataclass(frozen=True)
class TripleAccuracy:
    """Shares of triples that hold on the map, as means over users or items."""

    user_anchored: float
    item_anchored: float
    item_anchored_by_user: float
    standard_error: float = 0.0
    """Of `user_anchored`, over users."""

    @property
    def is_sure(self) -> bool:
        """Whether `user_anchored` is surely, at the level of 5 %, above guessing."""
        return bool(self.user_anchored - ndtri(0.95) * self.standard_error > 0.5)

    @property
    def h_mean(self) -> float:
        """Harmonic mean of `user_anchored` and `item_anchored`."""
        return harmonic_mean(self.user_anchored, self.item_anchored)


@dataclass(frozen=True)
class NeighborAverage:
    """Mean rating of the nearest among the rated."""

    k: int
    users: float
    items: float

    @property
    def h_mean(self) -> float:
        """Harmonic mean of `users` and `items`."""
        return harmonic_mean(self.users, self.items)


_VERDICTS = {
    0.7: "The map predicts new ratings well",
    0.6: "The map predicts new ratings fairly",
    0.53: "The map predicts new ratings a little",
    0.0: "The map hardly predicts new ratings: do not rely on it",
}
"""What to say of the accuracy on unseen triples, from which on; 0.5 is guessing."""


@dataclass(frozen=True)
class CoembeddingReport(ShownAsTable):
    """What `coe_report` found; printing it gives a table.

    Attributes
    ----------
    preservation : TripleAccuracy
        On the triples of the fitted ratings.
    prediction : TripleAccuracy or None
        On the triples that involve at least one held-out rating, as in the paper. Most of them
        also involve a fitted one, so that even ratings at random are predicted above 50 %.
    unseen : TripleAccuracy or None
        On the triples of held-out ratings alone, where guessing gives 50 %.
    neighbors : tuple of NeighborAverage
        For each k asked for.
    item_means : float or None
        A baseline for ``unseen.user_anchored``: the share of the same triples in which the item
        with the higher mean of the fitted ratings is preferred by every user.
    top : TopK or None
        What the lists of the nearest items that a user has not rated are worth, by the held-out
        items that it liked: those with at least its mean value, or all of them for counts.
    popular : TopK or None
        A baseline for `top`: the items with the most fitted ratings, for every user.

    Examples
    --------
    >>> import ordinate as od
    >>> ratings = od.Ratings([0, 0, 1, 1], [0, 1, 0, 1], [5, 3, 2, 4])
    >>> report = od.coe_report(od.COE(random_state=0).fit(ratings))
    >>> report.prediction is None
    True
    """

    preservation: TripleAccuracy
    prediction: TripleAccuracy | None
    unseen: TripleAccuracy | None
    neighbors: tuple[NeighborAverage, ...]
    item_means: float | None = None
    top: TopK | None = None
    popular: TopK | None = None

    @property
    def verdict(self) -> str:
        """How far the map can be trusted to predict new ratings, in words."""
        unseen = self.unseen
        if unseen is None:
            return (
                "Whether the map predicts new ratings was not measured: hold some out"
                f" ({parameter('test_size')})."
            )
        if np.isnan(unseen.user_anchored) and self.top and self.popular:
            better = "better" if self.top.ndcg > self.popular.ndcg else "no better"
            return (
                f"The map recommends {better} than popularity. Lists of {self.top.k} items have an"
                f" nDCG of {self.top.ndcg:.3f}, the most popular items {self.popular.ndcg:.3f}."
            )
        found = unseen.h_mean if unseen.is_sure else 0.0
        words = next(text for least, text in _VERDICTS.items() if found >= least)
        means, beside = self.item_means, "guessing: 50%"
        if means is not None:
            beside = f"mean ratings of the items: {means:.1%}; {beside}"
            if unseen.user_anchored <= means and words != _VERDICTS[0.0]:
                words = "The map predicts new ratings no better than the mean rating of each item"
        return (
            f"{words}. Of two items whose ratings by a user were held out, the one liked better is"
            f" nearer in {unseen.user_anchored:.1%} of the cases ({beside}); of two users of an"
            f" item, in {unseen.item_anchored:.1%} (guessing: 50%)."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        figures = asdict(self)
        for name in ("preservation", "prediction", "unseen"):
            accuracy = getattr(self, name)
            if accuracy is not None:
                figures[name]["h_mean"] = accuracy.h_mean
                figures[name] = {
                    key: None if np.isnan(value) else value for key, value in figures[name].items()
                }
        for figure, average in zip(figures["neighbors"], self.neighbors, strict=True):
            figure["h_mean"] = average.h_mean
        return figures

    def __str__(self) -> str:
        rows = [["triples right", "of users", "of items", "H-mean", "by user"]]
        parts = self.preservation, self.prediction, self.unseen
        for name, found in zip(("fitted", "partly held out", "held out"), parts, strict=True):
            if found is not None and not np.isnan(found.user_anchored):
                shares = found.user_anchored, found.item_anchored, found.h_mean
                shown = (f"{share:.1%}" for share in (*shares, found.item_anchored_by_user))
                rows.append([name, *shown])
        if self.item_means is not None:
            rows.append(["by item means", f"{self.item_means:.1%}", "", "", ""])
        for average in self.neighbors:
            means = average.users, average.items, average.h_mean
            rows.append([f"{average.k}-NN average", *(f"{mean:.4g}" for mean in means), ""])
        lines = list(aligned(rows)) if np.isfinite(self.preservation.user_anchored) else []
        if self.top and self.popular:
            rows = [[f"top {self.top.k}", "nDCG", "recall", "MRR", "coverage"]]
            for name, top in (("the map", self.top), ("most popular", self.popular)):
                shown = (f"{figure:.3f}" for figure in (top.ndcg, top.recall, top.mrr))
                rows.append([name, *shown, f"{top.coverage:.1%}"])
            lines += aligned(rows)
        return "\n".join(lines)


@dataclass(frozen=True)
class TypedAccuracy:
    """Shares of triples that hold on the map, for each combination of types."""

    shares: Mapping[Kind, float]
    counts: Mapping[Kind, int]

    @property
    def h_mean(self) -> float:
        """Harmonic mean of the shares."""
        return harmonic_mean(*self.shares.values())


@dataclass(frozen=True)
class MultitypeReport(ShownAsTable):
    """What `coe_report` found for explicit triples of any types; printing it gives a table.

    Attributes
    ----------
    preservation : TypedAccuracy
        On the fitted triples.
    prediction : TypedAccuracy or None
        On the held-out triples.

    Examples
    --------
    >>> import ordinate as od
    >>> triples = [[0, 2, 3], [1, 3, 2], [4, 2, 3]]
    >>> types = ["user", "user", "film", "film", "tag"]
    >>> print(od.coe_report(od.COE(random_state=0).fit(triples, types=types)))
      anchor: others    preservation  triples
      tag: film, film   100.0%        1
      user: film, film  100.0%        2
      H-mean            100.0%        3
    """

    preservation: TypedAccuracy
    prediction: TypedAccuracy | None

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return {
            name: accuracy
            and {
                "h_mean": accuracy.h_mean,
                "kinds": [
                    {"types": list(kind), "share": share, "n_triples": accuracy.counts[kind]}
                    for kind, share in accuracy.shares.items()
                ],
            }
            for name, accuracy in self._parts.items()
        }

    @property
    def _parts(self) -> dict[str, TypedAccuracy | None]:
        return {"preservation": self.preservation, "prediction": self.prediction}

    def __str__(self) -> str:
        parts = {name: part for name, part in self._parts.items() if part is not None}
        kinds = sorted({kind for part in parts.values() for kind in part.shares})
        rows = [["anchor: others"], *([f"{one}: {i}, {j}"] for one, i, j in kinds), ["H-mean"]]
        for name, part in parts.items():
            shares = [f"{part.shares[kind]:.1%}" if kind in part.shares else "–" for kind in kinds]
            counts = [f"{part.counts.get(kind, 0):,}" for kind in kinds]
            columns = (
                (name, *shares, f"{part.h_mean:.1%}"),
                ("triples", *counts, f"{sum(part.counts.values()):,}"),
            )
            for row, *cells in zip(rows, *columns, strict=True):
                row += cells
        return "\n".join(aligned(rows, len(rows)))


@overload
def coe_report(model: COE, held_out: Comparisons | NDArray[Any]) -> MultitypeReport: ...


@overload
def coe_report(
    model: _CoEmbedding,
    held_out: Ratings,
    *,
    normalize: str = ...,
    neighbors: Sequence[int] = ...,
    k: int = ...,
    min_ratings: int = ...,
    n_jobs: int | None = ...,
) -> CoembeddingReport: ...


@overload
def coe_report(
    model: _CoEmbedding,
    held_out: None = ...,
    *,
    normalize: str = ...,
    neighbors: Sequence[int] = ...,
    k: int = ...,
    min_ratings: int = ...,
    n_jobs: int | None = ...,
) -> Any: ...


def coe_report(
    model: Any,
    held_out: Ratings | Comparisons | ArrayLike | None = None,
    *,
    normalize: str = "zscore",
    neighbors: Sequence[int] = (1, 5),
    k: int = 10,
    min_ratings: int = 0,
    n_jobs: int | None = None,
) -> CoembeddingReport | MultitypeReport:
    """Measure a map of users and items, or of objects of any types: exactly, over all triples.

    Parameters
    ----------
    model : COE, CFEE, BPRPlus or CODE
        Fitted to ratings; or COE fitted to explicit triples, for which the parameters after
        `held_out` mean nothing.
    held_out : Ratings, Comparisons or array-like of shape (n_triples, 3), optional
        Ratings of the same users and items that were not fitted, from `train_test_split`. The
        triples predicted are those with at least one of them. For a fit to explicit triples:
        others of the same objects.
    normalize : {"zscore", "share", "none"}, default="zscore"
        What makes values of different users comparable, whatever the model did: standard scores
        (for ratings), shares in the user's total (for counts), or nothing. They are those of
        fitted and held-out ratings together.
    neighbors : sequence of int, default=(1, 5)
        For which k to average the ratings of the k nearest among the rated. Ratings are
        averaged as they are, counts as shares of the user's total; fitted and held-out ones
        count alike.
    k : int, default=10
        Length of the lists of recommended items that are judged, for at most 2,000 users.
    min_ratings : int, default=0
        Recommend only items with so many fitted ratings or more.
    n_jobs : int or None, default=None
        Threads, as in joblib: -1 for all cores, None for one.

    Returns
    -------
    CoembeddingReport or MultitypeReport
        Preservation, prediction and neighbour averages, each with its harmonic mean; for
        explicit triples preservation and prediction for each combination of types.

    References
    ----------
    Le & Lauw, Euclidean Co-Embedding of Ordinal Data for Multi-Type Visualization, SDM 2016,
    equations (5.5) and (5.6). Objects without triples are left out of the averages.

    Examples
    --------
    >>> import ordinate as od
    >>> ratings = od.Ratings([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1], [5, 3, 2, 4, 1, 5])
    >>> model = od.COE(random_state=0).fit(ratings)
    >>> od.coe_report(model, neighbors=[1]).preservation.user_anchored
    1.0
    """
    for number in neighbors:
        check_integer("neighbors", number, minimum=1)
    check_integer("k", k, minimum=1)
    check_integer("min_ratings", min_ratings, minimum=0)
    if hasattr(model, "triples_"):
        return _report_of_triples(model, held_out)
    if not hasattr(model, "ratings_"):
        raise InputError(f"This {type(model).__name__} is not fitted yet; call fit first.")
    if held_out is not None and not isinstance(held_out, Ratings):
        raise InputError(
            "The model was fitted to Ratings, so held_out must be Ratings too; got"
            f" {type(held_out).__name__}. Take both from one train_test_split."
        )
    lists = k, min_ratings
    return _report_of_ratings(
        model, held_out, normalize, neighbors, lists, effective_n_jobs(n_jobs)
    )


def _report_of_triples(model: COE, held_out: object) -> MultitypeReport:
    if isinstance(held_out, Ratings):
        raise InputError(
            "The model was fitted to explicit triples, so held_out must be triples (anchor, near,"
            " far) too; got Ratings."
        )
    return MultitypeReport(
        _accuracy_by_type(model, model.triples_),
        None if held_out is None else _accuracy_by_type(model, held_out),
    )


def _accuracy_by_type(model: COE, triples: Any) -> TypedAccuracy:
    found = model.score_by_type(triples, over="anchors")
    return TypedAccuracy(
        {kind: share for kind, (share, _) in found.items()},
        {kind: count for kind, (_, count) in found.items()},
    )


def _report_of_ratings(
    model: _CoEmbedding,
    held_out: Ratings | None,
    normalize: str,
    neighbors: Sequence[int],
    lists: tuple[int, int],
    n_threads: int,
) -> CoembeddingReport:
    fitted = model.ratings_
    if np.ptp(fitted.values) == 0:
        normalize = "none"  # shares of equal values would order users by how much they have
    map_ = _Map(
        np.concatenate([model.user_embedding_, model.item_embedding_]),
        getattr(model, "offsets_", np.zeros(fitted.n_users + fitted.n_items)),
    )
    parts = [fitted] if held_out is None else [fitted, _check_held_out(fitted, held_out)]
    normalization = Normalization.of(normalize, *parts)
    entries = _Entries.of(fitted, normalization)
    kept = _count(fitted, entries, map_, n_threads)
    prediction = unseen = item_means = top = popular = None
    if held_out is not None:
        others = _Entries.of(held_out, normalization)
        counts = np.maximum(np.bincount(entries.items, minlength=fitted.n_items), 1)
        sums = np.bincount(entries.items, entries.scores, minlength=fitted.n_items)
        by_means = _count(fitted, others, _in_one_place(fitted, sums / counts), n_threads)
        item_means = _accuracy(by_means, fitted.n_users).user_anchored
        entries = entries.joined(others)
        prediction = _accuracy(_count(fitted, entries, map_, n_threads) - kept, fitted.n_users)
        unseen = _accuracy(_count(fitted, others, map_, n_threads), fitted.n_users)
        top = _top(fitted, held_out, map_, normalize, *lists)
        popularity = _in_one_place(fitted, np.bincount(fitted.items, minlength=fitted.n_items))
        popular = _top(fitted, held_out, popularity, normalize, *lists)
    return CoembeddingReport(
        preservation=_accuracy(kept, fitted.n_users),
        prediction=prediction,
        unseen=unseen,
        neighbors=tuple(_neighbor_average(fitted, entries, map_, k) for k in neighbors),
        item_means=item_means,
        top=top,
        popular=popular,
    )


def _top(
    fitted: Ratings, held_out: Ratings, map_: _Map, normalize: str, k: int, min_ratings: int
) -> TopK | None:
    """Judge the nearest items that users have not rated, if users liked something held out."""
    judged = np.unique(np.linspace(0, fitted.n_users - 1, _MOST_JUDGED).astype(np.intp))
    liked = np.isin(held_out.users, judged)
    if normalize != "share":
        both = [np.concatenate([getattr(part, name) for part in (fitted, held_out)])
                for name in ("users", "values")]  # fmt: skip
        means = np.bincount(*both) / np.maximum(np.bincount(both[0]), 1)
        liked &= held_out.values >= means[held_out.users]
    known = np.flatnonzero(np.bincount(fitted.items, minlength=fitted.n_items) >= min_ratings)
    if not liked.any() or not len(known):
        return None
    place, row = np.full(fitted.n_items, -1), np.full(fitted.n_users, -1)
    place[known], row[judged] = np.arange(len(known)), np.arange(len(judged))
    there = (place[fitted.items] >= 0) & (row[fitted.users] >= 0)
    rated = Rated(row[fitted.users[there]], place[fitted.items[there]])
    users, items = map_.points[judged], map_.points[fitted.n_users + known]
    numbers, _ = nearest_of(users, items, k, rated, map_.offsets[fitted.n_users + known])
    lists = np.full((fitted.n_users, numbers.shape[1]), -1)
    lists[judged] = np.where(numbers < 0, -1, known[numbers])
    return top_k(lists, held_out, liked)


def _in_one_place(ratings: Ratings, liked: NDArray[Any]) -> _Map:
    """Return a map on which all objects are in one place, and items the nearer the more liked."""
    n_objects = ratings.n_users + ratings.n_items
    return _Map(np.zeros((n_objects, 1)), np.concatenate([np.zeros(ratings.n_users), -liked]))


class _Map(NamedTuple):
    """Coordinates of users, then of items, and what is added to their distances from anchors."""

    points: NDArray[np.float64]
    offsets: NDArray[np.float64]


@dataclass(frozen=True)
class _Entries:
    """Users, items, scores and what is averaged, of one or two tables."""

    users: NDArray[np.int32]
    items: NDArray[np.int32]
    scores: NDArray[np.float64]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, ratings: Ratings, normalization: Normalization) -> _Entries:
        scores = normalization.scores(ratings)
        values = scores if normalization.how == "share" else ratings.values
        return cls(ratings.users, ratings.items, scores, values)

    def joined(self, other: _Entries) -> _Entries:
        mine, theirs = vars(self).values(), vars(other).values()
        return _Entries(*(np.concatenate(pair) for pair in zip(mine, theirs, strict=True)))


def _check_held_out(fitted: Ratings, held_out: Ratings) -> Ratings:
    same = held_out.user_names == fitted.user_names and held_out.item_names == fitted.item_names
    if not same:
        raise InputError(
            f"held_out has other users or items ({held_out!r}) than the fit ({fitted!r}); take both"
            " from one train_test_split."
        )
    return held_out


def _count(ratings: Ratings, entries: _Entries, map_: _Map, n_threads: int) -> PairCounts:
    columns = entries.users, entries.items, entries.scores
    lists = RankedLists(*columns, ratings.n_users, ratings.n_items, n_threads)
    return count_right(lists, map_.points, map_.offsets if map_.offsets.any() else None)


def _accuracy(counts: PairCounts, n_users: int) -> TripleAccuracy:
    users, items = slice(0, n_users), slice(n_users, None)
    some = counts.pairs[users] > 0
    shares = counts.right[users][some] / counts.pairs[users][some]
    return TripleAccuracy(
        _mean_share(counts.right[users], counts.pairs[users]),
        _mean_share(counts.right[items], counts.pairs[items]),
        _mean_share(counts.right_in[users], counts.pairs_in[users]),
        float(shares.std(ddof=1) / np.sqrt(len(shares))) if len(shares) > 1 else 0.0,
    )


def _mean_share(right: NDArray[np.int64], pairs: NDArray[np.int64]) -> float:
    some = pairs > 0
    return float(np.mean(right[some] / pairs[some])) if some.any() else float("nan")


def _neighbor_average(ratings: Ratings, entries: _Entries, map_: _Map, k: int) -> NeighborAverage:
    users, items = entries.users, ratings.n_users + entries.items
    distance = np.linalg.norm(map_.points[users] - map_.points[items], axis=1)
    from_users, from_items = distance + map_.offsets[items], distance + map_.offsets[users]
    return NeighborAverage(
        k,
        _mean_of_nearest(entries.users, from_users, entries.values, k),
        _mean_of_nearest(entries.items, from_items, entries.values, k),
    )


def _mean_of_nearest(
    owners: NDArray[np.int32], distance: NDArray[np.float64], values: NDArray[np.float64], k: int
) -> float:
    """Average the k values nearest to each owner, then average over owners."""
    order = np.lexsort((distance, owners))
    counts = np.bincount(owners)
    place = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    near = order[place < k]
    sums = np.bincount(owners[near], values[near], minlength=len(counts))
    some = counts > 0
    return float(np.mean(sums[some] / np.minimum(counts[some], k)))
