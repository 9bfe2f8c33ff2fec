"""A result whose main figure is a map, drawn on paper or as a page to explore."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from ordinate._notebooks import MOST_SHOWN
from ordinate.io.coordinates import Columns, coordinate_columns
from ordinate.plots import plot_interactive_map, save_map
from ordinate.plots._saving import draw_map
from ordinate.results.object_display import ObjectDisplay
from ordinate.results.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ordinate.uncertainty import MapUncertainty


class MapResult(Result):
    """A result that places objects."""

    display: ObjectDisplay = ObjectDisplay()

    if TYPE_CHECKING:  # a class may also keep it as a field

        @property
        def points(self) -> NDArray[Any]:
            """The coordinates, shape (n_objects, dimension)."""

    @property
    def names(self) -> Sequence[str] | None:
        """The labels of the objects; None if they only have numbers."""
        raise NotImplementedError

    @property
    def caption(self) -> str:
        """A sentence below the map."""
        return ""

    @property
    def uncertainty_shown(self) -> MapUncertainty | None:
        """The uncertainty that pictures of the map show, if it is known."""
        return None

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
        return draw_map(
            self.points,
            self.names,
            edges=self.edges,
            caption=self.caption,
            uncertainty=self.uncertainty_shown,
            **vars(self.display),
        )

    def frames(self) -> dict[str, Callable[[], Any]]:
        """Return the map to explore."""
        return {"map": self._interactive_map} if len(self.points) <= MOST_SHOWN else {}

    def _interactive_map(self) -> Any:
        names = [str(name) for name in self.names or range(len(self.points))]
        return plot_interactive_map(
            self.points,
            names,
            edges=self.edges,
            uncertainty=self.uncertainty_shown,
            **vars(self.display),
        )

    def draw(self, path: str | os.PathLike[str]) -> None:
        """Draw the map into a picture, or a page to explore."""
        save_map(
            path,
            self.points,
            self.names,
            edges=self.edges,
            caption=self.caption,
            uncertainty=self.uncertainty_shown,
            **vars(self.display),
        )
