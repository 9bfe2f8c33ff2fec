"""Whether two maps of the same objects are really different, or only by chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Floats
from ordinate._checks import InputError, text_array
from ordinate._notebooks import ShownAsTable
from ordinate.metrics import procrustes_distance
from ordinate.solvers.alignment import align_draw
from ordinate.uncertainty._record import MapUncertainty

_LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class MapDifference(ShownAsTable):
    """The result of `compare_maps`.

    Attributes
    ----------
    distance : float
        Procrustes distance of the two maps, from 0 to 1.
    chance_distances : ndarray of shape (n_draws,)
        The same for pairs of draws, as if both maps were estimates of one.
    p_value : float
        How often draws are as far apart; at least 1 / (n_draws + 1).
    moved : ndarray of int
        Numbers of the objects that lie farther apart on the two maps than chance explains, the
        clearest first. If none does, one is named all the same in 5 % of cases.
    names : tuple of str or None
        The objects' names.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> maps = [od.STE(2, random_state=0).fit(part) for part in (answers[::2], answers[1::2])]
    >>> halves = [
    ...     od.map_uncertainty(model, part, n_draws=50, random_state=0)
    ...     for model, part in zip(maps, (answers[::2], answers[1::2]))
    ... ]
    >>> od.uncertainty.compare_maps(*halves).p_value > 0.05
    True
    """

    distance: float
    chance_distances: Floats
    p_value: float
    moved: NDArray[np.intp]
    names: tuple[str, ...] | None

    @property
    def differ(self) -> bool:
        """Whether the maps are farther apart than in 95 % of the pairs of draws."""
        return self.p_value <= 1 - _LEVEL + 1e-12

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        labels = range(10**9) if self.names is None else text_array(self.names)
        return {
            "distance": self.distance,
            "by_chance": float(np.quantile(self.chance_distances, _LEVEL)),
            "p_value": self.p_value,
            "differ": self.differ,
            "moved": [str(labels[number]) for number in self.moved],
        }

    def __str__(self) -> str:
        figures = self.to_dict()
        verdict = (
            "The maps are really different"
            if self.differ
            else "The maps differ no more than new answers would make one of them differ"
        )
        lines = [
            f"{verdict}: Procrustes distance {self.distance:.3f}, by chance up to"
            f" {figures['by_chance']:.3f}, p = {self.p_value:.2g}."
        ]
        if self.differ and figures["moved"]:
            shown = ", ".join(figures["moved"][:5]) + ", …" * (len(figures["moved"]) > 5)
            lines.append(f"Objects that lie elsewhere: {len(figures['moved'])} ({shown}).")
        return "\n".join(lines)


def compare_maps(one: MapUncertainty, other: MapUncertainty) -> MapDifference:
    """Test whether two maps of the same objects differ by more than their uncertainty.

    The maps may be those of two groups of people, of two days, of two methods or of two
    dimensions. If both were estimates of one map, their distance would come from the errors of
    both alone. So the draws' deviations from either map are laid upon the mean of the two maps,
    and the distances of the pairs that arise show how different two maps may be by chance.

    Two maps of the *same* answers err together, so that they are less far apart by chance than
    the test allows for: what it finds is a difference larger than other answers would make.

    Parameters
    ----------
    one, other : MapUncertainty
        From `ordinate.map_uncertainty`, each with its own answers; the same objects in the same
        order.

    Returns
    -------
    MapDifference
        Print it, or ask it for ``p_value`` and ``moved``.

    See Also
    --------
    ordinate.map_uncertainty : Uncertainty of one map.
    ordinate.metrics.procrustes_distance : The distance of two maps alone.

    References
    ----------
    Efron & Tibshirani, An Introduction to the Bootstrap, 1993, chapter 16; Westfall & Young,
    Resampling-Based Multiple Testing, 1993 (objects).

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> plane, line = (
    ...     od.map_uncertainty(od.STE(d, random_state=0).fit(answers), answers, n_draws=50)
    ...     for d in (2, 1)
    ... )
    >>> od.uncertainty.compare_maps(plane, line).differ
    True
    """
    _check_same_objects(one, other)
    d = max(one.embedding_.shape[1], other.embedding_.shape[1])
    first, first_errors = _in_units(one, d)
    second, second_errors = _in_units(other, d)
    left, _, right = np.linalg.svd(second.T @ first)
    turn = left @ right
    second = second @ turn
    middle = (first + second) / 2
    n_draws = min(len(first_errors), len(second_errors))
    gaps, distances = np.empty((n_draws, len(first))), np.empty(n_draws)
    for number in range(n_draws):
        # draws by one seed of the same answers err together; half a turn apart they do not
        across = second_errors[(number + n_draws // 2) % n_draws]
        here, there = middle + first_errors[number], middle + across @ turn
        distances[number] = procrustes_distance(here, there)
        gaps[number] = _gaps(here, there)
    distance = procrustes_distance(first, second)
    usual = np.maximum(np.sqrt(np.mean(gaps**2, axis=0)), np.finfo(np.float64).tiny)
    found = _gaps(first, second) / usual
    far = np.quantile(np.max(gaps / usual, axis=1), _LEVEL)
    order = np.argsort(-found, kind="stable")
    return MapDifference(
        distance=distance,
        chance_distances=distances,
        p_value=float((1 + np.count_nonzero(distances >= distance)) / (1 + n_draws)),
        moved=order[found[order] > far],
        names=one.names_,
    )


def _check_same_objects(one: Any, other: Any) -> None:
    for sure in (one, other):
        if not isinstance(sure, MapUncertainty):
            raise InputError(
                "compare_maps takes two results of map_uncertainty(model, answers); got"
                f" {type(sure).__name__}."
            )
    if len(one.embedding_) != len(other.embedding_):
        raise InputError(
            f"The maps place {len(one.embedding_)} and {len(other.embedding_)} objects; compare"
            " maps of the same objects."
        )
    if None not in (one.names_, other.names_) and one.names_ != other.names_:
        raise InputError(
            "The maps name their objects differently, or in another order; compare maps of the"
            " same objects."
        )


def _in_units(sure: MapUncertainty, d: int) -> tuple[Floats, Floats]:
    """Return the map at size 1 with d columns, and the draws' deviations from their mean."""
    size = np.linalg.norm(sure.embedding_)
    more = d - sure.embedding_.shape[1]
    points = np.pad(sure.embedding_ / size, ((0, 0), (0, more)))
    errors = (sure.draws_ - sure.mean_) / size
    return points, np.pad(errors, ((0, 0), (0, 0), (0, more)))


def _gaps(here: Floats, there: Floats) -> Floats:
    gaps: Floats = np.linalg.norm(here - align_draw(there, here), axis=1)
    return gaps
