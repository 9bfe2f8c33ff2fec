"""The lapse rate: how often answers are wrong where the question is plain.

A map that did not see an answer disagrees with it for one of two reasons: the answer is wrong, or
the map is. The map errs where its margin is small, a wrong answer can have any margin. With ε the
share of wrong answers and e(m) = 1 / (1 + exp(m / s)) the chance that the map errs at the margin m,
P(disagree | m) = ε + (1 − 2ε) e(m), which falls from 1/2 at m = 0 to the plateau ε.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit

MOST = 0.5
"""No more than half of the answers can be wrong: then their opposites would be the answers."""
_DROP = 1.92
"""Half of the 95 % point of χ² with one degree of freedom."""
_SCALES = np.geomspace(1e-3, 10, 200)
"""Scales s to choose from, for margins relative to the size of the map."""
_SHARES = np.linspace(0, MOST, 51)
_BINS = 500
"""Answers of nearly the same margin are counted together; the likelihood hardly notices."""

Floats: TypeAlias = NDArray[np.float64]


class Share(NamedTuple):
    """An estimated share of wrong answers with the ends of its 95 % interval."""

    share: float
    low: float
    high: float


def map_error(margins: Floats, scale: float | Floats) -> Floats:
    """Return the chance that a map errs where its margin is this large."""
    chance: Floats = expit(-np.abs(margins) / scale)
    return chance


def fit_flips(margins: Floats, weights: Floats) -> tuple[Share, float]:
    """Estimate the share of wrong answers together with the scale of the map's own errors.

    Parameters
    ----------
    margins : ndarray of float, shape (n_answers,)
        Held-out margins relative to the size of the map; negative where map and answer differ.
    weights : ndarray of float, shape (n_answers,)
        How much each answer counts.

    Returns
    -------
    share : Share
        Maximum of the likelihood and likelihood-ratio interval, whatever the scale.
    scale : float
        The likeliest scale s.
    """
    sizes, agreeing, differing = _pooled(margins, weights)
    errs = map_error(sizes, _SCALES[:, None])

    def of_scales(share: float) -> Floats:
        return _log_likelihood(share, errs, agreeing, differing)

    share = _peak(lambda share: float(of_scales(share).max()))
    return share, float(_SCALES[np.argmax(of_scales(share.share))])


def _pooled(margins: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Sizes of margins, and the weight of the answers of that size that agree and that differ."""
    order = np.argsort(np.abs(margins), kind="stable")
    signed, weight = margins[order], weights[order]
    starts = np.unique(np.linspace(0, len(order), _BINS, endpoint=False).astype(np.intp))
    agrees = signed > 0
    counts = np.diff(starts, append=len(order))
    return (
        np.add.reduceat(np.abs(signed), starts) / counts,
        np.add.reduceat(weight * agrees, starts),
        np.add.reduceat(weight * ~agrees, starts),
    )


def _log_likelihood(share: float, errs: Floats, agreeing: Floats, differing: Floats) -> Floats:
    chance = np.clip(share + (1 - 2 * share) * errs, 1e-12, 1 - 1e-12)
    value: Floats = np.log(chance) @ differing + np.log1p(-chance) @ agreeing
    return value


def _peak(log_likelihood: Callable[[float], float]) -> Share:
    """Find the share that is likeliest, and those at which the data are almost as likely."""
    first = int(np.argmax([log_likelihood(share) for share in _SHARES]))
    around = _SHARES[max(first - 1, 0)], _SHARES[min(first + 1, len(_SHARES) - 1)]
    found = minimize_scalar(lambda share: -log_likelihood(share), bounds=around, method="bounded")
    share = float(found.x)

    def too_unlikely(at: float) -> float:
        return -log_likelihood(at) - float(found.fun) - _DROP

    low = brentq(too_unlikely, 0.0, share) if too_unlikely(0.0) > 0 else 0.0
    high = brentq(too_unlikely, share, MOST) if too_unlikely(MOST) > 0 else MOST
    return Share(share, float(low), float(high))
