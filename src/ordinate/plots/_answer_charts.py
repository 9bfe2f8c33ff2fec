"""Draw how answers agree with a map: margins, a Shepard diagram, participants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ordinate._checks import InputError
from ordinate.comparisons.record import Comparisons
from ordinate.metrics._triplets import relative_distances
from ordinate.plots._colors import COLORS, INK, QUIET, SCALE
from ordinate.plots._figures import figure_of, start_chart
from ordinate.plots._labels import families_for
from ordinate.plots._layout import CROWDED_FROM

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.selection import NoiseEstimate

MOST_NAMED = 60
"""Names of more participants than this do not fit; they are only counted."""


def plot_margins(margins: ArrayLike, ax: Axes | None = None) -> Axes:
    """Draw the distribution of margins: right of zero the map agrees, left of it it does not.

    Parameters
    ----------
    margins : array-like of float, shape (n_comparisons,)
        From `ordinate.metrics.triplet_margins`, or ``estimate_noise(...).margins`` of answers that
        were held out; NaN is left out.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; `save_figure` takes them.

    See Also
    --------
    ordinate.metrics.triplet_margins : Margins of a map.
    plot_shepard : Distances of both pairs.

    Examples
    --------
    >>> import ordinate as od
    >>> cities = od.datasets.load_cities()
    >>> margins = od.metrics.triplet_margins(cities.comparisons, cities.points)
    >>> ax = od.plots.plot_margins(margins)
    """
    values = np.asarray(margins, dtype=np.float64).ravel()
    values = values[np.isfinite(values)]
    if len(values) == 0:
        raise InputError("There is nothing to draw: margins holds no number.")
    ax = start_chart(ax)
    widest = float(np.abs(values).max()) or 1.0
    # zero is an edge, so that no bar holds both kinds
    n_bars = int(np.clip(np.sqrt(len(values)), 5, 40))
    edges = np.linspace(-widest, widest, 2 * n_bars + 1)
    for wrong, color, what in (
        (True, COLORS[1], "disagree"),
        (False, COLORS[0], "as the map says"),
    ):
        part = values[(values <= 0) == wrong]
        share = len(part) / len(values)
        ax.hist(part, edges.tolist(), color=color, label=f"{what}, {100 * share:.1f} %")
    ax.axvline(0, color=INK, linewidth=0.8)
    ax.set_xlabel("far minus near distance, in radii of the map")
    ax.set_ylabel("answers")
    ax.legend(frameon=False, loc="upper left")  # where few margins are
    return ax


def plot_shepard(
    comparisons: Comparisons | ArrayLike, embedding: ArrayLike, ax: Axes | None = None
) -> Axes:
    """Draw each answer by the distance of its near and of its far pair on the map.

    Answers above the diagonal are as the map says. On a good map the few below it lie close to it.

    Parameters
    ----------
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        Triplets or quadruplets; of many the density is drawn.
    embedding : array-like of float, shape (n_objects, n_components)
        Coordinates.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; `save_figure` takes them.

    See Also
    --------
    plot_margins : Differences of the distances.

    Examples
    --------
    >>> import ordinate as od
    >>> cities = od.datasets.load_cities()
    >>> ax = od.plots.plot_shepard(cities.comparisons, cities.points)
    """
    near, far = relative_distances(comparisons, embedding)
    ax = start_chart(ax, 5.5, 5)
    widest = 1.03 * float(max(near.max(), far.max())) or 1.0
    if len(near) < CROWDED_FROM:
        wrong = far <= near
        for part, color in ((~wrong, COLORS[0]), (wrong, COLORS[1])):
            ax.scatter(near[part], far[part], s=6, color=color, alpha=0.5, linewidths=0)
    else:
        extent = (0, widest, 0, widest)
        shown = ax.hexbin(near, far, gridsize=60, bins="log", cmap=SCALE, mincnt=1, extent=extent)
        figure_of(ax).colorbar(shown, ax=ax, shrink=0.6, label="answers")
    ax.plot([0, widest], [0, widest], color=INK, linewidth=0.8)
    ax.set(xlim=(0, widest), ylim=(0, widest), aspect="equal")
    ax.set_xlabel("distance of the pair called nearer, in radii of the map")
    ax.set_ylabel("distance of the pair called farther")
    ax.set_title(
        f"{100 * np.mean(far > near):.1f} % of the answers are as the map says", fontsize="medium"
    )
    return ax


def plot_agreement(estimate: NoiseEstimate, ax: Axes | None = None) -> Axes:
    """Draw each participant's held-out error, with its interval, who disagrees most first.

    Beside it stands what is expected of the same questions. Participants who disagree with
    the rest, after the correction for their number, stand out.

    Parameters
    ----------
    estimate : NoiseEstimate
        What `ordinate.estimate_noise` returned when asked ``per`` a group.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; `save_figure` takes them.

    See Also
    --------
    ordinate.estimate_noise : Makes the estimate.

    Examples
    --------
    >>> import ordinate as od
    >>> record = od.datasets.load_cities(2000).comparisons
    >>> people = [f"person {row % 4}" for row in range(2000)]
    >>> answers = od.Comparisons(record.rows, groups={"participant": people})
    >>> noise = od.estimate_noise(answers, "SOE", 2, per="participant", random_state=0)
    >>> ax = od.plots.plot_agreement(noise)
    """
    people = estimate.per_group
    if not people:
        raise InputError(
            "There are no participants to draw; call estimate_noise with per='participant'."
        )
    named = len(people) <= MOST_NAMED
    ax = start_chart(ax, 6, 1 + 0.18 * len(people) if named else 5)
    places = np.arange(len(people))
    for odd, color in ((False, COLORS[0]), (True, COLORS[1])):
        chosen = [n for n, one in enumerate(people) if bool(one.verdict) == odd]
        errors = np.array([100 * people[n].held_out_error for n in chosen])
        spread = np.array([[100 * people[n].low, 100 * people[n].high] for n in chosen])
        if chosen:
            around = np.abs(spread.reshape(-1, 2).T - errors)
            ax.errorbar(errors, places[chosen], xerr=around, fmt="o", ms=4, color=color)
    ax.plot([100 * one.expected_error for one in people], places, "|", color=QUIET, ms=8)
    ax.invert_yaxis()
    if named:
        labels = [str(one.label) for one in people]
        font = families_for("".join(labels))
        ax.set_yticks(places, labels, fontsize="small", color=INK, fontfamily=font)
    else:
        ax.set_ylabel(f"{len(people):,} participants, who disagrees most first")
    ax.set_xlim(left=0)
    ax.set_xlabel("held-out error, % (90 % interval; bars: expected)")
    return ax
