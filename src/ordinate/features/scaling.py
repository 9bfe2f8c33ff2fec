"""Bring columns of a table to a common scale, so that no unit decides who is near."""

from __future__ import annotations

import numpy as np

from ordinate._arrays import Floats

UNEVEN = 10.0
"""Columns differ in scale if the widest range is so many times the median one."""


def is_uneven(points: Floats) -> bool:
    """Tell whether one column outweighs the others by its unit alone."""
    ranges = np.ptp(points, axis=0)
    return points.shape[1] > 1 and bool(ranges.max() > UNEVEN * np.median(ranges))


def scale_columns(points: Floats, how: str) -> Floats:
    """Center columns and divide them by their spread: the deviation, or the quartiles' distance."""
    if how == "standard":
        middle, spread = points.mean(axis=0), points.std(axis=0)
    else:
        low, middle, high = np.quantile(points, [0.25, 0.5, 0.75], axis=0)
        # of a column that is the same for most, the quartiles say nothing
        spread = np.where(high > low, (high - low) / 1.349, points.std(axis=0))
    scaled: Floats = (points - middle) / np.where(spread > 0, spread, 1.0)
    return scaled
