"""The few things that are asked of Dask: tasks, their results, and what stays with workers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from ordinate._checks import InputError

_FAN_IN = 16
"""Results that one task of a tree puts together."""
_SMALL = 2**16
"""Bytes that may travel with every task."""
_PATIENCE = 120.0
"""Seconds without a single worker after which a computation is given up."""
_LOST = (
    "The Dask cluster was restarted or its scheduler left, so the computation was given up."
    " Connect to a cluster that is running, then fit again."
)
_INTERVAL = 2.0
"""Seconds after which a computation that is not done looks whether there are workers."""


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
    client = _client()
    try:
        with _data_among_tasks():
            if client is None:
                return list(import_dask().compute(*tasks, num_workers=n_threads))
            wanted = client.compute(list(tasks))
        return _results(client, wanted)
    except import_dask("distributed").KilledWorker:
        problem = (
            "Workers of the Dask cluster died one after the other at the same task, most likely for"
            " want of memory, so the computation was given up. Give each worker more memory, or cut"
            " the data into smaller partitions, then fit again."
        )
    except _lost_cluster():
        problem = _LOST
    raise InputError(problem)


def _lost_cluster() -> tuple[type[BaseException], ...]:
    """Return the errors by which Dask says that the scheduler forgot what was asked of it."""
    closed = import_dask("distributed.comm").CommClosedError
    gone = getattr(import_dask("distributed.client"), "ClosedClientError", closed)
    return futures.CancelledError, asyncio.CancelledError, closed, gone


def _results(client: Any, wanted: list[Any]) -> list[Any]:
    """Wait for results, but not for ever where no worker is left to compute them."""
    gathering = client.gather(wanted, asynchronous=True)
    results = asyncio.run_coroutine_threadsafe(gathering, client.loop.asyncio_loop)
    alone_since = None
    try:
        while not futures.wait([results], timeout=_INTERVAL).done:
            if _workers(client):
                alone_since = None
                continue
            _start_lost_workers(client.cluster)
            alone_since = time.monotonic() if alone_since is None else alone_since
            if time.monotonic() - alone_since > _PATIENCE:
                raise InputError(
                    f"The Dask cluster has had no worker for {_PATIENCE:.0f} seconds, so the"
                    " computation was given up. Start workers, then fit again."
                )
        return list(results.result())
    finally:
        results.cancel()


def _start_lost_workers(cluster: Any) -> None:
    """Let a cluster on this machine start the workers again that it has given up.

    Fifteen seconds after a worker's death Dask looks whether it is back, and if not ends for good
    the process that would start it. A worker that came back and has just died again, or one that
    is slow to start, is given up by that; the cluster still counts it among those it wants.
    """
    if isinstance(cluster, import_dask("distributed").LocalCluster):
        cluster.scale(len(cluster.worker_spec))


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
        held = list(import_dask().persist(*tasks)) if client is None else _spread(tasks, client)
    try:
        yield held
    finally:
        if client is not None:
            with suppress(*_lost_cluster()):  # then nothing is held any more
                client.cancel(held)


def _spread(tasks: Sequence[Any], client: Any) -> list[Any]:
    """Start tasks on all workers, neighbours together and equal shares for equal threads.

    Left to itself Dask hands them out as they come, so that one worker may be left with more than
    another for as long as the results are kept. If a worker is lost, another one takes its share.
    """
    seats = [
        address for address, worker in _workers(client).items() for _ in range(worker["nthreads"])
    ]
    n_seats = max(len(seats), 1)
    client.register_plugin(_free_tasks_of_lost_workers())
    held = []
    for seat in range(n_seats):
        part = tasks[len(tasks) * seat // n_seats : len(tasks) * (seat + 1) // n_seats]
        if part:
            worker = seats[seat : seat + 1] or None
            held += client.persist(part, workers=worker, allow_other_workers=True)
    return held


def _free_tasks_of_lost_workers() -> Any:
    """Return a plugin that lets a new worker take over when all workers were lost at once.

    Tasks that found no worker at all keep the address of the lost one, and Dask then waits for
    that address although it was told that others will do.
    """

    class FreeTasksOfLostWorkers(import_dask("distributed").SchedulerPlugin):  # type: ignore[misc]
        name = "ordinate-free-tasks-of-lost-workers"
        idempotent = True

        def add_worker(self, scheduler: Any, worker: str) -> None:
            for waiting in scheduler.unrunnable:
                if waiting.loose_restrictions:
                    waiting.worker_restrictions = set()

    return FreeTasksOfLostWorkers()


def memory() -> float:
    """Return how many bytes of memory there are for data: of all workers, or here."""
    client = _client()
    if client is None:
        return float(min(import_dask("psutil").virtual_memory().available, _within_limits()))
    limits = [worker["memory_limit"] for worker in _workers(client).values()]
    return float(sum(limits)) if all(limits) else float("inf")


def _within_limits() -> float:
    """Return how many bytes the limits of this process leave: of its container, of `ulimit -v`."""
    left = [
        float(most.read_text()) - float((most.parent / used).read_text())
        for most, used in _limit_files()
        if most.read_text().strip().isdigit()
    ]
    if import_dask("psutil").LINUX:
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        if soft != resource.RLIM_INFINITY:
            left.append(soft - import_dask("psutil").Process().memory_info().vms)
    return max(min(left, default=float("inf")), 0.0)


def _limit_files() -> Iterator[tuple[Path, str]]:
    """Yield the files that hold a container's limit of memory, and beside each what is used."""
    groups = Path("/proc/self/cgroup")
    lines = groups.read_text().splitlines() if groups.exists() else []
    for line in lines:
        _, kinds, below = line.split(":", 2)
        if kinds == "":  # control groups of version 2; a limit of any group above holds too
            here = Path("/sys/fs/cgroup") / below.lstrip("/")
            found = [(folder / "memory.max", "memory.current") for folder in (here, *here.parents)]
        elif "memory" in kinds.split(","):
            folder = Path("/sys/fs/cgroup/memory") / below.lstrip("/")
            found = [(folder / "memory.limit_in_bytes", "memory.usage_in_bytes")]
        else:
            continue
        yield from (pair for pair in found if pair[0].exists())


def _workers(client: Any) -> dict[str, Any]:
    """Return what the scheduler knows of each worker.

    `Client.scheduler_info` may return the answer to another question, one about no worker, which
    the client asks from time to time to see whether the scheduler is there.
    """
    try:
        workers: dict[str, Any] = client.sync(client.scheduler.identity)["workers"]
    except OSError:  # nobody answers
        raise InputError(_LOST) from None
    return workers


def _client() -> Any:
    """Return the Dask client of this process, or None."""
    try:
        return import_dask("distributed").Client.current()
    except ValueError:
        return None
