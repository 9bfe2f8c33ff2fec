"""A map of the answers so far, how well it predicts others, and whether more would help.

The server runs this as a process of its own, at low priority: a fit never holds up an answer.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from ordinate._checks import InputError
from ordinate.collect.export import comparisons_of
from ordinate.collect.figures import study_of
from ordinate.collect.store import open_for_reading

MOST_ROWS = 20_000
"""Comparisons of a larger study that the live fit takes, at random; the export has all."""


def fit_so_far(folder: Path, which: str) -> dict[str, Any]:
    """Fit a map to the answers there are and judge it by answers held out.

    Parameters
    ----------
    folder : Path
        The study.
    which : str
        Which data base.

    Returns
    -------
    dict
        ``accuracy`` with the ends ``low`` and ``high`` of its 95 % interval, all of them on
        questions held out with every answer to them; ``advice``; ``map``, one entry per item.
        Only ``advice`` if there are too few answers.
    """
    from ordinate.selection._learning_curve import learning_curve
    from ordinate.triplets.soe import SOE

    connection = open_for_reading(folder, which)
    try:
        study = study_of(connection, folder)
        answers = comparisons_of(connection, study)
    except InputError as error:
        return {"advice": str(error)}
    finally:
        connection.close()
    if len(answers) > MOST_ROWS:
        answers = answers.sample(MOST_ROWS, random_state=0)
    dimension = study.general.dimension
    try:
        curve = learning_curve(answers, dimension=dimension, by="trial", n_jobs=1)
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
        "advice": curve.advice,
        "map": places,
    }


def main() -> None:
    """Print the fit of the study named on the command line as JSON."""
    if hasattr(os, "nice"):
        os.nice(10)
    print(json.dumps(fit_so_far(Path(sys.argv[1]), sys.argv[2])))


if __name__ == "__main__":
    main()
