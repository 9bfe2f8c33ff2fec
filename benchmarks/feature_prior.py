"""Errors of maps with a prior from features, beside a linear map of them and answers alone.

    python benchmarks/feature_prior.py --seeds 4 --output rows.csv

Simulated: 85 objects, 50 normal features that explain all, half or none of a map of three
dimensions; logistic observers. CLIP: 85 objects of THINGS, answers drawn from SPoSE's similarities
of people; "shuffled" gives each object the features of another. These are judged by 10,000
noise-free questions. Music: people's answers, tags as features; judged by 2,000 other answers.
All maps have four dimensions.
"""

import argparse
import csv
import os
import time
import warnings
from pathlib import Path

import numpy as np

import ordinate as od

DATA = ("simulated 1", "simulated 0.5", "simulated 0", "clip", "clip shuffled", "music")
N_OBJECTS, N_TESTS = 85, 10_000


def simulated(share, n_answers, rng):
    """Return features that explain a share of the map, noisy answers and noise-free ones."""
    features = rng.standard_normal((N_OBJECTS, 50))
    told = features @ rng.standard_normal((50, 3)) / 50**0.5
    free = rng.standard_normal(told.shape)
    truth = 1.3 * (share**0.5 * told + (1 - share) ** 0.5 * free)
    similar = -np.square(truth[:, None] - truth).sum(axis=2)
    return features, *drawn(similar, n_answers, rng)


def drawn(similar, n_answers, rng):
    """Return answers of logistic observers, and what they would say without noise."""
    rows = np.argsort(rng.random((n_answers + N_TESTS, len(similar))), axis=1)[:, :3]
    margin = similar[rows[:, 0], rows[:, 1]] - similar[rows[:, 0], rows[:, 2]]
    yes = rng.random(len(rows)) < 1 / (1 + np.exp(-margin))
    part = slice(n_answers)
    return (
        od.Comparisons(rows[part], yes[part], n_objects=len(similar)),
        od.Comparisons(rows[n_answers:], margin[n_answers:] > 0, n_objects=len(similar)),
    )


def things(shuffled, n_answers, rng):
    folder = Path(os.environ["ORDINATE_DATA"]) / "things"
    loadings, features = (np.load(folder / f"{name}.npy") for name in ("spose49", "clip_vit_b32"))
    chosen = rng.permutation(len(loadings))[:N_OBJECTS]
    answers = drawn(loadings[chosen] @ loadings[chosen].T, n_answers, rng)
    return features[rng.permutation(chosen) if shuffled else chosen].astype(float), *answers


def music(n_answers, rng):
    data = od.datasets.load_music400()
    of_artist = [set(text.split("|")) for text in data.attributes["tags"]]
    tags = sorted(set.union(*of_artist) - {""})
    features = np.array([[tag in found for tag in tags] for found in of_artist], dtype=float)
    order, rows = rng.permutation(len(data.comparisons)), data.comparisons.rows
    parts = (rows[order[:n_answers]], rows[order[-2000:]])
    parts = [od.Comparisons(part, n_objects=len(features)) for part in parts]
    return features[:, features.std(axis=0) > 0], *parts


def load(data, n_answers, seed):
    rng = np.random.default_rng([seed, 7])
    if data == "music":
        return music(n_answers, rng)
    if data.startswith("clip"):
        return things("shuffled" in data, n_answers, rng)
    return simulated(float(data.split()[1]), n_answers, rng)


def errors(data, n_answers, seed):
    """Return error and CPU seconds of each method."""
    features, answers, test = load(data, n_answers, seed)
    row = {"data": data, "answers": n_answers, "seed": seed}
    for method in ("STE", "linear", "prior"):
        start = time.process_time()
        if method == "STE":
            model = od.STE(4, random_state=0, n_jobs=1).fit(answers)
        else:
            model = od.FeatureEmbedding(4, map=method, random_state=0, n_jobs=1)
            model.fit(answers, features=features)
        row[method] = round(od.metrics.triplet_error(test, model.embedding_), 4)
        row[f"{method}_s"] = round(time.process_time() - start, 2)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--answers", type=int, nargs="+", default=[100, 300, 1000])
    parser.add_argument("--data", nargs="+", default=DATA)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for data in options.data:
        for n_answers in options.answers:
            found = [errors(data, n_answers, seed) for seed in range(options.seeds)]
            rows += found
            with options.output.open("w", newline="") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)
            told = [f"{data}, {n_answers}:"]
            for method in ("STE", "linear", "prior"):
                of = np.array([row[method] for row in found])
                spread = of.std(ddof=1) / len(of) ** 0.5 if len(of) > 1 else np.nan
                seconds = np.mean([row[f"{method}_s"] for row in found])
                told.append(f"{method} {of.mean():.3f} ± {spread:.3f} ({seconds:.1f} s)")
            print(" ".join(told), flush=True)


if __name__ == "__main__":
    main()
