"""A result whose main figure is a map, drawn on paper or as a page to explore."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from ordinate.io.coordinates import Columns, coordinate_columns
from ordinate.plots import plot_graph, plot_map, save_map
from ordinate.results.object_display import ObjectDisplay
from ordinate.results.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class MapResult(Result):
    """A result that places objects."""

    display: ObjectDisplay = ObjectDisplay()

    @property
    def points(self) -> NDArray[Any]:
        """The coordinates, shape (n_objects, dimension)."""
        raise NotImplementedError

    @property
    def names(self) -> Sequence[str] | None:
        """The labels of the objects; None if they only have numbers."""
        raise NotImplementedError

    @property
    def edges(self) -> Any:
        """The lines between objects, if there are any."""
        return None

    def tables(self) -> dict[str, Columns]:
        """Return the table of coordinates."""
        return {"coordinates": coordinate_columns(self.points, self.names)}

    def figures(self) -> dict[str, Callable[[], Axes]]:
        """Return what draws the map."""
        return {"map": self._draw_map}

    def _draw_map(self) -> Axes:
        shown = self.display
        labels = None if shown.color is None else shown.columns[shown.color]
        if self.edges is not None:
            return plot_graph(self.points, self.edges, self.names, labels, images=shown.images)
        return plot_map(self.points, self.names, labels, images=shown.images)

    def draw(self, path: str | os.PathLike[str]) -> None:
        """Draw the map into a picture, or a page to explore."""
        save_map(path, self.points, self.names, edges=self.edges, **vars(self.display))
