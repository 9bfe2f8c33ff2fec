"""`ordinate cluster`: from a file of answers to clusters, on a map or by a triplet kernel."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ordinate._checks import InputError
from ordinate.cli._fitting import method_opt
from ordinate.cli._options import AnswerFile, Appearance, HoldingOut, Json
from ordinate.cli._results import Results, plot_opt, table_opt
from ordinate.cli._typer import opt

if TYPE_CHECKING:
    from ordinate.results.object_display import ObjectDisplay
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

    def check_picture(self, path: Path | None) -> None:
        """Refuse a page of a tree before anything is computed."""
        if path and self.by == "tree" and path.suffix.lower() == ".html":
            raise InputError(
                "A tree is drawn on paper only: save it as .png, .svg or .pdf, or use --by kmeans."
            )


def _save_picture(path: Path, found: Clusters, look: ObjectDisplay) -> None:
    """Show the clusters where they come from: on the map, on that of the kernel, or in the tree."""
    from ordinate.plots import plot_dendrogram, save_figure, save_map

    if found.tree is not None:
        save_figure(plot_dendrogram(found.tree, found.names, found.n_clusters), path)
        return
    columns = {"cluster": found.labels, **look.columns}
    color = look.color or "cluster"
    save_map(path, found.points, found.names, columns, color=color, images=look.images)


def cluster(
    source: AnswerFile,
    clustering: Clustering,
    holding: HoldingOut,
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
    from ordinate.selection._clusters import find_clusters

    clustering.check_picture(results.plot)
    results.check(*source.inputs, *appearance.files)
    answers = source.read()
    look = appearance.look_up(answers.names or range(answers.n_objects))
    found = find_clusters(
        answers,
        clustering.k,
        kernel=clustering.kernel,
        tree=clustering.by == "tree",
        **holding.shared(answers),
    )
    saved = results.save(
        "labels", found.to_columns(), lambda path: _save_picture(path, found, look)
    )
    saved.show(found, json=json)
