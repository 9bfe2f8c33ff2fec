"""Whether people have views of their own: sums of their residuals beside those of drawn answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincc

from ordinate._arrays import Floats

_CAUTION = 2.0
"""Factor of the p-value. Answers drawn from estimates have the right level only in the limit of
many answers per person; few of them, a shared view that does not fit, or another form of noise make
it too small. People with a noise of their own are not exchangeable: permutations do not help."""


@dataclass(frozen=True)
class PersonEffectTest:
    """How far everybody's answers point away from a shared view, beside answers drawn from it."""

    found: Floats
    """Of each person."""
    drawn: Floats
    """The same of drawn answers, shape (n_people, n_draws)."""
    together: Floats
    """Of all people, in a row per way of adding up: of the answers first, then of those drawn."""

    @property
    def p_value(self) -> float:
        """Of the test that nobody has a view of their own: many have a little, or a few much."""
        few = _surprise(np.column_stack([self.found, self.drawn])).max(axis=0)
        surprise = np.vstack([_surprise(self.together), _surprise(few[None])]).max(axis=0)
        larger = np.count_nonzero(surprise[1:] >= surprise[0])
        return float(min(_CAUTION * (1 + larger) / len(surprise), 1.0))

    @property
    def p_values(self) -> Floats:
        """Of the same test for each person alone."""
        own: Floats = np.exp(-_surprise(np.column_stack([self.found, self.drawn]))[:, 0])
        return own


def _surprise(statistics: Floats) -> Floats:
    """Return minus the log of p-values, by gamma distributions with the moments of what was drawn.

    Each row has the statistic of the answers first.
    """
    tiny = np.finfo(np.float64).tiny
    center = np.maximum(statistics[:, 1:].mean(axis=1, keepdims=True), tiny)
    spread = np.maximum(statistics[:, 1:].std(axis=1, keepdims=True), tiny)
    tails = gammaincc(np.square(center / spread), statistics * center / spread**2)
    return np.asarray(-np.log(np.maximum(tails, tiny)))
