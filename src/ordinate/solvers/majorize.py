"""Majorisation: replace the loss by a quadratic above it and step towards its minimum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Unpack

from ordinate._arrays import Points
from ordinate.solvers.stopping import Result, Rules, StoppingRule, descend

_ROUNDING = 1e-12
"""Relative rise of a loss that adding its terms up explains."""


def majorize(
    improve: Callable[[Points], tuple[float, Points]], start: Points, **rules: Unpack[Rules]
) -> Result:
    """Minimise a function by repeatedly improving on a quadratic that majorises it."""

    def step(
        _: StoppingRule, points: Points, value: float, better: Points
    ) -> tuple[Points, float, Points] | bool:
        new_value, new_better = improve(better)
        if new_value > value:
            # Above rounding only distances of zero, where no majoriser exists, raise the loss.
            return bool(new_value - value <= _ROUNDING * value)
        return better, new_value, new_better

    return descend(improve, start, step, **rules)
