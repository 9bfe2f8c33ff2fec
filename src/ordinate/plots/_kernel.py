"""Draw a kernel matrix with the clusters as blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import check_labels
from ordinate.kernels._clustering import kernel_linkage
from ordinate.kernels._kernels import Kernel, TripletKernel, as_matrix, as_operator
from ordinate.plots._colors import INK, SCALE
from ordinate.plots._figures import figure_of, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 1000
"""Of more objects, so many are drawn, evenly chosen along the order: a screen has no more lines."""

MOST_NAMED = 60


def plot_kernel(
    kernel: Kernel,
    labels: ArrayLike | None = None,
    names: ArrayLike | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how similar all pairs of objects are, with similar objects side by side.

    Parameters
    ----------
    kernel : K1, K2 or array-like of float, shape (n_objects, n_objects)
        A fitted kernel or a kernel matrix. Of more than 1000 objects as many are drawn.
    labels : array-like, shape (n_objects,), optional
        Clusters, drawn as blocks; by default objects stand in the order of their tree.
    names : array-like of str, shape (n_objects,), optional
        Written beside the rows of at most 60 objects.
    ax : matplotlib Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes; `save_figure` takes them.

    See Also
    --------
    plot_dendrogram : The hierarchy of its clusters.

    Examples
    --------
    >>> import ordinate as od
    >>> k = od.K1().fit(od.datasets.load_cities().comparisons)
    >>> ax = od.plots.plot_kernel(k, labels=od.kernels.kernel_kmeans(k, 4, random_state=0))
    """
    n_objects = len(as_operator(kernel).diagonal)
    codes = None
    if labels is not None:
        codes = np.unique(check_labels("labels", labels, n_objects), return_inverse=True)[1]
    order = cluster_order(kernel, codes)
    if ax is None:
        ax = new_axes(6.5, 5.5)
    matrix = _part(kernel, order)
    # objects are most like themselves, and one colour for that would hide all other differences
    others = matrix[~np.eye(len(matrix), dtype=bool)]
    low, high = np.quantile(others, [0.005, 0.995]) if len(others) else (0.0, 1.0)
    shown = ax.imshow(matrix, cmap=SCALE, interpolation="nearest", vmin=low, vmax=high)
    figure_of(ax).colorbar(shown, ax=ax, shrink=0.7, label="similarity")
    ax.set_xticks([])
    ax.set_yticks([])
    if codes is not None:
        for edge in np.flatnonzero(np.diff(codes[order])) + 0.5:
            ax.axhline(edge, color="white", linewidth=0.8)
            ax.axvline(edge, color="white", linewidth=0.8)
    if names is not None and len(order) <= MOST_NAMED:
        written = check_labels("names", names, n_objects)
        texts = [str(name) for name in written[order]]
        ax.set_yticks(np.arange(len(order)), texts, fontsize=6, color=INK)
        ax.tick_params(length=0)
    ax.set_frame_on(False)
    return ax


def cluster_order(kernel: Kernel, codes: NDArray[np.intp] | None) -> NDArray[np.intp]:
    """Put objects in an order in which similar ones stand together, at most `MOST_ROWS` of them."""
    from scipy.cluster.hierarchy import leaves_list

    operator = as_operator(kernel)
    n_objects = len(operator.diagonal)
    if codes is None:
        chosen = _evenly(np.arange(n_objects))
        order: NDArray[np.intp] = chosen[leaves_list(kernel_linkage(_part(kernel, chosen)))]
        return order
    members = np.eye(int(codes.max()) + 1)[:, codes]
    typical = operator.times((members / members.sum(axis=1, keepdims=True)).T)
    by_cluster = np.lexsort((-typical[np.arange(n_objects), codes], codes))
    return _evenly(by_cluster)


def _evenly(order: NDArray[np.intp]) -> NDArray[np.intp]:
    if len(order) <= MOST_ROWS:
        return order
    return order[np.linspace(0, len(order) - 1, MOST_ROWS).astype(np.intp)]


def _part(kernel: Kernel, chosen: NDArray[np.intp]) -> NDArray[Any]:
    """Return the matrix of some objects without forming that of all."""
    if isinstance(kernel, TripletKernel):
        features = kernel.features_[chosen]
        products = features @ features.T
        return np.asarray(products if isinstance(products, np.ndarray) else products.toarray())
    matrix: NDArray[Any] = as_matrix(kernel)[np.ix_(chosen, chosen)]
    return matrix
