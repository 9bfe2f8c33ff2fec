"""Triton kernels: sums over each object's own comparisons, without atomic additions.

The functions here are plain Python until `jit` compiles them, so that this file can be imported
without Triton. A comparison is visited once for each of its objects and its loss is recomputed
each time: recomputing from the cache is cheaper than sending derivatives through memory, and a sum
over one object's comparisons in a fixed order has the same bits in every run.
"""

from __future__ import annotations

import re
import types
from collections.abc import Iterable
from functools import cache, partial
from typing import Any

import numpy as np

tl: Any = None  # Triton's language, bound by `jit`
_SMALLEST = float(np.finfo(np.float32).tiny)


def sum_pieces(
    points: Any,
    others: Any,
    weights: Any,
    piece_starts: Any,
    piece_owners: Any,
    piece_places: Any,
    parameters: Any,
    values: Any,
    parts: Any,
    n_rows: Any,
    n_objects: Any,
    LOSS: tl.constexpr,
    ROLE: tl.constexpr,
    TRIPLETS: tl.constexpr,
    WEIGHTED: tl.constexpr,
    STRIDE: tl.constexpr,
    DIMENSION: tl.constexpr,
    BLOCK: tl.constexpr,
) -> None:
    """Sum the gradient of one object over a piece of the comparisons in which it has this role.

    `others` holds, column by column, the remaining objects of each comparison, sorted by the
    object in question. The second axis of the grid runs over starts.
    """
    piece = tl.program_id(0)
    start_number = tl.program_id(1).to(tl.int64)
    n_starts = tl.num_programs(1)
    columns = tl.arange(0, DIMENSION)
    points += start_number * n_objects * STRIDE
    own_place = tl.load(piece_owners + piece).to(tl.int64) * STRIDE + columns
    own = tl.load(points + own_place, mask=columns < STRIDE, other=0.0)[None, :]
    start = tl.load(piece_starts + piece)
    stop = tl.load(piece_starts + piece + 1)
    number = points.dtype.element_ty
    gradient = tl.zeros([BLOCK, DIMENSION], dtype=number)
    value = tl.zeros([BLOCK], dtype=number)
    for first in range(start, stop, BLOCK):
        slots = first + tl.arange(0, BLOCK)
        inside = slots < stop
        a = _gather(points, others + slots, inside, columns, STRIDE)
        b = _gather(points, others + n_rows + slots, inside, columns, STRIDE)
        if TRIPLETS:
            near = own - a if ROLE == 0 else (a - own if ROLE == 1 else a - b)
            far = own - b if ROLE == 0 else (a - b if ROLE == 1 else a - own)
        else:
            c = _gather(points, others + 2 * n_rows + slots, inside, columns, STRIDE)
            near = own - a if ROLE == 0 else (a - own if ROLE == 1 else a - b)
            far = b - c if ROLE < 2 else (own - c if ROLE == 2 else c - own)
        near2 = tl.sum(near * near, axis=1)
        far2 = tl.sum(far * far, axis=1)
        loss, d_near, d_far = LOSS(near2, far2, *[tl.load(p) for p in parameters])
        # At distance zero a derivative may be infinite; it is multiplied by a zero difference.
        d_near = tl.where(inside & (near2 > 0.0), d_near, 0.0).to(number)
        d_far = tl.where(inside & (far2 > 0.0), d_far, 0.0).to(number)
        loss = tl.where(inside, loss, 0.0).to(number)
        if WEIGHTED:
            weight = tl.load(weights + slots, mask=inside, other=0.0)
            loss, d_near, d_far = loss * weight, d_near * weight, d_far * weight
        pull_near = d_near[:, None] * near
        pull_far = d_far[:, None] * far
        if TRIPLETS and ROLE == 0:
            gradient += pull_near + pull_far
        elif ROLE == 0:
            gradient += pull_near
        elif ROLE == 1:
            gradient -= pull_near
        elif ROLE == 2 and not TRIPLETS:
            gradient += pull_far
        else:
            gradient -= pull_far
        if ROLE == 0:
            value += loss
    place = (tl.load(piece_places + piece) * n_starts + start_number) * STRIDE + columns
    tl.store(parts + place, 2.0 * tl.sum(gradient, axis=0), mask=columns < STRIDE)
    if ROLE == 0:
        tl.store(values + piece * n_starts + start_number, tl.sum(value, axis=0))


def _gather(points: Any, numbers: Any, inside: Any, columns: Any, STRIDE: tl.constexpr) -> Any:
    """Load the coordinates of the objects whose numbers are stored at `numbers`."""
    objects = tl.load(numbers, mask=inside, other=0).to(tl.int64)
    places = objects[:, None] * STRIDE + columns[None, :]
    return tl.load(points + places, mask=(columns < STRIDE)[None, :], other=0.0)


def log1p(x: Any) -> Any:
    """Logarithm of 1 + x for x > -1, exact near zero."""
    u = 1.0 + x
    return tl.log(u) + (x - (u - 1.0)) / u


def expm1(x: Any) -> Any:
    """Exponential minus one, exact near zero: what exp(x) rounds off, its logarithm shows."""
    u = tl.exp(x)
    ratio = (u - 1.0) * x / tl.log(u)
    return tl.where(u == 1.0, x, tl.where(u == 0.0, -1.0, ratio))


@cache
def jit(function: types.FunctionType) -> Any:
    """Compile a function for Triton, with ``np`` and ``tl`` bound to the functions of kernels."""
    import triton
    import triton.language

    def bind(value: Any) -> Any:
        if value is np:
            return _elementary()
        if isinstance(value, types.FunctionType) and value.__module__ == __name__:
            return jit(value)
        # Triton looks up annotations, too, and accepts no other values than constants. It would
        # compute in float64 for the sake of one that float32 cannot hold.
        number = value if isinstance(value, (int, float)) else 0
        return triton.language.constexpr(number if abs(number) > _SMALLEST else 0)

    names = function.__globals__
    mentioned = {*function.__code__.co_names, *_words(function.__annotations__.values())}
    scope = {name: bind(names[name]) for name in mentioned & names.keys()}
    special = {name: names[name] for name in ("__name__", "__builtins__")}
    bound = types.FunctionType(
        function.__code__,
        {**scope, **special, "tl": triton.language},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    bound.__annotations__ = function.__annotations__
    return triton.jit(bound)


def _words(annotations: Iterable[object]) -> set[str]:
    return {word for text in annotations for word in re.findall(r"\w+", str(text))}


@cache
def _elementary() -> types.ModuleType:
    """Return NumPy's elementwise functions as Triton has them, or as they are written here."""
    import triton.language

    module = types.ModuleType("elementary")
    module.log1p, module.expm1 = jit(log1p), jit(expm1)  # type: ignore[attr-defined]
    module.__getattr__ = partial(getattr, triton.language)  # type: ignore[method-assign]
    return module
