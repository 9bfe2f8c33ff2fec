"""What the answers so far leave open: draws of the map from its posterior."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ordinate import losses
from ordinate._arrays import Floats, Points
from ordinate.comparisons.record import Comparisons
from ordinate.engine.posterior import CoordinatePosterior, ScalePrior
from ordinate.solvers.alignment import align_draw
from ordinate.solvers.coordinates import coordinate_chain, scale_prior
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.stopping import Result

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
    root: Points | None = None,
) -> MapDraws:
    """Draw maps from their posterior under STE with lapses.

    `root` is a root of the covariance over objects that features give; by default, of a sphere.
    """
    n_answers, answers = len(answers), answers.merge_repeats()  # the same sum, of fewer terms
    shape = (N_CHAINS, answers.n_objects, n_components)
    starts = _random_starts(shape, rng)
    if ends is not None:
        starts = np.concatenate([starts, starts[:1]])  # one start that knows nothing
        starts[:N_CHAINS, : ends.shape[1], : ends.shape[2]] = ends
        starts = _whitened(starts, root)
    begins = list(starts[:N_CHAINS])
    if n_answers:
        modes = _modes(answers, starts, lapse, float(np.mean(starts[:N_CHAINS] ** 2)), root)
        best = modes[0]
        kept = [mode if mode.value < best.value + _HOPELESS else best for mode in modes[:N_CHAINS]]
        begins = [mode.points for mode in kept]
    apart = int(np.clip(_MANY_ANSWERS // max(n_answers, 1), 1, _MOST_APART))
    per_chain = -(-n_draws // N_CHAINS)
    chains = [
        list(
            coordinate_chain(
                _posterior(answers, n_components, lapse, root),
                begin,
                per_chain,
                seed,
                n_warm_up=_N_WARM_UP,
                apart=apart,
                learn_lapse=True,
            )
        )
        for begin, seed in zip(begins, rng.spawn(N_CHAINS), strict=True)
    ]
    draws = np.array([points for chain in chains for points, _ in chain])
    learned = float(np.mean([rate for chain in chains for _, rate in chain]))
    found = np.array([chain[-1][0] for chain in chains])
    white = _whitened(found, root)
    if n_answers:
        mode = _modes(answers, white, learned, float(np.mean(white**2)), root)[0].points
        mode = mode if root is None else root @ mode
    else:  # what features tell: the leading axes
        values, vectors = np.linalg.eigh(np.eye(shape[1]) if root is None else root @ root.T)
        mode = (vectors * np.sqrt(values * np.mean(white**2)))[:, : -n_components - 1 : -1]
    mode = mode - mode.mean(axis=0)
    aligned = np.array([align_draw(draw, mode) for draw in draws], dtype=np.float64)
    return MapDraws(mode, aligned.mean(axis=0), draws, learned, found)


def choose_root(answers: Comparisons, n_components: int, features: Floats) -> Points:
    """Return a root of the covariance over objects from features, chosen by the answers so far."""
    from ordinate.prior import PriorFits, chosen_prior

    fits = PriorFits(answers, features, min(n_components, answers.n_objects - 1))
    return fits.prior(chosen_prior(fits)).root()


def _posterior(
    answers: Comparisons, n_components: int, lapse: float, root: Points | None
) -> CoordinatePosterior:
    prior = scale_prior(losses.ste, n_components)
    return CoordinatePosterior(answers, losses.ste, (), prior, _within(lapse), root)


def _whitened(maps: Floats, root: Points | None) -> Floats:
    """Return the whitened coordinates of each map."""
    return maps if root is None else np.array([np.linalg.solve(root, points) for points in maps])


def _within(lapse: float) -> float:
    """Return a lapse rate from which a chain can move either way."""
    return min(max(lapse, 1e-3), 0.9)


def _random_starts(shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    prior = scale_prior(losses.ste, shape[-1])
    return float(np.sqrt(prior.rate / prior.shape)) * rng.standard_normal(shape)


def _modes(
    answers: Comparisons, starts: Floats, lapse: float, variance: float, root: Points | None
) -> list[Result]:
    """Return the mode that each start leads to, the best first.

    The variance of coordinates is given: where it is integrated out and answers are few, the mode
    is all objects in one place, although hardly any draw is near it.
    """
    prior = ScalePrior(np.inf, variance)
    posterior = CoordinatePosterior(answers, losses.ste, (), prior, _within(lapse), root)
    modes = [lbfgs(posterior, start, max_iter=200, tol=1e-3) for start in starts]
    return sorted(modes, key=lambda mode: mode.value)
