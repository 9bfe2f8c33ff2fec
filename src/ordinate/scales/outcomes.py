"""How likely the first item wins, ties or loses, given how far it is ahead.

A link F turns the difference d of two scores into a chance: logistic for Bradley-Terry, normal for
Thurstone. Ties come with a parameter t:

- Davidson: win, tie and loss are as F(d) : exp(t)·√(F(d) F(-d)) : F(-d).
- Rao-Kupper: the first wins with F(d - exp(t)), the second with F(-d - exp(t)), else they tie.
- half: there is no tie; half of it is a win, half a loss.

A lapse is an answer without looking: each outcome is then as likely as any other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit, log_ndtr, ndtr

from ordinate._arrays import Floats


class Link(NamedTuple):
    """A symmetric distribution: its function, log, density with its slope, and hazard."""

    chance: Callable[[Floats], Floats]
    log_chance: Callable[[Floats], Floats]
    density: Callable[[Floats], Floats]
    density_slope: Callable[[Floats], Floats]
    hazard: Callable[[Floats], Floats]
    """Slope of the logarithm."""
    hazard_slope: Callable[[Floats], Floats]
    tie_start: float
    """Threshold at which a third of the answers between equals are ties."""


def _normal_density(d: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * d * d) / np.sqrt(2 * np.pi))


def _normal_hazard(d: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * d * d - log_ndtr(d)) / np.sqrt(2 * np.pi))


LINKS = {
    "bradley-terry": Link(
        expit,
        log_expit,
        lambda d: expit(d) * expit(-d),
        lambda d: expit(d) * expit(-d) * (expit(-d) - expit(d)),
        lambda d: expit(-d),
        lambda d: -expit(d) * expit(-d),
        0.69,
    ),
    "thurstone": Link(
        ndtr,
        log_ndtr,
        _normal_density,
        lambda d: -d * _normal_density(d),
        _normal_hazard,
        lambda d: -_normal_hazard(d) * (d + _normal_hazard(d)),
        0.43,
    ),
}


class LogChances(NamedTuple):
    """Logarithms of the chances of win, tie and loss, with derivatives in d and t."""

    values: Floats
    """Shape (3, n)."""
    slopes: Floats
    """Shape (3, 2, n)."""
    curvatures: Floats
    """Shape (3, 2, 2, n)."""


def _davidson_values(link: Link, d: Floats, t: float) -> Floats:
    won, lost = link.log_chance(d), link.log_chance(-d)
    log_tie = t + 0.5 * (won + lost)
    return np.stack([won, log_tie, lost]) - np.log1p(np.exp(log_tie))


def davidson(link: Link, d: Floats, t: float) -> LogChances:
    """Ties as likely as the geometric mean of win and loss, times exp(t)."""
    values = _davidson_values(link, d, t)
    share = np.exp(values[1])
    up, down = link.hazard(d), -link.hazard(-d)
    up2, down2 = link.hazard_slope(d), link.hazard_slope(-d)
    middle, middle2 = 0.5 * (up + down), 0.5 * (up2 + down2)
    spread = share * (1 - share)
    one, zero = np.ones_like(d), np.zeros_like(d)
    total_slope = np.stack([share * middle, share])
    total_curve = np.array(
        [[share * middle2 + spread * middle**2, spread * middle], [spread * middle, spread]]
    )
    slopes = np.array([[up, zero], [middle, one], [down, zero]]) - total_slope
    curves = np.zeros((3, 2, 2, len(d)))
    curves[:, 0, 0] = up2, middle2, down2
    return LogChances(values, np.asarray(slopes), curves - total_curve)


def _rao_kupper_values(link: Link, d: Floats, t: float) -> Floats:
    bar = np.exp(min(t, 5.0))  # beyond it nobody wins
    near = -np.abs(d)  # on this side both terms are small, so nothing cancels
    tie = np.maximum(link.chance(near + bar) - link.chance(near - bar), 1e-300)
    return np.stack([link.log_chance(d - bar), np.log(tie), link.log_chance(-d - bar)])


def rao_kupper(link: Link, d: Floats, t: float) -> LogChances:
    """Ties where the difference that is felt stays below the threshold exp(t)."""
    values, slopes = _rao_kupper_values(link, d, t), np.empty((3, 2, len(d)))
    bar, tie = np.exp(min(t, 5.0)), np.exp(values[1])
    curves = np.empty((3, 2, 2, len(d)))
    for outcome, sign in ((0, 1.0), (2, -1.0)):
        at = sign * d - bar
        hazard, slope = link.hazard(at), link.hazard_slope(at)
        slopes[outcome] = sign * hazard, -bar * hazard
        cross = -sign * bar * slope
        curves[outcome] = [[slope, cross], [cross, bar**2 * slope - bar * hazard]]
    high, low = link.density(d + bar), link.density(d - bar)
    high2, low2 = link.density_slope(d + bar), link.density_slope(d - bar)
    first = np.stack([high - low, bar * (high + low)]) / tie
    cross = bar * (high2 + low2)
    second = np.array(
        [[high2 - low2, cross], [cross, bar**2 * (high2 - low2) + bar * (high + low)]]
    )
    slopes[1] = first
    curves[1] = second / tie - first[:, None] * first[None]
    return LogChances(values, slopes, curves)


def _half_values(link: Link, d: Floats, t: float) -> Floats:
    won, lost = link.log_chance(d), link.log_chance(-d)
    return np.stack([won, 0.5 * (won + lost), lost])


def half(link: Link, d: Floats, t: float) -> LogChances:
    """No ties: one of the two wins, and what is said to be a tie is half of each."""
    values, slopes = _half_values(link, d, t), np.zeros((3, 2, len(d)))
    curves = np.zeros((3, 2, 2, len(d)))
    for outcome, sign in ((0, 1.0), (2, -1.0)):
        slopes[outcome, 0] = sign * link.hazard(sign * d)
        curves[outcome, 0, 0] = link.hazard_slope(sign * d)
    for array in (slopes, curves):
        array[1] = 0.5 * (array[0] + array[2])
    return LogChances(values, slopes, curves)


_VALUES = {"davidson": _davidson_values, "rao-kupper": _rao_kupper_values, "half": _half_values}
TIES = {"davidson": davidson, "rao-kupper": rao_kupper, "half": half}
"""What may be said of ties, as `Ranking` calls it."""


class AnswerModel(NamedTuple):
    """How answers come about: link and ties by name, and whether some are lapses."""

    model: str = "bradley-terry"
    ties: str = "half"

    @property
    def has_ties(self) -> bool:
        """Whether a tie is an outcome of its own."""
        return self.ties != "half"

    @property
    def tie_start(self) -> float:
        """A value of t to begin with."""
        return 0.0 if self.ties == "davidson" else float(np.log(LINKS[self.model].tie_start))

    def log_chances(
        self, d: Floats, t: float, lapse: float | None
    ) -> tuple[Floats, Floats, Floats]:
        """Return logarithms with first and second derivatives in d, t and the logit of the lapse.

        Shapes (3, n), (3, k, n) and (3, k, k, n), win, tie and loss first; k is 2 without a lapse.
        """
        values, slopes2, curves2 = TIES[self.ties](LINKS[self.model], d, t)
        if lapse is None:
            return values, slopes2, curves2
        slopes, curves = np.zeros((3, 3, len(d))), np.zeros((3, 3, 3, len(d)))
        rate = float(expit(lapse))
        guess = 1 / 3 if self.has_ties else 1 / 2
        looked = np.exp(values)
        chance = (1 - rate) * looked + rate * guess
        share = (1 - rate) * looked / chance
        moved = rate * (1 - rate) * (guess - looked) / chance
        raw = curves2 + slopes2[:, :, None] * slopes2[:, None]
        curves[:, :2, :2] = share[:, None, None] * raw
        curves[:, :2, 2] = curves[:, 2, :2] = -(rate * share)[:, None] * slopes2
        curves[:, 2, 2] = (1 - 2 * rate) * moved
        slopes[:, :2] = share[:, None] * slopes2
        slopes[:, 2] = moved
        curves -= slopes[:, :, None] * slopes[:, None]
        if not self.has_ties:
            looked = np.log(chance)
            for array in (looked, slopes, curves):
                array[1] = 0.5 * (array[0] + array[2])
            return looked, slopes, curves
        return np.log(chance), slopes, curves

    def log_values(self, d: Floats, t: float, lapse: float | None) -> Floats:
        """Return logarithms of the chances alone, shape (3, n)."""
        values = _VALUES[self.ties](LINKS[self.model], d, t)
        if lapse is None:
            return values
        rate = float(expit(lapse))
        guess = 1 / 3 if self.has_ties else 1 / 2
        found = np.asarray(np.log((1 - rate) * np.exp(values) + rate * guess))
        if not self.has_ties:
            found[1] = 0.5 * (found[0] + found[2])
        return found

    def chances(self, d: Floats, t: float, lapse: float | None) -> Floats:
        """Return the chances of win, tie and loss, shape (3, n)."""
        found = np.exp(self.log_values(d, t, lapse))
        if not self.has_ties:
            found[1] = 0.0
        return found
