"""LORE beside cblearn's: dimension found, error on new triplets and processor seconds, in one run.

``python benchmarks/lore.py``; cblearn is installed into an environment of its own on first use.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np

SETTINGS = [(40, 4000, 0.0), (40, 4000, 0.1), (60, 20_000, 0.2)]
DIMENSIONS = (1, 2, 3, 5)
SEEDS = range(3)
MOST = 10


def draw(dimension, n_objects, n_triplets, flipped, seed):
    """Return triplets of normal points with a share of them flipped, and correct new ones."""
    rng = np.random.default_rng([dimension, n_triplets, seed])
    points = rng.normal(size=(n_objects, dimension))

    def triplets(n):
        rows = np.array([rng.choice(n_objects, 3, replace=False) for _ in range(n)])
        near, far = (
            np.linalg.norm(points[rows[:, 0]] - points[rows[:, k]], axis=1) for k in (1, 2)
        )
        return np.where((near > far)[:, None], rows[:, [0, 2, 1]], rows)

    train = triplets(n_triplets)
    wrong = rng.random(n_triplets) < flipped
    return np.where(wrong[:, None], train[:, [0, 2, 1]], train), triplets(5000)


def error(points, rows):
    """Return the share of triplets that a map contradicts."""
    near, far = (np.linalg.norm(points[rows[:, 0]] - points[rows[:, k]], axis=1) for k in (1, 2))
    return float(np.mean(near > far))


def fit_ordinate(train, seed):
    import ordinate as od

    return od.LORE(MOST, random_state=seed, n_jobs=1).fit(train)


def fit_cblearn(train, seed):
    from cblearn.embedding import LORE

    return LORE(MOST, backend="scipy", random_state=seed).fit(train)


def rows_of(fit):
    """Measure one library in this process."""
    warnings.simplefilter("ignore")
    fit(draw(1, 20, 200, 0.0, 0)[0], 0)  # compile before the clock starts
    found = []
    for n_objects, n_triplets, flipped in SETTINGS:
        for dimension in DIMENSIONS:
            for seed in SEEDS:
                train, test = draw(dimension, n_objects, n_triplets, flipped, seed)
                begin = time.process_time()
                model = fit(train, seed)
                seconds = time.process_time() - begin
                found.append((model.rank_, error(model.embedding_, test), seconds))
    return np.array(found).reshape(len(SETTINGS), len(DIMENSIONS), len(SEEDS), 3).tolist()


def main():
    """Print a row for each setting and dimension."""
    from peers import peer_python, run_json

    theirs = run_json(peer_python("cblearn-lore", ["cblearn==0.4.0"]), Path(__file__), "cblearn")
    found = {"Ordinate": np.array(rows_of(fit_ordinate)), "cblearn": np.array(theirs["rows"])}
    print("triplets flipped true  library   dimension found  error   CPU s")
    for s, (_, n_triplets, flipped) in enumerate(SETTINGS):
        for d, dimension in enumerate(DIMENSIONS):
            for name, rows in found.items():
                ranks = ", ".join(f"{rank:.0f}" for rank in rows[s, d, :, 0])
                means = rows[s, d].mean(axis=0)
                print(
                    f"{n_triplets:8,}{flipped:8.0%}{dimension:5}  {name:9} {ranks:>15}"
                    f"{means[1]:8.4f}{means[2]:8.2f}"
                )
    seconds = {name: rows[..., 2].sum() for name, rows in found.items()}
    print(f"cblearn takes {seconds['cblearn'] / seconds['Ordinate']:.1f} times as long.")


if __name__ == "__main__":
    if "cblearn" in sys.argv:
        print(json.dumps({"rows": rows_of(fit_cblearn)}))
    else:
        main()
