"""The picture of `ordinate demo`: the recovered map of Europe over the true one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.datasets import Dataset

SEA = "#EEF2F5"


def draw_demo(cities: Dataset, points: NDArray[np.float64], wrong: float) -> Axes:
    """Draw the recovered cities over the true ones, on a net of meridians and parallels.

    Parameters
    ----------
    cities : Dataset
        The cities, with their answers and true positions.
    points : ndarray of float, shape (n_cities, 2)
        Where the answers put them.
    wrong : float
        Share of the answers that is wrong.

    Returns
    -------
    matplotlib.axes.Axes
        The picture.
    """
    from matplotlib.collections import LineCollection

    from ordinate.plots import plot_map_over_truth
    from ordinate.plots._figures import figure_of, new_axes

    assert cities.comparisons is not None
    assert cities.points is not None
    ax = plot_map_over_truth(
        points, cities.points, names=cities.names, labels=cities.labels, ax=new_axes(10.2, 10.4)
    )
    legend = ax.get_legend()
    assert legend is not None
    legend.remove()
    net = LineCollection(list(_graticule()), colors="white", linewidths=1.2, zorder=0)
    ax.add_collection(net, autolim=False)
    figure_of(ax).set_facecolor(SEA)
    ax.set_title("Europe, from comparisons alone", loc="left", y=1.045, fontsize=19, weight="bold")
    subtitle = (
        f"{len(cities.comparisons):,} answers to “is A nearer to B than to C?”, {wrong:.0%} of them"
        " wrong.   ● where they put a city   ○ where it is"
    )
    ax.text(0, 1.018, subtitle, transform=ax.transAxes, fontsize=10.5)
    return ax


def _graticule() -> Iterator[NDArray[np.float64]]:
    """Give the meridians every 10 degrees and the parallels every 5, as lines on the map."""
    from ordinate.datasets._cities import project

    latitudes, longitudes = np.linspace(20, 85, 100), np.linspace(-60, 80, 100)
    for longitude in np.arange(-60, 81, 10):
        yield project(latitudes, np.full(100, longitude))
    for latitude in np.arange(20, 86, 5):
        yield project(np.full(100, latitude), longitudes)
