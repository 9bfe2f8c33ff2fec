"""Maps of groups of answers, such as conditions of a study, and whether they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ordinate._arrays import Floats, Indices
from ordinate._checks import InputError
from ordinate._random import as_generator
from ordinate._threads import effective_n_jobs
from ordinate.comparisons.record import Comparisons
from ordinate.metrics import procrustes_distance
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
_N_DIVISIONS = 199
"""Random divisions of the people that a difference is compared with."""


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

    def about(part: Comparisons, shared: Indices) -> Comparisons:
        """Return the answers about these objects alone."""
        part = part[np.isin(part.rows, shared).all(axis=1)]
        numbers = np.full(answers.n_objects, -1, dtype=np.int32)
        numbers[shared] = np.arange(len(shared))
        names = answers.names and tuple(answers.names[at] for at in shared)
        return part.renumbered(numbers, len(shared), names)

    def drawn(label: str, shared: Indices) -> MapUncertainty:
        """Return the uncertainty of the map of the objects that two groups share."""
        if (label, shared.tobytes()) not in known:
            part = about(parts[label], shared)
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
        units = list(dict.fromkeys(map_.by for map_ in both))
        difference = compare_maps(*both)
        if difference.differ:
            joint = about(answers[np.isin(answers.groups[by].astype(str), (one, other))], shared)
            distances = _distances_of_divisions(joint, spec, by, units[0], running)
            # of few answers bootstrap draws lie too near their map; divisions are exact
            p_value = (1 + np.count_nonzero(distances >= difference.distance)) / (
                1 + len(distances)
            )
            if p_value > difference.p_value:
                difference = replace(difference, chance_distances=distances, p_value=p_value)
        said = " and ".join(f"{unit or 'answer'}s" for unit in units)
        found.append(PairOfMaps(one, other, difference, said))
    tested = [pair for pair in found if pair.found is not None]
    p_values = iter(holm([pair.found.p_value for pair in tested if pair.found]))
    return MapsByGroup(
        by,
        {label: len(part) for label, part in parts.items()},
        [pair._replace(p_value=float(next(p_values))) if pair.found else pair for pair in found],
    )


def _distances_of_divisions(
    joint: Comparisons, spec: MethodSpec, by: str, unit: str | None, running: dict[str, Any]
) -> Floats:
    """Return how far apart the maps of two groups are whose people, or answers, were exchanged."""
    unit = "trial" if unit is None and "trial" in joint.groups else unit
    labels = joint.groups[unit] if unit else np.arange(len(joint))
    unit_codes = np.unique(labels, return_inverse=True)[1].ravel()
    in_second = np.unique(joint.groups[by].astype(str), return_inverse=True)[1].ravel() == 1
    rng, place = as_generator(running["random_state"]), spec.placer(running["random_state"])

    def distance(division: NDArray[np.bool_]) -> float:
        return procrustes_distance(place(joint[~division]), place(joint[division]))

    found = Parallel(n_jobs=effective_n_jobs(running.get("n_jobs")), prefer="threads")(
        delayed(distance)(_divided_anew(in_second, unit_codes, rng)) for _ in range(_N_DIVISIONS)
    )
    return np.array(found)


def _divided_anew(
    in_second: NDArray[np.bool_], unit: Indices, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Exchange whole people between two groups; who is in both exchanges their own two parts."""
    groups = np.zeros((int(unit.max()) + 1, 2), dtype=bool)
    groups[unit, in_second.astype(int)] = True
    in_both, second = np.asarray(groups.all(axis=1)), groups[:, 1]
    second[~in_both] = rng.permutation(second[~in_both])
    exchanged = rng.random(len(groups)) < 0.5
    divided: NDArray[np.bool_] = np.where(in_both[unit], in_second ^ exchanged[unit], second[unit])
    return divided
