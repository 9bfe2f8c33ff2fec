"""Food-100: dishes that taste alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ordinate.comparisons.record import Comparisons
from ordinate.datasets._about import files_of
from ordinate.datasets._files import Content, DataHome
from ordinate.datasets._readers import read_members
from ordinate.datasets._record import Dataset
from ordinate.sources._statements import from_choices

FILES = files_of("food100")


def load_food100(data_home: DataHome = None) -> Dataset:
    """Load the Food-100 triplets.

    Parameters
    ----------
    data_home : path-like, optional
        The data folder, as for `load_cars60`.

    Returns
    -------
    Dataset
        With `comparisons`, grouped by ``participant`` and ``trial`` (one screen), and `names`,
        the images' file names.

    Examples
    --------
    >>> import ordinate as od
    >>> od.datasets.load_food100().comparisons  # doctest: +SKIP
    Comparisons(250320 triplets, 100 objects, grouped by participant and trial)
    """
    return FILES.load(data_home, _parse)


def _parse(folder: Path) -> Content:
    experiments = [
        [
            (hit["worker_id"], screen)
            for hit in json.loads(content)
            for screen in hit["HIT_screens"]
            if not screen["is_catchtrial"]
        ]
        for _, content in sorted(read_members(folder, "raw-json/*.json"))
    ]
    names = sorted(
        {name for part in experiments for _, screen in part for name in screen["images"]}
    )
    first_trials = np.cumsum([0, *map(len, experiments)])
    comparisons = Comparisons.concatenate(
        [
            _ask(screens, int(first), names)
            for screens, first in zip(experiments, first_trials[:-1], strict=True)
        ]
    )
    found = {
        "screens": int(first_trials[-1]),
        "dishes": len(names),
        "triplets": len(comparisons),
        "distinct triplets": len(comparisons.merge_repeats()),
        "contradictions": len(comparisons.contradictions()),
    }
    FILES.check(folder, found)
    return {"comparisons": comparisons, "names": comparisons.names}


def _ask(screens: list[tuple[int, Any]], first_trial: int, names: list[str]) -> Comparisons:
    """Turn the screens of one experiment, all of one size, into triplets."""
    return from_choices(
        [screen["probe"] for _, screen in screens],
        [screen["images"] for _, screen in screens],
        [screen["near_answer"] for _, screen in screens],
        participant=[worker for worker, _ in screens],
        trial=np.arange(first_trial, first_trial + len(screens)),
        names=names,
    )
