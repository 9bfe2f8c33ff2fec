"""The CPU engine: compiled loops over blocks of comparisons, on several threads."""

from __future__ import annotations

import copy
import os
import types
import zlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate import losses
from ordinate._checks import InputError
from ordinate._compiler import njit
from ordinate.comparisons.record import Comparisons
from ordinate.engine import vectormath

Points: TypeAlias = NDArray[np.float64]
_Kernel: TypeAlias = Callable[..., float]

_BLOCK = 128
"""Comparisons per block: three buffers of this many numbers stay in the first-level cache."""
_MOST_CHUNKS = 16
_SMALLEST_CHUNK = 16_384
_LARGEST_UNROLLED = 10
"""Up to this dimension a kernel is compiled for it alone, which halves its time."""


class CPUObjective:
    """The weighted sum of a loss over comparisons, as a function of the coordinates.

    Calling it returns the value and the gradient. The comparisons are cut into chunks whose
    number depends on the data alone, and the chunks' sums are added in order, so the result has
    the same bits for any number of threads.

    Parameters
    ----------
    comparisons : Comparisons
        Triplets or quadruplets.
    loss : callable
        A function as `ordinate.losses` describes it.
    parameters : sequence of float
        Passed to the loss after the two squared distances.
    n_threads : int
        Threads that share the chunks.

    Examples
    --------
    >>> import numpy as np, ordinate as od
    >>> from ordinate.engine.cpu import CPUObjective
    >>> objective = CPUObjective(od.Comparisons([[0, 1, 2]]), od.losses.soe, [1.0])
    >>> value, gradient = objective(np.array([[0.0], [1.0], [1.5]]))
    >>> value, gradient.ravel()
    (0.25, array([ 0.,  1., -1.]))
    """

    is_batched = False

    def __init__(
        self,
        comparisons: Comparisons,
        loss: losses.Loss,
        parameters: Sequence[float] = (),
        *,
        n_threads: int = 1,
    ) -> None:
        # Unsigned indices spare the compiled loop the test for negative ones.
        self._rows = comparisons.rows.view(np.uint32)
        weights = comparisons.weights
        self._weights = np.empty(0) if weights is None else weights
        self.n_objects = comparisons.n_objects
        self._loss = as_function(loss)
        self._parameters = tuple(float(parameter) for parameter in parameters)
        self._n_threads = n_threads
        self._sums = np.empty((0, 0, 0, 0))

    def with_parameters(self, parameters: Sequence[float]) -> CPUObjective:
        """Return the same sum with other parameters of the loss."""
        other = copy.copy(self)
        other._parameters = tuple(float(parameter) for parameter in parameters)
        return other

    def __call__(self, points: Points) -> tuple[float, Points]:
        """Return the value and the gradient at `points`, shape (n_objects, n_components)."""
        values, gradients = self.evaluate(np.asarray(points, dtype=np.float64)[None])
        return float(values[0]), gradients[0]

    def evaluate(self, points: Points) -> tuple[NDArray[np.float64], Points]:
        """Return values and gradients for a batch of coordinates.

        Parameters
        ----------
        points : ndarray of shape (n_starts, n_objects, n_components)
            Coordinates.

        Returns
        -------
        values, gradients : ndarrays of shape (n_starts,) and (n_starts, n_objects, n_components)
            The sums for each start; the same bits as one by one.
        """
        points = np.ascontiguousarray(points, dtype=np.float64)
        n_starts, n_objects, n_components = points.shape
        if n_objects != self.n_objects:  # the compiled loop does not check its indices
            raise InputError(f"points has {n_objects} rows; expected {self.n_objects}.")
        kernel = compiled_kernel(self._loss, n_components, self._rows.shape[1])
        bounds = chunk_bounds(len(self._rows), n_objects * n_components)
        n_chunks = len(bounds) - 1
        if self._sums.shape != (n_starts, n_chunks, n_objects, n_components):
            self._sums = np.empty((n_starts, n_chunks, n_objects, n_components))

        def work(task: int) -> float:
            start, chunk = divmod(task, n_chunks)
            gradient = self._sums[start, chunk]
            gradient.fill(0.0)
            first, stop = bounds[chunk], bounds[chunk + 1]
            return kernel(
                points[start], self._rows, self._weights, self._parameters, first, stop, gradient
            )

        pays = n_starts * len(self._rows) >= 2 * _SMALLEST_CHUNK
        sums = run_chunks(work, n_starts * n_chunks, self._n_threads if pays else 1)
        values = [sum(sums[at : at + n_chunks]) for at in range(0, len(sums), n_chunks)]
        return np.array(values), self._sums.sum(axis=1)


def as_function(loss: losses.Loss) -> types.FunctionType:
    """Return the loss, or refuse what cannot be compiled."""
    if not isinstance(loss, types.FunctionType):
        raise InputError(f"A loss must be a plain Python function; got {loss!r}.")
    return loss


@lru_cache(64)
def chunk_bounds(n_rows: int, n_coordinates: int) -> NDArray[np.intp]:
    """Cut rows into chunks, each large beside the gradient it fills.

    Parameters
    ----------
    n_rows : int
        Number of comparisons.
    n_coordinates : int
        Size of the gradient.

    Returns
    -------
    ndarray of int, shape (n_chunks + 1,)
        Where the chunks start, and the end.
    """
    n_chunks = n_rows // max(_SMALLEST_CHUNK, n_coordinates)
    n_chunks = min(max(n_chunks, 1), _MOST_CHUNKS)
    return np.linspace(0, n_rows, n_chunks + 1).astype(np.intp)


def run_chunks(work: Callable[[int], float], n_chunks: int, n_threads: int) -> list[float]:
    """Do the work of each chunk, on several threads, and return the results in order.

    Parameters
    ----------
    work : callable
        Takes a chunk's number; must release the interpreter lock to gain from threads.
    n_chunks : int
        Number of chunks.
    n_threads : int
        How many threads to use.

    Returns
    -------
    list of float
        One result per chunk.
    """
    if n_chunks == 1 or n_threads == 1:
        return [work(chunk) for chunk in range(n_chunks)]
    return list(_pool(n_threads, os.getpid()).map(work, range(n_chunks)))


@cache
def _pool(n_threads: int, process: int) -> ThreadPoolExecutor:
    """Return the threads of this process; a fork does not inherit its parent's."""
    return ThreadPoolExecutor(n_threads, thread_name_prefix="ordinate")


@cache
def compiled_kernel(
    loss: types.FunctionType, n_components: int, n_columns: int, *, lapses: bool = False
) -> _Kernel:
    """Compile the loop for one loss, one dimension and triplets or quadruplets.

    Parameters
    ----------
    loss : callable
        A function as `ordinate.losses` describes it.
    n_components : int
        Dimension of the embedding.
    n_columns : int
        3 for triplets, 4 for quadruplets.
    lapses : bool
        Whether the first parameter is the share of answers given by coin
        (`ordinate.losses.with_lapses`); the others are those of the loss.

    Returns
    -------
    callable
        The compiled loop; kernels of Ordinate's own losses are kept on disk.
    """
    unrolled = n_components if n_components <= _LARGEST_UNROLLED else 0
    triplets = n_columns == 3
    own = getattr(losses, loss.__name__, None) is loss
    name = f"sum_{loss.__name__}_{unrolled}_{n_columns}_{kernel_version(loss, lapses):08x}"
    constants = {
        "loss": inlined(with_vectormath(loss)),
        "with_lapses": inlined(with_vectormath(as_function(losses.with_lapses))),
        "DIMENSION": unrolled,
        "TRIPLETS": triplets,
        "LAPSES": lapses,
    }
    kernel: _Kernel = njit(nogil=True, error_model="numpy", cache=own)(
        with_constants(_sum_block_by_block, name, constants)
    )
    return kernel


inlined = njit(nogil=True, error_model="numpy", forceinline=True)
"""Compiles a function into those that call it."""


def with_constants(
    function: Callable[..., Any], name: str, constants: Mapping[str, Any]
) -> types.FunctionType:
    """Return a copy of a function for which these globals have other values.

    Numba takes globals for constants, and finds a kernel that it has kept by its name.
    """
    code = function.__code__.replace(co_name=name, co_qualname=name)
    return types.FunctionType(code, {**function.__globals__, **constants}, name)


def with_vectormath(loss: types.FunctionType) -> types.FunctionType:
    """Rebind ``np`` in a loss to functions that the compiler can vectorise."""
    names = {**loss.__globals__, "np": vectormath}
    return types.FunctionType(
        loss.__code__, names, loss.__name__, loss.__defaults__, loss.__closure__
    )


def kernel_version(loss: types.FunctionType, lapses: bool) -> int:
    """Return a number that changes with the functions a kernel calls.

    Numba finds a cached kernel by its name and does not look into these.
    """
    return _digest(loss) ^ (_digest(as_function(losses.with_lapses)) if lapses else 0)


@cache
def _digest(loss: types.FunctionType) -> int:
    code = loss.__code__
    text = repr((code.co_code, code.co_consts, code.co_names)).encode()
    return zlib.crc32(text + Path(vectormath.__file__).read_bytes())


# Constants of a kernel, set by `compiled_kernel`; these stand for the linter and the reader.
DIMENSION: int = 0
TRIPLETS: bool = True
LAPSES: bool = False
loss: Any = None
with_lapses: Any = None


def _sum_block_by_block(
    points: Any,
    rows: Any,
    weights: Any,
    parameters: Any,
    start: int,
    stop: int,
    gradient: Any,
) -> float:
    """Add the gradient over rows start … stop to `gradient` and return the sum of the loss."""
    dimension = DIMENSION if DIMENSION > 0 else points.shape[1]
    near2 = np.empty(_BLOCK)
    far2 = np.empty(_BLOCK)
    value = np.empty(_BLOCK)
    total = 0.0
    for first in range(start, stop, _BLOCK):
        size = min(_BLOCK, stop - first)
        for b in range(size):
            i = rows[first + b, 0]
            j = rows[first + b, 1]
            k = i if TRIPLETS else rows[first + b, 2]
            l = rows[first + b, 2 if TRIPLETS else 3]  # noqa: E741
            near = 0.0
            far = 0.0
            for s in range(dimension):
                u = points[i, s] - points[j, s]
                v = points[k, s] - points[l, s]
                near += u * u
                far += v * v
            near2[b] = near
            far2[b] = far
        # From here near2 and far2 hold the partial derivatives. This is the loop that vectorises.
        for b in range(size):
            if LAPSES:
                value[b], near2[b], far2[b] = loss(near2[b], far2[b], *parameters[1:])
                value[b], near2[b], far2[b] = with_lapses(
                    value[b], near2[b], far2[b], parameters[0]
                )
            else:
                value[b], near2[b], far2[b] = loss(near2[b], far2[b], *parameters)
        if weights.size > 0:
            for b in range(size):
                weight = weights[first + b]
                value[b] *= weight
                near2[b] *= weight
                far2[b] *= weight
        for b in range(size):
            total += value[b]
            p = 2.0 * near2[b]
            q = 2.0 * far2[b]
            if p != 0.0 or q != 0.0:
                i = rows[first + b, 0]
                j = rows[first + b, 1]
                k = i if TRIPLETS else rows[first + b, 2]
                l = rows[first + b, 2 if TRIPLETS else 3]  # noqa: E741
                for s in range(dimension):
                    u = p * (points[i, s] - points[j, s])
                    v = q * (points[k, s] - points[l, s])
                    if TRIPLETS:
                        gradient[i, s] += u + v
                    else:
                        gradient[i, s] += u
                        gradient[k, s] += v
                    gradient[j, s] -= u
                    gradient[l, s] -= v
    return total
