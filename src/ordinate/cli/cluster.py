"""`ordinate cluster`: from a file of answers to clusters, on a map or by a triplet kernel."""

from __future__ import annotations

import textwrap
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ordinate._checks import InputError, check_integer
from ordinate.analysis.look import Look
from ordinate.cli._appearance import Appearance
from ordinate.cli._fitting import method_opt
from ordinate.cli._options import AnswerFile, Jobs, Json, Seed, SplitBy, group_to_hold_out, threads
from ordinate.cli._results import Results, plot_opt, table_opt
from ordinate.cli._typer import opt

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ordinate.comparisons.record import Comparisons
    from ordinate.selection import Clusters

By = Literal["kmeans", "tree"]


@dataclass(frozen=True)
class ClusterResults(Results):
    """Where the clusters go."""

    output: Path | None = table_opt("clusters")
    plot: Path | None = plot_opt("Map or tree")


@dataclass(frozen=True)
class Clustering:
    """How clusters are formed."""

    k: int | None = opt(
        "Number of clusters. Default: the most likely one, with its range.",
        "N",
        "-k",
        min=1,
        show_default=False,
    )
    kernel: str | None = method_opt(
        "Cluster by a kernel: K1 if objects rank others alike, K2 if others rank them alike"
        " (default: the map or the kernel that predicts held-out answers best)",
        is_kernel=True,
    )
    by: By = opt("k-means, or a complete-linkage tree cut into clusters.", default="kmeans")
    split_by: SplitBy = None
    seed: Seed = 0
    jobs: Jobs = None

    def find(self, answers: Comparisons) -> Clusters:
        """Form the clusters."""
        from ordinate.selection._clusters import find_clusters

        return find_clusters(
            answers,
            self.k,
            kernel=self.kernel,
            tree=self.by == "tree",
            by=group_to_hold_out(answers, self.split_by),
            random_state=self.seed,
            n_jobs=threads(self.jobs),
            verbose=True,
        )

    def check_picture(self, path: Path | None) -> None:
        """Refuse a page of a tree before anything is computed."""
        if path and self.by == "tree" and path.suffix.lower() == ".html":
            raise InputError(
                "A tree is drawn on paper only: save it as .png, .svg or .pdf, or use --by kmeans."
            )


def _save_picture(path: Path, found: Clusters, names: Sequence[str] | None, look: Look) -> None:
    """Show the clusters where they come from: on the map, on that of the kernel, or in the tree."""
    from ordinate.plots import plot_dendrogram, save_figure, save_map

    if found.tree is not None:
        save_figure(plot_dendrogram(found.tree, names, found.n_clusters), path)
        return
    columns = {"cluster": found.labels, **look.columns}
    color = look.color or "cluster"
    save_map(path, found.points, names, columns, color=color, images=look.images)


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


def describe_clusters(found: Clusters, names: Sequence[str] | None) -> tuple[Cluster, ...]:
    """Name the members of each cluster, those nearest to its mean first."""
    listed = []
    for number in range(found.n_clusters):
        members = found.members(number)
        typical = tuple(str(at if names is None else names[at]) for at in members)
        listed.append(Cluster(number, len(members), typical[0], typical))
    return tuple(listed)


@dataclass(frozen=True)
class ClusterReport:
    """Figures of one run of `ordinate cluster`."""

    found: Clusters
    clusters: tuple[Cluster, ...]
    by: str
    seed: int
    n_answers: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        found = self.found
        shown = ("space", "errors", "evidence", "plausible", "stability", "reasons", "without_data")
        return {name: getattr(found, name) for name in shown} | {
            "by": self.by,
            "seed": self.seed,
            "n_answers": self.n_answers,
            "n_objects": len(found.labels),
            "clusters": [asdict(cluster) for cluster in self.clusters],
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        found = self.found
        lines = [
            f"{len(self.clusters)} clusters by {self.by} on {found.space}: {self.n_answers:,}"
            f" answers about {len(found.labels):,} objects in {self.seconds:.1f} s",
            *(f"  {line}" for line in (*found.reasons, *self.clusters)),
        ]
        if found.without_data:
            n_arbitrary = len(found.without_data)
            lines.append(f"  → {n_arbitrary} objects have no data: their cluster is arbitrary.")
        return "\n".join(lines)


def cluster(
    source: AnswerFile,
    clustering: Clustering,
    results: ClusterResults,
    appearance: Appearance,
    json: Json = False,
) -> None:
    """Sort objects into clusters.

    They are formed on the map that embed makes, or by the triplet kernel k1 or k2 if that
    predicts held-out answers better. Without --k the number of clusters is the most likely one by
    the BIC; all numbers that cannot be ruled out are named.

    Example: ordinate cluster answers.csv --k 5 -o clusters.csv --plot clusters.png
    """
    start = time.perf_counter()
    clustering.check_picture(results.plot)
    results.check(*source.inputs, *appearance.files)
    answers = source.read()
    look = appearance.look_up(answers.names or range(answers.n_objects))
    if clustering.k is not None:
        check_integer("--k", clustering.k, minimum=1, maximum=answers.n_objects)
    found = clustering.find(answers)
    saved = results.save(
        "labels",
        cluster_columns(found.labels, answers.names),
        lambda path: _save_picture(path, found, answers.names, look),
    )
    report = ClusterReport(
        found,
        describe_clusters(found, answers.names),
        clustering.by,
        clustering.seed,
        len(answers),
        time.perf_counter() - start,
    )
    saved.show(report, json=json)


def cluster_columns(
    labels: NDArray[np.int32], names: Sequence[str] | None
) -> dict[str, NDArray[np.generic]]:
    """Return the columns ``object`` and ``cluster`` of the table."""
    import numpy as np

    objects = np.arange(len(labels)) if names is None else np.array(names, dtype=object)
    return {"object": objects, "cluster": labels}
