"""The engine of comparisons in partitions: the CPU engine on every piece, as Dask tasks."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ordinate import losses
from ordinate.comparisons.dask_tasks import import_dask
from ordinate.comparisons.partitions import PartitionedComparisons
from ordinate.comparisons.record import Comparisons
from ordinate.engine import cpu


class PartitionedObjective:
    """The weighted sum of a loss over partitioned comparisons, as a function of the coordinates.

    Each call sends the coordinates to every worker once and adds values and gradients up in a
    tree whose shape depends on the partitions alone, so the result has the same bits for any
    number of workers and threads.
    """

    is_batched = False

    def __init__(
        self,
        comparisons: PartitionedComparisons,
        loss: losses.Loss,
        parameters: Sequence[float] = (),
        *,
        n_threads: int | None = None,
    ) -> None:
        self._comparisons = comparisons
        self.n_objects = comparisons.n_objects
        # A function of the caller's own script is not there for the workers to import.
        self._loss = import_dask("cloudpickle").dumps(loss)
        self._parameters = tuple(parameters)
        self._n_threads = n_threads

    def with_parameters(self, parameters: Sequence[float]) -> PartitionedObjective:
        """Return the same sum with other parameters of the loss."""
        other = copy.copy(self)
        other._parameters = tuple(parameters)
        return other

    def __call__(self, points: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """Return the value and the gradient at `points`, shape (n_objects, n_components)."""
        value, gradient = self._comparisons.sum(
            _evaluate, self._loss, self._parameters, points, n_threads=self._n_threads
        )
        return float(value), gradient


def _evaluate(
    comparisons: Comparisons, loss: bytes, parameters: Sequence[float], points: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    return cpu.CPUObjective(comparisons, _unpickled(loss), parameters)(points)


@cache
def _unpickled(loss: bytes) -> losses.Loss:
    """Return the same function for the same bytes: a new one would be compiled again."""
    function: losses.Loss = pickle.loads(loss)
    return function
