"""What the answers so far leave open: draws of the map from its posterior."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ordinate import losses
from ordinate._arrays import Floats
from ordinate.comparisons.record import Comparisons
from ordinate.engine.distances import squared_distances
from ordinate.engine.posterior import CoordinatePosterior, ScalePrior
from ordinate.solvers.coordinates import coordinate_chain, scale_prior
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.stopping import Result
from ordinate.tasks import make_task
from ordinate.uncertainty._alignment import align_draw

N_CHAINS = 4
N_DRAWS = 64
"""Of all chains together; a longer queue of questions needs more, see `draw_maps`."""
_N_WARM_UP = 40
_MOST_APART = 2
_MANY_ANSWERS = 4000
"""From here on successive draws are used; with fewer answers, every second."""
_HOPELESS = 8.0
"""A mode whose density is lower by this logarithm is a place where a chain got stuck."""
FIRST_LAPSE = 0.1
"""Lapse rate where no answers have been fitted before."""
N_FOLDS = 5
_FLAT_QUESTIONS, _FLAT_DRAWS = 100, 20
"""Questions per object, and draws that answer them, from which a flatter map is made."""
_TESTED = 1000
"""Answers that two maps are compared by, about, where there are more."""


@dataclass(frozen=True)
class MapDraws:
    """Maps that the answers allow."""

    mode: Floats
    mean: Floats
    draws: Floats
    lapse: float
    ends: Floats


def draw_maps(
    answers: Comparisons,
    n_components: int,
    rng: np.random.Generator,
    *,
    ends: Floats | None = None,
    lapse: float = FIRST_LAPSE,
    n_draws: int = N_DRAWS,
) -> MapDraws:
    """Draw maps from their posterior under STE with lapses."""
    shape = (N_CHAINS, answers.n_objects, n_components)
    starts = _random_starts(shape, rng)
    if ends is not None:
        starts = np.concatenate([starts, starts[:1]])  # one start that knows nothing
        starts[:N_CHAINS, : ends.shape[1]] = ends
    modes = _modes(answers, starts, lapse, float(np.mean(starts[:N_CHAINS] ** 2)))
    best = modes[0]
    kept = [mode if mode.value < best.value + _HOPELESS else best for mode in modes[:N_CHAINS]]
    apart = int(np.clip(_MANY_ANSWERS // max(len(answers), 1), 1, _MOST_APART))
    per_chain = -(-n_draws // N_CHAINS)
    chains = [
        list(
            coordinate_chain(
                _posterior(answers, n_components, lapse),
                mode.points,
                per_chain,
                seed,
                n_warm_up=_N_WARM_UP,
                apart=apart,
                learn_lapse=True,
            )
        )
        for mode, seed in zip(kept, rng.spawn(N_CHAINS), strict=True)
    ]
    draws = np.array([points for chain in chains for points, _ in chain])
    learned = float(np.mean([rate for chain in chains for _, rate in chain]))
    found = np.array([chain[-1][0] for chain in chains])
    mode = _modes(answers, found, learned, float(np.mean(draws**2)))[0].points
    mode -= mode.mean(axis=0)
    aligned = np.array([align_draw(draw, mode) for draw in draws], dtype=np.float64)
    return MapDraws(mode, aligned.mean(axis=0), draws, learned, found)


def fit_mode(answers: Comparisons, n_components: int, rng: np.random.Generator) -> Floats:
    """Return the most likely map of answers, from starts that know nothing of them."""
    shape = (N_CHAINS, answers.n_objects, n_components)
    starts = _random_starts(shape, rng)
    return _modes(answers, starts, FIRST_LAPSE, float(np.mean(starts**2)))[0].points


def flatten(maps: MapDraws, n_components: int, rng: np.random.Generator) -> Floats:
    """Return the map of fewer dimensions that answers random triplets most as the draws do.

    A map that lacks a dimension is best for the questions it is fitted to. Where those were chosen,
    random ones that the larger map answers are a fairer sample.
    """
    task, n_objects = make_task("triplet"), len(maps.mode)
    items = task.draw(n_objects, _FLAT_QUESTIONS * n_objects, rng)
    few = maps.draws[:: -(-len(maps.draws) // _FLAT_DRAWS)]
    chances = task.probabilities(task.margins(items, few), _within(maps.lapse)).mean(axis=2)
    rows = np.concatenate([items, items[:, task.swap]])
    answers = Comparisons(rows, weights=chances.T.ravel(), n_objects=n_objects)
    starts = _random_starts((N_CHAINS, n_objects, n_components), rng)
    flat = _modes(answers, starts, maps.lapse, float(np.mean(maps.draws**2)))[0].points
    return np.asarray(flat - flat.mean(axis=0))


def held_out_folds(
    answers: Comparisons, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return which answers belong together, by question and trial, and the fold of each."""
    units = answers.question_groups("trial" if "trial" in answers.groups else None)
    folds = rng.integers(N_FOLDS, size=units.max() + 1)[units]
    return units, folds


def compare_dimensions(answers: Comparisons, n_components: int, rng: np.random.Generator) -> float:
    """Say how much better a map with one dimension more predicts answers held out.

    A sign test. Where the map has dimensions enough, another one has nothing to gain and mostly
    predicts worse, as there is more to learn from the same answers.
    """
    units, folds = held_out_folds(answers, rng)
    gains = np.zeros(len(answers))
    for fold in range(int(np.clip(-(-_TESTED * N_FOLDS // len(answers)), 1, N_FOLDS))):
        test = folds == fold
        if test.any() and not test.all():
            for dimension, sign in ((n_components, -1), (n_components + 1, 1)):
                mode = fit_mode(answers[~test], dimension, rng)
                near, far = squared_distances(mode, answers.rows[test])
                gains[test] += sign * (near < far)
    by_unit = np.bincount(units, gains)
    return float(by_unit.sum() / max(np.sqrt(np.sum(by_unit**2)), 1.0))


def _posterior(answers: Comparisons, n_components: int, lapse: float) -> CoordinatePosterior:
    prior = scale_prior(losses.ste, n_components)
    return CoordinatePosterior(answers, losses.ste, (), prior, _within(lapse))


def _within(lapse: float) -> float:
    """Return a lapse rate from which a chain can move either way."""
    return min(max(lapse, 1e-3), 0.9)


def _random_starts(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    prior = scale_prior(losses.ste, shape[-1])
    return float(np.sqrt(prior.rate / prior.shape)) * rng.standard_normal(shape)


def _modes(answers: Comparisons, starts: Floats, lapse: float, variance: float) -> list[Result]:
    """Return the mode that each start leads to, the best first.

    The variance of coordinates is given: where it is integrated out and answers are few, the mode
    is all objects in one place, although hardly any draw is near it.
    """
    prior = ScalePrior(np.inf, variance)
    posterior = CoordinatePosterior(answers, losses.ste, (), prior, _within(lapse))
    modes = [lbfgs(posterior, start, max_iter=200, tol=1e-3) for start in starts]
    return sorted(modes, key=lambda mode: mode.value)
