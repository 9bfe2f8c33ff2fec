"""Bring new ratings to a fitted map: place new objects, or match old ones by name."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Points
from ordinate.ratings.coe_step import sgd_step

_BATCH = 128
"""New objects placed together; bounds the memory for their triples."""
_PASSES = 8


@dataclass(frozen=True)
class ScoredPairs:
    """Scores that connect objects on one side of a table with objects on the other side."""

    members: NDArray[np.integer[Any]]
    anchors: NDArray[np.integer[Any]]
    scores: NDArray[np.float64]

    def of(self, chosen: slice | NDArray[np.intp]) -> ScoredPairs:
        """Return some of the pairs."""
        return ScoredPairs(self.members[chosen], self.anchors[chosen], self.scores[chosen])


class FittedObjects(NamedTuple):
    """Fitted objects that new ones may go with, and fitted objects of the new ones' own type."""

    others: range
    peers: range


def place(
    points: Points,
    known: ScoredPairs,
    new: ScoredPairs,
    n_new: int,
    *,
    n_draws: int,
    penalty: float,
    gompertz: bool,
    offsets: bool,
    fitted: FittedObjects,
    unrated: float,
    rng: np.random.Generator,
) -> Points:
    """Place objects 0 … n_new − 1 of `new` among the fixed `points`.

    `unrated` is the share of triples that put what they have above what they have not, and them
    above peers who have it not.
    """
    by_anchor = known.of(np.argsort(known.anchors, kind="stable"))
    peers_end = np.cumsum(np.bincount(known.anchors, minlength=len(points)))
    ends = np.append(0, np.cumsum(np.bincount(new.members, minlength=n_new)))
    placed = np.empty((n_new, points.shape[1]))
    for first in range(0, n_new, _BATCH):
        last = min(first + _BATCH, n_new)
        part = new.of(slice(ends[first], ends[last]))
        part = ScoredPairs(part.members - first, part.anchors, part.scores)
        start = _middle_of_liked(points, part, last - first)
        start[:, points.shape[1] - offsets :] = 0
        n_rows = n_draws // (2 * _PASSES)
        n_members = round(unrated * n_rows)
        of_members = _draw_members(known, part, len(points), n_members, fitted, rng)
        n_scored = n_rows - n_members
        scored = _draw_rows(by_anchor, peers_end, part, len(points), n_scored, rng)
        rows = np.concatenate([of_members, scored])
        both = np.concatenate([points, start])
        axes = tuple(range(points.shape[1] - offsets))
        for number in range(_PASSES):
            rng.shuffle(rows)
            rate = (1 - number / _PASSES) ** 2
            sgd_step(both, rows, len(points), rate, penalty, gompertz, 1, axes)
        placed[first:last] = both[len(points) :]
    return placed


def _middle_of_liked(points: Points, new: ScoredPairs, n_new: int) -> Points:
    """Start at the centre of the anchors with scores above the object's mean."""
    counts = np.maximum(np.bincount(new.members, minlength=n_new), 1)
    mean = np.bincount(new.members, new.scores, minlength=n_new) / counts
    liked = new.scores >= mean[new.members]
    weights = np.maximum(np.bincount(new.members[liked], minlength=n_new), 1)
    return np.column_stack(
        [
            np.bincount(new.members[liked], points[new.anchors[liked], axis], minlength=n_new)
            / weights
            for axis in range(points.shape[1])
        ]
    )


def _draw_rows(
    known: ScoredPairs,
    peers_end: NDArray[np.intp],
    new: ScoredPairs,
    n_fixed: int,
    n_draws: int,
    rng: np.random.Generator,
) -> NDArray[np.uint32]:
    """Draw triples of the new objects: half with them as anchor, half with a peer."""
    counts = np.bincount(new.members)
    starts = np.cumsum(counts) - counts
    member = np.repeat(np.flatnonzero(counts), n_draws)
    one, two = (
        starts[member] + (rng.random(len(member)) * counts[member]).astype(np.intp)
        for _ in range(2)
    )
    own = _oriented(
        n_fixed + member, new.anchors[one], new.anchors[two], new.scores[one], new.scores[two]
    )
    anchor = new.anchors[one]
    n_peers = np.diff(np.append(0, peers_end))[anchor]
    has_peers = n_peers > 0
    anchor, one, member, n_peers = (a[has_peers] for a in (anchor, one, member, n_peers))
    peer = peers_end[anchor] - 1 - (rng.random(len(anchor)) * n_peers).astype(np.intp)
    beside = _oriented(
        anchor, n_fixed + member, known.members[peer], new.scores[one], known.scores[peer]
    )
    return np.concatenate([own, beside])


def _draw_members(
    known: ScoredPairs,
    new: ScoredPairs,
    n_fixed: int,
    n_draws: int,
    among: FittedObjects,
    rng: np.random.Generator,
) -> NDArray[np.uint32]:
    """Draw triples of what new objects have and have not, and of peers who have it not."""
    counts = np.bincount(new.members)
    member = np.repeat(np.flatnonzero(counts), n_draws)
    row = (np.cumsum(counts) - counts)[member] + rng.integers(counts[member])
    near = new.anchors[row].astype(np.int64)
    far = rng.integers(among.others.start, among.others.stop, len(row))
    peer = rng.integers(among.peers.start, among.peers.stop, len(row))
    theirs = new.members.astype(np.int64) * n_fixed + new.anchors
    without = ~np.isin(member * n_fixed + far, theirs)
    fitted = known.members.astype(np.int64) * n_fixed + known.anchors
    other = ~np.isin(peer * n_fixed + near, fitted)
    own = np.column_stack([n_fixed + member, near, far])[without]
    beside = np.column_stack([near, n_fixed + member, peer])[other]
    return np.concatenate([own, beside]).astype(np.uint32)


def _oriented(
    anchor: NDArray[np.integer[Any]],
    one: NDArray[np.integer[Any]],
    two: NDArray[np.integer[Any]],
    score_one: NDArray[np.float64],
    score_two: NDArray[np.float64],
) -> NDArray[np.uint32]:
    """Write triples with the higher score as near; leave out ties."""
    better = score_one > score_two
    rows = np.column_stack([anchor, np.where(better, one, two), np.where(better, two, one)])
    untied: NDArray[np.uint32] = rows[score_one != score_two].astype(np.uint32)
    return untied


def carry_over(
    old_names: Sequence[Hashable], old: Points, names: Sequence[Hashable], start: Points
) -> None:
    """Let objects that were on the map begin where they were."""
    number = {name: at for at, name in enumerate(old_names)}
    for at, name in enumerate(names):
        if name in number:
            start[at] = old[number[name]]
