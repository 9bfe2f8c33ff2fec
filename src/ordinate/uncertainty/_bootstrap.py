"""Bootstrap: maps of answers resampled with replacement."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ordinate._checks import InputError
from ordinate._estimator import clone
from ordinate._progress import progress
from ordinate._threads import effective_n_jobs
from ordinate.comparisons.inputs import as_comparisons
from ordinate.comparisons.record import Comparisons

MANY_PARTICIPANTS = 8
"""From so many on, whole participants are drawn unless something else is asked for: a bootstrap of
fewer knows too little of how people differ."""


def group_to_draw(comparisons: Comparisons, by: str | None) -> str | None:
    """Return the group that is drawn whole; for "auto" participants, where they are enough."""
    if by != "auto" or "auto" in comparisons.groups:
        return by
    if "participant" not in comparisons.groups:
        return None
    n_people = int(comparisons.group_codes("participant").max(initial=-1)) + 1
    return "participant" if n_people >= MANY_PARTICIPANTS else None


def resampling_units(comparisons: Comparisons, by: str | None) -> NDArray[np.intp]:
    """Say which rows are drawn together."""
    if by is None:
        trial = "trial" if "trial" in comparisons.groups else None
        units = comparisons.question_groups(trial, largest=0.1)
        what = "questions"
    else:
        units = comparisons.group_codes(by)
        what = f"groups of {by!r}"
    n_units = int(units.max(initial=-1)) + 1
    if n_units < 2:
        raise InputError(
            f"The bootstrap needs at least two {what}; there is {n_units}."
            + (" Leave out by, or collect more." if by else " Collect more.")
        )
    return units


def bootstrap_draws(
    model: Any,
    comparisons: Comparisons,
    starts: list[NDArray[np.float64]],
    units: NDArray[np.intp],
    n_draws: int,
    rng: np.random.Generator,
    align: Callable[[NDArray[np.float64]], NDArray[np.float32]],
    *,
    features: Any = None,
    n_jobs: int | None,
    verbose: bool,
) -> NDArray[np.float32]:
    """Fit the model to answers drawn with replacement, and keep the coordinates alone."""
    n_units = int(units.max()) + 1
    weights = np.ones(len(comparisons)) if comparisons.weights is None else comparisons.weights
    plain = quiet_clone(model)

    with progress("Bootstrapping", total=n_draws, enabled=verbose) as advance:

        def refit(seed: np.random.Generator) -> NDArray[np.float32]:
            counts = np.bincount(seed.integers(n_units, size=n_units), minlength=n_units)[units]
            # an object without features that is not drawn is still known
            drawn = np.flatnonzero(counts) if features is None else np.arange(len(counts))
            record = as_comparisons(comparisons[drawn], weights=(weights * counts)[drawn])
            given = {"X": record} if features is None else {"X": record, "features": features}
            found = align(_best_fit(plain, given, starts, int(seed.integers(2**31))))
            advance(1)
            return found

        with warnings.catch_warnings():
            # what the model's own fit had to say, it has said
            warnings.simplefilter("ignore", UserWarning)
            maps = Parallel(n_jobs=effective_n_jobs(n_jobs), prefer="threads")(
                delayed(refit)(seed) for seed in rng.spawn(n_draws)
            )
    return np.stack(maps)


def quiet_clone(model: Any) -> Any:
    """Return the model unfitted, silent and on one thread: fits run side by side.

    What its fit has chosen besides the map, such as a penalty, stays as it is. What it estimates,
    such as a lapse rate or a prior from features, is estimated again: on people's answers intervals
    at a held rate are too narrow.
    """
    settings: dict[str, Any] = {"n_jobs": 1, "verbose": False, "n_init": 1, "callback": None}
    known = model.get_params(deep=False)
    chosen = {
        name: getattr(model, f"{name}_", value)
        for name, value in known.items()
        if isinstance(value, str) and value == "auto" and name != "prior"
    }
    return clone(model).set_params(**chosen | {k: v for k, v in settings.items() if k in known})


def _best_fit(
    plain: Any, given: dict[str, Any], starts: list[NDArray[np.float64]], seed: int
) -> NDArray[np.float64]:
    known = plain.get_params(deep=False)
    settings = {"random_state": seed} if "random_state" in known else {}
    if "init" not in known or not starts:
        found: NDArray[np.float64] = clone(plain).set_params(**settings).fit(**given).embedding_
        return found
    fits = [clone(plain).set_params(init=start, **settings).fit(**given) for start in starts]
    best: NDArray[np.float64] = min(fits, key=lambda fit: fit.loss_).embedding_
    return best
