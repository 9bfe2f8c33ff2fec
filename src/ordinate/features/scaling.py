"""Bring columns of a table to a common scale, so that no unit decides who is near."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ordinate._arrays import Floats

UNEVEN = 10.0
"""Columns differ in scale if the widest range is so many times the median one."""
_SAMPLE, _NEAR = 2000, 10


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


def weigh_categories(points: Floats, categories: Iterable[list[int]]) -> Floats:
    """Let the columns of 0 and 1 of a category weigh together at most as one column.

    Nor do two categories lie farther apart than an object and its nearest neighbours by the other
    columns: a category has gaps between its values, and would tear the map into islands.
    """
    from sklearn.neighbors import NearestNeighbors  # whose import takes a while

    weighed, variances = points.copy(), points.var(axis=0)
    others = np.delete(points, [column for columns in categories for column in columns], axis=1)
    usual, reach = 1.0, np.inf
    if others.shape[1]:
        usual = float(others.var(axis=0).mean())
        sample = others[np.random.default_rng(0).permutation(len(others))[:_SAMPLE]]
        near = NearestNeighbors(n_neighbors=min(_NEAR, len(sample) - 1), algorithm="brute")
        reach = float((near.fit(sample).kneighbors()[0] ** 2).mean())
    for columns in categories:
        gap = 2 * np.ptp(points[:, columns], axis=0).mean() ** 2
        share = min(usual / variances[columns].sum(), max(reach, 1e-300) / gap, 1.0)
        weighed[:, columns] *= np.sqrt(share)
    return weighed
