"""Draw how many answers of each participant are wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ordinate._checks import InputError
from ordinate.plots._figures import start_chart
from ordinate.plots._palette import COLORS, INK, QUIET

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.selection import NoiseEstimate

MOST_NAMED = 60
"""Names of more participants than this do not fit; they are only counted."""


def plot_agreement(estimate: NoiseEstimate, ax: Axes | None = None) -> Axes:
    """Draw each participant's share of wrong answers, with its interval, most at odds first.

    Participants whose whole interval lies above everybody's share stand out.

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

    Examples
    --------
    >>> import ordinate as od
    >>> record = od.datasets.load_cities(2000).comparisons
    >>> people = [f"person {row % 4}" for row in range(2000)]
    >>> answers = od.Comparisons(record.rows, groups={"participant": people})
    >>> ax = od.plots.plot_agreement(od.estimate_noise(answers, per="participant"))
    """
    people = estimate.per_group
    if not people:
        raise InputError(
            "There are no participants to draw; call estimate_noise with per='participant'."
        )
    named = len(people) <= MOST_NAMED
    ax = start_chart(ax, 6, 1 + 0.18 * len(people) if named else 5)
    places = np.arange(len(people))
    overall = estimate.overall.share
    for odd, color in ((False, COLORS[0]), (True, COLORS[1])):
        chosen = [n for n, one in enumerate(people) if (one.low > overall) == odd]
        shares = np.array([100 * people[n].share for n in chosen])
        spread = np.array([[100 * people[n].low, 100 * people[n].high] for n in chosen])
        if chosen:
            around = np.abs(spread.reshape(-1, 2).T - shares)
            ax.errorbar(shares, places[chosen], xerr=around, fmt="o", ms=4, color=color)
    ax.axvline(100 * overall, color=QUIET, linestyle="--", linewidth=0.8)
    ax.annotate(
        "all", (100 * overall, 1), xycoords=("data", "axes fraction"), ha="center", va="bottom",
        color=QUIET, fontsize="small",
    )  # fmt: skip
    ax.invert_yaxis()
    if named:
        ax.set_yticks(places, [one.label for one in people], fontsize="small", color=INK)
    else:
        ax.set_ylabel(f"{len(people):,} participants, most at odds first")
    ax.set_xlim(left=0)
    ax.set_xlabel("wrong answers, % (95 % interval)")
    return ax
