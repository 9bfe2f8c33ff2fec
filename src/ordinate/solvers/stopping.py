"""When a run should end, by the one rule that all solvers share, and what it returns."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, NotRequired, TypeAlias, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from ordinate._arguments import parameter
from ordinate._arrays import Points

Function: TypeAlias = Callable[[Points], tuple[float, Points]]
"""Takes coordinates and returns a value and its gradient: what solvers minimise."""
Callback: TypeAlias = Callable[[int, float, Points], object]
"""Called after each iteration with its number, the loss and the coordinates; True stops."""

Step: TypeAlias = Callable[["StoppingRule", Points, float, Any], "tuple[Points, float, Any] | bool"]
"""Takes where a run is, its value and what came with it, and returns the same after a step; or, if
no step goes down, whether that is a minimum."""


class Rules(TypedDict):
    """What ends a run: too many iterations, too little gain, a loss as good as zero, the caller."""

    max_iter: int
    tol: float
    floor: NotRequired[float]
    callback: NotRequired[Callback | None]


_WINDOW = 10
"""Least iterations over which progress is judged; single ones are often short."""
_WINDOW_SHARE = 0.1
"""Share of all iterations over which it is judged: a run that has been slow may go on so."""
_NEARLY = 10.0
"""Multiple of what is as good as zero that will do where there is no way down."""
_VISIBLE = 1e-3
"""Relative change of a loss that a gradient may promise where sums in single precision show none:
near a minimum the loss changes by its square."""
_SECOND_HALF = 0.25
"""Share of its whole gain that the second half of a planned run may bring."""
_NOISE = 0.01
"""Relative change of a noisy loss that says nothing."""


@dataclass(frozen=True)
class Result:
    """Where a solver ended."""

    points: Points
    value: float
    history: NDArray[np.float64]
    converged: bool

    @property
    def n_iter(self) -> int:
        """Number of iterations."""
        return len(self.history) - 1


class StoppingRule:
    """Keep the history of a run and say when it should end.

    A run ends when its last ten iterations, or its last tenth if that is more, together lowered
    the loss by less than `tol` times itself, when the loss is as good as zero, or when the
    callback says so. The rule does not depend on whether the loss is summed or averaged.
    """

    def __init__(
        self,
        tol: float,
        floor: float = 0.0,
        callback: Callback | None = None,
        max_iter: float = np.inf,
    ) -> None:
        self.max_iter = max_iter
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
        before = self.history[max(number - max(_WINDOW, int(_WINDOW_SHARE * number)), 0)]
        slow = number >= _WINDOW and before - value <= self.tol * before
        return bool(asked or slow or value <= self.floor)  # sums may be NumPy numbers

    def is_flat(self, points: Any, gradient: Any) -> bool:
        """Say whether a run that found no way down is at a minimum, as far as can be told.

        By the gradient, moving every coordinate by all of its size would change the loss by less
        than `tol` times itself, or by less than sums in single precision can show; or, at the
        kinks of a hinge, the loss is nearly zero.
        """
        promised = float((points * points).sum() * (gradient * gradient).sum()) ** 0.5
        value = self.history[-1]
        return bool(promised <= max(self.tol, _VISIBLE) * value or value <= _NEARLY * self.floor)


def descend(objective: Any, start: Points, step: Step, **rules: Unpack[Rules]) -> Result:
    """Take steps until the rule ends the run, or none goes down any more."""
    rule = StoppingRule(**rules)
    points = start
    value, more = objective(points)
    rule.begin(value)
    converged = value <= rule.floor
    while not converged and len(rule.history) <= rule.max_iter:
        taken = step(rule, points, value, more)
        if isinstance(taken, bool):
            converged = taken
            break
        points, value, more = taken
        converged = rule.ends(value, points)
    return Result(points, value, np.array(rule.history), converged)


def planned_run_converged(start: float, middle: float, last: float) -> bool:
    """Say whether a run whose steps shrink to zero as planned had come to rest by then.

    Shrinking steps end every run, so that little progress at the end means nothing. But a run
    that was at rest half way gains little in its second half: at most a quarter of its whole gain,
    or a hundredth of its loss.
    """
    return middle - last <= max(_SECOND_HALF * (start - last), _NOISE * abs(last))


_n_quiet = 0
"""How many callers, in any thread, want to hear nothing about convergence."""


@contextmanager
def without_convergence_warnings() -> Iterator[None]:
    """Keep quiet about fits that only serve to measure, or to begin others."""
    global _n_quiet
    _n_quiet += 1
    try:
        with warnings.catch_warnings():
            if exceptions := sys.modules.get("sklearn.exceptions"):  # of a user's own estimator
                warnings.simplefilter("ignore", exceptions.ConvergenceWarning)
            yield
    finally:
        _n_quiet -= 1


def warn_unless_converged(
    name: str,
    converged: bool,
    n_iter: int,
    max_iter: int,
    *,
    detail: str = "",
    limits: Sequence[str] = ("max_iter", "tol"),
) -> None:
    """Warn that a fit ended before it converged, and say what to do about it."""
    if converged:
        return
    how_far = f" ({detail})" if detail else ""
    if n_iter >= max_iter:
        message = (
            f"{name} stopped after max_iter={max_iter} iterations before it converged{how_far};"
            f" raise {' or '.join(map(parameter, limits))}."
        )
    else:
        message = (
            f"{name} stopped after {n_iter} iterations before it converged{how_far}: no step lowers"
            f" the loss any more; try another {parameter('random_state')}, a larger"
            f" {parameter('n_init')} or a larger {parameter('tol')}."
        )
    warn_of_fit(message)


def warn_of_fit(message: str) -> None:
    """Warn at the first line outside this package: where the fit was asked for."""
    if _n_quiet:
        return
    from sklearn.exceptions import ConvergenceWarning

    warnings.warn(message, ConvergenceWarning, stacklevel=_frames_of_package() + 1)


def _frames_of_package() -> int:
    """Count the calls between the caller and the first one from outside the package."""
    own = __name__.partition(".")[0]
    frame: FrameType | None = sys._getframe(1)
    count = 0
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == own:
        frame, count = frame.f_back, count + 1
    return count
