"""`ordinate.analyze`: choose a method and a dimension, measure the error, fit the map."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ordinate._arguments import argument, parameter
from ordinate._checks import InputError, check_choice, check_dimension, weighted_mean
from ordinate._estimator import Estimator, clone
from ordinate._progress import Stages, stage
from ordinate._random import RandomState, as_seed
from ordinate.analysis.analysis import SHOWN, Analysis, Plan, hold_out, n_stages
from ordinate.comparisons.record import Comparisons
from ordinate.io.object_tables import read_names
from ordinate.io.tables import errors_naming, name_of
from ordinate.methods import METHODS, load_method
from ordinate.metrics import triplet_margins
from ordinate.metrics._triplets import expected_mistakes
from ordinate.results.object_display import read_display
from ordinate.results.provenance import Provenance, provenance_of
from ordinate.selection._compare import compare
from ordinate.selection._cross_validation import label_of
from ordinate.selection._held_out import MethodSpec
from ordinate.verbs.answers import LayoutLike, find_group, group_to_hold_out, read_answers
from ordinate.verbs.machines_on_map import can_compare_machines

Methods: TypeAlias = str | Estimator | Sequence[str | Estimator] | Mapping[str, Estimator]


def analyze(
    answers: Any,
    method: Methods | None = None,
    n_components: int | Sequence[int] | None = None,
    *,
    features: Any = None,
    folds: int = 5,
    error_folds: int | None = None,
    by: str | None = None,
    split_by: str | None = "auto",
    uncertainty: str | None = None,
    resample: str = "auto",
    show: Sequence[str] = (),
    complete: bool = False,
    objects: str | os.PathLike[str] | None = None,
    color: str | None = None,
    images: str | os.PathLike[str] | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = -1,
    verbose: bool = True,
    layout: LayoutLike = None,
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
        The method, or several to choose from; by default the methods that `compare` tries. A
        single one may be any that takes comparisons, such as ``"K1"``.
    n_components : int or sequence of int, optional
        The dimension of the map, or several to choose from; by default chosen by
        cross-validation. It is 2 for methods that `compare` does not judge.
    features : path, array-like, data frame or AnnData, shape (n_objects, n_features), optional
        Features of the objects, a row per object: they help to place objects that few or no
        answers are about. `FeatureEmbedding` with ``map="prior"`` makes the map; `method` names
        its loss. A file is .csv, .parquet, .npy or .npz; `objects` names rows without labels.
    folds : int, default=5
        Folds of the cross-validation that chooses method and dimension. `learning_curve` and
        `people` take as many.
    error_folds : int, optional
        Folds by which the error is measured, 0 to measure none; by default 20 for few answers, 5
        for many.
    by : str, optional
        Fit a map to the answers of each label of this group, such as condition, too, and test
        whether these maps differ.
    split_by : str or None, default="auto"
        Group that is held out whole; by default trials, if there are any.
    uncertainty : {"bootstrap", "posterior"}, optional
        Also say how certain the map is: by refits to 200 resamples, or by draws from the
        posterior, which suits few or careless answers of one observer.
    resample : str, default="auto"
        What the bootstrap draws: a group such as participant, or "answers"; by default the group
        that is held out, else participants if there are at least eight.
    show : sequence of str, default=()
        What to compute and print as well: methods (the comparison), noise (wrong answers and who
        gave them), learning (whether more answers would help), people (whether they differ).
    complete : bool, default=False
        Compute everything that `report` says now.
    objects : path, optional
        Table about the objects, with their names in the column "object" or the first one; a
        column "image" holds files of pictures. With `features` also a list (.txt), one per row.
    color : str, optional
        Column of `objects` that colours the map.
    images : path, optional
        Folder of pictures named after the objects.
    random_state : int, Generator or None, default=0
        Seed of folds and fits.
    n_jobs : int or None, default=-1
        Fits at a time, as in joblib; never changes the result.
    verbose : bool, default=True
        Show progress bars in terminals and notebooks, and print how a file was read.
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
    record, readings = read_answers(answers, layout, reading, verbose=verbose)
    held_out = group_to_hold_out(record.groups, split_by) if split_by else None
    plan = Plan(folds, held_out, as_seed(random_state), n_jobs, verbose)
    if features is None:
        given = _given_method(record, method, n_components)
    else:
        record, given = _with_features(record, method, n_components, features, objects)
        if objects is not None and Path(objects).suffix.lower() == ".txt":
            objects = None  # a list that names rows of features shows nothing
    _refuse_together(given, uncertainty, resample, complete=complete)
    for name in show:
        check_choice("show", name, SHOWN)
    display = read_display(record.names or range(record.n_objects), objects, color, images)
    by = find_group(record.groups, by)
    if by is not None:
        record.group_codes(by)  # refuses a group that is not there
    total = (given is None) + (error_folds != 0) + 1 + (uncertainty is not None)
    total += by is not None
    with Stages(n_stages(record, plan.by) if complete else total).counting():
        analysis = _analyze(record, given, method, n_components, error_folds, plan, start)
        analysis = replace(
            analysis, provenance=provenance_of(analyze, asked, readings), display=display
        )
        drawn: str | None = split_by if resample == "auto" and split_by else resample
        drawn = None if drawn == "answers" else find_group(record.groups, drawn)
        if uncertainty is not None:
            analysis.uncertainty(uncertainty, by=drawn)
        if by is not None:
            analysis.by_group(by)
        if can_compare_machines(record, analysis._spec):
            analysis.machines()
        analysis = analysis.showing(show)
        return analysis.complete(drawn) if complete else analysis


def _refuse_together(
    given: MethodSpec | None, uncertainty: str | None, resample: str, *, complete: bool
) -> None:
    """Refuse what has no meaning, before anything is computed."""
    if resample != "auto" and uncertainty != "bootstrap" and not complete:
        raise InputError(
            f"{parameter('resample')} is for the bootstrap; add"
            f" {argument('uncertainty', 'bootstrap')}."
        )
    if uncertainty is not None:
        check_choice("uncertainty", uncertainty, ("bootstrap", "posterior"))
        if given is not None and given.is_kernel:
            raise InputError(
                f"{parameter('uncertainty')} needs a method that places objects; {given.method}"
                f" gives similarities. Choose another {parameter('method')}."
            )


def _analyze(
    record: Comparisons,
    given: MethodSpec | None,
    method: Methods | None,
    n_components: Any,
    error_folds: int | None,
    plan: Plan,
    start: float,
) -> Analysis:
    """Choose method and dimension unless they are given, measure the error, fit the map."""
    table = margins = None
    if given is None:
        with stage():
            table = compare(record, method, n_components, folds=plan.folds, **plan.shared)
        row = table.choice
        given = MethodSpec(row.method, row.estimator, row.dimension)
    if error_folds != 0:
        with stage():
            margins = hold_out(record, given, error_folds, plan)
    with stage():
        unfitted = given.unfitted(plan.seed, n_jobs=plan.n_jobs, verbose=plan.verbose)
        model = unfitted.fit(record)
    points = given.points(model)
    return Analysis(
        answers=record,
        description=record.describe(),
        choice=table,
        method=given.method,
        dimension=int(points.shape[1]),  # which a method may find itself
        model=model,
        points=points,
        error=margins.error if margins else None,
        train_error=weighted_mean(
            expected_mistakes(triplet_margins(record, points)), record.weights
        ),
        plan=plan,
        seconds=time.perf_counter() - start,
        _spec=given,
        _margins=margins,
        provenance=Provenance(),
    )


def _given_method(
    answers: Comparisons, method: Methods | None, n_components: Any
) -> MethodSpec | None:
    """Return the way that was given, None if it is to be chosen."""
    if isinstance(method, type):
        raise InputError(
            f"method must be a name or an estimator; got a class. Pass {method.__name__}()."
        )
    estimator = load_method(method, takes="comparisons")() if isinstance(method, str) else method
    if not isinstance(estimator, Estimator):
        return None
    known = METHODS.get(type(estimator).__name__)
    if n_components is None and known is not None and not known.has_starts:
        n_components = 2  # it is slow, or its map is a picture of similarities
    if n_components is None and known is not None and known.name == "LORE":
        n_components = min(
            estimator.get_params()["n_components"], answers.n_objects - 1
        )  # it finds how many
    if not isinstance(n_components, int | np.integer):
        return None
    dimension = check_dimension("n_components", n_components, answers.n_objects)
    return MethodSpec(label_of(method), estimator, dimension)


def _with_features(
    answers: Comparisons, method: Any, n_components: Any, features: Any, objects: Any
) -> tuple[Comparisons, MethodSpec]:
    """Return the answers, about all objects that have features, and how their map is made."""
    from ordinate.engine.likelihoods import LIKELIHOODS
    from ordinate.features.alignment import join_features, join_named_features, names_of_rows
    from ordinate.features.files import is_annotated, read_object_features

    kind = load_method("FeatureEmbedding")
    estimator = method if isinstance(method, kind) else kind(**{"loss": method} if method else {})
    if estimator.loss not in LIKELIHOODS:
        raise InputError(
            f"With features, {argument('method')} names a loss, one of {', '.join(LIKELIHOODS)};"
            f" got {estimator.loss!r}."
        )
    if isinstance(features, str | os.PathLike) or is_annotated(features):
        read = read_object_features(features)
        with errors_naming(name_of(features, "features")):
            labels = names_of_rows(answers, read, None if objects is None else read_names(objects))
            record, rows = join_named_features(answers, labels, read.dense())
    else:
        record, rows = join_features(answers, features)
    dimension = check_dimension("n_components", n_components or 2, len(rows))
    told = clone(estimator).set_params(features=rows)
    return record, MethodSpec(label_of(estimator), told, dimension)
