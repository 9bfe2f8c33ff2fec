"""Whose map of all answers is really different from the one chosen."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from ordinate.comparisons.record import Comparisons
from ordinate.selection import MethodRow, MethodTable
from ordinate.uncertainty import MapDifference, MapUncertainty, compare_maps
from ordinate.uncertainty._map_uncertainty import map_uncertainty

N_DRAWS = 100
"""Draws of each map that is compared."""


def maps_beside_choice(
    answers: Comparisons, table: MethodTable, *, random_state: int, **settings: Any
) -> dict[str, MapDifference]:
    """Compare the chosen map with those of other methods, and of its own in other dimensions."""
    chosen = table.choice

    def sure(row: MethodRow) -> MapUncertainty:
        model = clone(row.estimator).set_params(
            n_components=row.dimension, random_state=random_state
        )
        return map_uncertainty(
            model.fit(answers), answers, n_draws=N_DRAWS, random_state=random_state, **settings
        )

    others = [
        row
        for row in table.rows
        if (row.method == chosen.method) != (row.dimension == chosen.dimension)
    ]
    here = sure(chosen) if others else None
    return {str(row): compare_maps(here, sure(row)) for row in others if here is not None}
