"""Keep linear algebra libraries from starting threads inside small work."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_blas_thread() -> AbstractContextManager[Any]:
    """Run BLAS on one thread within the block.

    A solver calls BLAS on short vectors thousands of times; waking threads for each call costs
    more than it saves, and many times more on a busy machine. It also keeps the order of
    additions, and so the bits of the result, the same on any number of cores.

    Returns
    -------
    context manager
        Restores the former number of threads at its end.
    """
    limit: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limit


@cache
def _controller() -> ThreadpoolController:
    """Look up the loaded libraries once; that takes milliseconds."""
    import scipy.linalg  # noqa: F401  (so that its BLAS is among them)

    return ThreadpoolController()
