"""What is in a record of comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ordinate._checks import some_of
from ordinate._notebooks import ShownAsTable
from ordinate.comparisons.labels import list_labels, look_alike, look_missing

if TYPE_CHECKING:
    from ordinate.comparisons.record import Comparisons

RARE = 5
"""An object in fewer rows than this is called rare: its place is hardly determined."""

_CHUNK = 2**20
"""Rows looked at together."""


@dataclass(frozen=True)
class Description(ShownAsTable):
    """Figures about a record of comparisons."""

    kind: str
    n_objects: int
    n_rows: int
    n_distinct: int
    n_contradictions: int
    rows_per_object: tuple[float, float, float]
    never_seen: tuple[int, ...]
    rarely_seen: tuple[int, ...]
    n_parts: int
    groups: dict[str, int]
    names: tuple[str, ...] | None = None
    look_alike: tuple[tuple[str, ...], ...] = ()
    look_missing: tuple[str, ...] = ()

    @property
    def n_repeats(self) -> int:
        """Rows that repeat an earlier one."""
        return self.n_rows - self.n_distinct

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain Python values, ready for JSON."""
        figures = asdict(self)
        del figures["names"]
        figures["n_repeats"] = self.n_repeats
        return figures

    def __str__(self) -> str:
        low, median, high = self.rows_per_object
        lines = [
            f"{self.n_rows:,} {self.kind}s about {self.n_objects:,} objects",
            f"  distinct rows      {self.n_distinct:,} ({self.n_repeats:,} repeat another)",
            f"  contradictions     {self.n_contradictions:,} pairs of answers",
            f"  rows per object    {low:,.0f} to {high:,.0f}, median {median:,.0f}",
            f"  never seen         {self.listed(self.never_seen)}",
            f"  in under {RARE} rows    {self.listed(self.rarely_seen)}",
            f"  connected parts    {self.n_parts:,}",
        ]
        if self.look_alike:
            lines.append(f"  look alike         {list_labels(self.look_alike)}")
        if self.look_missing:
            lines.append(f"  may be no entry    {', '.join(map(repr, self.look_missing))}")
        lines += [f"  {name:17}  {n:,} different" for name, n in self.groups.items()]
        return "\n".join(lines)

    def listed(self, objects: tuple[int, ...], most: int = 5) -> str:
        """Count objects and name the first of them."""
        if not objects:
            return "none"
        called = objects if self.names is None else [self.names[o] for o in objects]
        return f"{len(objects):,} ({some_of(called, most)})"


def describe(comparisons: Comparisons) -> Description:
    """Count what is in the record."""
    n = comparisons.n_objects
    seen = rows_per_object(comparisons)
    n_distinct, n_contradictions = count_statements(comparisons)
    return Description(
        kind=comparisons.kind,
        n_objects=n,
        n_rows=len(comparisons),
        n_distinct=n_distinct,
        n_contradictions=n_contradictions,
        rows_per_object=(float(seen.min()), float(np.median(seen)), float(seen.max())),
        never_seen=tuple(np.flatnonzero(seen == 0).tolist()),
        rarely_seen=tuple(np.flatnonzero((seen > 0) & (seen < RARE)).tolist()),
        n_parts=len(np.unique(connected_parts(comparisons)[seen > 0])),
        groups={
            name: int(comparisons.group_codes(name).max(initial=-1)) + 1
            for name in comparisons.groups
        },
        names=comparisons.names,
        look_alike=look_alike(comparisons.names or ()),
        look_missing=look_missing(comparisons.names or ()),
    )


def rows_per_object(comparisons: Comparisons) -> NDArray[np.int64]:
    """Count in how many rows each object occurs."""
    counts = np.zeros(comparisons.n_objects, dtype=np.int64)
    for part in _chunks(comparisons):
        for number, column in enumerate(part.T):
            if number > 1 and part.shape[1] == 4:
                # an object may stand in both pairs of a quadruplet, yet the row counts once
                column = column[(column != part[:, 0]) & (column != part[:, 1])]
            counts += np.bincount(column, minlength=comparisons.n_objects)
    return counts


def count_statements(comparisons: Comparisons) -> tuple[int, int]:
    """Count the different statements, and the pairs of answers that contradict each other."""
    n = comparisons.n_objects
    n_columns = comparisons.rows.shape[1]
    if 2 * n**n_columns >= 2**63:  # too many statements to give each a number
        near, far = comparisons.pair_codes()
        question = comparisons.question_groups()
        asked, one_way = np.bincount(question), np.bincount(question, near < far)
        return len(comparisons.merge_repeats()), int((one_way * (asked - one_way)).sum())
    keys = np.empty(len(comparisons), dtype=np.int64)
    done = 0
    for part in _chunks(comparisons):
        keys[done : done + len(part)] = _statement_numbers(part.astype(np.int64), n)
        done += len(part)
    keys.sort()
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    times = np.diff(starts, append=len(keys))
    # statement and opposite differ in the last bit, and are neighbours in sorted order
    stated = keys[starts]
    opposite = (stated[1:] & 1 == 1) & (stated[1:] == stated[:-1] + 1)
    return len(stated), int((times[1:] * times[:-1])[opposite].sum())


def _statement_numbers(rows: NDArray[np.int64], n_objects: int) -> NDArray[np.int64]:
    """Give statements numbers: twice that of the question, plus 1 for one of its answers."""
    if rows.shape[1] == 3:
        anchor, near, far = rows.T
        question = (anchor * n_objects + np.minimum(near, far)) * n_objects + np.maximum(near, far)
    else:
        i, j, k, l = rows.T  # noqa: E741
        near = np.minimum(i, j) * n_objects + np.maximum(i, j)
        far = np.minimum(k, l) * n_objects + np.maximum(k, l)
        question = np.minimum(near, far) * n_objects**2 + np.maximum(near, far)
    numbers: NDArray[np.int64] = 2 * question + (near > far)
    return numbers


def _chunks(comparisons: Comparisons) -> Iterator[NDArray[np.int32]]:
    """Go through the rows, a part at a time: what is computed of it takes little memory."""
    for start in range(0, len(comparisons), _CHUNK):
        yield comparisons.rows[start : start + _CHUNK]


def connected_parts(comparisons: Comparisons) -> NDArray[np.int32]:
    """Label the objects by connected part; two objects of one row belong together."""
    n = comparisons.n_objects
    labels = np.arange(n, dtype=np.int32)
    for part in _chunks(comparisons):
        first, *others = labels[part].T
        heads, tails = np.concatenate([first] * len(others)), np.concatenate(others)
        new = heads != tails  # links that join parts found so far
        if new.any():
            ends = heads[new], tails[new]
            links = coo_array((np.ones(len(ends[0]), dtype=np.int8), ends), shape=(n, n))
            labels = connected_components(links, directed=False)[1][labels]
        if not labels.any():  # all are in one part
            break
    return labels
