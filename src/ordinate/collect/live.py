"""A map of the answers so far, how well it predicts others, and whether more would help.

The server runs this as a process of its own, at low priority: a fit never holds up an answer.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordinate._checks import InputError
from ordinate.collect.export import comparisons_of
from ordinate.collect.store import reading, study_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ordinate.selection._learning_curve import LearningCurve

MOST_ROWS = 20_000
"""Comparisons of a larger study that the live fit takes, at random; the export has all."""


def fit_so_far(folder: Path, which: str) -> dict[str, Any]:
    """Fit a map to the answers there are and judge it by answers held out."""
    from ordinate.selection._intervals import CONFIDENCE
    from ordinate.selection._learning_curve import learning_curve
    from ordinate.triplets.soe import SOE

    try:
        with reading(folder, which) as connection:
            study = study_of(connection, folder)
            answers = comparisons_of(connection, study)
    except InputError as error:
        return {"advice": str(error)}
    if len(answers) > MOST_ROWS:
        answers = answers.sample(MOST_ROWS, random_state=0)
    dimension = study.general.dimension
    try:
        curve = learning_curve(answers, "SOE", dimension, by="trial", n_jobs=1)
        curve = judged_by(curve, answers.groups["pool"] != "adaptive")
    except InputError as error:
        return {"advice": f"Too few answers to judge a map: {error}"}
    points = SOE(dimension, random_state=0, n_jobs=1).fit(answers).embedding_
    last = curve.points[-1]
    places = [
        {"label": item.label, "media": item.media if item.kind == "image" else None}
        | {"x": float(point[0]), "y": float(point[1]) if dimension > 1 else 0.0}
        for item, point in zip(study.items.values(), points, strict=True)
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
