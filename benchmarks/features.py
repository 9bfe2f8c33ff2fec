"""FeatureEmbedding beside features alone and answers alone: simulations, and music with its tags.

    python benchmarks/features.py --seeds 5 --output rows.csv
    python benchmarks/features.py --seeds 19 --data music --output rows.csv
    python benchmarks/features.py --publish --output rows.csv
    python benchmarks/features.py --large 100000 1000 --output large.json [--publish]

Simulation: n objects with 50 normal features, coordinates that features explain to a share, answers
of the logistic observer with sharpness 1; 20,000 noise-free random questions judge seen objects,
and as many unseen ones. Music: answers about a tenth of the artists are taken away (unseen), then
a tenth of the others (seen). Rows are appended as they come; those that are there are kept.
Large: time and memory of one fit with as many objects and features, ten answers per object.
--publish writes the tables of docs/results/features.rst from the rows that are there.
"""

import argparse
import csv
import json
import resource
import time
from pathlib import Path

import numpy as np
from pages import earlier_rows, machine_of, with_error, write_table  # the script beside this one

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
SHOWN = ("STE", "axes and answers", "features alone", "both")
"""Methods of the tables."""
GOALS = {1: ".069, .089", 0.75: ".159, –"}
"""Wrong answers about seen and unseen objects, of a prototype that was given its penalties."""
N_SPLITS = 5
"""Splits of music in the table of errors; those beyond show how much single splits differ."""


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
        model.fit(answers, features=features)
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
            errors[1] = 1 - model.score(tests[1], features=new)
    figures = [getattr(model, name, None) for name in ("explained_", "ridge_", "penalty_")]
    return dict(zip(COLUMNS, [data, seed, method, *errors, *figures, seconds], strict=True))


def large(n_objects, n_features, device):
    """Return time, memory and errors of a large fit, whose penalties are chosen."""
    given = 0.75, 0, 10 * n_objects, n_objects, n_features, np.float32
    features, new, answers, tests = simulated(*given)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = time.perf_counter(), time.process_time()
    model = od.FeatureEmbedding(random_state=0, device=device).fit(answers, features=features)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {
        "objects, features, answers": f"{n_objects:,}, {n_features:,}, {len(answers):,}",
        "machine": machine_of(device),
        "seconds": round(wall),
        "processor seconds": round(cpu),
        "MiB beyond the features": round(more / 1024),
        "wrong, seen objects": od.metrics.triplet_error(tests[0], model.embedding_),
        "wrong, unseen objects": 1 - model.score(tests[1], features=new),
    }


def errors_of(rows, data, method, part, seeds):
    """Return the errors about seen or unseen objects, by seed."""
    return {
        int(row["seed"]): float(row[part])
        for row in rows
        if (row["data"], row["method"]) == (data, method)
        and row[part]
        and int(row["seed"]) in seeds
    }


def simulated_rows(rows, seeds):
    """Return errors by the share of the map that features explain."""
    for data in dict.fromkeys(row["data"] for row in rows if row["data"] != "music"):
        share = float(data.split("/")[1])
        row = {"features explain": f"{share:.0%}"}
        row["seeds"] = len(errors_of(rows, data, "both", "seen", seeds))
        for method in SHOWN:
            for part in ("seen", "unseen") if method in METHODS else ("seen",):
                row[f"{method}, {part}"] = with_error(
                    errors_of(rows, data, method, part, seeds).values()
                )
        yield row | {"goal: seen, unseen": GOALS.get(share, "")}


def music_rows(rows, seeds):
    """Return errors by method."""
    for method in SHOWN:
        found = {p: errors_of(rows, "music", method, p, seeds) for p in ("seen", "unseen")}
        if found["seen"]:
            errors = {part: with_error(errors.values()) for part, errors in found.items()}
            yield {"method": method, "splits": len(found["seen"]), **errors}


def split_rows(rows, seeds):
    """Return how often both together are worse than the better of their parts."""
    for other, part in (("axes and answers", "seen"), ("features alone", "unseen")):
        both, theirs = (errors_of(rows, "music", m, part, seeds) for m in ("both", other))
        differences = [both[seed] - theirs[seed] for seed in both.keys() & theirs.keys()]
        if differences:
            yield {
                "both together, compared with": f"{other} ({part} artists)",
                "mean difference": with_error(differences),
                "range": f"{min(differences):+.3f} to {max(differences):+.3f}",
                "worse in": f"{sum(d > 0 for d in differences)} of {len(differences)}",
            }


def publish(rows):
    """Write the tables of the page; those without rows stay as they are."""
    first, beyond = range(N_SPLITS), range(N_SPLITS, 1000)
    tables = {
        "simulated": ("wrong answers, means over seeds", simulated_rows(rows, first)),
        "music": ("wrong held-out answers, means over splits", music_rows(rows, first)),
        "splits": ("other splits", split_rows(rows, beyond)),
    }
    for name, (caption, shown) in tables.items():
        if shown := list(shown):
            write_table(f"features-{name}", caption, shown, "python benchmarks/features.py")


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
    parser.add_argument("--publish", action="store_true", help="write the tables of the page")
    asked = parser.parse_args()
    if asked.large:
        rows = [*earlier_rows(asked.output), large(*asked.large, asked.device)]
        asked.output.write_text(json.dumps(rows, indent=1))
        print(rows[-1])
        if asked.publish:
            write_table(
                "features-large", "large sets", rows, "python benchmarks/features.py --large"
            )
        return
    rows = []
    if asked.output.exists():
        with asked.output.open() as file:
            rows = list(csv.DictReader(file))
    if asked.publish:
        publish(rows)
        return
    done = {(row["data"], int(row["seed"]), row["method"]) for row in rows}
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


if __name__ == "__main__":
    main()
