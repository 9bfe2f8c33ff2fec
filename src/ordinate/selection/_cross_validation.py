"""Fit methods to what is left when each fold is held out, many at a time."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning

from ordinate._checks import InputError
from ordinate._progress import progress
from ordinate._random import RandomState, as_generator
from ordinate._threads import effective_n_jobs
from ordinate.comparisons.record import PAIR_COLUMNS, Comparisons
from ordinate.methods import load_method, names_of
from ordinate.metrics import triplet_margins
from ordinate.selection._folds import split_folds

_R = TypeVar("_R")
_NEW_QUESTIONS = 2_000


@dataclass(frozen=True)
class Fold:
    """Rows held out together, the seed of every fit to the others, and rows kept from the fit."""

    held_out: NDArray[np.intp]
    seed: int
    left_out: NDArray[np.intp] = field(default_factory=lambda: np.empty(0, dtype=np.intp))


def deal(
    comparisons: Comparisons, folds: int, by: str | None, random_state: RandomState
) -> list[Fold]:
    """Deal the rows into folds and seed the fits.

    Parameters
    ----------
    comparisons : Comparisons
        The answers.
    folds : int
        How many parts.
    by : str or None
        Name of a group that stays together, as answers to the same question always do.
    random_state : int, Generator or None
        Seed of everything.

    Returns
    -------
    list of Fold
        One for each part.
    """
    rng = as_generator(random_state)
    parts = split_folds(comparisons, folds, by=by, random_state=rng)
    questions = None if by is None else comparisons.question_groups()
    return [Fold(part, int(rng.integers(2**31)), _telltale(questions, part)) for part in parts]


def _telltale(questions: NDArray[np.intp] | None, part: NDArray[np.intp]) -> NDArray[np.intp]:
    """Find rows outside of a part that answer its questions, unless most of the others do.

    Groups that share questions with many others cannot be held out together with all of these;
    then the fit goes without the answers that would give the test away. Where that would take
    most of them, as when all participants answer the same questions, the test is one of new
    groups and not of new questions.
    """
    if questions is None:
        return np.empty(0, dtype=np.intp)
    asked = np.zeros(int(questions.max()) + 1, dtype=bool)
    asked[questions[part]] = True
    gives_away = asked[questions]
    gives_away[part] = False
    rows = np.flatnonzero(gives_away)
    return rows if 2 * len(rows) < len(questions) - len(part) else rows[:0]


@contextmanager
def without_convergence_warnings() -> Iterator[None]:
    """Keep quiet about maps that only serve to measure; their errors say how good they are."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def rows_to_fit(comparisons: Comparisons, fold: Fold) -> NDArray[np.bool_]:
    """Return which rows a map is fitted to when a fold is held out."""
    left = np.ones(len(comparisons), dtype=bool)
    left[fold.held_out] = left[fold.left_out] = False
    return left


def as_estimator(method: str | BaseEstimator) -> BaseEstimator:
    """Return the estimator of a method's name, or the one given.

    Parameters
    ----------
    method : str or estimator
        A comparable name of `ordinate.methods`, or anything that places objects in
        `n_components` dimensions.

    Returns
    -------
    estimator
        Not fitted, or not to be fitted itself.
    """
    if isinstance(method, str):
        return load_method(method, is_comparable=True)()
    if isinstance(method, BaseEstimator) and "n_components" in method.get_params():
        return method
    names = ", ".join(names_of(is_comparable=True))
    raise InputError(
        f"A method must be one of {names} or an estimator such as SOE(); got {method!r}."
    )


def label_of(method: str | BaseEstimator) -> str:
    """Return how a method is called in tables: its name, or the estimator as it was written."""
    if isinstance(method, str):
        return method
    # a loss of one's own goes by its name: an address in memory says nothing and differs per run
    return re.sub(r"<function (\S+) at 0x\w+>", r"\1", " ".join(repr(method).split()))


class Judge:
    """Looks at a fitted map: its margins on held-out answers, and what it says of new questions.

    Questions that nobody answered show how far maps of different folds disagree.

    Parameters
    ----------
    comparisons : Comparisons
        All answers; the new questions, always the same ones, are about their objects.

    Examples
    --------
    >>> import ordinate as od
    >>> from ordinate.selection._cross_validation import Judge
    >>> answers = od.datasets.load_cities().comparisons
    >>> margins, predictions = Judge(answers)(od.SOE(2).fit(answers), answers[:5])
    >>> margins.shape, predictions.dtype
    ((5,), dtype('bool'))
    """

    def __init__(self, comparisons: Comparisons) -> None:
        n_columns = comparisons.rows.shape[1]
        rng = np.random.default_rng(0)
        rows = rng.integers(comparisons.n_objects, size=(_NEW_QUESTIONS, n_columns))
        i, j, k, l = rows[:, PAIR_COLUMNS[n_columns]].T  # noqa: E741
        possible = (i != j) & (k != l) & ~((i == k) & (j == l)) & ~((i == l) & (j == k))
        self.asked = Comparisons(rows[possible], n_objects=comparisons.n_objects)

    def __call__(
        self, model: Any, held_out: Comparisons
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return margins, positive where the map agrees, and predictions."""
        return triplet_margins(held_out, model.embedding_), self.predictions(model.embedding_)

    def predictions(self, points: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which of the new questions hold on a map."""
        return np.asarray(triplet_margins(self.asked, points) > 0)


def fit_all(
    comparisons: Comparisons,
    tasks: Sequence[tuple[BaseEstimator, int, Fold]],
    measure: Callable[[BaseEstimator, Comparisons], _R],
    *,
    n_jobs: int | None,
    verbose: bool,
) -> Iterator[tuple[_R, float]]:
    """Fit each task's method in its dimension and measure the fit on the rows held out.

    Threads share the record, and the loops over comparisons run without Python's lock; each fit
    itself has one thread, so results do not depend on `n_jobs`.

    Parameters
    ----------
    comparisons : Comparisons
        The answers.
    tasks : sequence of (estimator, dimension, Fold)
        What to fit; the estimators themselves stay as they are.
    measure : callable
        Takes the fitted estimator and the comparisons held out.
    n_jobs : int or None
        How many fits run at a time, as in joblib.
    verbose : bool
        Whether to show a progress bar.

    Yields
    ------
    result : object
        What `measure` returned, in the order of the tasks.
    seconds : float
        How long the fit took.
    """

    def run(method: BaseEstimator, dimension: int, fold: Fold) -> tuple[_R, float]:
        model = clone(method).set_params(
            n_components=dimension, random_state=fold.seed, n_jobs=1, verbose=False
        )
        left = comparisons[rows_to_fit(comparisons, fold)]
        start = time.perf_counter()
        model.fit(left)
        seconds = time.perf_counter() - start
        return measure(model, comparisons[fold.held_out]), seconds

    workers = Parallel(n_jobs=effective_n_jobs(n_jobs), prefer="threads", return_as="generator")
    shown = progress("Cross-validating", total=len(tasks), enabled=verbose)
    with without_convergence_warnings(), shown as advance:
        for outcome in workers(delayed(run)(*task) for task in tasks):
            yield outcome
            advance(1)
