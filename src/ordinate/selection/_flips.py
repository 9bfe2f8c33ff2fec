"""The lapse rate: how often answers are wrong where the question is plain.

A map that did not see an answer disagrees with it for one of two reasons: the answer is wrong, or
the map is. The map errs where its margin is small, a wrong answer can have any margin. With ε the
share of wrong answers and e(m) = 1 / (1 + exp(m / s)) the chance that the map errs at the margin m,
P(disagree | m) = ε + (1 − 2ε) e(m), which falls from 1/2 at m = 0 to the plateau ε.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit

from ordinate._arrays import Floats

_SCALES = np.geomspace(1e-3, 10, 200)
"""Scales s to choose from, for margins relative to the size of the map."""
_SHARES = np.linspace(0, 0.5, 51)
"""No more than half of the answers can be wrong: then their opposites would be the answers."""
_BINS = 500
"""Answers of nearly the same margin are counted together; the likelihood hardly notices."""


def map_error(margins: Floats, scale: float | Floats) -> Floats:
    """Return the chance that a map errs where its margin is this large."""
    chance: Floats = expit(-np.abs(margins) / scale)
    return chance


def fit_flips(margins: Floats, weights: Floats) -> tuple[float, float]:
    """Estimate the share of wrong answers together with the scale of the map's own errors."""
    sizes, agreeing, differing = _pooled(margins, weights)
    errs = map_error(sizes, _SCALES[:, None])

    def of_scales(share: float) -> Floats:
        return _log_likelihood(share, errs, agreeing, differing)

    first = int(np.argmax([of_scales(share).max() for share in _SHARES]))
    around = _SHARES[max(first - 1, 0)], _SHARES[min(first + 1, len(_SHARES) - 1)]
    found = minimize_scalar(
        lambda share: -float(of_scales(share).max()), bounds=around, method="bounded"
    )
    share = float(found.x)
    return share, float(_SCALES[np.argmax(of_scales(share))])


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
