"""Whether answers hold any structure: a map of the answers against maps of coin flips."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray

from ordinate._checks import check_integer
from ordinate._estimator import clone
from ordinate._notebooks import ShownAsTable
from ordinate._progress import progress
from ordinate._random import RandomState, as_generator
from ordinate._threads import effective_n_jobs
from ordinate.comparisons.inputs import as_comparisons, record_to_fit
from ordinate.comparisons.record import Comparisons
from ordinate.metrics import triplet_error
from ordinate.solvers.stopping import without_convergence_warnings
from ordinate.uncertainty._bootstrap import quiet_clone, resampling_units

_MAX_ITER = 50
"""Iterations of each fit: enough to see structure, and the same for answers and for coins."""


@dataclass(frozen=True, eq=False)
class StructureTest(ShownAsTable):
    """The result of `structure_test`.

    Attributes
    ----------
    error : float
        Share of the answers that their map contradicts.
    random_errors : ndarray of shape (n_permutations,)
        The same for maps of random responses.
    p_value : float
        How often coins are fitted as well; at least 1 / (n_permutations + 1).

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities().comparisons
    >>> test = od.uncertainty.structure_test(od.STE(), answers, n_permutations=19, random_state=0)
    >>> test.p_value
    0.05
    """

    error: float
    random_errors: NDArray[np.float64]
    p_value: float

    def __str__(self) -> str:
        return (
            f"A quick fit misses {self.error:.1%} of the answers and"
            f" {self.random_errors.mean():.1%} of random ones (p = {self.p_value:.3g})"
        )


def structure_test(
    model: Any,
    comparisons: Comparisons | ArrayLike,
    *,
    by: str | None = None,
    n_permutations: int = 99,
    random_state: RandomState = None,
    n_jobs: int | None = -1,
    verbose: bool = False,
) -> StructureTest:
    """Test whether a map fits the answers better than random responses.

    All answers to a question (or all rows of a trial) are turned round together or not at all,
    at random: if there is no structure, these answers are as good as the true ones, whatever
    the method. Each set is fitted in the same way, with few iterations, and judged by the loss
    there (by the share of answers it contradicts, if a method has no loss).

    Parameters
    ----------
    model : estimator
        What makes a map, such as ``STE(2)``; it stays as it is.
    comparisons : Comparisons or array-like of int, shape (n_comparisons, 3 or 4)
        The answers.
    by : str, optional
        Name of a group whose rows are turned round together; by default trials, where the
        record has them, and answers to the same question.
    n_permutations : int, default=99
        Sets of random responses.
    random_state : int, Generator or None, default=None
        Seed; the same seed gives the same bits, whatever `n_jobs`.
    n_jobs : int or None, default=-1
        Fits at a time, as in joblib.
    verbose : bool, default=False
        Show a progress bar.

    Returns
    -------
    StructureTest
        Its p-value is exact: without structure it is at most 0.05 in 5 % of cases.

    See Also
    --------
    ordinate.map_uncertainty : Uncertainty of a map.

    Examples
    --------
    >>> import numpy as np, ordinate as od
    >>> coins = np.random.default_rng(0).random(300) < 0.5
    >>> answers = od.Comparisons(od.datasets.load_cities().comparisons.rows[:300], coins)
    >>> test = od.uncertainty.structure_test(od.STE(), answers, n_permutations=9, random_state=0)
    >>> test.p_value > 0.1
    True
    """
    record = record_to_fit(comparisons)
    check_integer("n_permutations", n_permutations, minimum=1)
    units = resampling_units(record, by)
    rng = as_generator(random_state)
    plain = quiet_clone(clone(model))  # what the answers had it choose would favour them
    if "max_iter" in plain.get_params():
        plain.set_params(max_iter=_MAX_ITER)
    seed = int(rng.integers(2**31))
    n_units = int(units.max()) + 1

    with progress("Testing for structure", total=n_permutations + 1, enabled=verbose) as advance:

        def misfit(coins: np.random.Generator | None) -> tuple[float, float]:
            answers = record
            if coins is not None:
                answers = as_comparisons(record, coins.random(n_units)[units] < 0.5)
            fit = clone(plain).set_params(random_state=seed).fit(answers)
            advance(1)
            error = triplet_error(answers, fit.embedding_)
            return float(getattr(fit, "loss_", error)), error

        with without_convergence_warnings():
            found = Parallel(n_jobs=effective_n_jobs(n_jobs), prefer="threads")(
                delayed(misfit)(coins) for coins in (None, *rng.spawn(n_permutations))
            )
    losses, errors = np.array(found).T
    p_value = (1 + np.count_nonzero(losses[1:] <= losses[0])) / (1 + n_permutations)
    return StructureTest(float(errors[0]), errors[1:], float(p_value))
