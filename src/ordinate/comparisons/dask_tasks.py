"""The few things that are asked of Dask: tasks, their results, and what stays with workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any

_FAN_IN = 16
"""Results that one task of a tree puts together."""
_SMALL = 2**16
"""Bytes that may travel with every task."""


def import_dask(module: str = "dask") -> Any:
    """Import Dask or a part of it, or say how to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise ImportError(
            "Comparisons in many files or on a cluster need Dask, which is not installed. Install"
            ' it with: pip install "ordinate[cluster]"'
        ) from None


def task(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return a call that Dask will make; arguments that are tasks are computed first."""
    return import_dask().delayed(function, pure=False)(*arguments)


def share(value: Any) -> Any:
    """Return a task whose result is `value`, which then travels to each worker only once."""
    return task(as_is, value)


def share_if_large(value: Any) -> Any:
    """Return a small value as it is: it may travel with every task, which spares a wait."""
    return share(value) if import_dask("dask.sizeof").sizeof(value) > _SMALL else value


def as_is(value: Any) -> Any:
    """Return the value itself."""
    return value


def tree(tasks: Sequence[Any], combine: Callable[[list[Any]], Any]) -> Any:
    """Return the task that puts results together, a few neighbours at a time."""
    level = list(tasks)
    while len(level) > 1:
        level = [
            task(combine, level[start : start + _FAN_IN]) for start in range(0, len(level), _FAN_IN)
        ]
    return level[0]


def compute(tasks: Sequence[Any], n_threads: int | None = None) -> list[Any]:
    """Run tasks on the Dask client if there is one, else in threads, and wait for the results."""
    with _data_among_tasks():
        return list(import_dask().compute(*tasks, num_workers=n_threads))


@contextmanager
def _data_among_tasks() -> Iterator[None]:
    """Let coordinates and vocabularies travel with tasks without a warning.

    Dask can repeat such tasks when a worker is lost; data sent ahead could be lost with it.
    """
    import_dask("distributed")  # its configuration must be complete before a part of it is set
    with import_dask().config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
        yield


@contextmanager
def kept_with_workers(tasks: Sequence[Any]) -> Iterator[list[Any]]:
    """Run tasks and keep the results where they are until the block ends, however it ends."""
    client = _client()
    with _data_among_tasks():
        held = list(import_dask().persist(*tasks)) if client is None else _dealt(tasks, client)
    try:
        yield held
    finally:
        if client is not None:
            client.cancel(held)


def _dealt(tasks: Sequence[Any], client: Any) -> list[Any]:
    """Start tasks on all workers, neighbours together and equal shares for equal threads.

    Left to itself Dask deals them out as they come, so that one worker may be left with more than
    another for as long as the results are kept. If a worker is lost, another one takes its share.
    """
    seats = [
        address for address, worker in _workers(client).items() for _ in range(worker["nthreads"])
    ]
    n_seats = max(len(seats), 1)
    held = []
    for seat in range(n_seats):
        part = tasks[len(tasks) * seat // n_seats : len(tasks) * (seat + 1) // n_seats]
        if part:
            worker = seats[seat : seat + 1] or None
            held += client.persist(part, workers=worker, allow_other_workers=True)
    return held


def memory() -> float:
    """Return how many bytes of memory there are for data: of all workers, or here."""
    client = _client()
    if client is None:
        return float(import_dask("psutil").virtual_memory().available)
    limits = [worker["memory_limit"] for worker in _workers(client).values()]
    return float(sum(limits)) if all(limits) else float("inf")


def _workers(client: Any) -> dict[str, Any]:
    """Return what the scheduler knows of each worker.

    `Client.scheduler_info` may return the answer to another question, one about no worker, which
    the client asks from time to time to see whether the scheduler is there.
    """
    workers: dict[str, Any] = client.sync(client.scheduler.identity)["workers"]
    return workers


def _client() -> Any:
    """Return the Dask client of this process, or None."""
    try:
        return import_dask("distributed").Client.current()
    except ValueError:
        return None
