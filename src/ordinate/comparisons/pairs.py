"""The record of paired comparisons: which of two items is more, or that neither is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ordinate._checks import (
    InputError,
    begins_with_text,
    check_index_rows,
    check_length,
    check_points,
    check_weights,
    refuse_zero_weights,
    shortened,
)
from ordinate.comparisons.grouped_rows import GroupedRows, check_groups, joined, numbered
from ordinate.comparisons.labels import count_numbers, number_objects
from ordinate.comparisons.record import check_size

_BINS_PER_ROW = 4
"""Use a dense table of all pairs below this ratio of cells to answers."""
_CHUNK = 2**20


class Pairs(GroupedRows):
    """Answers to "which of the two is more …?": the first, the second, or neither.

    A pair is no comparison of distances: it says on which side of an item another one lies on one
    scale. It therefore has a record of its own, beside `Comparisons`.

    Parameters
    ----------
    rows : array-like of int or str, shape (n_pairs, 2)
        The two items of each row. Numbers are positions, which count from 0; text is labels.
    outcomes : array-like of {1, 0, -1}, shape (n_pairs,), optional
        1 where the first item won, -1 where the second did, 0 for a tie. By default each row is
        (winner, loser).
    ordered : bool, optional
        Whether the first item of a row is the one that was shown first (or left), so that a
        preference for a side can be estimated. By default if there are outcomes.
    weights : array-like of float, shape (n_pairs,), optional
        How often a row counts; finite and not negative. By default once.
    groups : mapping of str to array-like, optional
        Labels per row, such as ``{"participant": judges}``.
    names : sequence, optional
        One distinct name per item.
    n_objects : int, optional
        How many items there are; by default the largest number plus one.
    covariates : mapping of str to array-like of float, shape (n_pairs,) or (n_pairs, 2), optional
        What may sway an answer besides the items, such as their lengths: a value for each of the
        two items, of which the difference counts, or that difference.

    See Also
    --------
    Ranking : Fits a scale to it.
    read_pairs : From a file or a frame.

    Examples
    --------
    >>> import ordinate as od
    >>> od.Pairs([["tea", "milk"], ["wine", "tea"]], [1, 0])
    Pairs(2 answers, 1 tie, 3 items)
    """

    outcomes: NDArray[np.int8]
    """Of each row 1 where the first item won, -1 where the second did, 0 for a tie."""
    ordered: bool
    """Whether the first item of a row was shown first."""
    covariates: NDArray[np.float64]
    """By how much the first item has more of each covariate, shape (n_pairs, n_covariates)."""
    covariate_names: tuple[str, ...]
    """What the covariates are called."""
    _own = ("outcomes", "ordered", "covariates", "covariate_names")

    def __init__(
        self,
        rows: ArrayLike,
        outcomes: ArrayLike | None = None,
        *,
        ordered: bool | None = None,
        weights: ArrayLike | None = None,
        groups: ArrayLike | Mapping[str, ArrayLike] | None = None,
        names: Sequence[object] | None = None,
        n_objects: int | None = None,
        covariates: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        if begins_with_text(rows):
            (rows,), names = number_objects([rows], names)
        labels, n_objects = check_size(names, n_objects)
        checked = check_index_rows(rows, n_objects, are_pairs=True)
        self._set(
            checked,
            None if weights is None else check_weights(weights, len(checked)),
            check_groups(groups, len(checked)),
            labels,
            count_numbers(int(checked.max()), checked.size) if n_objects is None else n_objects,
            outcomes=np.ones(len(checked), np.int8)
            if outcomes is None
            else _check_outcomes(outcomes),
            ordered=outcomes is not None if ordered is None else bool(ordered),
            covariates=_check_covariates(covariates, len(checked)),
            covariate_names=() if covariates is None else tuple(map(str, covariates)),
        )
        self._n_objects_inferred = n_objects is None
        check_length("outcomes", self.outcomes, len(checked))
        same = self.rows[:, 0] == self.rows[:, 1]
        if same.any():
            row = int(np.argmax(same))
            item = self.name_of(int(self.rows[row, 0]))
            raise InputError(
                f"Row {row} compares {item!r} with itself ({same.sum()} such rows); leave it out."
            )
        refuse_zero_weights(self.weights)

    def name_of(self, number: int) -> object:
        """Return what an item is called: its name, or its number."""
        return number if self.names is None else self.names[number]

    def __repr__(self) -> str:
        n_ties = int((self.outcomes == 0).sum())
        extras = f", grouped by {' and '.join(self._groups)}" if self._groups else ""
        return (
            f"Pairs({counted(len(self), 'answer')}, {counted(n_ties, 'tie')},"
            f" {self.n_objects:,} items{extras})"
        )

    @classmethod
    def concatenate(cls, parts: Sequence[Pairs]) -> Self:
        """Put the rows of several records under one another.

        Parameters
        ----------
        parts : sequence of Pairs
            Items are matched by name where they have names, otherwise by number. A group that is
            not in every part is left out; so are covariates, unless all parts have the same.

        Returns
        -------
        Pairs
            All rows, in order; `ordered` if all parts are.
        """
        outcomes = np.concatenate([part.outcomes for part in parts])
        names = parts[0].covariate_names
        if any(part.covariate_names != names for part in parts):
            names = ()
        return cls._from_validated(
            **joined(parts),
            outcomes=outcomes,
            ordered=all(part.ordered for part in parts),
            covariates=np.concatenate([part.covariates[:, : len(names)] for part in parts]),
            covariate_names=names,
        )

    @classmethod
    def from_rankings(
        cls,
        rankings: Sequence[Sequence[object]],
        *,
        weights: ArrayLike | None = None,
        groups: Mapping[str, ArrayLike] | None = None,
        names: Sequence[object] | None = None,
    ) -> Self:
        """Take rankings, best item first, as the pairs in them.

        Parameters
        ----------
        rankings : sequence of sequences of int or str
            The items of each ranking, which may have some of all items. Those that tie stand in a
            list, tuple or set of their own.
        weights : array-like of float, shape (n_rankings,), optional
            How often each ranking counts.
        groups : mapping of str to array-like of shape (n_rankings,), optional
            Labels per ranking, such as who gave it.
        names : sequence, optional
            All items, if some are in no ranking.

        Returns
        -------
        Pairs
            The group ``"trial"`` says which pairs are of one ranking; `Ranking` fits them as such.

        Examples
        --------
        >>> import ordinate as od
        >>> od.Pairs.from_rankings([["tea", "milk", "wine"], ["milk", ["tea", "wine"]]])
        Pairs(6 answers, 1 tie, 3 items, grouped by trial)
        """
        rows: list[tuple[Any, Any]] = []
        outcomes: list[int] = []
        trial: list[int] = []
        if not _is_several(rankings) or not all(_is_several(one) for one in rankings):
            raise InputError(
                "rankings must be a list of lists of items, best first, such as"
                " [['tea', 'milk'], ['milk', 'wine', 'tea']]."
            )
        for number, ranking in enumerate(rankings):
            levels: list[Any] = [item if _is_several(item) else [item] for item in ranking]
            flat = [(place, item) for place, level in enumerate(levels) for item in level]
            if len({item for _, item in flat}) < len(flat):
                raise InputError(f"Ranking {number} has an item twice: {list(ranking)!r}.")
            for before, (place, item) in enumerate(flat):
                for other_place, other in flat[before + 1 :]:
                    rows.append((item, other))
                    outcomes.append(1 if other_place > place else 0)
                    trial.append(number)
        if not rows:
            raise InputError("rankings has no ranking of two items or more.")
        at = np.array(trial)
        given = {} if groups is None else check_groups(groups, len(rankings))
        return cls(
            np.array(rows),
            outcomes,
            ordered=False,
            weights=None if weights is None else check_weights(weights, len(rankings))[at],
            groups={"trial": at} | {name: labels[at] for name, labels in given.items()},
            names=names,
        )

    def reversed(self) -> Self:
        """Return the same answers the other way round: every loser as the winner.

        Returns
        -------
        Pairs
            Ties stay ties.
        """
        return self._with(outcomes=-self.outcomes)

    def _question_codes(self) -> NDArray[np.intp]:
        low, high = np.sort(self.rows, axis=1).T.astype(np.int64)
        return numbered(low * self.n_objects + high)

    def _answer_codes(self) -> NDArray[np.intp]:
        winner = np.where(self.outcomes > 0, self.rows[:, 0], self.rows[:, 1])
        return np.where(self.outcomes == 0, self.n_objects, winner).astype(np.intp)

    def counts(self, by: NDArray[np.intp] | None = None) -> PairCounts:
        """Sum the rows: how often each item won, tied and lost against each other one.

        Parameters
        ----------
        by : ndarray of int, shape (n_pairs,), optional
            A number per row, such as that of its judge, by which counts are kept apart.

        Returns
        -------
        PairCounts
            One row per pair that occurs; per order of the pair where that is known.
        """
        n = self.n_objects
        if self.covariates.size:
            return self._counts_by_covariates(by)
        if by is None and 3 * n * n <= max(_BINS_PER_ROW * len(self), 2**16):
            table: NDArray[Any] = np.zeros(3 * n * n)
            for start in range(0, len(self), _CHUNK):
                part = slice(start, start + _CHUNK)
                (first, second), outcome = self._in_order(self.rows[part], self.outcomes[part])
                weights = None if self.weights is None else self.weights[part]
                cell = (first * n + second) * 3 + outcome
                table += np.bincount(cell, weights=weights, minlength=len(table))
            table = table.reshape(-1, 3)
            pair = np.flatnonzero(table.any(axis=1))
            return PairCounts(*np.divmod(pair, n), table[pair].T, n, self.ordered)
        (first, second), outcome = self._in_order(self.rows, self.outcomes)
        code = first * np.int64(n) + second
        unit = numbered(code) if by is None else numbered(by.astype(np.int64), code)
        at = np.empty(int(unit.max(initial=-1)) + 1, dtype=np.intp)
        at[unit] = np.arange(len(unit))
        cell = unit * 3 + outcome
        table = np.bincount(cell, weights=self.weights, minlength=3 * len(at)).reshape(-1, 3)
        kept = table.any(axis=1)
        at, table = at[kept], table[kept]
        judge = None if by is None else by[at]
        return PairCounts(first[at], second[at], table.T.astype(float), n, self.ordered, judge)

    def _counts_by_covariates(self, by: NDArray[np.intp] | None) -> PairCounts:
        """Sum the rows of the same pair with the same covariates."""
        (first, second), outcome = self._in_order(self.rows, self.outcomes)
        is_reversed = first != self.rows[:, 0]
        effects = np.where(is_reversed[:, None], -self.covariates, self.covariates)
        keys = [first, second, *effects.T] + ([] if by is None else [by])
        unit = numbered(*keys)
        _, at = np.unique(unit, return_index=True)
        cells = unit * 3 + outcome
        table = np.bincount(cells, self.weights, 3 * len(at)).reshape(-1, 3).astype(float)
        return PairCounts(
            first[at],
            second[at],
            table.T,
            self.n_objects,
            self.ordered,
            None if by is None else by[at],
            effects[at],
        )

    def _in_order(
        self, rows: NDArray[np.int32], outcomes: NDArray[np.int8]
    ) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """Return the items of each row, and 0, 1 or 2 where the first won, tied or lost.

        Where it is not known who was shown first, the item with the lower number comes first.
        """
        first, second = rows.T.astype(np.intp)
        outcome = 1 - outcomes.astype(np.intp)
        if self.ordered:
            return np.stack([first, second]), outcome
        is_reversed = first > second
        low, high = np.where(is_reversed, second, first), np.where(is_reversed, first, second)
        return np.stack([low, high]), np.where(is_reversed, 2 - outcome, outcome)


@dataclass(frozen=True)
class PairCounts:
    """How often the first of two items won, tied with the second and lost to it."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    counts: NDArray[np.float64]
    """Shape (3, n_rows): wins of the first, ties, wins of the second."""
    n_objects: int
    ordered: bool
    judge: NDArray[np.intp] | None = None
    covariates: NDArray[np.float64] | None = None

    @property
    def effects(self) -> NDArray[np.float64]:
        """By how much the first item has more of each covariate, shape (n_rows, n_covariates)."""
        return np.empty((len(self.first), 0)) if self.covariates is None else self.covariates

    def __getitem__(self, rows: Any) -> PairCounts:
        """Return some of the rows."""
        return PairCounts(
            self.first[rows],
            self.second[rows],
            self.counts[:, rows],
            self.n_objects,
            self.ordered,
            None if self.judge is None else self.judge[rows],
            None if self.covariates is None else self.covariates[rows],
        )

    def with_counts(self, counts: NDArray[np.float64]) -> PairCounts:
        """Return the same pairs with other answers."""
        return replace(self, counts=counts)

    def without_order(self) -> PairCounts:
        """Return counts in which the item with the lower number stands first."""
        if not self.ordered or self.covariates is not None:
            return self
        is_reversed = self.first > self.second
        low, high = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        counts = np.where(is_reversed, self.counts[::-1], self.counts)
        code = low.astype(np.int64) * self.n_objects + high
        unit = numbered(code) if self.judge is None else numbered(self.judge.astype(np.int64), code)
        n_units = int(unit.max(initial=-1)) + 1
        at = np.empty(n_units, dtype=np.intp)
        at[unit] = np.arange(len(unit))
        summed = np.array([np.bincount(unit, count, n_units) for count in counts])
        judge = None if self.judge is None else self.judge[at]
        return PairCounts(low[at], high[at], summed, self.n_objects, False, judge)

    @property
    def per_item(self) -> NDArray[np.float64]:
        """Wins, ties and losses of each item, shape (3, n_objects)."""
        n = self.n_objects
        of_first = [np.bincount(self.first, count, n) for count in self.counts]
        of_second = [np.bincount(self.second, count, n) for count in self.counts[::-1]]
        return np.array(of_first, dtype=float) + np.array(of_second)

    def wins(self) -> NDArray[np.float64]:
        """Return a square matrix: how often the item of the row beat that of the column."""
        matrix = np.zeros((self.n_objects, self.n_objects))
        np.add.at(matrix, (self.first, self.second), self.counts[0])
        np.add.at(matrix, (self.second, self.first), self.counts[2])
        return matrix

    def pair_codes(self) -> NDArray[np.intp]:
        """Return a number per row, the same for the same two items."""
        low, high = np.minimum(self.first, self.second), np.maximum(self.first, self.second)
        return numbered(low.astype(np.int64) * self.n_objects + high)

    def components(self, *, strong: bool = False) -> NDArray[np.int32]:
        """Label the items by connected component; if `strong`, links lead from loser to winner."""
        won, tied, lost = self.counts > 0
        up, down = (lost | tied, won | tied) if strong else (won | tied | lost,) * 2
        heads = np.concatenate([self.first[up], self.second[down]])
        tails = np.concatenate([self.second[up], self.first[down]])
        size = (self.n_objects, self.n_objects)
        links = coo_array((np.ones(len(heads), dtype=np.int8), (heads, tails)), shape=size)
        labels: NDArray[np.int32] = connected_components(
            links, directed=True, connection="strong" if strong else "weak"
        )[1]
        return labels


def _is_several(item: object) -> bool:
    """Whether it is a collection of items."""
    is_number = isinstance(item, np.ndarray) and item.ndim == 0
    return isinstance(item, (list, tuple, set, frozenset, np.ndarray)) and not is_number


def _check_covariates(
    covariates: Mapping[str, ArrayLike] | None, n_rows: int
) -> NDArray[np.float64]:
    """Return by how much the first item has more of each covariate."""
    covariates = {} if covariates is None else covariates
    if not isinstance(covariates, Mapping):
        raise InputError(
            f"covariates must be a mapping such as {{'length': lengths}}; got"
            f" {shortened(covariates)}."
        )
    found = np.empty((n_rows, len(covariates)))
    for at, (name, values) in enumerate(covariates.items()):
        try:
            array = np.asarray(values)
        except ValueError:
            array = np.empty((0, 0))
        given = check_points(
            f"covariates[{name!r}]", array[:, None] if array.ndim == 1 else array, n_rows=n_rows
        )
        if given.shape[1] > 2:
            raise InputError(
                f"covariates[{name!r}] must have one value per row, or one for each of the two"
                f" items; it has {given.shape[1]} columns."
            )
        given = given[:, 0] - given[:, 1] if given.shape[1] == 2 else given[:, 0]
        if not given.any():
            raise InputError(
                f"covariates[{name!r}] does not differ between the two items of any row; leave it"
                " out."
            )
        found[:, at] = given
    return found


def _check_outcomes(outcomes: ArrayLike) -> NDArray[np.int8]:
    array = np.asarray(outcomes)
    if array.dtype.kind not in "iuf":
        raise InputError(
            f"outcomes must be 1 (first won), 0 (tie) or -1 (second won); got {array.dtype} data."
        )
    wrong = ~np.isin(array, (-1, 0, 1))
    if wrong.any():
        row = int(np.argmax(wrong.ravel()))
        raise InputError(
            f"outcomes must be 1 (first won), 0 (tie) or -1 (second won); entry {row} is"
            f" {array.ravel()[row]}."
        )
    return array.astype(np.int8)


def counted(number: float, word: str) -> str:
    """Return a number with its word, in the plural unless it is 1."""
    return f"{number:,.0f} {word}" + ("" if number == 1 else "s")
