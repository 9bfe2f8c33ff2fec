"""STE of a thousand answers of people, beside cblearn: loss and held-out error.

    python benchmarks/few_answers.py [--draws 5] [--answers 1000] [--dimension 2]

Each draw takes the answers to some questions of a study (data folder: ORDINATE_DATA) and judges by
up to 20,000 answers to others about the same objects. cblearn, which runs in an environment of its
own, has one random start; so it is run with two seeds.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

PEER = ["cblearn==0.4.0", "numpy==1.26.4"]
STUDIES = ("food100", "cars60", "music400")


def by_peer(path, dimension):
    """Print the maps of cblearn, as JSON; runs where cblearn is installed."""
    from cblearn.embedding import STE

    rows = np.load(path)
    maps = [STE(dimension, random_state=seed).fit(rows).embedding_ for seed in (1, 10)]
    print(json.dumps({"maps": [points.tolist() for points in maps]}))


def draw(od, name, n_answers, seed):
    """Return answers to fit, and answers to other questions about the same objects."""
    record = getattr(od.datasets, f"load_{name}")().comparisons
    question = record.question_groups()
    shuffled = np.random.default_rng(seed).permutation(question.max() + 1)[question]
    order = np.argsort(shuffled, kind="stable")
    fitted, judged = record.rows[order[:n_answers]], record.rows[order[n_answers:][-20_000:]]
    known = np.unique(fitted)
    judged = judged[np.isin(judged, known).all(axis=1)]
    return (od.Comparisons(np.searchsorted(known, rows)) for rows in (fitted, judged))


def main(n_draws, n_answers, dimension):
    from peers import peer_python, run_json

    import ordinate as od

    python = peer_python("cblearn", PEER)
    for name in STUDIES:
        for seed in range(n_draws):
            fitted, judged = draw(od, name, n_answers, seed)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "rows.npy"
                np.save(path, fitted.rows)
                found = run_json(python, Path(__file__), "--peer", str(path), str(dimension))[
                    "maps"
                ]
            maps = {f"cblearn {number}": np.array(x) for number, x in zip("12", found, strict=True)}
            for penalty in (0.0, 2.0):
                model = od.STE(dimension, penalty=penalty, random_state=0).fit(fitted)
                maps[f"penalty {penalty:g}"] = model.embedding_
            figures = []
            for label, points in maps.items():
                near2, far2 = (
                    np.square(points[fitted.rows[:, 0]] - points[fitted.rows[:, k]]).sum(axis=1)
                    for k in (1, 2)
                )
                loss = od.losses.ste(near2, far2)[0].sum()
                figures.append(
                    f"{label}: {loss:6.1f} {od.metrics.triplet_error(judged, points):.4f}"
                )
            print(f"{name} {seed} | " + " | ".join(figures), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peer"]:
        by_peer(sys.argv[2], int(sys.argv[3]))
        sys.exit()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--answers", type=int, default=1_000)
    parser.add_argument("--dimension", type=int, default=2)
    given = parser.parse_args()
    main(given.draws, given.answers, given.dimension)
