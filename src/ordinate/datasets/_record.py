"""The one kind of record that every data set is returned as."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ordinate.comparisons.record import Comparisons
    from ordinate.comparisons.trials import Trials
    from ordinate.ratings.record import Ratings


@dataclass(frozen=True, kw_only=True)
class About:
    """What is known of a data set before it is loaded."""

    name: str
    title: str
    size: str
    description: str
    citation: str
    terms: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Dataset(About):
    """A data set: what is known about it, and whichever of the parts below it has.

    All arrays are read-only.

    Attributes
    ----------
    name, title : str
        A short name and one in words.
    size, description : str
        How much there is by default, what it is and how it came about.
    citation, terms : str
        What to cite, and the conditions of use as its publisher states them.
    comparisons : Comparisons or None
        Answers about the objects.
    trials : Trials or None
        Odd-one-out trials about the objects.
    points : ndarray of shape (n_objects, n_features) or None
        Coordinates, pixels or other features of the objects.
    labels : ndarray of int, shape (n_objects,) or None
        Number of each object's class, counted from 0; -1 where it has none.
    label_names : tuple of str or None
        One name per class.
    names : tuple of str or None
        One name per object.
    image_shape : tuple of int or None
        Height and width, if a row of `points` is an image written row by row.
    ratings : Ratings or None
        Values that users gave to items.
    texts : tuple of str or None
        One text per object.
    attributes : mapping of str to ndarray of shape (n_objects, ...)
        What else is known of each object.

    Examples
    --------
    >>> import ordinate as od
    >>> od.datasets.load_cities()
    Dataset(cities: 20,000 triplets, 125 objects, 2 features, 10 labels)
    """

    comparisons: Comparisons | None = None
    trials: Trials | None = None
    points: NDArray[Any] | None = None
    labels: NDArray[Any] | None = None
    label_names: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None
    image_shape: tuple[int, int] | None = None
    ratings: Ratings | None = None
    texts: tuple[str, ...] | None = None
    attributes: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("points", "labels"):
            array = getattr(self, name)
            if array is not None:
                object.__setattr__(self, name, _read_only(array))
        attributes = {name: _read_only(array) for name, array in self.attributes.items()}
        object.__setattr__(self, "attributes", attributes)

    def tables(self) -> dict[str, dict[str, Any]]:
        """Return the data set as tables, the one that most people want first.

        Returns
        -------
        dict of str to dict of str to ndarray
            Those of ``"answers"``, ``"ratings"``, ``"features"`` and ``"objects"`` that it has,
            column by column.
        """
        from ordinate.io.record_files import comparison_columns

        tables: dict[str, dict[str, Any]] = {}
        if self.comparisons is not None:
            tables["answers"] = dict(comparison_columns(self.comparisons))
        if self.trials is not None:
            first, second, odd = np.array(self.trials.names, dtype=object)[self.trials.rows].T
            shown = {"object_1": first, "object_2": second, "object_3": odd}
            tables["answers"] = shown | {"odd": odd}
        if self.ratings is not None:
            given = self.ratings
            tables["ratings"] = {
                "user": np.array(given.user_names, dtype=object)[given.users],
                "item": np.array(given.item_names, dtype=object)[given.items],
                "rating": given.values,
            }
        objects = self._object_columns()
        if self.points is not None:
            named = {key: objects[key] for key in ("object", "label") if key in objects}
            numbered = enumerate(np.asarray(self.points).T, start=1)
            tables["features"] = named | {f"f{number}": column for number, column in numbered}
        if objects:
            tables["objects"] = objects
        return tables

    def _object_columns(self) -> dict[str, Any]:
        """Return what is known of each object besides its features."""
        columns: dict[str, Any] = {}
        if self.names is not None:
            columns["object"] = np.array(self.names, dtype=object)
        if self.labels is not None:
            named = self.label_names
            # -1 is the object that has no class
            columns["label"] = np.array([*named, ""])[self.labels] if named else self.labels
        columns |= {key: array for key, array in self.attributes.items() if array.ndim == 1}
        if self.texts is not None:
            columns["text"] = np.array(self.texts, dtype=object)
        return columns

    def __repr__(self) -> str:
        parts = []
        if self.comparisons is not None:
            plural = "" if len(self.comparisons) == 1 else "s"
            parts.append(f"{len(self.comparisons):,} {self.comparisons.kind}{plural}")
            parts.append(f"{self.comparisons.n_objects:,} objects")
        elif self.trials is not None:
            parts += [f"{len(self.trials):,} trials", f"{self.trials.n_objects:,} objects"]
        elif self.points is not None:
            parts.append(f"{len(self.points):,} objects")
        if self.points is not None:
            parts.append(f"{self.points.shape[1]:,} features")
        if self.ratings is not None:
            parts.append(repr(self.ratings).removeprefix("Ratings(").removesuffix(")"))
        if self.texts is not None:
            parts.append(f"{len(self.texts):,} texts")
        if self.label_names is not None:
            parts.append(f"{len(self.label_names)} labels")
        return f"Dataset({self.name}: {', '.join(parts)})"


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be written to; the caller's own array stays as it is."""
    view = array.view()
    view.flags.writeable = False
    return view
