"""Held-out errors with their intervals, as several charts draw them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Estimate(Protocol):
    """A share with its 95 % interval."""

    @property
    def error(self) -> float:
        """The share."""

    @property
    def low(self) -> float:
        """Lower end of its interval."""

    @property
    def high(self) -> float:
        """Upper end of its interval."""


def draw_errors(
    ax: Axes, places: ArrayLike, estimates: Sequence[Estimate], **look: Any
) -> list[float]:
    """Draw errors in per cent with their intervals, and say so on the axis.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        Where to draw.
    places : array-like of float, shape (n_estimates,)
        Places along the horizontal axis.
    estimates : sequence of Estimate
        What to draw.
    **look : object
        How it looks, as `matplotlib.axes.Axes.errorbar` takes it.

    Returns
    -------
    list of float
        The errors in per cent.
    """
    errors = [100 * estimate.error for estimate in estimates]
    below = [100 * (estimate.error - estimate.low) for estimate in estimates]
    above = [100 * (estimate.high - estimate.error) for estimate in estimates]
    ax.errorbar(places, errors, yerr=[below, above], capsize=3, **look)
    ax.set_ylabel("held-out error, %")
    ax.autoscale(axis="y")  # an earlier call on the same axes has fixed the limits
    ax.set_ylim(bottom=0)
    return errors
