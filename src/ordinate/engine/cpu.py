"""The CPU engine: compiled loops over blocks of comparisons, on several threads."""

from __future__ import annotations

import copy
import os
import types
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ordinate import losses
from ordinate._arrays import Points
from ordinate._checks import InputError
from ordinate._compiler import njit
from ordinate.comparisons.record import Comparisons
from ordinate.engine import vectormath

_Kernel: TypeAlias = Callable[..., float]

_BLOCK = 128
"""Comparisons per block: three buffers of this many numbers stay in the first-level cache."""
_MOST_CHUNKS = 16
_SMALLEST_CHUNK = 16_384
_LARGEST_UNROLLED = 7
"""Up to this dimension a kernel is compiled for it alone, which saves a sixth of its time; in more
dimensions it saves little."""
_FEWEST_UNROLLED = 65_536
"""Comparisons from which that is worth half a second of compiling; the bits are the same."""


class CPUObjective:
    """The weighted sum of a loss over comparisons, as a function of the coordinates.

    Calling it returns the value and the gradient. The comparisons are cut into chunks whose
    number depends on the data alone, and the chunks' sums are added in order, so the result has
    the same bits for any number of threads.
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
        self._weights = read_only_weights(comparisons)
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
        """Return values and gradients for a batch of coordinates."""
        points = np.ascontiguousarray(points, dtype=np.float64)
        n_starts, n_objects, n_components = points.shape
        if n_objects != self.n_objects:  # the compiled loop does not check its indices
            raise InputError(f"points has {n_objects} rows; expected {self.n_objects}.")
        n_rows, n_columns = self._rows.shape
        kernel = compiled_kernel(self._loss, unrolled(n_components, n_rows), n_columns)
        bounds = chunk_bounds(n_rows, n_objects * n_components)
        n_chunks = len(bounds) - 1
        if self._sums.shape != (n_starts, n_chunks, n_objects, n_components):
            self._sums = np.empty((n_starts, n_chunks, n_objects, n_components))

        def work(task: int) -> float:
            start, chunk = divmod(task, n_chunks)
            gradient = self._sums[start, chunk]
            gradient.fill(0.0)
            first, stop = bounds[chunk], bounds[chunk + 1]
            given = self._rows, self._weights, self._parameters
            return kernel(points[start], *given, first, stop, gradient, ())

        pays = n_starts * n_rows >= 2 * _SMALLEST_CHUNK
        sums = run_chunks(work, n_starts * n_chunks, self._n_threads if pays else 1)
        values = [sum(sums[at : at + n_chunks]) for at in range(0, len(sums), n_chunks)]
        return np.array(values), self._sums.sum(axis=1)


def read_only_weights(comparisons: Comparisons) -> NDArray[np.float64]:
    """Return the weights, or none of the same type: a loop that is compiled takes both."""
    weights = comparisons.weights
    given = (np.empty(0) if weights is None else weights).view()
    given.flags.writeable = False
    return given


def as_function(loss: losses.Loss) -> types.FunctionType:
    """Return the loss, or refuse what cannot be compiled."""
    if not isinstance(loss, types.FunctionType):
        raise InputError(f"A loss must be a plain Python function; got {loss!r}.")
    return loss


@lru_cache(64)
def chunk_bounds(n_rows: int, n_coordinates: int) -> NDArray[np.intp]:
    """Cut rows into chunks, each large beside the gradient it fills."""
    n_chunks = n_rows // max(_SMALLEST_CHUNK, n_coordinates)
    n_chunks = min(max(n_chunks, 1), _MOST_CHUNKS)
    return np.linspace(0, n_rows, n_chunks + 1).astype(np.intp)


def run_chunks(work: Callable[[int], float], n_chunks: int, n_threads: int) -> list[float]:
    """Do the work of each chunk, on several threads, and return the results in order."""
    if n_chunks == 1 or n_threads == 1:
        return [work(chunk) for chunk in range(n_chunks)]
    return list(_pool(n_threads, os.getpid()).map(work, range(n_chunks)))


@cache
def _pool(n_threads: int, process: int) -> ThreadPoolExecutor:
    """Return the threads of this process; a fork does not inherit its parent's."""
    return ThreadPoolExecutor(n_threads, thread_name_prefix="ordinate")


def unrolled(n_components: int, n_rows: float = np.inf) -> int:
    """Return the dimension that a kernel is compiled for, or 0 for one that takes any."""
    return n_components if n_components <= _LARGEST_UNROLLED and n_rows >= _FEWEST_UNROLLED else 0


@cache
def compiled_kernel(
    loss: types.FunctionType,
    dimension: int,
    n_columns: int,
    *,
    lapses: bool = False,
    people: bool = False,
) -> _Kernel:
    """Compile the loop for one loss, one dimension or any (0), one number of columns, one use."""
    own = getattr(losses, loss.__name__, None) is loss
    kind = ("people" if people else "sum") + ("_lapses" if lapses else "")
    name = f"{kind}_{loss.__name__}_{dimension}_{n_columns}"
    constants = {
        "loss": inlined_loss(loss),
        "with_lapses": inlined_loss(as_function(losses.with_lapses)),
        "DIMENSION": dimension,
        "TRIPLETS": n_columns == 3,
        "PEOPLE": people,
        "SHARED_LAPSES": lapses and not people,
        "OWN_LAPSES": lapses and people,
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

    Numba takes globals for constants; the name keeps the files of its cache apart.
    """
    code = function.__code__.replace(co_name=name, co_qualname=name)
    return types.FunctionType(code, {**function.__globals__, **constants}, name)


@cache
def inlined_loss(loss: types.FunctionType) -> Any:
    """Return the loss for kernels of any dimension, which type it once."""
    return inlined(with_vectormath(loss))


def with_vectormath(loss: types.FunctionType) -> types.FunctionType:
    """Rebind ``np`` in a loss to functions that the compiler can vectorise."""
    names = {**loss.__globals__, "np": vectormath}
    return types.FunctionType(
        loss.__code__, names, loss.__name__, loss.__defaults__, loss.__closure__
    )


# Constants of a kernel, set by `compiled_kernel`; these stand for the linter and the reader.
DIMENSION: int = 0
TRIPLETS: bool = True
PEOPLE: bool = False
SHARED_LAPSES: bool = False
OWN_LAPSES: bool = False
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
    seen_by: Any,
) -> float:
    """Add the gradient over rows start … stop to `gradient` and return the sum of the loss.

    What people see, if they differ: who gave each answer, how much each weighs each axis, the
    share of each one's responses that are random, and where derivatives in these are added up.
    """
    dimension = DIMENSION if DIMENSION > 0 else points.shape[1]
    near2 = np.empty(_BLOCK)
    far2 = np.empty(_BLOCK)
    value = np.empty(_BLOCK)
    if PEOPLE:
        person, axes, lapse, on_people = seen_by
    if OWN_LAPSES:
        on_lapse = np.empty(_BLOCK)
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
                if PEOPLE:
                    near += axes[person[first + b], s] * (u * u)
                    far += axes[person[first + b], s] * (v * v)
                else:
                    near += u * u
                    far += v * v
            near2[b] = near
            far2[b] = far
        # From here near2 and far2 hold the partial derivatives. This is the loop that vectorises.
        for b in range(size):
            if SHARED_LAPSES:
                value[b], near2[b], far2[b] = loss(near2[b], far2[b], *parameters[1:])
                value[b], near2[b], far2[b] = with_lapses(
                    value[b], near2[b], far2[b], parameters[0]
                )
            else:
                value[b], near2[b], far2[b] = loss(near2[b], far2[b], *parameters)
        if OWN_LAPSES:
            for b in range(size):
                share = lapse[person[first + b]]
                value[b], near2[b], far2[b] = with_lapses(value[b], near2[b], far2[b], share)
                on_lapse[b] = share * (1.0 - 0.5 * np.exp(value[b]))
        if weights.size > 0:
            for b in range(size):
                weight = weights[first + b]
                value[b] *= weight
                near2[b] *= weight
                far2[b] *= weight
                if OWN_LAPSES:
                    on_lapse[b] *= weight
        for b in range(size):
            total += value[b]
            if OWN_LAPSES:
                on_people[person[first + b], dimension] += on_lapse[b]
            on_near = 2.0 * near2[b]
            on_far = 2.0 * far2[b]
            if on_near != 0.0 or on_far != 0.0:
                i = rows[first + b, 0]
                j = rows[first + b, 1]
                k = i if TRIPLETS else rows[first + b, 2]
                l = rows[first + b, 2 if TRIPLETS else 3]  # noqa: E741
                for s in range(dimension):
                    u = points[i, s] - points[j, s]
                    v = points[k, s] - points[l, s]
                    if PEOPLE:
                        p = on_near * axes[person[first + b], s]
                        q = on_far * axes[person[first + b], s]
                        on_people[person[first + b], s] += 0.5 * (p * (u * u) + q * (v * v))
                        u *= p
                        v *= q
                    else:
                        u *= on_near
                        v *= on_far
                    if TRIPLETS:
                        gradient[i, s] += u + v
                    else:
                        gradient[i, s] += u
                        gradient[k, s] += v
                    gradient[j, s] -= u
                    gradient[l, s] -= v
    return total
