"""`ordinate.cluster_objects`: objects sorted into clusters, on the map or by a triplet kernel."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.typing import NDArray

from ordinate._arguments import argument
from ordinate._checks import InputError, check_choice
from ordinate._random import RandomState
from ordinate.plots import plot_dendrogram, save_figure
from ordinate.results.finding import Finding
from ordinate.results.map_result import MapResult
from ordinate.results.object_display import ObjectDisplay, read_display
from ordinate.results.provenance import Provenance, provenance_of
from ordinate.selection._clusters import Clusters, find_clusters
from ordinate.verbs.answers import LayoutLike, group_to_hold_out, read_answers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.io.coordinates import Columns


@dataclass(frozen=True, eq=False)
class ClusterResult(MapResult):
    """Clusters of objects, and what they rest on.

    Attributes
    ----------
    clusters : Clusters
        Labels, members and reasons, as `ordinate.selection.find_clusters` returns them.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities(2000).comparisons
    >>> od.cluster_objects(answers, 4, kernel="K1").clusters.n_clusters
    4
    """

    heading: ClassVar[str] = "Clusters of"

    clusters: Clusters
    display: ObjectDisplay = field(default_factory=ObjectDisplay, repr=False)
    provenance: Provenance = field(default_factory=Provenance, repr=False)

    @property
    def points(self) -> NDArray[Any]:
        """The coordinates, shape (n_objects, dimension)."""
        return self.clusters.points

    @property
    def names(self) -> Sequence[str] | None:
        """The labels of the objects."""
        return self.clusters.names

    def tables(self) -> dict[str, Columns]:
        """Return the table of objects and their clusters."""
        return {"labels": self.clusters.to_columns()}

    def figures(self) -> dict[str, Callable[[], Axes]]:
        """Return what draws the tree, if there is one, and the map."""
        tree = {} if self.clusters.tree is None else {"tree": self._draw_tree}
        return {**tree, "map": self._draw_map}

    def _draw_tree(self) -> Axes:
        found = self.clusters
        assert found.tree is not None
        return plot_dendrogram(found.tree, found.names, found.n_clusters)

    def draw(self, path: str | os.PathLike[str]) -> None:
        """Draw the tree, or the map into a picture or a page to explore."""
        if self.clusters.tree is None:
            super().draw(path)
            return
        if Path(path).suffix.lower() == ".html":
            raise InputError(
                "A tree is drawn on paper only: save it as .png, .svg or .pdf, or use"
                f" {argument('by', 'kmeans')}."
            )
        save_figure(self._draw_tree(), path)

    def findings(self) -> Iterator[Finding]:
        """Yield what was found, the most important first."""
        found, figures = self.clusters, self.clusters.to_dict()
        headline, *others = str(found).split("\n  ")
        yield Finding("n_clusters", found.n_clusters, f"{headline}.")
        reasons = figures.pop("reasons")
        yield Finding("reasons", reasons, "\n".join(reasons), section="trust")
        members = [line for line in others if line.startswith("cluster ")]
        yield Finding("clusters", figures.pop("clusters"), "\n".join(f"  {m}" for m in members))
        if found.without_data:
            yield Finding("arbitrary", text=others[-1].removeprefix("→ "), kind="warning")
        for key, value in figures.items():
            yield Finding(key, value)


def cluster_objects(
    source: Any,
    n_clusters: int | None = None,
    *,
    kernel: str | None = None,
    by: str = "kmeans",
    split_by: str | None = None,
    objects: str | os.PathLike[str] | None = None,
    color: str | None = None,
    images: str | os.PathLike[str] | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = -1,
    verbose: bool = False,
    layout: LayoutLike = None,
    **reading: Any,
) -> ClusterResult:
    """Sort objects into clusters.

    They are formed on the best map, or by the triplet kernel k1 or k2 if that predicts held-out
    answers better. All numbers of clusters that cannot be ruled out are named.

    Parameters
    ----------
    source : path, frame, array-like or Comparisons
        The answers; what is no record is read as `read_comparisons` does.
    n_clusters : int, optional
        Number of clusters; by default the most likely one by the BIC, with its range.
    kernel : {"K1", "K2"}, optional
        Cluster by a kernel: K1 if objects rank others alike, K2 if others rank them alike; by
        default the map or the kernel that predicts held-out answers best.
    by : {"kmeans", "tree"}, default="kmeans"
        k-means, or a complete-linkage tree cut into clusters.
    split_by : str, optional
        Hold out whole groups of this name; by default trials, if there are any.
    objects : path, optional
        Table about the objects, with their names in the column 'object' or the first one; a
        column 'image' holds files of pictures.
    color : str, optional
        Column of that table that colours the map; by default the cluster.
    images : path, optional
        Folder of pictures named after the objects.
    random_state : int, Generator or None, default=0
        Seed of folds and fits.
    n_jobs : int or None, default=-1
        Number of threads, as in joblib; never changes the result.
    verbose : bool, default=False
        Show progress bars, and print how a file was read.
    layout : Layout or path, optional
        How a source that is no record is to be read, as in `read_comparisons`.
    **reading
        Further parameters of `read_comparisons`.

    Returns
    -------
    ClusterResult
        Print it, `plot` it, `save` it as a table or a picture, or write a page by `report`.

    See Also
    --------
    ordinate.selection.find_clusters : The clusters alone.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities(2000).comparisons
    >>> len(od.cluster_objects(answers, 4, kernel="K2").to_frame())
    125
    """
    asked = locals()
    asked |= asked.pop("reading")
    check_choice("by", by, ("kmeans", "tree"))
    answers, readings = read_answers(source, layout, reading, verbose=verbose)
    display = read_display(answers.names or range(answers.n_objects), objects, color, images)
    found = find_clusters(
        answers,
        n_clusters,
        kernel=kernel,
        tree=by == "tree",
        by=group_to_hold_out(answers.groups, split_by),
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    columns = {"cluster": found.labels, **display.columns}
    display = replace(display, columns=columns, color=display.color or "cluster")
    return ClusterResult(found, display, provenance_of(cluster_objects, asked, readings))
