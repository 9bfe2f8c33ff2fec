"""Keep linear algebra libraries from starting threads inside small work."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from numbers import Integral
from typing import Any

from threadpoolctl import ThreadpoolController

from ordinate._checks import InputError

_MOST_THREADS = 1024
"""More never help; joblib cannot count up to any number."""


def effective_n_jobs(n_jobs: object) -> int:
    """Return how many threads `n_jobs` stands for: -1 for all cores, None for one."""
    import joblib

    whole = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not whole or n_jobs == 0):
        raise InputError(
            f"n_jobs must be None or an integer other than 0, -1 for all cores; got {n_jobs!r}."
        )
    return min(int(joblib.effective_n_jobs(n_jobs)), _MOST_THREADS)


def one_blas_thread() -> AbstractContextManager[Any]:
    """Run BLAS on one thread within the block.

    A solver calls BLAS on short vectors thousands of times; waking threads for each call costs
    more than it saves, and many times more on a busy machine. It also keeps the order of
    additions, and so the bits of the result, the same on any number of cores.
    """
    limit: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limit


@cache
def _controller() -> ThreadpoolController:
    """Look up the loaded libraries once; that takes milliseconds."""
    import scipy.linalg  # noqa: F401  (so that its BLAS is among them)

    return ThreadpoolController()
