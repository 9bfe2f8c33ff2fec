"""FeatureEmbedding where features are good, bad or partly good, beside what needs no fit.

    python benchmarks/feature_cases.py --seeds 2 --output rows.csv

Each case has features, answers of a simulated observer (about 15 % wrong) and noise-free questions
about the same objects and about 100 that have features alone. Beside it stand the features as they
are, their two principal axes, and STE.
"""

import argparse
import csv
import sys
import warnings
from functools import cache

import numpy as np
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import ordinate as od

N_UNSEEN, N_TESTS = 100, 10_000
COLUMNS = [
    "case", "seed", "raw, seen", "raw, unseen", "axes, seen", "axes, unseen", "STE, seen",
    "both, seen", "both, unseen", "kept, seen", "kept, unseen",
]  # fmt: skip


def observe(truth, n_answers, rng):
    """Return answers of a logistic observer."""
    rows = od.sources.random_triplets(truth, n_answers, random_state=rng).rows
    near, far = (np.square(truth[rows[:, 0]] - truth[rows[:, k]]).sum(axis=1) for k in (1, 2))
    sharpness = 3 / np.mean(np.abs(far - near))
    yes = rng.random(n_answers) < 1 / (1 + np.exp(sharpness * (near - far)))
    return od.Comparisons(rows, yes, n_objects=len(truth))


def normal(rng, n, scales):
    return rng.normal(size=(n, len(scales))) * scales


def metric(rng, n, scales):
    """Features are the metric."""
    points = normal(rng, n, scales)
    return points, points


def beside_noise(rng, n):
    points = rng.normal(size=(n, 2))
    return np.hstack([points, rng.normal(size=(n, 20))]), points


def unrelated(rng, n, n_features):
    return rng.normal(size=(n, n_features)), rng.normal(size=(n, 2))


def partly(rng, n, n_features, share):
    features = rng.normal(size=(n, n_features))
    told = features @ rng.normal(size=(n_features, 2)) / n_features**0.5
    return features, share**0.5 * told + (1 - share) ** 0.5 * rng.normal(size=told.shape)


def mixed_units(rng, n):
    points = rng.normal(size=(n, 3))
    return np.hstack([points, rng.normal(size=(n, 3))]) * 10 ** rng.uniform(-2, 3, 6), points


@cache
def faces():
    data = od.datasets.load_isomap_faces()
    poses = np.column_stack([np.asarray(pose, float) for pose in data.attributes.values()])[:, :2]
    return data.points, (poses - poses.mean(axis=0)) / poses.std(axis=0)


@cache
def pictures():
    points = od.datasets.load_coil20().points.astype(float)  # differences of bytes would wrap
    return points, points


@cache
def digits(name):
    """Pixels, and three axes that separate the digits."""
    data = getattr(od.datasets, f"load_{name}")()
    some = np.random.default_rng(0).permutation(len(data.points))[:3000]
    points = data.points[some].astype(float)
    axes = LinearDiscriminantAnalysis(n_components=3)
    reduced = PCA(50, random_state=0).fit_transform(points)
    return points, axes.fit_transform(reduced, np.asarray(data.labels)[some])


CASES = {
    "metric, 5 features": (200, 400, lambda rng, n: metric(rng, n, [3, 2, 1, 0.7, 0.5])),
    "metric and 20 of noise": (100, 1000, beside_noise),
    "unrelated, 30 features": (150, 2000, lambda rng, n: unrelated(rng, n, 30)),
    "half explained": (200, 2000, lambda rng, n: partly(rng, n, 50, 0.5)),
    "mixed units": (80, 500, mixed_units),
    "poses of faces": (200, 600, lambda rng, n: faces()),
    "pictures (COIL-20)": (150, 300, lambda rng, n: pictures()),
    "digits (MNIST)": (200, 2000, lambda rng, n: digits("mnist")),
    "digits (USPS)": (300, 5000, lambda rng, n: digits("usps")),
    "digits (USPS), few": (100, 200, lambda rng, n: digits("usps")),
}


def row_of(name, seed):
    """Return the errors of one draw, about seen and unseen objects."""
    n, n_answers, draw = CASES[name]
    rng = np.random.default_rng([seed, list(CASES).index(name)])
    features, truth = draw(rng, n + N_UNSEEN)
    some = rng.permutation(len(features))[: n + N_UNSEEN]
    features, truth = features[some], truth[some]
    answers = observe(truth[:n], n_answers, rng)
    tests = [
        od.sources.random_triplets(part, N_TESTS, random_state=rng)
        for part in (truth[:n], truth[n:])
    ]
    axes = PCA(2).fit(features[:n])
    both = od.FeatureEmbedding(random_state=0, n_jobs=1).fit(answers, features[:n])
    kept = od.FeatureEmbedding(keep_features=True, random_state=0, n_jobs=1)
    kept.fit(answers, features[:n])
    maps = {
        "raw": (features[:n], features[n:]),
        "axes": (axes.transform(features[:n]), axes.transform(features[n:])),
        "STE": (od.STE(penalty=0, random_state=0, n_jobs=1).fit(answers).embedding_, None),
        "both": (both.embedding_, both.transform(features[n:])),
        "kept": (kept.embedding_, kept.transform(features[n:])),
    }
    errors = {
        f"{method}, {what}": round(od.metrics.triplet_error(test, points), 4)
        for method, pair in maps.items()
        for what, test, points in zip(("seen", "unseen"), tests, pair, strict=True)
        if points is not None
    }
    return {"case": name, "seed": seed} | errors


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--cases", nargs="+", default=list(CASES))
    parser.add_argument("--output", type=argparse.FileType("w"), default=sys.stdout)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    writer = csv.DictWriter(asked.output, COLUMNS)
    writer.writeheader()
    for name in asked.cases:
        for seed in range(asked.seeds):
            writer.writerow(row_of(name, seed))
            asked.output.flush()


if __name__ == "__main__":
    main()
