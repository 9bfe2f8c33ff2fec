"""Draw how far each object's place and neighbours can be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ordinate._checks import InputError, check_integer
from ordinate.plots._colors import COLORS, INK, QUIET
from ordinate.plots._figures import start_chart
from ordinate.plots._labels import families_for, shorten_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.uncertainty import MapUncertainty


def plot_stability(uncertainty: MapUncertainty, ax: Axes | None = None, *, most: int = 60) -> Axes:
    """Draw how stable each object's neighbours are, the least stable at the bottom.

    Parameters
    ----------
    uncertainty : MapUncertainty
        From `ordinate.map_uncertainty`.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.
    most : int, default=60
        Of more objects than this only the most stable and the least stable are drawn, half of
        them each.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; `save_figure` takes them. A dashed line marks neighbours by chance.

    See Also
    --------
    ordinate.map_uncertainty : Makes what is drawn.

    Examples
    --------
    >>> import ordinate as od
    >>> cities = od.datasets.load_cities()
    >>> model = od.STE(n_components=2, random_state=0).fit(cities.comparisons)
    >>> sure = od.map_uncertainty(model, cities.comparisons, n_draws=10, random_state=0)
    >>> ax = od.plots.plot_stability(sure)
    """
    if not hasattr(uncertainty, "neighbor_stability_"):
        raise InputError(
            "plot_stability draws what map_uncertainty(model, answers) returns; got"
            f" {type(uncertainty).__name__}."
        )
    stability = uncertainty.neighbor_stability_
    n = len(stability)
    order = np.argsort(stability, kind="stable")
    half = check_integer("most", most, minimum=2) // 2
    if n > most:
        order = np.concatenate([order[:half], order[-half:]])
    names = shorten_names(uncertainty.names_ or tuple(map(str, range(n))))
    texts = [names[number] for number in order]
    ax = start_chart(ax, height=1 + 0.17 * len(order))
    ax.hlines(range(len(order)), 0, stability[order], color=QUIET, linewidth=1)
    ax.plot(stability[order], range(len(order)), "o", color=COLORS[0], markersize=4)
    chance = uncertainty.n_neighbors / (n - 1)
    ax.axvline(chance, color=INK, linewidth=0.8, linestyle="--")
    ax.set_yticks(range(len(order)), texts, fontsize=7, fontfamily=families_for("".join(texts)))
    ax.set(xlim=(0, 1), ylim=(-1, len(order)))
    ax.set_xlabel(f"share of the {uncertainty.n_neighbors} nearest objects that stay the same")
    return ax
