"""Figure 3, bottom row: what figure3 measures on digits, on 800 pictures of MIT Scenes.

The pictures (Oliva and Torralba 2001) are not among the data sets at hand. Put their features and
classes into ``mit_scenes.npz`` in the folder ORDINATE_DATA, as the arrays ``points`` of shape
(n_pictures, n_features) and ``labels``; the paper does not say which features it compares. A quick
run has eight made-up classes instead.
"""

import os
from pathlib import Path

import numpy as np

from papers._common import Run
from papers.tete.figure3 import draw_row


def clouds(n_objects, seed):
    """Draw eight classes in twenty dimensions."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(8, size=n_objects)
    return 2 * rng.normal(size=(8, 20))[labels] + rng.normal(size=(n_objects, 20)), labels


def scenes(n_objects, seed):
    """Draw pictures: features and classes."""
    path = Path(os.environ.get("ORDINATE_DATA", "."), "mit_scenes.npz")
    if not path.exists():
        raise SystemExit(f"tete.scenes needs {path}, which is not there: {__doc__}")
    with np.load(path) as data:
        points, labels = data["points"].astype(np.float64), data["labels"]
    chosen = np.random.default_rng(seed).choice(len(points), n_objects, replace=False)
    return points[chosen], labels[chosen]


def main(run: Run) -> None:
    """Print and draw the bottom row of the figure."""
    draw_row(run, "scenes", *run.size((clouds, 40), (scenes, 800)))
