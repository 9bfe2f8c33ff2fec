"""`ordinate.analyze`: choose a method and a dimension, measure the error, fit the map."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator

from ordinate._arguments import argument
from ordinate._checks import InputError, check_dimension
from ordinate._progress import Stages, stage
from ordinate._random import RandomState, as_seed
from ordinate.analysis.analysis import Analysis, Plan, hold_out
from ordinate.comparisons.inputs import as_comparisons
from ordinate.comparisons.labels import warn_of_labels
from ordinate.comparisons.partitions import PartitionedComparisons
from ordinate.comparisons.record import Comparisons
from ordinate.comparisons.trials import Trials
from ordinate.io.layout import Layout, layout_for
from ordinate.io.read import read_log
from ordinate.io.rows import Reading
from ordinate.io.tables import refuse_options
from ordinate.methods import METHODS, load_method
from ordinate.metrics import triplet_error
from ordinate.results.provenance import Provenance
from ordinate.selection._compare import compare
from ordinate.selection._cross_validation import label_of
from ordinate.selection._direction import warn_if_reversed
from ordinate.selection._held_out import MethodSpec

Methods: TypeAlias = (
    str | BaseEstimator | Sequence[str | BaseEstimator] | Mapping[str, BaseEstimator]
)


def analyze(
    answers: Any,
    method: Methods | None = None,
    n_components: int | Sequence[int] | None = None,
    *,
    features: Any = None,
    folds: int = 5,
    error_folds: int | None = None,
    by: str | None = "auto",
    random_state: RandomState = None,
    n_jobs: int | None = -1,
    verbose: bool = False,
    layout: Layout | str | os.PathLike[str] | None = None,
    **reading: Any,
) -> Analysis:
    """Make a map of answers and say how far to trust it.

    Method and dimension, unless both are given, are chosen by cross-validation. The error is that
    of maps made in the same way, on answers held out from them. The map is fitted to all answers.

    Parameters
    ----------
    answers : path, frame, array-like or Comparisons
        The answers; what is no record is read as `read_comparisons` does.
    method : str, estimator, sequence of them, or mapping, optional
        The method, or those to choose from, as `compare` takes them; by default the methods that
        `compare` tries. A single one may be any that takes comparisons, such as ``"K1"``.
    n_components : int or sequence of int, optional
        The dimension, or those to choose from; by default as `compare` tries them, and 2 for
        methods that `compare` does not judge.
    features : array-like or data frame of shape (n_objects, n_features), optional
        Features of the objects, by which and by the answers `FeatureEmbedding` makes the map; then
        `method` names its loss.
    folds : int, default=5
        Number of folds by which method and dimension are chosen, and of `learning_curve` and
        `people`.
    error_folds : int, optional
        Number of folds by which the error is measured; 0 measures none. By default 20 for few
        answers, 5 for many.
    by : str or None, default="auto"
        Name of a group that is held out whole; "auto" holds out trials where there are any.
    random_state : int, Generator or None, default=None
        Seed of folds and fits.
    n_jobs : int or None, default=-1
        Fits at a time, as in joblib; never changes the result.
    verbose : bool, default=False
        Show progress bars.
    layout : Layout or path, optional
        How answers that are no record are to be read, as in `read_comparisons`.
    **reading
        Further parameters of `read_comparisons`: `question`, `columns`, `answer`, `coding`,
        `weight`, `groups`, `where`, `exclude`, `respondent`, `on_invalid`, `reverse`, ….

    Returns
    -------
    Analysis
        Print it, take its ``model`` and ``error``, ask it for ``uncertainty()``, ``noise()`` and
        ``people()``, and write it down by ``save("map.csv")`` and ``report("page.html")``.

    See Also
    --------
    compare : The choice alone.
    map_uncertainty : More about the uncertainty of a map.

    Examples
    --------
    >>> import ordinate as od
    >>> answers = od.datasets.load_cities(2000).comparisons
    >>> analysis = od.analyze(answers, ["SOE", "CKL"], [1, 2], random_state=0)
    >>> analysis.dimension
    2
    >>> print(str(analysis.error)[-50:])
    each by a map that was not fitted to it (20 folds)
    """
    asked, start = locals(), time.perf_counter()
    asked |= asked.pop("reading")
    record, readings = _read(answers, layout, reading)
    plan = Plan(folds, _group_to_hold_out(record, by), as_seed(random_state), n_jobs, verbose)
    if features is None:
        given = _given_method(record, method, n_components)
    else:
        record, given = _with_features(record, method, n_components, features)
    stages = Stages((given is None) + (error_folds != 0) + 1)
    table = None
    with stages.counting():
        if given is None:
            with stage():
                table = compare(record, method, n_components, folds=folds, **plan.shared)
            row = table.choice
            given = MethodSpec(row.method, row.estimator, row.dimension)
        margins = None
        if error_folds != 0:
            with stage():
                margins = hold_out(record, given, error_folds, plan)
        with stage():
            model = given.fit(given.unfitted(plan.seed, n_jobs=n_jobs, verbose=verbose), record)
    points = given.points(model)
    return Analysis(
        answers=record,
        description=record.describe(),
        choice=table,
        method=given.method,
        dimension=given.dimension,
        model=model,
        points=points,
        error=margins.error if margins else None,
        train_error=triplet_error(record, points),
        plan=plan,
        seconds=time.perf_counter() - start,
        _spec=given,
        _margins=margins,
        _provenance=_provenance_of(answers, readings, asked),
    )


def _read(
    answers: Any, layout: Layout | str | os.PathLike[str] | None, reading: Mapping[str, Any]
) -> tuple[Comparisons, list[Reading]]:
    """Return the record, or read what is none and say how; warn if it was read back to front."""
    if isinstance(answers, Trials | Comparisons | PartitionedComparisons):
        refuse_options(layout=layout, **reading)
        record = answers.to_comparisons() if isinstance(answers, Trials) else answers
        return as_comparisons(record), []
    record, how = read_log(answers, layout_for(answers, layout, reading))
    warn_of_labels(record.names)
    warn_if_reversed(record, [how.opposite], stacklevel=4)
    return record, [how]


def _provenance_of(
    answers: Any, readings: Sequence[Reading], asked: Mapping[str, Any]
) -> Provenance:
    """Say how the answers were read, and what to type for the same analysis once more."""
    defaults = signature(analyze).parameters
    given = [
        f"{name}={name if name == 'features' else _as_typed(value)}"
        for name, value in asked.items()
        if name not in ("answers", "n_jobs", "verbose")
        and (name not in defaults or value is not defaults[name].default)
    ]
    path = Path(answers) if isinstance(answers, str | os.PathLike) else None
    named = repr(str(path)) if path else "answers"
    commands = [
        "import ordinate as od",
        f"analysis = od.analyze({', '.join([named, *given])})",
        'analysis.report("report.html")',
    ]
    if path is None:
        return Provenance(commands=commands, readings=readings)
    return Provenance(path.name, [path], commands, readings=readings)


def _as_typed(value: Any) -> str:
    """Return an argument as one types it, methods of Ordinate with their package."""
    if isinstance(value, BaseEstimator):
        return f"od.{label_of(value)}" + "()" * (")" not in label_of(value))
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{name!r}: {_as_typed(one)}' for name, one in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_as_typed, value))}]"
    return repr(value)


def _group_to_hold_out(answers: Comparisons, by: str | None) -> str | None:
    """Return the group asked for, or trials where there are any: their answers belong together."""
    if by != "auto":
        return by
    return "trial" if "trial" in answers.groups else None


def _given_method(
    answers: Comparisons, method: Methods | None, n_components: Any
) -> MethodSpec | None:
    """Return the way that was given, None if it is to be chosen."""
    if isinstance(method, type):
        raise InputError(
            f"method must be a name or an estimator; got a class. Pass {method.__name__}()."
        )
    estimator = load_method(method, takes="comparisons")() if isinstance(method, str) else method
    if not isinstance(estimator, BaseEstimator):
        return None
    known = METHODS.get(type(estimator).__name__)
    if n_components is None and known is not None and not known.has_starts:
        n_components = 2  # it is slow, or its map is a picture of similarities
    if not isinstance(n_components, int | np.integer):
        return None
    dimension = check_dimension("n_components", n_components, answers.n_objects)
    return MethodSpec(label_of(method), estimator, dimension)


def _with_features(
    answers: Comparisons, method: Any, n_components: Any, features: Any
) -> tuple[Comparisons, MethodSpec]:
    """Return the answers, about all objects that have features, and how their map is made."""
    from ordinate.engine.likelihoods import LIKELIHOODS
    from ordinate.features.alignment import join_features

    kind = load_method("FeatureEmbedding")
    estimator = method if isinstance(method, kind) else kind(**{"loss": method} if method else {})
    if estimator.loss not in LIKELIHOODS:
        raise InputError(
            f"With features, {argument('method')} names a loss, one of {', '.join(LIKELIHOODS)};"
            f" got {estimator.loss!r}."
        )
    record, rows = join_features(answers, features)
    dimension = check_dimension("n_components", n_components or 2, len(rows))
    return record, MethodSpec(label_of(estimator), estimator, dimension, rows)
