"""What `ordinate cluster` reports: how large the clusters are and what is in their middle."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ordinate.kernels._base import TripletKernel

_WIDTH = 72
"""Characters of a line that name members of a cluster."""


@dataclass(frozen=True)
class Cluster:
    """One cluster: its members, the most typical first."""

    number: int
    size: int
    medoid: str
    members: tuple[str, ...]

    def __str__(self) -> str:
        listed = textwrap.shorten(", ".join(self.members), _WIDTH, placeholder=" …")
        return f"cluster {self.number:<3} {self.size:>7,}   {listed}"


def describe_clusters(kernel: TripletKernel, labels: NDArray[np.int32]) -> tuple[Cluster, ...]:
    """Name the members of each cluster, those nearest to its mean first.

    Parameters
    ----------
    kernel : K1 or K2
        The fitted kernel.
    labels : ndarray of int, shape (n_objects,)
        The cluster of each object.

    Returns
    -------
    tuple of Cluster
        In order of number.
    """
    names = np.arange(kernel.n_objects_) if kernel.names_ is None else np.array(kernel.names_)
    found = []
    for number in np.unique(labels):
        members = np.flatnonzero(labels == number)
        features = kernel.features_[members]
        typical = features @ features.mean(axis=0)
        order = members[np.argsort(-typical, kind="stable")]
        listed = tuple(str(name) for name in names[order])
        found.append(Cluster(int(number), len(members), listed[0], listed))
    return tuple(found)


@dataclass(frozen=True)
class ClusterReport:
    """Figures of one run of `ordinate cluster`."""

    kernel: str
    by: str
    seed: int
    n_answers: int
    n_objects: int
    clusters: tuple[Cluster, ...]
    without_data: tuple[int, ...]
    seconds: float
    files: tuple[Path, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        return asdict(self) | {"files": [str(path) for path in self.files]}

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield (
            f"{len(self.clusters)} clusters by {self.by} with {self.kernel}:"
            f" {self.n_answers:,} triplets about {self.n_objects:,} objects in {self.seconds:.1f} s"
        )
        yield from (f"  {cluster}" for cluster in self.clusters)
        if self.without_data:
            yield f"  → {len(self.without_data)} objects have no data: their cluster is arbitrary."
        if self.files:
            yield f"Wrote {' and '.join(str(path) for path in self.files)}"
