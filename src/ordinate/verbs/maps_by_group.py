"""Maps of groups of answers, such as conditions of a study, and whether they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ordinate._checks import InputError
from ordinate.comparisons.record import Comparisons
from ordinate.selection._held_out import MethodSpec
from ordinate.solvers.intervals import holm
from ordinate.uncertainty import MapUncertainty
from ordinate.uncertainty._difference import MapDifference, compare_maps
from ordinate.uncertainty._map_uncertainty import map_uncertainty

_MOST_GROUPS = 12
_MOST_SHOWN = 3
"""Pairs of groups that do not differ and have a sentence each."""
_LEVEL = 0.05
"""Of the tests of all pairs together."""
_FEWEST_SHARED = 4
"""Objects that two groups must share: three always form the same triangle, about."""


class PairOfMaps(NamedTuple):
    """Two groups, how their maps differ, and its p-value for all pairs together (Holm)."""

    one: str
    other: str
    found: MapDifference | None
    drawn: str
    p_value: float = np.nan


@dataclass(frozen=True)
class MapsByGroup:
    """Whether groups of answers make different maps."""

    by: str
    n_answers: dict[str, int]
    pairs: Sequence[PairOfMaps]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures."""
        tests = [
            {"groups": [pair.one, pair.other], "p_value": pair.p_value}
            | (pair.found.to_dict() | {"p_value": pair.p_value} if pair.found else {})
            for pair in self.pairs
        ]
        return {"by": self.by, "n_answers": self.n_answers, "tests": tests}

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        alike = [pair for pair in self.pairs if pair.p_value > _LEVEL]
        shown = [pair for pair in self.pairs if len(alike) <= _MOST_SHOWN or pair not in alike]
        for one, other, found, drawn, p_value in shown:
            if found is None:
                yield f"{one} and {other} have fewer than {_FEWEST_SHARED} objects in common."
                continue
            figures = found.to_dict()
            differ = p_value <= _LEVEL
            moved = ", ".join(figures["moved"][:5]) if differ else ""
            yield (
                f"The maps of {one} and {other} "
                + ("differ" if differ else "differ no more than by chance")
                + f" (Procrustes distance {found.distance:.3f}, by chance up to"
                f" {figures['by_chance']:.3f}, p = {p_value:.2g}; {drawn} resampled)"
                + (f"; elsewhere lie {moved}." if moved else ".")
            )
        if len(alike) > _MOST_SHOWN:
            others = "other " * (len(shown) > 0)
            least = min(pair.p_value for pair in alike)
            yield (
                f"The maps of {len(alike)} {others}pairs of groups differ no more than by chance"
                f" (smallest p = {least:.2g})."
            )


def maps_by_group(answers: Comparisons, spec: MethodSpec, by: str, **running: Any) -> MapsByGroup:
    """Fit a map to the answers of each group, and compare the maps of each two groups."""
    labels, codes = np.unique(answers.groups[by].astype(str), return_inverse=True)
    if not 2 <= len(labels) <= _MOST_GROUPS:
        raise InputError(
            f"{by!r} has {len(labels)} labels; expected 2 to {_MOST_GROUPS}, each with enough"
            " answers for a map."
        )
    parts = {str(label): answers[codes == code] for code, label in enumerate(labels)}
    seed, known = running["random_state"], dict[tuple[str, bytes], MapUncertainty]()

    def drawn(label: str, shared: Any) -> MapUncertainty:
        """Return the uncertainty of the map of the objects that two groups share."""
        if (label, shared.tobytes()) not in known:
            part = parts[label]
            part = part[np.isin(part.rows, shared).all(axis=1)]
            numbers = np.full(answers.n_objects, -1, dtype=np.int32)
            numbers[shared] = np.arange(len(shared))
            names = answers.names and tuple(answers.names[at] for at in shared)
            part = part.renumbered(numbers, len(shared), names)
            model = spec.unfitted(seed).fit(part)
            known[label, shared.tobytes()] = map_uncertainty(model, part, **running)
        return known[label, shared.tobytes()]

    found = []
    for one, other in combinations(parts, 2):
        objects = np.arange(answers.n_objects)
        shared = parts[other].occurring(parts[one].occurring(objects))
        if len(shared) < max(_FEWEST_SHARED, spec.dimension + 2):
            found.append(PairOfMaps(one, other, None, ""))
            continue
        both = [drawn(label, shared) for label in (one, other)]
        units = " and ".join(dict.fromkeys(f"{map_.by or 'answer'}s" for map_ in both))
        found.append(PairOfMaps(one, other, compare_maps(*both), units))
    tested = [pair for pair in found if pair.found is not None]
    p_values = iter(holm([pair.found.p_value for pair in tested if pair.found]))
    return MapsByGroup(
        by,
        {label: len(part) for label, part in parts.items()},
        [pair._replace(p_value=float(next(p_values))) if pair.found else pair for pair in found],
    )
