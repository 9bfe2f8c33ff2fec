"""Cross-validation: fits with each fold held out."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ordinate._checks import InputError
from ordinate._estimator import Estimator, clone
from ordinate._progress import progress
from ordinate._threads import effective_n_jobs
from ordinate.comparisons.record import PAIR_COLUMNS, Comparisons
from ordinate.methods import load_method, names_of
from ordinate.metrics import triplet_margins
from ordinate.solvers.folds import Fold, rows_to_fit
from ordinate.solvers.folds import split_folds as split_folds

_R = TypeVar("_R")
_NEW_QUESTIONS = 2_000


def as_estimator(method: str | Estimator) -> Any:
    """Return the estimator of a method's name, or the one given."""
    if isinstance(method, str):
        return load_method(method, is_comparable=True)()
    is_class = isinstance(method, type)  # which has the methods, too
    if isinstance(method, Estimator) and not is_class and "n_components" in method.get_params():
        return method
    names = ", ".join(names_of(is_comparable=True))
    raise InputError(
        f"A method must be one of {names} or an estimator such as SOE(); got {method!r}."
    )


def from_one_start(method: Estimator) -> Any:
    """Return the method with one start, unless its user asked for a number of them.

    A map is the best of several. Their losses differ, and what they predict hardly does: methods
    are compared as well by maps from one start, in a fifth of the time.
    """
    if method.get_params().get("n_init") != "auto":
        return method
    return clone(method).set_params(n_init=1)


def label_of(method: Any) -> str:
    """Return how a method is called in tables: its name, or the estimator as it was written."""
    if isinstance(method, str):
        return method
    if getattr(method, "features", None) is not None:
        method = clone(method).set_params(features=None)
    # a loss of one's own goes by its name: an address in memory says nothing and differs per run
    written = re.sub(r"<function (\S+) at 0x\w+>", r"\1", " ".join(repr(method).split()))
    return written.removesuffix("()")


class Judge:
    """Looks at a fitted map: its margins on held-out answers, and what it says of new questions.

    Questions that nobody answered show how far maps of different folds disagree.
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
    tasks: Sequence[tuple[Estimator, int, Fold]],
    measure: Callable[[Estimator, Comparisons], _R],
    *,
    n_jobs: int | None,
    verbose: bool,
) -> Iterator[tuple[_R, float]]:
    """Fit each task's method in its dimension and measure the fit on the rows held out.

    Threads share the record, and the loops over comparisons run without Python's lock; each fit
    itself has one thread, so results do not depend on `n_jobs`.
    """

    def run(method: Estimator, dimension: int, fold: Fold) -> tuple[_R, float]:
        model = clone(method).set_params(
            n_components=dimension, random_state=fold.seed, n_jobs=1, verbose=False
        )

        start = time.perf_counter()
        model.fit(comparisons[rows_to_fit(comparisons, fold)])
        seconds = time.perf_counter() - start
        return measure(model, comparisons[fold.held_out]), seconds

    workers = Parallel(n_jobs=effective_n_jobs(n_jobs), prefer="threads", return_as="generator")
    shown = progress("Cross-validating", total=len(tasks), enabled=verbose)
    with warnings.catch_warnings(), shown as advance:
        warnings.simplefilter("ignore", UserWarning)  # of maps that only serve to measure
        for outcome in workers(delayed(run)(*task) for task in tasks):
            yield outcome
            advance(1)
