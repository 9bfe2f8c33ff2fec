"""A minute before a release: processor time beside peers in one run, and beside the last release.

    python benchmarks/smoke.py            # make bench-smoke; fails beyond the slack
    python benchmarks/smoke.py --record   # appends a row for this version to history.csv

Each figure is Ordinate's processor time divided by that of a peer at the same work, the least of
a few repeats, all in this process: the machine and its load fall out. A ratio may be at most
`SLACK` times the one in the last row of ``benchmarks/history.csv``.
"""

import argparse
import csv
import datetime
import io
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pyarrow.csv
from sklearn.datasets import load_digits
from sklearn.manifold import TSNE

import ordinate as od
from ordinate.engine.cpu import CPUObjective

HISTORY = Path(__file__).with_name("history.csv")
SLACK = 1.5
POINTS = np.random.default_rng(0).normal(size=(1000, 2))
ANSWERS = od.sources.random_triplets(POINTS, 500_000, random_state=0)


def least(work, repeats):
    """Return the least processor seconds of a few runs; a first one compiles and loads."""
    work()
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def numpy_objective(points):
    """Return SOE's loss and gradient by whole arrays, as one writes it in NumPy."""
    i, j, k = ANSWERS.rows.T
    near, far = points[i] - points[j], points[i] - points[k]
    near2, far2 = (near**2).sum(axis=1), (far**2).sum(axis=1)
    value, in_near, in_far = od.losses.soe(near2, far2)
    gradient = np.zeros_like(points)
    for number, change in ((i, near * in_near[:, None] + far * in_far[:, None]),
                           (j, -near * in_near[:, None]), (k, -far * in_far[:, None])):  # fmt: skip
        for axis in range(points.shape[1]):
            weights = 2 * change[:, axis]
            gradient[:, axis] += np.bincount(number, weights, minlength=len(points))
    return value.sum(), gradient


def evaluation():
    """Evaluate the loss and gradient of SOE over 500,000 triplets, beside NumPy."""
    objective = CPUObjective(ANSWERS, od.losses.soe, [1.0])
    np.testing.assert_allclose(objective(POINTS)[1], numpy_objective(POINTS)[1], atol=1e-6)
    return least(lambda: objective(POINTS), 5) / least(lambda: numpy_objective(POINTS), 3)


def reading():
    """Read 500,000 triplets from CSV, beside PyArrow's reader alone, which checks nothing."""
    path = Path(sys.argv[0]).with_name(".smoke.csv")
    try:
        od.write_comparisons(ANSWERS, path)
        data = path.read_bytes()
        peer = least(lambda: pyarrow.csv.read_csv(io.BytesIO(data)), 3)
        return least(lambda: od.read_comparisons(path), 3) / peer
    finally:
        path.unlink(missing_ok=True)


def reduction():
    """Map 600 digits, beside scikit-learn's t-SNE."""
    digits = load_digits().data[:600]
    ours = least(lambda: od.WeightedTETE(random_state=0, n_jobs=1).fit(digits), 1)
    return ours / least(lambda: TSNE(random_state=0, n_jobs=1).fit(digits), 1)


def description():
    """Describe answers, beside fitting them."""
    model = od.SOE(random_state=0, n_jobs=1)
    return least(ANSWERS.describe, 2) / least(lambda: model.fit(ANSWERS), 1)


RATIOS = (evaluation, reading, reduction, description)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--record", action="store_true", help="append a row to history.csv")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    past = list(csv.DictReader(HISTORY.open())) if HISTORY.exists() else []
    found, slow = {}, False
    for ratio in RATIOS:
        found[ratio.__name__] = value = round(ratio(), 3)
        before = float(past[-1][ratio.__name__]) if past else np.nan
        slow |= value > SLACK * before
        verdict = f"{past[-1]['version']} had {before:g}" if past else "nothing to compare with"
        print(f"{ratio.__name__:12} {value:7.3f}  ({verdict})  {ratio.__doc__}", flush=True)
    if options.record:
        row = {"version": od.__version__, "date": datetime.date.today().isoformat(), **found}
        with HISTORY.open("a", newline="") as file:
            writer = csv.DictWriter(file, list(row), lineterminator="\n")
            if not past:
                writer.writeheader()
            writer.writerow(row)
    elif slow:
        sys.exit(f"A ratio is more than {SLACK} times that of the last release.")


if __name__ == "__main__":
    main()
