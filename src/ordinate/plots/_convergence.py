"""Draw how a loss fell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ordinate._checks import InputError
from ordinate.plots._colors import COLORS
from ordinate.plots._figures import start_chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_convergence(
    histories: ArrayLike | Mapping[str, ArrayLike], ax: Axes | None = None
) -> Axes:
    """Draw the loss after each iteration of one fit, or of several.

    Parameters
    ----------
    histories : array-like of float, shape (n_iterations,), or mapping of str to array-like
        What an estimator keeps as ``history_``; several of them by name.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; `save_figure` takes them. The scale of losses is logarithmic if all are positive.

    See Also
    --------
    ordinate.SOE : Keeps its losses as `history_`, as other methods do.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> models = {method.__name__: method(random_state=0) for method in (od.SOE, od.STE)}
    >>> ax = od.plots.plot_convergence(
    ...     {name: model.fit(answers).history_ for name, model in models.items()}
    ... )
    """
    named = histories if isinstance(histories, Mapping) else {"": histories}
    ax = start_chart(ax)
    positive = True
    for number, (name, history) in enumerate(named.items()):
        losses = np.asarray(history, dtype=np.float64)
        if losses.ndim != 1 or len(losses) == 0:
            raise InputError(
                f"A history must be a list of losses; got shape {losses.shape}. Take history_ of a"
                " fitted estimator."
            )
        positive &= bool((losses > 0).all())
        marker = "o" if len(losses) == 1 else ""
        ax.plot(losses, color=COLORS[number % len(COLORS)], marker=marker, label=name)
    if positive:
        ax.set_yscale("log")
    ax.set_xlabel("iteration")
    ax.set_ylabel("loss")
    if isinstance(histories, Mapping):
        ax.legend(frameon=False)
    return ax
