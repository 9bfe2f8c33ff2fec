"""`ordinate.place`: new objects on a map that stays as it is, by features or by answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.special import logsumexp, softmax

from ordinate._arguments import parameter
from ordinate._arrays import Floats, Indices, Points
from ordinate._checks import InputError, some_of
from ordinate._random import as_generator
from ordinate.comparisons.answers import numbers_in_fit
from ordinate.comparisons.record import Comparisons
from ordinate.engine.distances import share_that_holds, squared_distances
from ordinate.engine.objective import make_objective
from ordinate.features.alignment import named_rows
from ordinate.features.files import read_object_features
from ordinate.io.coordinates import coordinate_columns, read_coordinates
from ordinate.io.object_tables import read_names
from ordinate.io.tables import errors_naming, name_of
from ordinate.losses import ckl
from ordinate.prior import KERNELS, FeatureKernel, Prior
from ordinate.results.finding import Finding
from ordinate.results.map_result import MapResult
from ordinate.results.object_display import ObjectDisplay
from ordinate.results.provenance import Provenance, provenance_of
from ordinate.solvers.new_objects import place_new_objects
from ordinate.verbs.answers import read_answers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.io.coordinates import Columns

_RIDGES = tuple(10.0 ** np.arange(-3, 4.1, 0.5))
"""(1 − ρ) / ρ for the shares ρ of the variance that features may explain."""
_OFFSET = 0.05
"""Offset of squared distances, in units of the map's variance; see `ordinate.losses.ckl`."""
_SCALES = (1.0, 0.5, 0.25, 0.125, 0.06, 0.03)
"""Around a new object, places are tried at these distances in units of the map's spread."""
_TRIED = 500
"""Places tried at each of these distances."""


_EXPLAINS_LITTLE = 0.1
"""Features that explain less of the map's variance hardly tell where objects lie."""
_LISTED = 5
_HARDLY_KNOWN = 0.5
"""From this share of the map's spread on, the place of an object is hardly known."""


@dataclass(frozen=True, eq=False)
class _WholeMap(MapResult):
    """A map with the new objects on it, to draw."""

    points: Points
    labels: Sequence[str]
    display: ObjectDisplay

    @property
    def names(self) -> Sequence[str]:
        """The labels of all objects."""
        return self.labels


@dataclass(frozen=True, eq=False)
class Placement(MapResult):
    """New objects, their coordinates and how certain these are.

    Attributes
    ----------
    objects : list of str
        Labels of the new objects.
    points : ndarray of shape (n_new, dimension)
        Their coordinates on the map.
    measure : str
        What `value` is: the share of the map's variance that features explain, or of the answers
        that hold.
    value : float
        That share.
    spreads : ndarray of shape (n_new,)
        Standard deviation of each place, in units of the map's own; 1 is unknown.
    known_objects : list of str
        Labels of the objects that were on the map.
    known_points : ndarray of shape (n_known, dimension)
        Their coordinates.

    Examples
    --------
    >>> import ordinate as od
    >>> known = {"object": list("abcd"), "x1": [0, 1, 2, 3]}
    >>> features = {"object": list("abcde"), "size": [0, 1, 2, 3, 1.5]}
    >>> od.place(known, features=features).objects
    ['e']
    """

    heading: ClassVar[str] = "New objects on the map"

    objects: Sequence[str]
    points: Points
    measure: str
    value: float
    spreads: Floats
    known_objects: Sequence[str]
    known_points: Points
    answers: Indices | None = None
    n_answers: int | None = None
    deviations: Floats | None = None
    """Standard deviations of coordinates, in the units of the map."""
    provenance: Provenance = field(default_factory=Provenance, repr=False)

    @property
    def names(self) -> Sequence[str]:
        """The labels of the new objects."""
        return self.objects

    @property
    def hardly_known(self) -> list[str]:
        """Objects that may lie nearly anywhere."""
        return [self.names[at] for at in np.flatnonzero(self.spreads >= _HARDLY_KNOWN).tolist()]

    @property
    def _whole(self) -> _WholeMap:
        """The map with the new objects on it, in another colour."""
        is_new = np.arange(len(self.known_objects) + len(self.objects)) >= len(self.known_objects)
        return _WholeMap(
            np.vstack([self.known_points, self.points]),
            [*self.known_objects, *self.objects],
            ObjectDisplay({"object": np.where(is_new, "new", "on the map")}, "object"),
        )

    def figures(self) -> dict[str, Callable[[], Axes]]:
        """Return what draws the map with the new objects."""
        return self._whole.figures()

    def frames(self) -> dict[str, Callable[[], Any]]:
        """Return the map to explore, with the new objects."""
        return self._whole.frames()

    def draw(self, path: str | os.PathLike[str]) -> None:
        """Draw the map with the new objects."""
        self._whole.draw(path)

    def tables(self) -> dict[str, Columns]:
        """Return the table: coordinates, how certain they are and, of answers, how many."""
        columns = coordinate_columns(self.points, self.names)
        if self.deviations is not None:
            columns["std"] = self.deviations
        if self.answers is not None:
            columns["answers"] = self.answers
        return {"coordinates": columns | {"uncertainty": self.spreads}}

    def findings(self) -> Iterator[Finding]:
        """Yield what was placed, by what, and how certain it is."""
        n_placed, hardly_known = len(self.names), self.hardly_known
        source = "features" if self.answers is None else "answers"
        yield Finding(
            "n_placed",
            n_placed,
            f"{n_placed:,} new object{'s' * (n_placed != 1)} placed by {source} on a map of"
            f" {len(self.known_objects):,}, which stays as it is.",
        )
        yield Finding("n_known", len(self.known_objects))
        yield Finding("source", source)
        yield Finding("measure", self.measure)
        said = f"The features explain {self.value:.1%} of the variance of the map."
        if self.n_answers is not None:
            said = f"Of the {self.n_answers:,} answers, {self.value:.1%} hold on the map."
        yield Finding("value", self.value, said, unit="share")
        yield Finding("n_answers", self.n_answers)
        median = float(np.median(self.spreads))
        said = f"Uncertainty of a place: ±{median:.2f} of the map's own spread (1: unknown)."
        yield Finding("uncertainty", median, said)
        yield Finding("hardly_known", hardly_known)
        if hardly_known:
            listed = some_of(hardly_known, _LISTED)
            text = f"The place of {listed} is hardly known: collect more answers."
            yield Finding("hardly_known", text=text, kind="advice")
        if self.answers is None and self.value < _EXPLAINS_LITTLE:
            text = "Features hardly tell where objects lie: place them by answers."
            yield Finding("value", text=text, kind="advice")


def place(
    source: Any,
    *,
    features: str | os.PathLike[str] | Any = None,
    objects: Any = None,
    answers: str | os.PathLike[str] | Any = None,
    random_state: int = 0,
) -> Placement:
    """Place new objects on a map: by their features, or by answers about them.

    The map does not change. By features, a Gaussian process that is fitted to the objects on the
    map gives coordinates and their standard deviation (std); two thirds of the objects lie within
    it on each axis.

    Parameters
    ----------
    source : path, frame or result
        The map: a table of coordinates with the columns object, x1, x2 and so on, as `analyze`
        saves it, or what a function such as `analyze` returned.
    features : path or frame, optional
        Features of objects of the map and of new ones: a table with a column 'object', or a matrix
        with `objects`.
    objects : path or sequence of str, optional
        Names of the rows of `features`, if it has none: a list (.txt) with one per line.
    answers : path, frame or Comparisons, optional
        Answers about new objects and objects of the map.
    random_state : int, default=0
        Seed of the search for places that agree with the answers.

    Returns
    -------
    Placement
        Print it, `plot` it, `save` it as a table or a picture, or write a page by `report`.

    See Also
    --------
    analyze : Makes the map.
    FeatureEmbedding : A map of answers and features together.

    Examples
    --------
    >>> import ordinate as od
    >>> known = {"object": list("abcd"), "x1": [0, 1, 2, 3]}
    >>> answers = {"anchor": ["e", "e", "e"], "near": ["b", "b", "c"], "far": ["c", "d", "d"]}
    >>> od.place(known, answers=answers).answers
    array([3])
    """
    asked = locals()
    if (features is None) == (answers is None):
        raise InputError(
            f"Give either {parameter('features')} or {parameter('answers')}, by which new objects"
            " are placed."
        )
    if isinstance(source, MapResult):
        if source.names is None:
            raise InputError("The objects of this map have no labels, so that none is known.")
        names, points = list(map(str, source.names)), source.points
    else:
        names, points = read_coordinates(source)
    if features is not None:
        read = read_object_features(features)
        with errors_naming(name_of(features, "features")):
            labels = named_rows(read, None if objects is None else read_names(objects))
            if labels is None:
                raise InputError(
                    "No column says which object a row is about; add one called 'object', or name"
                    f" the rows in {parameter('objects')}."
                )
            found = _place_by_features(names, points, labels, read.dense())
    else:
        record = read_answers(answers, None, {})[0]
        with errors_naming(name_of(answers, "answers")):
            found = _place_by_answers(names, points, record, random_state)
    return replace(found, provenance=provenance_of(place, asked))


def _place_by_features(
    names: Sequence[str], points: Points, labels: Sequence[str], rows: Points
) -> Placement:
    """Place new objects by a Gaussian process over features, which the map's objects tell.

    Its kernel and the share that features explain are those by which the map's objects, each left
    out, are placed best.
    """
    number = {name: at for at, name in enumerate(names)}
    featured = set(np.flatnonzero(np.isfinite(rows).all(axis=1)))
    on_map = [at for at, label in enumerate(labels) if label in number and at in featured]
    new = [at for at, label in enumerate(labels) if label not in number]
    if len(on_map) < 3:
        raise InputError(f"{len(on_map)} objects of the map have features; 3 or more are needed.")
    if not new:
        raise InputError("All objects are on the map already; there is none to place.")
    there = points[[number[labels[at]] for at in on_map]]
    middle = there.mean(axis=0)
    best = min(
        (_leave_one_out(FeatureKernel(rows[on_map], kind, standardise=each), there - middle)
         for kind in KERNELS for each in (False, True)),
        key=lambda found: found[0],
    )  # fmt: skip
    errors, kernel, regression = best
    share = 1 / (1 + regression.alpha_)
    prior = Prior(kernel.factor, share, 1.0)
    residuals = there - middle - regression.predict(kernel.factor).reshape(there.shape)
    # the variance that makes the map's coordinates most probable: yᵀ Σ⁻¹ y / n
    variance = np.sum(residuals * (there - middle)) / (1 - share) / there.size
    told = kernel(rows[new])
    asked = np.ones(len(on_map), dtype=bool)
    placed = middle + regression.predict(told).reshape(len(new), -1)
    deviations = np.sqrt(variance * prior.variances(told, kernel.diagonal(rows[new]), asked))
    scale = np.sqrt(np.square(there - middle).sum() / there.size)
    explained = 1 - errors / np.square(there - middle).sum()
    return Placement(
        [labels[at] for at in new], placed, "explained", float(max(explained, 0.0)),
        deviations / max(scale, 1e-300), names, points, deviations=deviations,
    )  # fmt: skip


def _leave_one_out(kernel: FeatureKernel, there: Points) -> tuple[float, FeatureKernel, Any]:
    """Return the squared error of placing each object by the others, at the best share."""
    from sklearn.linear_model import RidgeCV  # whose import takes a while

    regression = RidgeCV(_RIDGES, fit_intercept=False, store_cv_results=True)
    regression.fit(kernel.factor, there)
    errors = regression.cv_results_.reshape(there.size, -1).sum(axis=0)
    return float(errors.min()), kernel, regression


def _place_by_answers(
    names: Sequence[str], points: Points, read: Comparisons, seed: int
) -> Placement:
    """Place the objects of answers that are not on the map, by ratios of distances."""
    n_known = len(points)
    numbers = numbers_in_fit(read, n_known, names)
    size = max(int(numbers.max()) + 1, n_known)
    if size == n_known:
        raise InputError("All objects are on the map already; there is none to place.")
    record = Comparisons(numbers[read.rows], n_objects=size, weights=read.weights)
    record = record[(record.rows >= n_known).any(axis=1)]
    if (record.rows >= n_known).all():
        raise InputError("No answer compares a new object with objects of the map.")
    objective = make_objective(record, ckl, [_OFFSET * float(points.var(axis=0).sum())])
    rng = as_generator(seed)
    placed = place_new_objects(points, record, objective, rng, max_iter=1000, tol=1e-4)
    new_names = [""] * (size - n_known)
    for name, at in zip(read.names or (), numbers, strict=True):
        if at >= n_known:
            new_names[at - n_known] = name
    whole = np.vstack([points, placed])
    share = share_that_holds(record, whole)
    about = [np.flatnonzero((record.rows == at).any(axis=1)) for at in range(n_known, size)]
    spreads = [
        _spread(whole, record[rows], n_known + at, points, rng) for at, rows in enumerate(about)
    ]
    counts = np.array([len(rows) for rows in about])
    return Placement(
        new_names, placed, "answers that hold", share, np.array(spreads), names, points, counts,
        len(record),
    )  # fmt: skip


def _spread(
    whole: Points, answers: Comparisons, at: int, known: Points, rng: np.random.Generator
) -> float:
    """Return the standard deviation of an object's place, in units of the map's own.

    Importance sampling: places are normal as those of the known objects are, and the answers
    have the probabilities by which the object was placed.
    """
    variance = float(known.var(axis=0).sum())
    middles = [known.mean(axis=0), *[whole[at]] * len(_SCALES)]
    deviation = np.sqrt(variance / known.shape[1])
    widths = deviation * np.array([1.0, *_SCALES])
    tried = np.concatenate(
        [
            m + w * rng.standard_normal((_TRIED, known.shape[1]))
            for m, w in zip(middles, widths, strict=True)
        ]
    )

    def log_normal(middle: Points, width: float) -> Points:
        away = np.square((tried - middle) / width).sum(axis=1)
        density: Points = -0.5 * away - known.shape[1] * np.log(width)
        return density

    drawn = logsumexp([log_normal(m, w) for m, w in zip(middles, widths, strict=True)], axis=0)
    weights = 1.0 if answers.weights is None else answers.weights
    moved, losses = whole.copy(), np.empty(len(tried))
    for number, place in enumerate(tried):
        moved[at] = place
        values, _, _ = ckl(*squared_distances(moved, answers.rows), _OFFSET * variance)
        losses[number] = np.sum(weights * values)
    share = softmax(log_normal(middles[0], widths[0]) - losses - drawn)
    mean = share @ tried
    return float(np.sqrt(share @ np.square(tried - mean).sum(axis=1) / variance))
