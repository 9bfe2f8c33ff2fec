"""FeatureEmbedding beside features alone and answers alone: simulations, and music with its tags.

    python benchmarks/features.py --seeds 5 --output rows.csv
    python benchmarks/features.py --large 100000 1000

Simulation: n objects with 50 normal features, coordinates that features explain to a share, answers
of the logistic observer with sharpness 1; 20,000 noise-free random questions judge seen objects,
and as many unseen ones. Music: answers about a tenth of the artists are taken away (unseen), then
a tenth of the others (seen). Rows are appended as they come; those that are there are kept.
Large: time and memory of one fit with as many objects and features, ten answers per object.
"""

import argparse
import csv
import resource
import time
from pathlib import Path

import numpy as np

import ordinate as od

N_OBJECTS, N_UNSEEN, N_FEATURES = 200, 100, 50
COLUMNS = ["data", "seed", "method", "seen", "unseen", "explained", "ridge", "penalty", "cpu_s"]
METHODS = {
    "both": {},
    "features alone": {"penalty": np.inf},
    "axes and answers": {"ridge": np.inf},
    "both, rbf": {"map": "rbf"},
    "both, mlp": {"map": "mlp"},
}


def simulated(share, seed, n_answers, n_objects=N_OBJECTS, n_features=N_FEATURES, dtype=np.float64):
    """Return features, answers about the first objects, and tests of seen and unseen objects."""
    rng = np.random.default_rng(seed)
    n = n_objects + N_UNSEEN
    features = rng.standard_normal((n, n_features), dtype=dtype)
    told = features @ rng.standard_normal((n_features, 2)) / n_features**0.5
    truth = share**0.5 * told + (1 - share) ** 0.5 * rng.standard_normal((n, 2))
    rows = od.sources.random_triplets(truth[:n_objects], n_answers, random_state=rng).rows
    near, far = (np.square(truth[rows[:, 0]] - truth[rows[:, k]]).sum(axis=1) for k in (1, 2))
    yes = rng.random(n_answers) < 1 / (1 + np.exp(near - far))
    tests = [
        od.sources.random_triplets(truth[part], 20_000, random_state=rng)
        for part in (slice(n_objects), slice(n_objects, None))
    ]
    answers = od.Comparisons(rows, yes, n_objects=n_objects)
    return features[:n_objects], features[n_objects:], answers, tests


def music(seed):
    """Return tags, answers to fit, and answers about known and about unknown artists."""
    data = od.datasets.load_music400()
    tags = sorted({tag for text in data.attributes["tags"] for tag in text.split("|") if tag})
    features = np.array(
        [[tag in text.split("|") for tag in tags] for text in data.attributes["tags"]], dtype=float
    )
    features = features[:, features.std(axis=0) > 0]
    rng = np.random.default_rng(seed)
    unknown = rng.permutation(len(features)) < len(features) // 10
    about_unknown = unknown[data.comparisons.rows].any(axis=1)
    held_out = ~about_unknown & (rng.random(len(about_unknown)) < 0.1)
    fitted = data.comparisons[~about_unknown & ~held_out]
    answers = od.Comparisons(fitted.rows, n_objects=len(features))
    return features, answers, data.comparisons[held_out], data.comparisons[about_unknown]


def fit(method, answers, features):
    start = time.process_time()
    if method == "STE":
        model = od.STE(penalty=0, random_state=0, n_jobs=1).fit(answers)
    else:
        model = od.FeatureEmbedding(random_state=0, n_jobs=1, **METHODS[method])
        model.fit(answers, features)
    return model, time.process_time() - start


def row_of(data, seed, method):
    if data.startswith("music"):
        features, answers, seen, unseen = music(seed)
        model, seconds = fit(method, answers, features)
        errors = [1 - model.score(seen), 1 - model.score(unseen)]
        if method == "STE":
            errors[1] = None
    else:
        share, n_answers = (float(part) for part in data.split("/")[1:])
        features, new, answers, tests = simulated(share, seed, int(n_answers))
        model, seconds = fit(method, answers, features)
        errors = [od.metrics.triplet_error(tests[0], model.embedding_), None]
        if method != "STE":
            errors[1] = 1 - model.score(tests[1], new)
    figures = [getattr(model, name, None) for name in ("explained_", "ridge_", "penalty_")]
    return dict(zip(COLUMNS, [data, seed, method, *errors, *figures, seconds], strict=True))


def large(n_objects, n_features, device):
    """Print time, memory and errors of a large fit, whose penalties are chosen."""
    given = 0.75, 0, 10 * n_objects, n_objects, n_features, np.float32
    features, new, answers, tests = simulated(*given)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = time.perf_counter(), time.process_time()
    model = od.FeatureEmbedding(random_state=0, device=device).fit(answers, features)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(
        f"{n_objects} x {n_features}, {len(answers)} answers on {device}: {wall:.0f} s,"
        f" {cpu:.0f} processor s, {more / 1024:.0f} MiB beyond the {features.nbytes / 2**20:.0f}"
        f" MiB of features; wrong: seen {od.metrics.triplet_error(tests[0], model.embedding_):.3f},"
        f" unseen {1 - model.score(tests[1], new):.3f}; ridge {model.ridge_}, penalty"
        f" {model.penalty_}, converged {model.converged_}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument(
        "--data",
        nargs="+",
        default=[*(f"simulated/{s}/2000" for s in (1, 0.75, 0.5, 0.25, 0)), "music"],
    )
    parser.add_argument("--methods", nargs="+", default=["STE", *METHODS])
    parser.add_argument("--output", type=Path, default=Path("features.csv"))
    parser.add_argument("--large", type=int, nargs=2, metavar=("OBJECTS", "FEATURES"))
    parser.add_argument("--device", default="cpu", help="of --large")
    asked = parser.parse_args()
    if asked.large:
        return large(*asked.large, asked.device)
    done = set()
    if asked.output.exists():
        with asked.output.open() as file:
            done = {(r["data"], int(r["seed"]), r["method"]) for r in csv.DictReader(file)}
    with asked.output.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if not done:
            writer.writeheader()
        for data in asked.data:
            for seed in range(asked.seeds):
                for method in asked.methods:
                    if (data, seed, method) not in done:
                        writer.writerow(row_of(data, seed, method))
                        file.flush()
    return None


if __name__ == "__main__":
    main()
