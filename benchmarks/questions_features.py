"""How many answers features save, with random and adaptive questions: people's answers, replayed.

    python benchmarks/questions_features.py [--seeds 5] [--jobs 2] [--output F] [--publish]

Studies are those of ``questions.py``. Features: a map of 20,000 other answers in six dimensions,
mixed into 30 columns with as much noise (food); the four classes of the publisher (cars); tags
(music). Two maps are judged: that of ``FeatureEmbedding(4)`` and the mean of draws in eight
dimensions. The answers needed are those of random questions without features and
``CKL(5, penalty=0.5)`` for the same error, interpolated on the mean curve up to 45 per object.
"""

import argparse
import csv
import json
import os
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import feature_prior  # the scripts beside this one
import numpy as np
from pages import with_error, write_table

import ordinate as od
from ordinate.questions.model import choose_root, draw_maps
from questions import JUDGE, REPLAYS, Replay

SIZES, BEYOND = (1, 2, 3, 5, 8), (12, 16, 22, 30, 45)
MAPS = ("CKL", "mean of draws", "FeatureEmbedding(4)")


@cache
def load(name):
    """Return people's answers and features."""
    if name == "food100":
        points, rows = feature_prior.food_map()
        rng = np.random.default_rng(5)
        features = points / points.std() @ rng.standard_normal((6, 30)) / 6**0.5
        features += rng.standard_normal(features.shape)
        return od.Comparisons(rows, n_objects=100), features
    if name == "music400":
        answers = od.datasets.load_music400().comparisons
        return answers, feature_prior.music(1, np.random.default_rng(0))[0]
    path = Path(os.environ["ORDINATE_DATA"]) / "car60/derived_classes.csv"
    classes = np.array([row["class"] for row in csv.DictReader(path.open())])
    features = np.array(classes[:, None] == np.unique(classes), dtype=float)
    return od.datasets.load_cars60().comparisons, features


def replay(job):
    """Return the errors of a study at several sizes."""
    name, rule, with_features, seed = job
    answers, features = load(name)
    train, test = answers.train_test_split(test_size=0.25, random_state=seed)
    test = test[:20_000]
    study = Replay(train, rule, seed, features=features if with_features else None)
    curve = []
    for per_object in SIZES if with_features or rule != "random" else SIZES + BEYOND:
        size = per_object * answers.n_objects
        if size > len(study.answers) * (1 if rule == "random" else 0.6):
            break
        study.go_on(size, REPLAYS[name])
        root = choose_root(study.known, 3, features) if with_features else None
        maps = [JUDGE.fit(study.known).embedding_]
        maps.append(draw_maps(study.known, 8, np.random.default_rng(1), root=root).mean)
        if with_features:
            model = od.FeatureEmbedding(4, random_state=0, n_jobs=1)
            maps.append(model.fit(study.known, features=features).embedding_)
        errors = (round(float(od.metrics.triplet_error(test, found)), 4) for found in maps)
        curve.append((size, *errors))
    keys = ("data", "rule", "features", "seed")
    return dict(zip(keys, job, strict=True)) | {"curve": curve}


def table(rows):
    """Yield a row per data set, rule and map: error and share of answers by answers per object."""
    for name in REPLAYS:
        answers = load(name)[0].n_objects
        own = [row for row in rows if row["data"] == name]
        base = [row["curve"] for row in own if row["rule"] == "random" and not row["features"]]
        at = [point[0] for point in max(base, key=len)]
        curve = [np.mean([np.interp(size, *np.array(one).T[:2]) for one in base]) for size in at]
        curve = np.minimum.accumulate(curve)
        for rule in ("random", "former rule", "posterior"):
            runs = [row for row in own if row["rule"] == rule and row["features"]]
            for which in (2, 1) if runs else ():
                row = {"data": name, "questions": rule, "map": MAPS[which], "seeds": len(runs)}
                shares = []
                for per_object in SIZES:
                    size = per_object * answers
                    of = [p[1 + which] for r in runs for p in r["curve"] if p[0] == size]
                    row[str(per_object)] = with_error([100 * e for e in of], 1) if of else ""
                    if of and per_object >= 3:
                        shares.append(size / np.interp(-np.mean(of), -curve, at))
                row["share of answers, %"] = f"{100 * np.mean(shares):.0f}"
                yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("results/questions_features.jsonl"))
    parser.add_argument("--publish", action="store_true", help="publish what the file has")
    options = parser.parse_args()
    if not options.publish:
        jobs = [
            (name, rule, with_features, seed)
            for seed in range(options.seeds)
            for name in REPLAYS
            for rule, with_features in (("random", False), ("random", True), ("posterior", True))
        ]
        options.output.parent.mkdir(parents=True, exist_ok=True)
        with options.output.open("a") as file, ProcessPoolExecutor(options.jobs) as pool:
            for row in pool.map(replay, jobs):
                print(json.dumps(row), file=file, flush=True)
    rows = list(table([json.loads(line) for line in options.output.open()]))
    for row in rows:
        print(*row.values(), sep="\t")
    if options.publish:
        command = "python benchmarks/questions_features.py --seeds 3"
        caption = "error in per cent by answers per object"
        write_table("questions-features", caption, rows, command, machine="16 cores")


if __name__ == "__main__":
    main()
