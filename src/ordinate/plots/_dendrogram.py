"""Draw the tree of a hierarchical clustering."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import InputError, check_integer, check_labels, check_points
from ordinate.plots._colors import INK, QUIET, class_style
from ordinate.plots._figures import new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INCHES_PER_LEAF = 0.125
_BETWEEN = -1
"""Stands for the joins above the cut, which belong to no cluster."""


def plot_dendrogram(
    tree: ArrayLike, names: ArrayLike | None = None, n_clusters: int = 1, ax: Axes | None = None
) -> Axes:
    """Draw which objects were joined at which distance.

    Parameters
    ----------
    tree : array-like of float, shape (n_objects - 1, 4)
        A linkage, as `ordinate.kernels.kernel_linkage` or SciPy gives it.
    names : array-like of str, shape (n_objects,), optional
        Written at the leaves; by default the objects' numbers.
    n_clusters : int, default=1
        Cut the tree into this many clusters and colour them.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure, tall enough for the names.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; `save_figure` takes them.

    See Also
    --------
    ordinate.kernels.kernel_linkage : The hierarchy of a kernel.

    Examples
    --------
    >>> import ordinate as od
    >>> tree = od.kernels.kernel_linkage([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]])
    >>> ax = od.plots.plot_dendrogram(tree, names=["tea", "coffee", "soup"], n_clusters=2)
    """
    from scipy.cluster.hierarchy import dendrogram

    linkage = _check_linkage(tree)
    n_objects = len(linkage) + 1
    clusters = node_clusters(linkage, n_clusters)
    written = np.arange(n_objects) if names is None else check_labels("names", names, n_objects)
    if ax is None:
        ax = new_axes(8, max(2, _INCHES_PER_LEAF * n_objects))
    dendrogram(
        linkage,
        ax=ax,
        orientation="left",
        labels=[str(name).replace("$", r"\$") for name in written],
        leaf_font_size=7,
        link_color_func=lambda node: _color(clusters[node]),
    )
    lowest, highest = linkage[:, 2].min(), linkage[:, 2].max()
    margin = 0.1 * (highest - lowest)
    if margin > 0:  # all that lies below the first join is a bundle of parallel lines
        ax.set_xlim(highest + margin, max(lowest - margin, 0))
    ax.set_frame_on(False)
    ax.tick_params(axis="y", length=0, labelcolor=INK)
    ax.tick_params(axis="x", colors=QUIET, labelsize=7)
    ax.set_xlabel("distance at which clusters are joined", color=QUIET, fontsize=7)
    return ax


def node_clusters(tree: ArrayLike, n_clusters: int) -> NDArray[np.intp]:
    """Say to which cluster each object and each join belongs."""
    from scipy.cluster.hierarchy import fcluster

    linkage = _check_linkage(tree)
    n_objects = len(linkage) + 1
    check_integer("n_clusters", n_clusters, minimum=1, maximum=n_objects)
    clusters = np.full(2 * n_objects - 1, _BETWEEN, dtype=np.intp)
    clusters[:n_objects] = fcluster(linkage, n_clusters, "maxclust") - 1
    for join, (left, right) in enumerate(linkage[:, :2].astype(np.intp), start=n_objects):
        if clusters[left] == clusters[right]:
            clusters[join] = clusters[left]
    return clusters


def _check_linkage(tree: ArrayLike) -> NDArray[np.float64]:
    from scipy.cluster.hierarchy import is_valid_linkage

    linkage = check_points("tree", tree)
    if not is_valid_linkage(linkage):
        raise InputError(
            "tree must be a linkage with a row of 4 numbers for each join, as kernel_linkage gives"
            f" it; got shape {linkage.shape}."
        )
    return linkage


def _color(cluster: int) -> str:
    return QUIET if cluster == _BETWEEN else class_style(int(cluster)).color
