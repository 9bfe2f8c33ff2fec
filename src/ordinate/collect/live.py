"""A map or ranking of the answers so far, how well it predicts others, and what is missing.

The server runs this as a process of its own, at low priority: a fit never holds up an answer.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordinate._checks import InputError
from ordinate._random import as_generator
from ordinate.collect.export import comparisons_of, pairs_of
from ordinate.collect.store import reading, study_of
from ordinate.tasks import PAIR

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ordinate.collect.study import Study
    from ordinate.comparisons.pairs import Pairs
    from ordinate.scales.ranking import Ranking
    from ordinate.selection._learning_curve import LearningCurve

_RANKED = ("rank", "score", "lower", "upper", "rank_low", "rank_high")
MOST_ROWS = 20_000
"""Comparisons of a larger study that the live fit takes, at random; the export has all."""


def features_of(study: Study) -> NDArray[np.float64] | None:
    """Return a row of features for each item of a study or block, if it has a table of them."""
    if not study.general.features:
        return None
    from ordinate.features.files import read_features_of

    return read_features_of(study.folder / study.general.features, list(study.items))


def fit_so_far(folder: Path, which: str) -> dict[str, Any]:
    """Fit a map or a ranking to the answers there are and judge it by answers held out."""
    from ordinate.features.feature_embedding import FeatureEmbedding
    from ordinate.selection._learning_curve import learning_curve
    from ordinate.solvers.intervals import CONFIDENCE
    from ordinate.triplets.soe import SOE

    try:
        with reading(folder, which) as connection:
            study = study_of(connection, folder)
            if next(iter(study.blocks.values())).task.name == PAIR:
                return _rank(pairs_of(connection, study), study)
            answers = comparisons_of(connection, study)
    except InputError as error:
        return {"advice": str(error)}
    if len(answers) > MOST_ROWS:
        answers = answers.sample(MOST_ROWS, random_state=0)
    dimension = study.general.dimension
    try:
        curve = learning_curve(answers, "SOE", dimension, by="trial", random_state=0, n_jobs=1)
        curve = judged_by(curve, answers.groups["pool"] != "adaptive")
    except InputError as error:
        return {"advice": f"Too few answers to judge a map: {error}"}
    features = features_of(study)
    if features is None:
        points = SOE(dimension, random_state=0, n_jobs=1).fit(answers).embedding_
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of items without features or answers
            model = FeatureEmbedding(dimension, random_state=0, n_jobs=1)
            points = model.fit(answers, features=features).embedding_
    last = curve.points[-1]
    compared = set(answers.rows.ravel().tolist())  # other blocks may have items of their own
    places = [
        {"label": item.label, "media": item.media if item.kind == "image" else None}
        | {"x": float(point[0]), "y": float(point[1]) if dimension > 1 else 0.0}
        for number, (item, point) in enumerate(zip(study.items.values(), points, strict=True))
        if number in compared or features is not None
    ]
    return {
        "n_answers": len(answers),
        "accuracy": 1 - last.error,
        "low": 1 - last.high,
        "high": 1 - last.low,
        "confidence": CONFIDENCE,
        "advice": curve.advice,
        "map": places,
    }


def _rank(answers: Pairs, study: Study) -> dict[str, Any]:
    """Rank the items, with simultaneous ranges of ranks, and judge it by answers held out."""
    import numpy as np

    from ordinate.scales.diagnostics import held_out
    from ordinate.scales.ranking import Ranking

    model = Ranking(random_state=0).fit(answers)
    table = model.columns()
    labels = {item.item_id: item.label for item in study.items.values()}
    items = [
        {"label": labels[name], **dict(zip(_RANKED, map(float, row), strict=True))}
        for name, *row in zip(table["object"], *(table[key] for key in _RANKED), strict=True)
    ]
    found: dict[str, Any] = {"n_answers": len(answers), "ranking": items, "advice": _advice(model)}
    fair = answers[answers.groups["pool"] != "adaptive"]  # those chosen are harder than most
    accuracy = 1 - held_out(model, fair, 5, None, as_generator(0))[0] if len(fair) else np.nan
    return found if np.isnan(accuracy) else found | {"accuracy": accuracy}


def _advice(model: Ranking) -> str:
    """Say what can be distinguished by now."""
    low, high = model.rank_intervals().T
    n = model.n_objects_
    said = [
        f"{(high < n).sum()} of {n} items are surely not last, {(low > 1).sum()} surely not first.",
        f"An interval of a score is ± {2 * float(model.standard_errors_.mean()):.2f} on average.",
    ]
    return " ".join([*said, *model.notes_])


def judged_by(curve: LearningCurve, fair: NDArray[np.bool_]) -> LearningCurve:
    """Return a learning curve whose errors are those of some answers alone."""
    import numpy as np

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
