"""Dimensions on a web page: a card for each, to look at and to name; objects as roses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ordinate._checks import InputError, check_integer, check_labels, check_points
from ordinate.plots._page import Page
from ordinate.plots._thumbnails import Image, as_data_uri, load_thumbnails


@dataclass(frozen=True)
class DimensionCards(Page):
    """A card per dimension, for the browser; in a notebook it shows itself.

    Attributes
    ----------
    contents : dict
        What the page draws, as plain Python values.

    Examples
    --------
    >>> import ordinate as od
    >>> page = od.plots.plot_dimension_cards([[2, 0], [1, 0.5], [0, 3]], ["cat", "cow", "car"])
    >>> page.contents["top"]
    [[0, 1], [2, 1]]
    """

    _template = "cards.html"
    _styles = ("base.css", "cards.css")
    _scripts = ("search.js", "cards.js")


def plot_dimension_cards(
    loadings: ArrayLike,
    names: ArrayLike | None = None,
    *,
    reproducibility: ArrayLike | None = None,
    shares: ArrayLike | None = None,
    dimension_names: Sequence[str] | None = None,
    images: Sequence[Image | None] | None = None,
    n_top: int = 12,
    title: str | None = None,
) -> DimensionCards:
    """Make a page with a card per dimension, on which dimensions can be named.

    A card shows the objects with the largest loadings, as words or pictures, and a field for the
    dimension's name; the page can be saved with the names in it. An object's dimensions are drawn
    as a rose. Of two objects side by side, it says why they are alike and unlike. The page needs
    no network.

    Parameters
    ----------
    loadings : array-like of float, shape (n_objects, n_dimensions)
        Such as `SparseDimensions.embedding_`; none negative.
    names : array-like of str, shape (n_objects,), optional
        By default the objects' numbers.
    reproducibility : array-like of float, shape (n_dimensions,), optional
        How each dimension correlates with that of as many new answers; NaN where it is not known.
    shares : array-like of float, shape (n_dimensions,), optional
        Share of each dimension in predictions; by default in the sum of squared loadings.
    dimension_names : sequence of str, optional
        What the dimensions are called; by default nothing yet.
    images : sequence of path, array or None, shape (n_objects,), optional
        Pictures of the objects.
    n_top : int, default=12
        How many objects a card shows at most; those without the dimension are left out.
    title : str, optional
        Stands at the top.

    Returns
    -------
    DimensionCards
        ``save`` writes the page; in a notebook it shows itself.

    See Also
    --------
    ordinate.SparseDimensions : Finds the dimensions.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import ordinate as od
    >>> page = od.plots.plot_dimension_cards([[2, 0], [1, 0.5], [0, 3]], ["cat", "cow", "car"])
    >>> page.save(Path(tempfile.mkdtemp()) / "dimensions.html")
    """
    values = np.asarray(loadings, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] > 0:  # there may be no dimension
        values = check_points("loadings", loadings)
    if values.min(initial=0.0) < 0:
        raise InputError("loadings must not be negative; a map's coordinates go to plot_map.")
    check_integer("n_top", n_top, minimum=1)
    n_objects, n_dimensions = values.shape
    written = np.arange(n_objects) if names is None else check_labels("names", names, n_objects)
    sizes = np.square(values).sum(axis=0)
    share = sizes / (sizes.sum() or 1.0) if shares is None else np.asarray(shares, dtype=float)
    again = np.full(n_dimensions, np.nan)
    if reproducibility is not None:
        again = np.asarray(reproducibility, dtype=float)
    called = [""] * n_dimensions if dimension_names is None else list(map(str, dimension_names))
    for what, given in (("shares", share), ("reproducibility", again), ("dimension_names", called)):
        if len(given) != n_dimensions:
            raise InputError(
                f"{what} must have one entry per dimension, {n_dimensions}; got {len(given)}."
            )
    pictures = [None] * n_objects if images is None else load_thumbnails(images, n_objects)
    order = np.argsort(-values, axis=0, kind="stable")[:n_top]
    top = [[int(o) for o in order[:, d] if values[o, d] > 0] for d in range(n_dimensions)]
    return DimensionCards(
        {
            "title": _title(n_dimensions, n_objects) if title is None else title,
            "names": [str(name) for name in written],
            "loadings": np.round(values.T, 3).tolist(),
            "largest": float(values.max(initial=0.0)) or 1.0,
            "top": top,
            "shares": np.round(share, 4).tolist(),
            "reproducibility": [None if np.isnan(a) else round(float(a), 3) for a in again],
            "dimension_names": called,
            "images": [as_data_uri(picture) for picture in pictures],
            "has_pictures": any(picture is not None for picture in pictures),
        }
    )


def _title(n_dimensions: int, n_objects: int) -> str:
    if n_dimensions == 0:
        return f"No dimension of {n_objects:,} objects is supported by these answers"
    return f"{n_dimensions} dimension{'s' * (n_dimensions > 1)} of {n_objects:,} objects"
