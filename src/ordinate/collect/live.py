"""A map or ranking of the answers so far, how well it predicts others, and what is missing.

The server runs this as a process of its own, at low priority: a fit never holds up an answer.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ordinate as od
from ordinate._checks import InputError
from ordinate._random import as_generator
from ordinate.collect.export import answers_to
from ordinate.collect.store import reading, study_of
from ordinate.collect.study import Study
from ordinate.comparisons.pairs import Pairs
from ordinate.comparisons.record import Comparisons
from ordinate.features.files import read_features_of
from ordinate.scales.diagnostics import held_out
from ordinate.selection._learning_curve import LearningCurve
from ordinate.selection._noise import repeated_questions
from ordinate.solvers.intervals import CONFIDENCE

_RANKED = ("rank", "score", "lower", "upper", "rank_low", "rank_high")
GUESSED = 0.5
"""Share of new comparisons that are right by guessing."""
NOT_KNOWN = "Not known yet: the map of each condition must predict new answers first."
"""Two maps of little but chance differ more than the test expects."""
MOST_ROWS = 20_000
"""Comparisons of a larger study that the live fit takes, at random; the export has all."""


def features_of(study: Study) -> NDArray[np.float64] | None:
    """Return a row of features for each item of a study or block, if it has a table of them."""
    if not study.general.features:
        return None
    return read_features_of(study.folder / study.general.features, list(study.items))


def fit_so_far(folder: Path, which: str) -> dict[str, Any]:
    """Fit a map or a ranking to the answers to each block, of each condition if there are some.

    Each is judged by answers held out; where people of several conditions answered a block, a test
    says whether they differ.
    """
    parts: list[dict[str, Any]] = []
    differences = []
    with reading(folder, which) as connection:
        study = study_of(connection, folder)
        found = []
        for name, block in study.blocks.items():
            try:
                found.append((name, block, answers_to(connection, study, name)))
            except InputError as error:
                parts.append({"block": name, "condition": "", "advice": str(error)})
    for name, block, answers in found:
        condition = answers.groups.get("condition", np.full(len(answers), ""))
        conditions = np.unique(condition).tolist()
        fits = [_fit(answers[condition == own], block, study) for own in conditions]
        _lay_over([fit["map"] for fit in fits if "map" in fit])
        named = zip(conditions, fits, strict=True)
        parts += [{"block": name, "condition": own, **fit} for own, fit in named]
        if len(conditions) > 1:
            known = all("ranking" in fit or fit.get("low", 0.0) > GUESSED for fit in fits)
            try:
                said = _differences(answers, block) if known else NOT_KNOWN
            except InputError as error:
                said = str(error)
            differences.append({"block": name, "text": said})
    return {"parts": parts, "differences": differences}


def _lay_over(maps: Sequence[list[dict[str, Any]]]) -> None:
    """Turn maps of a block so that they lie over the first one, if they show the same items."""
    for places in maps[1:]:
        if [place["label"] for place in places] == [place["label"] for place in maps[0]]:
            own, onto = ([[place["x"], place["y"]] for place in one] for one in (places, maps[0]))
            turned = od.metrics.procrustes_align(own, onto).tolist()
            for place, (x, y) in zip(places, turned, strict=True):
                place |= {"x": x, "y": y}


def _differences(answers: Comparisons | Pairs, block: Study) -> str:
    """Say whether the answers of people in several conditions differ."""
    if isinstance(answers, Pairs):
        conditions = od.rank(answers, by="condition").conditions
        return conditions.say(0.95) if conditions else ""
    answers = _some(answers)
    analysis = od.analyze(answers, "SOE", block.dimension, error_folds=0, verbose=False, n_jobs=1)
    return str(analysis.by_group("condition"))


def _some(answers: Comparisons) -> Comparisons:
    if len(answers) > MOST_ROWS:
        return answers.sample(MOST_ROWS, random_state=0)
    return answers


def _fit(answers: Comparisons | Pairs, block: Study, study: Study) -> dict[str, Any]:
    """Fit a map or a ranking to answers to a block, and judge it by answers held out."""
    if isinstance(answers, Pairs):
        return _rank(answers, study)
    agreement = repeated_questions(answers[answers.groups["pool"] == "validation"])
    answers, dimension = _some(answers), block.dimension
    features = features_of(study)
    model: Any = od.SOE(random_state=0, n_jobs=1)
    if features is not None:
        model = od.FeatureEmbedding(features=features, random_state=0, n_jobs=1)
    try:
        curve = od.learning_curve(answers, model, dimension, by="trial", random_state=0, n_jobs=1)
        curve = judged_by(curve, answers.groups["pool"] != "adaptive")
    except InputError as error:
        return {"advice": f"Too few answers to judge a map: {error}"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of items without features or answers
        points = model.set_params(n_components=dimension).fit(answers).embedding_
    last = curve.points[-1]
    compared = set(answers.rows.ravel().tolist())  # other blocks may have items of their own
    places = [
        {"label": item.label, "media": item.media if item.kind == "image" else None}
        | {"x": float(point[0]), "y": float(point[1]) if dimension > 1 else 0.0}
        for number, (item, point) in enumerate(zip(study.items.values(), points, strict=True))
        if number in compared or features is not None
    ]
    agree = f"Of the questions that everyone is asked, {agreement}." * (agreement.n_pairs > 0)
    judged = {"accuracy": 1 - last.error, "low": 1 - last.high, "high": 1 - last.low}
    judged |= {"n_answers": len(answers), "confidence": CONFIDENCE}
    return {**judged, "advice": curve.advice, "agreement": agree, "map": places}


def _rank(answers: Pairs, study: Study) -> dict[str, Any]:
    """Rank the items, with simultaneous ranges of ranks, and judge it by answers held out."""
    found = od.rank(answers)
    table, model = found.table, found.model
    labels = {item.item_id: item.label for item in study.items.values()}
    rows = zip(table["object"], *(table[key] for key in _RANKED), strict=True)
    items = [
        {"label": labels[name], **dict(zip(_RANKED, map(float, row), strict=True))}
        for name, *row in rows
    ]
    first = next(iter(found.findings())).text
    wide = f"An interval of a score is ± {2 * float(model.standard_errors_.mean()):.2f} on average."
    said = {"n_answers": len(answers), "ranking": items, "advice": f"{first} {wide}"}
    fair = answers[answers.groups["pool"] != "adaptive"]  # those chosen are harder than most
    accuracy = 1 - held_out(model, fair, 5, None, as_generator(0))[0] if len(fair) else np.nan
    return said if np.isnan(accuracy) else said | {"accuracy": accuracy}


def judged_by(curve: LearningCurve, fair: NDArray[np.bool_]) -> LearningCurve:
    """Return a learning curve whose errors are those of some answers alone."""
    if not fair.any():
        raise InputError("none of them is to a random question.")
    held_out = replace(curve.held_out, values=np.where(fair, curve.held_out.values, np.nan))
    points = []
    for step, point in enumerate(curve.points):
        error = held_out.mean(step)
        low, high = error.share_interval()
        points.append(replace(point, error=error.mean, low=low, high=high))
    return replace(curve, points=tuple(points), held_out=held_out)


def main() -> None:
    """Print the fit of the study named on the command line as JSON."""
    if hasattr(os, "nice"):
        os.nice(10)
    print(json.dumps(fit_so_far(Path(sys.argv[1]), sys.argv[2])))


if __name__ == "__main__":
    main()
