"""`ordinate cluster`: from a file of answers to clusters, through a triplet kernel."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ordinate._checks import InputError, check_integer
from ordinate.cli._appearance import Appearance, Look
from ordinate.cli._fitting import method_option
from ordinate.cli._options import AnswerFile, Json
from ordinate.cli._results import Results, files_written, plot_option, table_option
from ordinate.methods import METHODS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ordinate.comparisons.record import Comparisons
    from ordinate.kernels._kernels import TripletKernel


class By(StrEnum):
    """Ways to form clusters."""

    KMEANS = "kmeans"
    TREE = "tree"


@dataclass(frozen=True)
class ClusterResults(Results):
    """Where the clusters go."""

    output: Annotated[Path | None, table_option("clusters")] = None
    plot: Annotated[Path | None, plot_option("Map or tree")] = None


@dataclass(frozen=True)
class Clustering:
    """How clusters are formed."""

    k: Annotated[
        int,
        typer.Option(
            "--k", "-k", min=1, metavar="N", help="Number of clusters.", show_default=False
        ),
    ]
    kernel: Annotated[
        str,
        method_option(
            "Objects are alike that rank others alike, or that others do", is_kernel=True
        ),
    ] = "K1"
    by: Annotated[
        By, typer.Option(help="Kernel k-means, or a complete-linkage tree cut into clusters.")
    ] = By.KMEANS
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="The same seed gives the same clusters.")
    ] = 0

    def fit(self, answers: Comparisons) -> TripletKernel:
        """Compute the kernel."""
        kernel: TripletKernel = METHODS[self.kernel].load()().fit(answers)
        return kernel

    def form(self, kernel: TripletKernel) -> NDArray[np.int32]:
        """Form the clusters, counted from 0."""
        from ordinate.kernels import kernel_kmeans, kernel_linkage

        if self.by == By.KMEANS:
            return kernel_kmeans(kernel, self.k, random_state=self.seed)
        from scipy.cluster.hierarchy import fcluster

        return fcluster(kernel_linkage(kernel), self.k, "maxclust") - 1

    def save_picture(
        self, path: Path, kernel: TripletKernel, labels: NDArray[np.int32], look: Look
    ) -> None:
        """Show the clusters where they come from: on the map of the kernel, or in the tree."""
        from ordinate.kernels import kernel_linkage, kernel_pca
        from ordinate.plots import plot_dendrogram, save_figure, save_map

        if self.by == By.TREE:
            save_figure(plot_dendrogram(kernel_linkage(kernel), kernel.names_, self.k), path)
        else:
            columns = {"cluster": labels, **look.columns}
            color = look.color or "cluster"
            points = kernel_pca(kernel)
            save_map(path, points, kernel.names_, columns, color=color, images=look.images)

    def check_picture(self, path: Path | None) -> None:
        """Refuse a page of a tree before anything is computed."""
        if path and self.by == By.TREE and path.suffix.lower() == ".html":
            raise InputError(
                "A tree is drawn on paper only: save it as .png, .svg or .pdf, or use --by kmeans."
            )


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
    import numpy as np

    names = (
        np.arange(kernel.n_objects_)
        if kernel.names_ is None
        else np.array(kernel.names_, dtype=object)
    )
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
        yield from files_written(self.files)


def cluster(
    source: AnswerFile,
    clustering: Clustering,
    results: ClusterResults,
    appearance: Appearance,
    json: Json = False,
) -> None:
    """Sort objects into clusters by how alike the answers about them are.

    No map is needed for it: two objects are alike if their answers agree,
    as the triplet kernels k1 and k2 measure it.

    Example: ordinate cluster answers.csv --k 5 -o clusters.csv --plot clusters.png
    """
    start = time.perf_counter()
    clustering.check_picture(results.plot)
    results.check(*source.inputs, *appearance.files)
    answers = source.read()
    look = appearance.look_up(answers.names or range(answers.n_objects))
    check_integer("--k", clustering.k, minimum=1, maximum=answers.n_objects)
    kernel = clustering.fit(answers)
    labels = clustering.form(kernel)
    saved = results.save(
        "labels",
        cluster_columns(labels, answers.names),
        lambda path: clustering.save_picture(path, kernel, labels, look),
    )
    report = ClusterReport(
        kernel=clustering.kernel,
        by=clustering.by.value,
        seed=clustering.seed,
        n_answers=len(answers),
        n_objects=answers.n_objects,
        clusters=describe_clusters(kernel, labels),
        without_data=tuple(kernel.without_data_.tolist()),
        seconds=time.perf_counter() - start,
        files=saved.files,
    )
    saved.show(report, json=json)


def cluster_columns(
    labels: NDArray[np.int32], names: Sequence[str] | None
) -> dict[str, NDArray[np.generic]]:
    """Return the columns ``object`` and ``cluster`` of the table."""
    import numpy as np

    objects = np.arange(len(labels)) if names is None else np.array(names, dtype=object)
    return {"object": objects, "cluster": labels}
