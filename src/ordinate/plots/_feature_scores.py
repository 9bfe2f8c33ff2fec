"""Draw how well features predict answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ordinate.plots._colors import COLORS, INK, QUIET
from ordinate.plots._figures import start_chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.selection import FeatureScores


def plot_feature_scores(scores: FeatureScores, ax: Axes | None = None) -> Axes:
    """Draw the accuracy of each table of features with its interval, chance and the ceiling.

    Parameters
    ----------
    scores : FeatureScores
        What `ordinate.score_features` returned.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; `save_figure` takes them.

    See Also
    --------
    ordinate.score_features : Makes the scores.

    Examples
    --------
    >>> import ordinate as od
    >>> cities = od.datasets.load_cities(500)
    >>> scores = od.score_features(cities.comparisons, {"true": cities.points}, "euclidean")
    >>> ax = od.plots.plot_feature_scores(scores)
    """
    rows = scores.rows[::-1]
    ax = start_chart(ax, 6, 1.5 + 0.4 * len(rows))
    percent = [100 * row.accuracy for row in rows]
    below = [100 * max(row.accuracy - row.low, 0) for row in rows]
    above = [100 * max(row.high - row.accuracy, 0) for row in rows]
    places = range(len(rows))
    ax.errorbar(percent, places, xerr=[below, above], fmt="o", capsize=3, color=COLORS[0])
    ax.axvline(100 * scores.chance, color=INK, linewidth=0.8, linestyle="--", label="chance")
    if scores.ceiling.is_known:
        span = 100 * scores.ceiling.lower, 100 * scores.ceiling.upper
        ax.axvspan(*span, color=QUIET, alpha=0.2, linewidth=0, label="agreement of people")
    ax.set_yticks(list(places), [row.name for row in rows])
    ax.set_ylim(-0.6, len(rows) - 0.4)
    ax.set_xlabel("answers predicted, %")
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    return ax
