"""Uncertainty of a map: draws of it by bootstrap or from the posterior."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._arrays import Points
from ordinate._checks import InputError, check_choice, check_integer, check_points, check_share
from ordinate._random import RandomState, as_generator
from ordinate.comparisons.inputs import as_comparisons, record_to_fit
from ordinate.comparisons.record import Comparisons
from ordinate.engine.distances import squared_distances
from ordinate.solvers.alignment import NoExtentError, align_draw
from ordinate.solvers.coordinates import CoordinateDraws, sample_coordinates
from ordinate.uncertainty._bootstrap import bootstrap_draws, group_to_draw, resampling_units
from ordinate.uncertainty._mirrored import find_loose_objects, mirror, mirrored_parts
from ordinate.uncertainty._record import MapUncertainty

_MANY_ANSWERS = 2.0
"""From so many times d·n·log₂n answers on, refits may begin at the map. With fewer, a map can
satisfy all of them, and a refit that begins there would stay."""
_N_REFITS = 200
_N_CHAINS = 4
_N_DRAWS = 800
_POWER = 0.7
"""Of the likelihood: people see more dimensions than a map has, and answers that these decide
are taken for knowledge about the map. At their full weight intervals are too narrow."""
_N_LAPSE_DRAWS = 25
"""Draws of each chain at full weight, by which the lapse rate is found: a weaker likelihood alone
would take answers for lapses."""
_BAD_RHAT = 1.05
_FEW_DRAWS = 100


def map_uncertainty(
    model: Any,
    comparisons: Comparisons | ArrayLike,
    *,
    method: str = "bootstrap",
    by: str | None = "auto",
    features: Any = None,
    level: float = 0.9,
    n_draws: int | None = None,
    n_neighbors: int = 5,
    scale: bool = True,
    random_state: RandomState = None,
    n_jobs: int | None = -1,
    verbose: bool = False,
) -> MapUncertainty:
    """Return how certain the positions, distances and neighbours of a fitted map are.

    The *bootstrap* draws answers with replacement from those that were given and fits the model
    to them, beginning at the map where answers are many; it serves any method. Where there are
    eight participants or more it draws whole participants, and tells what others might have said.
    The *posterior* draws maps by how probable they make the answers, with a lapse rate that is
    learned and, of a `FeatureEmbedding`, the covariance of its prior. It is the better choice where
    answers are few. The likelihood counts to the power 0.7, because people see more dimensions than
    a map has. Each draw is laid over the map. Intervals describe the map in its dimensions, not
    distances in a space of more.

    Parameters
    ----------
    model : estimator
        Fitted to `comparisons`; it stays as it is.
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        The answers that the model was fitted to.
    method : {"bootstrap", "posterior"}, default="bootstrap"
        How maps are drawn.
    by : str or None, default="auto"
        What the bootstrap draws: the name of a group that is drawn whole, such as
        ``"participant"``, or None for answers, of which those of a trial or to the same question
        are drawn together. "auto" draws participants where there are at least eight, else answers.
    features : array-like or data frame of shape (n_objects, n_features), optional
        For a `FeatureEmbedding`, what it was fitted to besides the answers, unless it has them as
        a parameter. The bootstrap chooses the prior of each draw again.
    level : float, default=0.9
        Share of the draws that intervals and ellipses hold.
    n_draws : int, optional
        How many maps; by default 200 refits, or 800 draws by four chains.
    n_neighbors : int, default=5
        How many nearest objects the stability of neighbours looks at, at most half of the others.
    scale : bool, default=True
        Whether each draw is given the size of the map; False leaves draws of the bootstrap as
        large as they come, where a method makes size mean something.
    random_state : int, Generator or None, default=None
        Seed; the same seed gives the same bits, whatever `n_jobs`.
    n_jobs : int or None, default=-1
        Fits or chains at a time, as in joblib.
    verbose : bool, default=False
        Show a progress bar.

    Returns
    -------
    MapUncertainty
        Print it, or ask it for ``ellipses_``, ``distance_interval(a, b)``,
        ``neighbor_stability_``, ``sure_of(a, b, c)`` and more.

    See Also
    --------
    ordinate.uncertainty.compare_maps : Whether two maps differ.
    ordinate.uncertainty.structure_test : Whether there is any structure.
    ordinate.plots.plot_stability : Draws how stable neighbours are.

    References
    ----------
    Efron & Tibshirani, An Introduction to the Bootstrap, 1993; Jacoby & Armstrong, Bootstrap
    Confidence Regions for Multidimensional Scaling Solutions, American Journal of Political
    Science 2014.

    Examples
    --------
    >>> import ordinate as od
    >>> cities = od.datasets.load_cities()
    >>> model = od.STE(n_components=2, random_state=0).fit(cities.comparisons)
    >>> sure = od.map_uncertainty(model, cities.comparisons, n_draws=20, random_state=0)
    >>> sure.ellipses_.semi_axes.shape == model.embedding_.shape
    True
    """
    record = record_to_fit(comparisons)
    if features is None and hasattr(model, "placed_by_"):
        features = model.features
    points = _map_of(model, record, features)
    check_choice("method", method, ("bootstrap", "posterior"))
    if method == "bootstrap":
        by = group_to_draw(record, by)
    elif by == "auto":
        by = None
    share = check_share("level", level)
    n_neighbors = check_integer("n_neighbors", n_neighbors, minimum=1)
    part = find_loose_objects(record, points.shape[1] + 1)
    # where few answers connect a part with the rest, its mirror image may be as good
    starts = [points, mirror(points, part)] if len(part) else [points]
    drawing = _Drawing(
        model,
        record,
        starts,
        by,
        features,
        n_draws,
        scale,
        as_generator(random_state),
        n_jobs,
        verbose,
    )
    draws, trust = drawing.bootstrap() if method == "bootstrap" else drawing.posterior()
    n_answers, contradicted = _answers_about(record, points)
    return MapUncertainty(
        embedding_=points,
        draws_=draws,
        names_=record.names if features is None else model.names_,
        method=method,
        by=by,
        level=share,
        # among so few objects that all others are near, to stay near would say nothing
        n_neighbors=min(n_neighbors, max((len(points) - 1) // 2, 1)),
        n_answers_=n_answers,
        contradicted_=contradicted,
        mirrored_=mirrored_parts(draws, points, part) if len(part) else (),
        **trust,
    )


@dataclass(frozen=True)
class _Drawing:
    """What draws of a map are made from, and how; both ways return what is known of them, too."""

    model: Any
    record: Comparisons
    starts: list[Points]
    by: str | None
    features: Any
    n_draws: int | None
    scale: bool
    rng: np.random.Generator
    n_jobs: int | None
    verbose: bool

    def bootstrap(self) -> tuple[NDArray[np.float32], dict[str, float]]:
        """Return draws laid over the map, how many groups they rest on, and the lapse rate."""
        points, by = self.starts[0], self.by
        n, d = points.shape
        many = len(self.record) >= _MANY_ANSWERS * d * n * np.log2(n)
        draws = bootstrap_draws(
            self.model,
            self.record,
            self.starts if many else [],
            resampling_units(self.record, by),
            self._number_of_draws(_N_REFITS, minimum=10),
            self.rng,
            partial(align_draw, onto=points, scale=self.scale),
            features=self.features,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        trust = {} if by is None else {"n_groups_": _effective_groups(self.record.group_codes(by))}
        rate = getattr(self.model, "lapse_rate_", None)
        if isinstance(rate, float) and rate > 0:
            trust["lapse_rate_"] = rate
        return draws, trust

    def posterior(self) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Return draws laid over the map, and how far the chains can be trusted."""
        self._refuse_what_only_the_bootstrap_takes()
        points = self.starts[0]
        n_draws = self._number_of_draws(_N_DRAWS, minimum=16)
        of_method = getattr(self.model, "_posterior_likelihood", None)
        sample = partial(
            sample_coordinates,
            n_components=points.shape[1],
            likelihood=of_method() if of_method else "STE",
            n_chains=_N_CHAINS,
            init=np.stack([self.starts[chain % len(self.starts)] for chain in range(_N_CHAINS)]),
            root=None if self.features is None else self.model._prior.root(),
            random_state=self.rng,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        answers = Comparisons(self.record.rows, n_objects=len(points), weights=self.record.weights)
        lapse_rate = float(sample(answers, n_draws=_N_LAPSE_DRAWS).lapse.mean())
        weights = 1.0 if self.record.weights is None else self.record.weights
        tempered = as_comparisons(answers, weights=np.full(len(self.record), _POWER) * weights)
        found = sample(tempered, n_draws=-(-n_draws // _N_CHAINS), lapse=lapse_rate)
        _warn_unless_met(found, loose=len(self.starts) > 1)
        drawn = found.draws.reshape(-1, *points.shape)
        draws = np.stack([align_draw(draw, points) for draw in drawn])
        return draws, {
            "rhat_": found.rhat,
            "ess_": found.ess,
            "lapse_rate_": lapse_rate,
            "n_chains_": _N_CHAINS,
        }

    def _number_of_draws(self, usual: int, *, minimum: int) -> int:
        return check_integer(
            "n_draws", usual if self.n_draws is None else self.n_draws, minimum=minimum
        )

    def _refuse_what_only_the_bootstrap_takes(self) -> None:
        if self.by is not None:
            raise InputError(
                f"The posterior treats answers as independent, not as groups of {self.by!r}; use"
                " the bootstrap."
            )
        if getattr(self.model, "_is_dot", False):
            raise InputError("The posterior knows no dot products; choose the bootstrap.")
        if not self.scale:
            raise InputError(
                "Draws of the posterior are given the size of the map; leave scale out, or use the"
                " bootstrap."
            )


def _warn_unless_met(found: CoordinateDraws, *, loose: bool) -> None:
    if found.rhat <= _BAD_RHAT and found.ess >= _FEW_DRAWS:
        return
    from sklearn.exceptions import ConvergenceWarning

    warnings.warn(
        f"The chains of the posterior have not converged (R-hat {found.rhat:.2f}, {found.ess:.0f}"
        " effective draws); "
        + (
            "few answers connect a part of the objects with the rest: ask questions across."
            if loose
            else "raise n_draws, lower the dimension or collect more answers."
        ),
        ConvergenceWarning,
        stacklevel=4,
    )


def _map_of(model: Any, record: Comparisons, features: Any) -> NDArray[np.float64]:
    """Return the map, centred, or say why the model and the answers do not belong together."""
    if not hasattr(model, "embedding_") or not hasattr(model, "get_params"):
        raise InputError(
            f"model must be a fitted estimator with a map, such as STE(2).fit(answers);"
            f" got {type(model).__name__}."
        )
    by_features = hasattr(model, "placed_by_")
    if by_features != (features is not None):
        raise InputError(
            f"{type(model).__name__} places objects by answers"
            + (
                " and features; pass features, too."
                if by_features
                else " alone; leave features out."
            )
        )
    points = check_points("The map", model.embedding_)
    if np.allclose(points, points[0]):
        raise NoExtentError(
            "The map puts all objects in one place, so that nothing about it is certain. Check how"
            " the file was read, or collect more answers."
        )
    # objects that nobody was asked about are placed by features
    other_objects = (
        len(points) < record.n_objects if by_features else len(points) != record.n_objects
    )
    if other_objects:
        raise InputError(
            f"The model places {len(points)} objects and the answers are about"
            f" {record.n_objects}; pass the record that the model was fitted to."
        )
    names = getattr(model, "names_", None)
    named = record.names
    if names is not None and named is not None and tuple(names)[: len(named)] != named:
        raise InputError(
            "The model and the answers name their objects differently; pass the record that the"
            " model was fitted to."
        )
    if len(record) < record.n_objects and not by_features:
        raise InputError(
            f"{len(record)} answers about {record.n_objects} objects are too few to say how certain"
            " the map is; collect at least one answer per object."
        )
    centered: NDArray[np.float64] = points - points.mean(axis=0)
    return centered


def _effective_groups(codes: NDArray[np.intp]) -> float:
    """Return how many groups of equal size weigh as much (Kish's effective sample size)."""
    counts = np.bincount(codes).astype(np.float64)
    return float(counts.sum() ** 2 / np.sum(counts**2))


def _answers_about(record: Comparisons, points: Points) -> tuple[NDArray[np.intp], Points]:
    """Return how many answers there are about each object, and what share the map contradicts."""
    rows = record.rows
    near2, far2 = squared_distances(points, rows)
    total = _count(rows, np.ones(len(rows)), len(points))
    contradicted = _count(rows, (near2 >= far2).astype(np.float64), len(points))
    return total.astype(np.intp), contradicted / np.maximum(total, 1)


def _count(
    rows: NDArray[np.int32], weights: NDArray[np.float64], n_objects: int
) -> NDArray[np.float64]:
    """Add up over the rows each object occurs in; a row counts once for an object."""
    total = np.zeros(n_objects)
    for column in range(rows.shape[1]):
        new = np.all(rows[:, :column] != rows[:, [column]], axis=1)
        total += np.bincount(rows[new, column], weights=weights[new], minlength=n_objects)
    return total
