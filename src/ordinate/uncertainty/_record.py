"""What a map knows about its own uncertainty, as one record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._arrays import Floats
from ordinate._checks import (
    InputError,
    as_frame,
    check_objects,
    check_real,
    check_share,
    text_array,
)
from ordinate._notebooks import map_as_html, report_as_html
from ordinate.comparisons.inputs import as_comparisons
from ordinate.comparisons.record import PAIR_COLUMNS, Comparisons
from ordinate.engine.distances import nearest_others
from ordinate.uncertainty._mirrored import MirroredPart

Object: TypeAlias = "str | int"

_QUESTIONS = 20_000
"""Questions drawn at random to estimate the share that the map is sure of."""
_SURE_OF_FEW = 0.5
"""A map that is sure of fewer questions than this needs more answers."""
_FEW_GROUPS = 30
"""A bootstrap of fewer groups than this is known to be too narrow."""
_BLOCK = 1_000_000
"""Numbers that are looked at together; distances of all pairs in all draws would be too many."""
_NOISY = 1 / 4
"""Share of noise along an axis from which the answers do not speak for it."""


class Ellipses(NamedTuple):
    """Regions that hold a given share of an object's draws.

    Attributes
    ----------
    centers : ndarray of shape (n_objects, n_components)
        Means of the draws.
    semi_axes : ndarray of shape (n_objects, n_components)
        Half lengths along the principal directions, the longest first.
    directions : ndarray of shape (n_objects, n_components, n_components)
        The principal directions, one per row.

    Examples
    --------
    >>> import numpy as np, ordinate as od
    >>> flat = od.uncertainty.Ellipses(np.zeros((1, 2)), np.ones((1, 2)), np.eye(2)[None])
    >>> flat.angles
    array([0.])
    """

    centers: Floats
    semi_axes: Floats
    directions: Floats

    @property
    def angles(self) -> Floats:
        """Direction of the longest axis on a map of two dimensions, in degrees from -90 to 90."""
        if self.directions.shape[1] != 2:
            raise InputError(
                f"An ellipse in {self.directions.shape[1]} dimensions has no single angle; take"
                " its directions."
            )
        x, y = self.directions[:, 0].T
        steepness = np.divide(y, x, out=np.full_like(y, np.inf), where=x != 0)
        degrees: Floats = np.degrees(np.arctan(steepness))
        return degrees


@dataclass(frozen=True, eq=False)
class MapUncertainty:
    """Draws of a map, laid over it, and what follows from them; `map_uncertainty` makes it.

    Distances are in units of the map: each draw has its size.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_objects, n_components)
        The map, centred.
    draws_ : ndarray of float32, shape (n_draws, n_objects, n_components)
        The draws, aligned.
    names_ : tuple of str or None
        The objects' names.
    method : str
        ``"bootstrap"`` or ``"posterior"``.
    by : str or None
        The group whose rows were drawn together.
    level : float
        Share of the draws that intervals and ellipses hold.
    n_neighbors : int
        How many nearest objects `neighbor_stability_` looks at.
    n_answers_ : ndarray of int, shape (n_objects,)
        Answers about each object.
    contradicted_ : ndarray of float, shape (n_objects,)
        Share of them that the map contradicts.
    mirrored_ : tuple of MirroredPart
        Objects that lie mirrored in a share of the draws: the map shows one of two that the
        answers do not distinguish.
    rhat_ : float or None
        Of the posterior's chains: above about 1.05 they have not converged.
    ess_ : float or None
        Effective number of the posterior's draws.
    lapse_rate_ : float or None
        Share of random responses: the posterior's mean, or the model's own estimate.
    n_chains_ : int
        Chains that drew the posterior, one after the other in `draws_`; 1 for the bootstrap.
    n_groups_ : float or None
        Effective number of the groups that were drawn whole, (Σ c)² / Σ c² with c the answers of
        each: as many groups of equal size would weigh as much.

    Examples
    --------
    >>> import ordinate as od
    >>> cities = od.datasets.load_cities()
    >>> model = od.STE(n_components=2, random_state=0).fit(cities.comparisons)
    >>> sure = od.map_uncertainty(model, cities.comparisons, n_draws=20, random_state=0)
    >>> low, high = sure.distance_interval("Lisbon", "Madrid")
    >>> bool(low < high), sure.sure_of("Lisbon", "Madrid", "Moscow")
    (True, 1.0)
    """

    embedding_: Floats
    draws_: NDArray[np.float32]
    names_: tuple[str, ...] | None
    method: str
    by: str | None
    level: float
    n_neighbors: int
    n_answers_: NDArray[np.intp]
    contradicted_: Floats
    mirrored_: tuple[MirroredPart, ...] = ()
    rhat_: float | None = None
    ess_: float | None = None
    lapse_rate_: float | None = None
    n_groups_: float | None = None
    n_chains_: int = 1

    @property
    def drawn_(self) -> str:
        """What the bootstrap draws with replacement, in words."""
        if self.by is None:
            return "answers"
        return f"whole {self.by}s"

    @cached_property
    def mean_(self) -> Floats:
        """Mean position of each object, shape (n_objects, n_components)."""
        mean: Floats = self.draws_.mean(axis=0, dtype=np.float64)
        return mean

    @cached_property
    def covariances_(self) -> Floats:
        """Covariance of each object's position, shape (n_objects, n_components, n_components)."""
        d = self.embedding_.shape[1]
        found: Floats = np.empty((len(self.embedding_), d, d))
        for part in self._blocks(len(found)):
            away = self.draws_[:, part] - self.mean_[part]
            found[part] = np.einsum("rns,rnt->nst", away, away) / (len(away) - 1)
        return found

    @cached_property
    def axis_noise_(self) -> Floats:
        """Share of noise along each principal axis of the map, the longest first.

        The variance of the draws along the axis, beside that of the objects' mean places and the
        draws together: near 0 where the answers fix an axis, from about a quarter on where they do
        not speak for it. Shape (n_components,).
        """
        axes = np.linalg.eigh(self.embedding_.T @ self.embedding_)[1][:, ::-1]
        signal = np.var(self.mean_ @ axes, axis=0)
        noise = np.einsum("nst,sk,tk->k", self.covariances_, axes, axes) / len(self.embedding_)
        share: Floats = noise / np.maximum(signal + noise, np.finfo(np.float64).tiny)
        return share

    @cached_property
    def ellipses_(self) -> Ellipses:
        """Ellipses that hold the share `level` of each object's draws."""
        variances, directions = np.linalg.eigh(self.covariances_)
        variances, directions = variances[:, ::-1], directions[:, :, ::-1]
        spread = np.sqrt(np.maximum(variances, 1e-300))
        reach = np.empty(len(spread))
        for part in self._blocks(len(spread)):
            away = self.draws_[:, part] - self.mean_[part]
            along = np.einsum("rns,nst->rnt", away, directions[part]) / spread[part]
            reach[part] = _quantile(np.linalg.norm(along, axis=2), self.level)
        return Ellipses(self.mean_, reach[:, None] * spread, directions.transpose(0, 2, 1))

    @cached_property
    def neighbors_(self) -> NDArray[np.intp]:
        """Numbers of each object's nearest on the map, the nearest first; (n_objects, k)."""
        return nearest_others(self.embedding_, self.n_neighbors)

    @cached_property
    def neighbor_chances_(self) -> Floats:
        """For each of `neighbors_`, the share of the draws in which it is so; (n_objects, k)."""
        total = np.zeros(self.neighbors_.shape)
        for draw in self.draws_:
            found = nearest_others(np.asarray(draw, dtype=np.float64), self.n_neighbors)
            total += (self.neighbors_[:, :, None] == found[:, None, :]).any(axis=2)
        return total / len(self.draws_)

    @property
    def neighbor_stability_(self) -> Floats:
        """Mean share of an object's nearest neighbours on the map that are so in a draw, too."""
        stability: Floats = self.neighbor_chances_.mean(axis=1)
        return stability

    @cached_property
    def sure_share_(self) -> float:
        """Share of all possible questions (a; b or c?) that `level` of the draws answer alike."""
        n = len(self.embedding_)
        rng = np.random.default_rng(0)
        rows = np.column_stack([rng.integers(n - k, size=_QUESTIONS) for k in range(3)])
        # b and c in turn skip the objects taken before them
        rows[:, 1] += rows[:, 1] >= rows[:, 0]
        low, high = rows[:, :2].min(axis=1), rows[:, :2].max(axis=1)
        rows[:, 2] += rows[:, 2] >= low
        rows[:, 2] += rows[:, 2] >= high
        chances = self.chances(rows)
        return float(np.mean(np.maximum(chances, 1 - chances) >= self.level))

    @property
    def badly_placed_(self) -> NDArray[np.intp]:
        """Objects whose ellipse is longer than the map is wide on average, the worst first."""
        longest = self.ellipses_.semi_axes[:, 0]
        radius = float(np.sqrt(np.mean(np.sum(self.embedding_**2, axis=1))))
        worst = np.argsort(-longest, kind="stable")
        return worst[longest[worst] > radius]

    def distance_intervals(self, pairs: ArrayLike, level: float | None = None) -> Floats:
        """Return intervals of the distances of pairs of objects.

        Parameters
        ----------
        pairs : array-like of int, shape (n_pairs, 2)
            Numbers of objects.
        level : float, optional
            Share of the draws between the ends; by default `level`.

        Returns
        -------
        ndarray of shape (n_pairs, 2)
            Lower and upper ends, in units of the map.
        """
        chosen = check_objects("pairs", np.atleast_2d(np.asarray(pairs)), len(self.embedding_))
        if chosen.ndim != 2 or chosen.shape[1] != 2:
            raise InputError(f"pairs must have 2 columns; got shape {chosen.shape}.")
        share = self.level if level is None else check_share("level", level)
        ends = [(1 - share) / 2, (1 + share) / 2]
        found: Floats = np.empty((len(chosen), 2))
        for part in self._blocks(len(chosen)):
            i, j = chosen[part].T
            gaps = self.draws_[:, i] - self.draws_[:, j]
            found[part] = _quantile(np.linalg.norm(gaps, axis=2), ends).T
        return found

    def distance_interval(
        self, a: Object, b: Object, level: float | None = None
    ) -> tuple[float, float]:
        """Return the interval of the distance of two objects.

        Parameters
        ----------
        a, b : str or int
            Names of objects, or numbers where they have no names.
        level : float, optional
            Share of the draws between the ends; by default `level`.

        Returns
        -------
        low, high : float
            In units of the map.
        """
        low, high = self.distance_intervals([[self._number(a), self._number(b)]], level)[0]
        return float(low), float(high)

    def chances(self, comparisons: Comparisons | ArrayLike) -> Floats:
        """Return how probable it is that each comparison holds.

        Parameters
        ----------
        comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
            Triplets or quadruplets of objects of the map.

        Returns
        -------
        ndarray of shape (n_comparisons,)
            Share of the draws in which it does.
        """
        rows = as_comparisons(comparisons).rows
        check_objects("comparisons", rows, len(self.embedding_))
        i, j, k, l = (rows[:, column] for column in PAIR_COLUMNS[rows.shape[1]])  # noqa: E741
        total = np.zeros(len(rows))
        for draw in self.draws_:
            near2 = np.sum((draw[i] - draw[j]) ** 2, axis=1)
            total += near2 < np.sum((draw[k] - draw[l]) ** 2, axis=1)
        return total / len(self.draws_)

    def sure_of(self, a: Object, b: Object, c: Object) -> float:
        """Return how often `a` is nearer to `b` than to `c` among the draws.

        Parameters
        ----------
        a, b, c : str or int
            Names of objects, or numbers where they have no names.

        Returns
        -------
        float
            Share of the draws in which it is so.
        """
        return float(self.chances([[self._number(name) for name in (a, b, c)]])[0])

    def stable_neighbors(self, least: float | None = None) -> dict[str, dict[str, float]]:
        """Say which neighbours can be relied on.

        Parameters
        ----------
        least : float, optional
            In what share of the draws an object must be among the nearest `n_neighbors` of
            another; by default `level`.

        Returns
        -------
        dict of str to dict of str to float
            For each object that has any, its stable neighbours, the nearest first, with the
            share of the draws in which they are so.
        """
        least = self.level if least is None else check_real("least", least, minimum=0, maximum=1)
        labels = self._labels()
        found = {
            str(labels[number]): {
                str(labels[near]): float(chance)
                for near, chance in zip(nearest, chances, strict=True)
                if chance >= least
            }
            for number, (nearest, chances) in enumerate(
                zip(self.neighbors_, self.neighbor_chances_, strict=True)
            )
        }
        return {name: near for name, near in found.items() if near}

    def _blocks(self, n: int, width: int | None = None) -> Iterator[slice]:
        """Cut n rows of one number per draw (or of so many) into pieces that take little room."""
        size = max(_BLOCK // (width or len(self.draws_)), 1)
        return (slice(first, first + size) for first in range(0, n, size))

    def _number(self, name: Object) -> int:
        if isinstance(name, str):
            if self.names_ is None or name not in self.names_:
                known = "objects have numbers only" if self.names_ is None else "no such name"
                raise InputError(f"There is no object {name!r} on the map: {known}.")
            return self.names_.index(name)
        return int(check_objects("An object", name, len(self.embedding_)))

    def to_columns(self) -> dict[str, NDArray[Any]]:
        """Return the figures of each object as columns of a table.

        Returns
        -------
        dict of str to ndarray of shape (n_objects,)
            Semi-axes of the ellipse (and, in two dimensions, the angle of the longest), the
            stability of the neighbours, the number of answers and the share that disagrees.
        """
        ellipses = self.ellipses_
        columns: dict[str, NDArray[Any]] = {
            f"semi_axis{axis}": lengths for axis, lengths in enumerate(ellipses.semi_axes.T, 1)
        }
        if self.embedding_.shape[1] == 2:
            columns["angle"] = ellipses.angles
        return columns | {
            "stability": self.neighbor_stability_,
            "answers": self.n_answers_,
            "contradicted": self.contradicted_,
        }

    def to_frame(self) -> Any:
        """Return the figures of each object as a data frame.

        Returns
        -------
        pandas.DataFrame
            Coordinates and the columns of `to_columns`, indexed by the objects' names; without
            pandas, a PyArrow table.
        """
        axes = {f"x{axis}": values for axis, values in enumerate(self.embedding_.T, 1)}
        return as_frame({"object": self._labels()} | axes | self.to_columns(), ["object"])

    def to_arviz(self) -> Any:
        """Return the draws as ArviZ takes them, which must be installed.

        Returns
        -------
        arviz.InferenceData
            The group ``posterior`` holds ``position`` with the dimensions chain, draw, object and
            axis. Its attribute ``method`` says how they were drawn: refits of the bootstrap are
            one chain, and no draws of a posterior.
        """
        import arviz

        n_objects, n_components = self.embedding_.shape
        draws = self.draws_.reshape(self.n_chains_, -1, n_objects, n_components)
        found = arviz.from_dict(
            posterior={"position": draws},
            coords={
                "object": [str(label) for label in self._labels()],
                "axis": [f"x{axis}" for axis in range(1, n_components + 1)],
            },
            dims={"position": ["object", "axis"]},
        )
        found.posterior.attrs |= {"inference_library": "ordinate", "method": self.method}
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the figures of the whole map as plain Python values, ready for JSON."""
        labels = self._labels()
        return {
            "method": self.method,
            "by": self.by,
            "n_draws": len(self.draws_),
            "level": self.level,
            "sure_share": self.sure_share_,
            "neighbor_stability": float(self.neighbor_stability_.mean()),
            "median_semi_axis": float(np.median(self.ellipses_.semi_axes[:, 0])),
            "axis_noise": self.axis_noise_.tolist(),
            "stable_neighbors": self.stable_neighbors(),
            "badly_placed": [
                {"object": str(labels[number]), "why": self._why(number)}
                for number in self.badly_placed_
            ],
            "mirrored": [
                {"objects": [str(labels[number]) for number in part.objects], "share": part.share}
                for part in self.mirrored_
            ],
            "rhat": self.rhat_,
            "ess": self.ess_,
            "lapse_rate": self.lapse_rate_,
            "n_groups": self.n_groups_,
        }

    def __str__(self) -> str:
        drawn = f"bootstrap resamples of {self.drawn_}"
        if self.method == "posterior":
            drawn = "draws from the posterior"
        d = self.embedding_.shape[1]
        lines = [
            f"Uncertainty of the map, by {len(self.draws_)} {drawn}",
            f"  intervals          are right if {d} dimension{'s are' if d > 1 else ' is'} enough",
            f"  certain at {self.level:.0%}     {self.sure_share_:.1%} of all possible questions",
            f"  neighbours         {self.neighbor_stability_.mean():.0%} of the nearest"
            f" {self.n_neighbors} stay the same",
        ]
        if self.lapse_rate_ is not None:
            lines.append(f"  lapses             {self.lapse_rate_:.0%} of the responses are random")
        lines += [f"  {line}" for line in self.warnings_]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return report_as_html(str(self)) + map_as_html(self.embedding_, self.names_, self)

    @property
    def warnings_(self) -> list[str]:
        """What to be careful about and what to do, in sentences."""
        labels = self._labels()
        lines = []
        n_noise = int(np.count_nonzero(self.axis_noise_ > _NOISY))
        if n_noise:
            d = self.embedding_.shape[1]
            lines.append(
                f"→ Dimensions of which more than a quarter is noise: {n_noise} of {d}. Intervals"
                " of distances are then too narrow."
            )
        if self.n_groups_ is not None and self.n_groups_ < _FEW_GROUPS:
            lines.append(
                f"→ With only {self.n_groups_:.0f} {self.drawn_.removeprefix('whole ')}, intervals"
                " are somewhat too narrow."
            )
        if len(self.badly_placed_):
            shown = ", ".join(
                f"{labels[number]} ({self._why(number)})" for number in self.badly_placed_[:5]
            )
            n_bad = len(self.badly_placed_)
            head = (
                f"{n_bad} objects, such as" if n_bad > 5 else f"{n_bad} object{'s' * (n_bad > 1)}:"
            )
            lines.append(f"→ Badly placed: {head} {shown}.")
        for part in self.mirrored_:
            shown = ", ".join(str(labels[number]) for number in part.objects[:5])
            lines.append(
                f"→ {len(part.objects)} objects ({shown}, …) lie mirrored in {part.share:.0%} of"
                " the draws: ask questions that join them with the others."
            )
        if self.rhat_ is not None and self.rhat_ > 1.05 and not self.mirrored_:
            lines.append(
                f"→ The chains have not converged (R-hat {self.rhat_:.2f}): take more draws."
            )
        if len(self.badly_placed_) or self.mirrored_ or self.sure_share_ < _SURE_OF_FEW:
            lines.append(
                "→ If you ask further questions, choose the most informative ones:"
                " ordinate questions objects.txt"
                " --adaptive --given answers.csv (in Python, Questions(objects,"
                " given=answers).ask(200))."
            )
        return lines

    def _why(self, number: int) -> str:
        """Say why an object may be badly placed."""
        count, odds = self.n_answers_[number], self.contradicted_[number]
        if count < 0.5 * np.median(self.n_answers_):
            return f"few answers: {count}"
        share = np.average(self.contradicted_, weights=self.n_answers_)  # the median is often zero
        by_chance = share + 2 * np.sqrt(share * (1 - share) / max(count, 1))
        if odds > max(1.5 * share, by_chance):
            return f"contradictions: {odds:.0%} of its {count} answers disagree with the map"
        return f"its {count} answers leave its place open"

    def _labels(self) -> NDArray[Any]:
        return np.arange(len(self.embedding_)) if self.names_ is None else text_array(self.names_)


def _quantile(values: NDArray[Any], at: float | list[float]) -> Floats:
    """Return quantiles over the draws, between which a further draw lies with that probability."""
    found: Floats = np.quantile(values, at, axis=0, method="weibull")
    return found
