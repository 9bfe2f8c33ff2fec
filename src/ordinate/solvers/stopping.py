"""When a run should end: the one rule that all solvers share."""

from __future__ import annotations

from ordinate.solvers.result import Callback, Points

_WINDOW = 10
"""Iterations over which progress is judged; single ones are often short."""


class Watch:
    """Keep the history of a run and say when it should end.

    A run ends when ten iterations together lowered the loss by less than `tol` times itself,
    when the loss is as good as zero, or when the callback says so. The rule does not depend on
    whether the loss is summed or averaged.

    Parameters
    ----------
    tol : float
        Relative decrease over ten iterations below which the run has converged.
    floor : float
        A loss that is as good as zero.
    callback : callable, optional
        Called with iteration, loss and coordinates; ends the run by returning True.

    Examples
    --------
    >>> import numpy as np
    >>> from ordinate.solvers.stopping import Watch
    >>> watch = Watch(tol=1e-4, floor=0.5)
    >>> watch.begin(8.0)
    >>> [watch.ends(value, np.zeros((3, 2))) for value in (4.0, 1.0, 0.25)]
    [False, False, True]
    >>> watch.history
    [8.0, 4.0, 1.0, 0.25]
    """

    def __init__(self, tol: float, floor: float = 0.0, callback: Callback | None = None) -> None:
        self.tol = tol
        self.floor = floor
        self.callback = callback
        self.history: list[float] = []

    def begin(self, value: float) -> None:
        """Note the loss at the start."""
        self.history.append(value)

    def ends(self, value: float, points: Points) -> bool:
        """Note the loss after an iteration and say whether it was the last one."""
        self.history.append(value)
        number = len(self.history) - 1
        asked = self.callback is not None and self.callback(number, value, points) is True
        before = self.history[max(number - _WINDOW, 0)]
        slow = number >= _WINDOW and before - value <= self.tol * before
        return asked or slow or value <= self.floor
