"""Rankings as choices, one after another: the likelihood of Plackett and Luce.

A ranking chooses its best item from all of them, the next from those left, and so on. The last
choice, from two, is a pair. A choice of the best and the worst takes the best from all and then the
worst from those left. Items that tie are chosen together (Turner et al. 2020): a set of d items has
the weight δ_d times the geometric mean of their exp(score), which is Davidson's model for pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordinate._arrays import Floats
from ordinate.comparisons.grouped_rows import numbered
from ordinate.comparisons.pairs import Pairs

_MOST_TIED = 8
"""Rankings with larger ties are taken as pairs."""
_ENTRIES_AT_ONCE = 2**19


class StageSums(NamedTuple):
    """Minus the log likelihood of choices with its derivatives in scores, log slopes and ties."""

    value: float
    gradient: Floats
    """Shape (n_items + n_judges + n_ties,)."""
    hessian: Floats
    by_group: Floats | None


@dataclass(frozen=True)
class Stages:
    """Choices among three items or more; each is a run of places in the rankings."""

    items: NDArray[np.intp]
    """The items of all rankings under one another, best first."""
    start: NDArray[np.intp]
    size: NDArray[np.intp]
    n_chosen: NDArray[np.intp]
    """How many of the first places are chosen, which tie if there are several."""
    worst: NDArray[np.bool_]
    """Whether the last place is chosen, as the worst one."""
    weight: Floats
    orders: tuple[int, ...] = ()
    """How many items tie, of all ties that occur, in choices from two items too."""
    judge: NDArray[np.intp] | None = None

    def __len__(self) -> int:
        return len(self.start)

    def sums(
        self,
        scores: Floats,
        log_slopes: Floats,
        ties: Floats,
        *,
        groups: tuple[NDArray[np.intp], int] | None = None,
    ) -> StageSums:
        """Add up minus the log likelihood and its derivatives; by group, the gradients too."""
        n, n_judges = len(scores), len(log_slopes)
        size = n + n_judges + len(ties)
        value, gradient, hessian = 0.0, np.zeros(size), np.zeros(size * size)
        by_group = None if groups is None else np.zeros(groups[1] * size)
        for at in self._parts():
            k = int(self.size[at].max())
            place = self.start[at, None] + np.arange(k)
            there = np.arange(k) < self.size[at, None]
            item = np.where(there, self.items[np.minimum(place, len(self.items) - 1)], 0)
            slope = np.ones(len(at))
            if n_judges and self.judge is not None:
                slope = np.exp(log_slopes[self.judge[at]])
            felt = np.where(there, slope[:, None] * scores[item], 0.0)
            sign = np.where(self.worst[at], -1.0, 1.0)
            logs, push, bend = self._choices(at, sign[:, None] * felt, there, ties)
            value -= float(self.weight[at] @ logs)
            push[:, :k] *= sign[:, None]
            bend[:, :k, k:] *= sign[:, None, None]
            bend[:, k:, :k] *= sign[:, None, None]
            tied = np.arange(n + n_judges, size)
            codes = np.concatenate([item, np.tile(tied, (len(at), 1))], axis=1)
            if n_judges and self.judge is not None:
                push, bend = _with_slopes(push, bend, slope, felt)
                codes = np.concatenate([codes, n + self.judge[at, None]], axis=1)
            weight = self.weight[at]
            push, bend = weight[:, None] * push, weight[:, None, None] * bend
            gradient -= np.bincount(codes.ravel(), push.ravel(), size)
            cells = codes[:, :, None] * size + codes[:, None, :]
            hessian -= np.bincount(cells.ravel(), bend.ravel(), size * size)
            if groups is not None and by_group is not None:
                cells = groups[0][at, None] * size + codes
                by_group -= np.bincount(cells.ravel(), push.ravel(), len(by_group))
        return StageSums(
            value,
            gradient,
            hessian.reshape(size, size),
            None if by_group is None else by_group.reshape(-1, size),
        )

    def _parts(self) -> Iterator[NDArray[np.intp]]:
        """Yield choices from sets of about the same size, as many as fit into memory."""
        order = np.argsort(self.size, kind="stable")
        begin = 0
        while begin < len(order):
            squares = np.maximum.accumulate(self.size[order[begin:]]) ** 2
            fit = squares * np.arange(1, len(squares) + 1) <= _ENTRIES_AT_ONCE
            count = max(int(fit.sum()), 1)
            yield order[begin : begin + count]
            begin += count

    def _choices(
        self, at: NDArray[np.intp], felt: Floats, there: NDArray[np.bool_], ties: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Return log chances of choices with derivatives in what is felt and in the tie sizes.

        The choice of a set is an exponential family: its statistics are one over its size for each
        member, and its size. So first derivatives are their distance from their means, and second
        ones minus their covariances.
        """
        m, k = felt.shape
        top = np.where(there, felt, -np.inf).max(axis=1)
        orders, log_delta = (1, *self.orders), np.concatenate([[0.0], ties])
        columns = np.arange(len(ties))
        mass = np.zeros((m, len(orders)))  # of all sets of so many items
        single, double = np.zeros((m, k, len(orders))), np.zeros((m, k, k))
        for number, (d, log_weight) in enumerate(zip(orders, log_delta, strict=True)):
            b = np.where(there, np.exp((felt - top[:, None]) / d), 0.0)
            if d == 1:
                mass[:, 0], single[:, :, 0] = b.sum(axis=1), b
                double[:, np.arange(k), np.arange(k)] += b
                continue
            factor = np.exp(log_weight)
            e = _symmetric(b, d)
            without = [np.ones_like(b)]  # sums over sets of so many others
            for degree in range(1, d):
                without.append(e[degree][:, None] - b * without[-1])
            mass[:, number] = factor * e[d]
            single[:, :, number] = factor * b * without[d - 1] / d
            two = np.ones((m, k, k))
            for degree in range(1, d - 1):
                two = without[degree][:, :, None] - b[:, None, :] * two
            two *= factor * b[:, :, None] * b[:, None, :] / d**2
            two[:, np.arange(k), np.arange(k)] = single[:, :, number] / d
            double += two
        total = mass.sum(axis=1)
        single, double = single / total[:, None, None], double / total[:, None, None]
        share, mean = mass / total[:, None], single.sum(axis=2)
        chosen = np.arange(k) < self.n_chosen[at, None]
        last = np.arange(k) == self.size[at, None] - 1
        taken = np.where(self.worst[at, None], last, chosen) / self.n_chosen[at, None]
        order_at = np.searchsorted(np.array(orders), self.n_chosen[at])
        logs = (taken * (felt - top[:, None])).sum(axis=1) + log_delta[order_at] - np.log(total)
        push = np.concatenate(
            [taken - mean, (order_at[:, None] == 1 + columns) - share[:, 1:]], axis=1
        )
        bend = np.empty((m, k + len(ties), k + len(ties)))
        bend[:, :k, :k] = mean[:, :, None] * mean[:, None, :] - double
        bend[:, :k, k:] = mean[:, :, None] * share[:, None, 1:] - single[:, :, 1:]
        bend[:, k:, :k] = bend[:, :k, k:].transpose(0, 2, 1)
        bend[:, k:, k:] = share[:, 1:, None] * share[:, None, 1:]
        bend[:, k + columns, k + columns] -= share[:, 1:]
        return logs, push, bend


def _symmetric(b: Floats, degree: int) -> list[Floats]:
    """Return elementary symmetric polynomials of the rows: sums of products of distinct entries."""
    found = [np.ones(len(b)), *(np.zeros(len(b)) for _ in range(degree))]
    for column in b.T:
        for d in range(degree, 0, -1):
            found[d] = found[d] + column * found[d - 1]
    return found


def _with_slopes(push: Floats, bend: Floats, slope: Floats, felt: Floats) -> tuple[Floats, Floats]:
    """Return derivatives in scores, ties and the log slope of the judge, who feels slope times."""
    k = felt.shape[1]
    scale = np.ones(push.shape)
    scale[:, :k] = slope[:, None]
    reach = np.zeros(push.shape)
    reach[:, :k] = felt
    own = (push * reach).sum(axis=1)
    beside = np.einsum("mij,mj->mi", bend, reach)
    twice = own + (beside * reach).sum(axis=1)
    beside[:, :k] += push[:, :k]
    beside *= scale
    push = np.concatenate([push * scale, own[:, None]], axis=1)
    bend = bend * scale[:, :, None] * scale[:, None, :]
    bend = np.concatenate([bend, beside[:, :, None]], axis=2)
    edge = np.concatenate([beside, twice[:, None]], axis=1)
    return push, np.concatenate([bend, edge[:, None, :]], axis=1)


@dataclass(frozen=True)
class Rankings:
    """The rankings that the trials of a record are, and the choices to which they come down."""

    record: Pairs
    """All pairs, among them those that follow from choices from more than two items."""
    pairs: Pairs
    """Choices from two items."""
    stages: Stages
    """Choices from more."""
    trial: NDArray[np.intp]
    """The ranking of each place."""
    n_top: NDArray[np.intp]
    """How many items of each ranking are chosen as the best; the others as the worst."""
    ends: NDArray[np.intp]
    """The places of the two items of each pair of the record."""
    short: NDArray[np.intp]
    """The first place of each choice from two."""
    origin: tuple[NDArray[np.intp], NDArray[np.intp]]
    """A row of the record for each choice from two, and for each from more."""

    @property
    def are_whole(self) -> bool:
        """Whether all items of all rankings are in order, without a tie: others cannot be drawn."""
        sizes = np.bincount(self.trial)
        return not self.stages.orders and bool((self.n_top >= sizes - 1).all())

    def drawn(self, scores: Floats, rng: np.random.Generator) -> Rankings:
        """Draw other orders of the same items, whose scores are given for each place."""
        place = np.arange(len(self.trial)) - np.searchsorted(self.trial, self.trial)
        order = np.lexsort([-(scores + rng.gumbel(size=len(scores))), self.trial])
        rest = place >= self.n_top[self.trial]
        last = np.where(rest, -scores[order] + rng.gumbel(size=len(scores)), -np.inf)
        order = order[np.lexsort([last, np.where(rest, np.inf, place), self.trial])]
        items = self.stages.items[order]
        return replace(
            self,
            record=self.record._with(rows=items[self.ends].astype(np.int32)),
            pairs=self.pairs._with(rows=items[self.short[:, None] + np.arange(2)].astype(np.int32)),
            stages=replace(self.stages, items=items),
        )


def find_rankings(pairs: Pairs, trial: NDArray[np.intp]) -> Rankings | None:
    """Return the rankings of which a record holds all pairs; None if trials are something else.

    The items of a ranking may tie, and of one run of its places nothing may be said, as of those
    that are neither the best nor the worst.
    """
    n, n_rows = pairs.n_objects, len(pairs)
    if pairs.ordered:
        return None
    decided, first_won = pairs.outcomes != 0, pairs.outcomes >= 0
    won, lost = np.where(first_won, pairs.rows.T, pairs.rows.T[::-1]).astype(np.int64)
    codes, entry = np.unique(np.append(trial * n + won, trial * n + lost), return_inverse=True)
    above = np.bincount(entry[n_rows:], decided, len(codes)).astype(np.int64)
    order = np.lexsort([above, codes // n])
    of_trial, items = np.divmod(codes[order], n)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    ends = place[entry].reshape(2, -1).T
    level = numbered(of_trial, above[order])
    begin = np.searchsorted(level, np.arange(int(level[-1]) + 1))
    width = np.diff(np.append(begin, len(level)))
    owner = of_trial[begin]
    end = np.searchsorted(of_trial, owner, side="right")
    n_ties = np.bincount(level[ends[~decided, 0]], minlength=len(width))
    unknown = (width > 1) & (n_ties == 0)
    # where places are unknown, else the end
    gap = np.searchsorted(of_trial, np.arange(owner[-1] + 1), side="right")
    np.minimum.at(gap, owner[unknown], begin[unknown])
    bottom = begin > gap[owner]
    # every pair occurs once, agrees with the places, and none is missing but among the unknown
    upper, lower = level[ends.T]
    expected = np.bincount(owner, width * (end - begin - width) + n_ties)
    weights = np.ones(n_rows) if pairs.weights is None else pairs.weights
    sure = (
        len(np.unique(ends.min(axis=1) * len(items) + ends.max(axis=1))) == n_rows
        and np.where(decided, upper < lower, upper == lower).all()
        and (unknown | (n_ties == width * (width - 1) // 2)).all()
        and (expected == np.bincount(trial)).all()
        and not (bottom & (width > 1)).any()
        and width.max(where=~unknown, initial=0) <= _MOST_TIED
        and (weights == weights[_one_row(trial)][trial]).all()
    )
    if not sure:
        return None
    start = np.where(bottom, gap[owner], begin)
    size = np.where(bottom, begin + 1, end) - start
    chosen, short = ~unknown & (size > 1), size == 2
    origin = _one_row(trial)[owner]
    two, more = chosen & short, chosen & ~short
    return Rankings(
        pairs,
        pairs[origin[two]]._with(
            rows=items[start[two, None] + np.arange(2)].astype(np.int32),
            outcomes=np.where(width[two] > 1, 0, 1).astype(np.int8),
        ),
        Stages(
            items,
            start[more],
            size[more],
            np.where(bottom, 1, width)[more],
            bottom[more],
            weights[origin[more]],
            tuple(np.unique(width[chosen & (width > 1)]).tolist()),
        ),
        of_trial,
        gap - np.searchsorted(of_trial, np.arange(len(gap))),
        ends,
        start[two],
        (origin[two], origin[more]),
    )


def _one_row(trial: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return a row of each trial."""
    found = np.empty(int(trial.max()) + 1, dtype=np.intp)
    found[trial] = np.arange(len(trial))
    return found
