"""The objective of every engine: a loss and its gradient, summed over comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ordinate._checks import InputError
from ordinate.comparisons.partitions import PartitionedComparisons, Record
from ordinate.engine.devices import resolve_device
from ordinate.losses import Loss


class Objective(Protocol):
    """The sum of a loss over comparisons and its gradient, on any engine.

    Attributes
    ----------
    n_objects : int
        Rows of the coordinates it takes.
    is_batched : bool
        Whether several initializations are minimised together: the engine then has `batches`,
        which brings them to its device, and `evaluate`, which takes such a batch.
    """

    is_batched: bool

    @property
    def n_objects(self) -> int:
        """Rows of the coordinates."""

    def __call__(self, points: NDArray[np.float64], /) -> tuple[float, NDArray[np.float64]]:
        """Return the value and the gradient at `points`, shape (n_objects, n_components)."""

    def with_parameters(self, parameters: Sequence[float]) -> Self:
        """Return the same sum with other parameters of the loss."""


def make_objective(
    comparisons: Record,
    loss: Loss,
    parameters: Sequence[float] = (),
    *,
    device: str = "cpu",
    n_threads: int = 1,
) -> Objective:
    """Return the sum of a loss over comparisons, computed where it is best computed.

    Parameters
    ----------
    comparisons : Comparisons or PartitionedComparisons
        Triplets or quadruplets; those in partitions are summed where they are.
    loss : callable
        A function as `ordinate.losses` describes it.
    parameters : sequence of float
        Passed to the loss after the two squared distances.
    device : str
        "cpu", the name of a GPU, or "auto".
    n_threads : int
        Threads of the CPU engine.

    Returns
    -------
    Objective
        Takes coordinates, returns value and gradient.

    Examples
    --------
    >>> import numpy as np, ordinate as od
    >>> from ordinate.engine.objective import make_objective
    >>> objective = make_objective(od.Comparisons([[0, 1, 2]]), od.losses.soe, [1.0])
    >>> objective(np.array([[0.0], [1.0], [1.5]]))[0]
    0.25
    """
    from ordinate.engine import cpu, partitioned

    if isinstance(comparisons, PartitionedComparisons):
        if device not in ("cpu", "auto"):
            raise InputError(
                f"Comparisons in partitions are summed where they are, on CPUs; got device="
                f'{device!r}. Choose device="cpu", or read them into memory.'
            )
        return partitioned.PartitionedObjective(comparisons, loss, parameters, n_threads=n_threads)
    place = resolve_device(device)
    if place != "cpu":
        from ordinate.engine.torch_objective import TorchObjective

        return TorchObjective(comparisons, loss, parameters, device=place)
    return cpu.Objective(comparisons, loss, parameters, n_threads=n_threads)
