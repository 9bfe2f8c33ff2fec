"""Whether answers were read the right way round: near is near, and far is far."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array

from ordinate._arguments import argument
from ordinate._checks import InputError
from ordinate._random import RandomState, as_generator, as_seed
from ordinate.comparisons.inputs import record_to_fit
from ordinate.comparisons.record import PAIR_COLUMNS, Comparisons
from ordinate.methods import load_method
from ordinate.selection._held_out import held_out_error

_DRAWS = 199
"""Draws of answers at random, each of which must be more consistent than what was read."""
_MOST_ANSWERS = 50_000
_MOST_DENSE = 1000
"""Up to this many objects a matrix of pairs is dense."""
_DIMENSION, _FOLDS = 2, 5


@dataclass(frozen=True)
class AnswerDirection:
    """Whether answers fit better with near and far exchanged.

    Attributes
    ----------
    p_value : float
        Chance that answers at random agree as little with one another as these do; 1 unless they
        agree better the other way round.
    error, reversed_error : float
        Share of held-out answers that maps get wrong, as they were read and with near and far
        exchanged; NaN unless the chance is at most 1 in 200.
    n_answers : int
        Answers that were looked at, at most 50,000.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities(2000).comparisons
    >>> print(od.check_direction(answers, random_state=0))
    Nothing suggests that near and far were exchanged.
    """

    p_value: float
    error: float
    reversed_error: float
    n_answers: int

    @property
    def is_reversed(self) -> bool:
        """Whether the answers were most likely read the wrong way round."""
        return self.reversed_error < self.error

    def __str__(self) -> str:
        if not self.is_reversed:
            return "Nothing suggests that near and far were exchanged."
        return (
            "These answers fit better the other way round: maps get"
            f" {self.reversed_error:.0%} of held-out answers wrong if near and far are exchanged,"
            f" and {self.error:.0%} as they were read."
        )


def check_direction(
    comparisons: Comparisons | ArrayLike, *, random_state: RandomState = None
) -> AnswerDirection:
    """Find out whether answers were read the wrong way round.

    What is near to one object is near to each other more often than not. The check counts, over
    all triples of objects and answers to different questions, how often that holds; with near and
    far exchanged the count changes its sign. It is compared with answers at random, and if those
    are always more consistent, maps are fitted to both readings.

    Parameters
    ----------
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        The answers.
    random_state : int, Generator or None, default=None
        Seed of the draws and of the folds.

    Returns
    -------
    AnswerDirection
        Prints as a sentence. Answers at random are called exchanged in 1 of 200 cases at most.

    See Also
    --------
    Comparisons.reversed : The answers the other way round.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities(2000).comparisons
    >>> od.check_direction(answers.reversed(), random_state=0).is_reversed
    True
    """
    record = record_to_fit(comparisons)
    seed = as_seed(random_state)
    rng = as_generator(seed)
    by = "trial" if "trial" in record.groups else None
    if len(record) > _MOST_ANSWERS:
        record = record.sample(_MOST_ANSWERS, random_state=rng)
    agreement = _Agreement(record, record.question_groups(by, largest=1 / _FOLDS))
    p_value = agreement.chance(rng)
    error = reversed_error = float("nan")
    if p_value < 1:
        with suppress(InputError):  # too few to hold some of them out
            error, reversed_error = (
                held_out_error(part, _place, folds=_FOLDS, by=by, random_state=seed).error
                for part in (record, record.reversed())
            )
    return AnswerDirection(p_value, error, reversed_error, len(record))


def warn_if_reversed(
    answers: Comparisons, opposites: Iterable[tuple[str, Any] | None], *, stacklevel: int = 3
) -> None:
    """Warn if answers fit better the other way round, and say which argument reads them so."""
    direction = check_direction(answers, random_state=0)
    if direction.is_reversed:
        known = set(opposites)
        other = known.pop() if len(known) == 1 else None
        advice = f"Try {argument(*other)}." if other else "Check how the answers are coded."
        warnings.warn(f"{direction} {advice}", stacklevel=stacklevel)


def other_coding_fits_better(answers: Comparisons, other: Comparisons) -> str | None:
    """Say it if another reading of the same file fits better than chance can explain."""
    errors = []
    for record in (answers, other):
        by = "trial" if "trial" in record.groups else None
        part = record.sample(min(_MOST_ANSWERS, len(record)), random_state=0)
        try:
            errors.append(held_out_error(part, _place, folds=_FOLDS, by=by, random_state=0))
        except InputError:  # too few to hold some of them out
            return None
    read, otherwise = errors
    if otherwise.high >= read.low:
        return None
    return (
        f"These answers fit far better in another coding: maps get {otherwise.error:.0%} of"
        f" held-out answers wrong, and {read.error:.0%} as they were read."
    )


def _place(answers: Comparisons) -> NDArray[np.float64]:
    """Return a map; the check asks which of two readings fits better, not how well."""
    dimension = min(_DIMENSION, answers.n_objects - 1)
    points: NDArray[np.float64] = (
        load_method("STE")(dimension, random_state=0).fit(answers).embedding_
    )
    return points


class _Agreement:
    """How far answers to different questions agree about which objects are near to each other.

    Every pair of objects has a balance, how often it was called near less how often far; the
    measure is the sum of the products of balances over all triangles. Products of answers to one
    question or of one trial are left out: they say how a trial becomes comparisons.
    """

    def __init__(self, record: Comparisons, units: NDArray[np.intp]) -> None:
        n = self._n_objects = record.n_objects
        ends = record.rows[:, PAIR_COLUMNS[record.rows.shape[1]]].astype(np.int64)
        low = np.minimum(ends[:, [0, 2]], ends[:, [1, 3]]).T.ravel()
        high = np.maximum(ends[:, [0, 2]], ends[:, [1, 3]]).T.ravel()
        pairs, pair = np.unique(low * n + high, return_inverse=True)
        self.n_units = int(units.max()) + 1
        keys, entry = np.unique(np.tile(units, 2) * len(pairs) + pair, return_inverse=True)
        weights = np.ones(len(record)) if record.weights is None else record.weights
        self._unit, pair = np.divmod(keys, len(pairs))
        self._low, self._high = np.divmod(pairs[pair], n)
        # a question that was asked again and again does not outweigh all others
        times = np.bincount(pair, minlength=len(pairs))
        self._balance = (
            np.bincount(entry, np.concatenate([weights, -weights])) / np.sqrt(times)[pair]
        )
        self._within_units()

    def _within_units(self) -> None:
        """Sum the products of two and of three balances from one unit."""
        objects, at = np.unique(
            [self._unit * self._n_objects + end for end in (self._low, self._high)],
            return_inverse=True,
        )
        i, j = at.reshape(2, -1)
        blocks = _symmetric(i, j, self._balance, len(objects), dense=False)
        two = (blocks @ blocks).tocoo()
        unit, number = np.divmod(objects, self._n_objects)
        self._two = _matrix(number[two.row], number[two.col], two.data, self._n_objects)
        self._three = np.bincount(unit, (two.tocsr() * blocks).sum(axis=1), minlength=self.n_units)

    def measure(self, signs: NDArray[np.float64]) -> float:
        """Return the agreement if the answers of some units, those of sign -1, are reversed."""
        balance = _symmetric(
            self._low, self._high, self._balance * signs[self._unit], self._n_objects
        )
        all_products = ((balance @ balance) * balance).sum()
        return float(all_products - 3 * (self._two * balance).sum() + 2 * self._three @ signs)

    def chance(self, rng: np.random.Generator) -> float:
        """Return how often answers at random agree no better; 1 as soon as it is no rare event."""
        found = self.measure(np.ones(self.n_units))
        if found >= 0:
            return 1.0
        for _ in range(_DRAWS):
            if self.measure(rng.choice([-1.0, 1.0], self.n_units)) <= found:
                return 1.0
        return 1 / (_DRAWS + 1)


def _symmetric(
    i: NDArray[Any], j: NDArray[Any], values: NDArray[np.float64], size: int, dense: bool = True
) -> Any:
    ends = np.concatenate([i, j]), np.concatenate([j, i])
    return _matrix(*ends, np.tile(values, 2), size, dense)


def _matrix(
    i: NDArray[Any], j: NDArray[Any], values: NDArray[np.float64], size: int, dense: bool = True
) -> Any:
    """Return a square matrix of sums; sparse if it is large."""
    if dense and size <= _MOST_DENSE:
        return np.bincount(i * size + j, values, minlength=size**2).reshape(size, size)
    return coo_array((values, (i, j)), shape=(size, size)).tocsr()
