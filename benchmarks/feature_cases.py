"""FeatureEmbedding where features are good, bad or partly good, beside what needs no fit.

    python benchmarks/feature_cases.py --seeds 3 4 5 --output rows.csv
    python benchmarks/feature_cases.py --publish --output rows.csv

Each case has features, answers of a simulated observer (about 15 % wrong) and noise-free questions
about the same objects and about 100 that have features alone. Beside the map in two dimensions and
``keep_features="auto"`` stand the features as they are, their two principal axes, and STE.

Rows are appended as they come, and those that are there are not made again. --publish writes the
means over seeds to the page.
"""

import argparse
import csv
import time
import warnings
from functools import cache
from pathlib import Path

import numpy as np
from pages import write_table
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import ordinate as od

N_UNSEEN, N_TESTS = 100, 10_000
MEAN_GOAL, CASE_GOAL = 0.01, 0.03
METHODS = {
    "raw": "features as they are",
    "axes": "two principal axes",
    "STE": "STE",
    "map": "map in two dimensions",
    "auto": '``keep_features="auto"``',
}
GOALS = {"map": ("axes", "STE"), "auto": ("raw", "axes", "STE")}
"""What each is compared with: two dimensions cannot hold the distances of many."""
COLUMNS = [
    "case", "seed", *(f"{method}, {what}" for method in METHODS for what in ("seen", "unseen")),
    "kept", "map, cpu_s", "auto, cpu_s",
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
    maps = {
        "raw": (features[:n], features[n:]),
        "axes": (axes.transform(features[:n]), axes.transform(features[n:])),
        "STE": (od.STE(penalty=0, random_state=0, n_jobs=1).fit(answers).embedding_, None),
    }
    row = {"case": name, "seed": seed}
    for method, keep in (("map", False), ("auto", "auto")):
        begin = time.process_time()
        model = od.FeatureEmbedding(keep_features=keep, random_state=0, n_jobs=1)
        model.fit(answers, features[:n])
        row[f"{method}, cpu_s"] = round(time.process_time() - begin, 1)
        maps[method] = model.embedding_, model.transform(features[n:])
    row["kept"] = int(model.kept_ > 0)
    return row | {
        f"{method}, {what}": round(od.metrics.triplet_error(test, points), 4)
        for method, pair in maps.items()
        for what, test, points in zip(("seen", "unseen"), tests, pair, strict=True)
        if points is not None
    }


def read_rows(path):
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def measure(output, cases, seeds):
    """Append the rows that are not there."""
    there = {(row["case"], int(row["seed"])) for row in read_rows(output)}
    with output.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if not there:
            writer.writeheader()
        for name in cases:
            for seed in seeds:
                if (name, seed) not in there:
                    writer.writerow(row_of(name, seed))
                    file.flush()


def publish(rows):
    """Write errors about seen and unseen objects, and how far each goal is reached."""
    seeds = sorted({int(row["seed"]) for row in rows})
    command = f"python benchmarks/feature_cases.py --seeds {' '.join(map(str, seeds))}"
    errors = {name: _errors([row for row in rows if row["case"] == name]) for name in CASES}
    shown = []
    for name, (n, n_answers, _) in CASES.items():
        kept = [int(row["kept"]) for row in rows if row["case"] == name]
        line = {"features": name, "objects, answers": f"{n}, {n_answers:,}"}
        line |= {title: _pair(errors[name], method) for method, title in METHODS.items()}
        shown.append(line | {"kept": f"{sum(kept)} of {len(kept)}"})
    caption = (
        "share of wrong answers about seen / unseen objects: means ± standard deviation between"
        " draws, whose number is in the last column"
    )
    write_table("features-cases", caption, shown, command)
    goals = [
        _goal(errors, method, rivals, what)
        for method, rivals in GOALS.items()
        for what in ("seen", "unseen")
    ]
    write_table("features-goals", "difference to the best of the others", goals, command)


def _errors(rows):
    """Return the errors of all draws, by method and kind of object."""
    return {
        column: np.array([float(row[column]) for row in rows])
        for column in COLUMNS
        if column.endswith("seen") and all(row[column] for row in rows)
    }


def _goal(errors, method, rivals, what):
    """Return by how much a method is worse than the best of others, on average and at worst."""
    rivals = [one for one in rivals if one != "STE" or what == "seen"]
    worse = {
        name: of[f"{method}, {what}"].mean() - min(of[f"{one}, {what}"].mean() for one in rivals)
        for name, of in errors.items()
    }
    mean, worst = np.mean(list(worse.values())), max(worse, key=worse.get)
    reached = mean <= MEAN_GOAL and worse[worst] <= CASE_GOAL
    return {
        "": METHODS[method],
        "objects": what,
        "best of": ", ".join(METHODS[one] for one in rivals),
        f"mean of cases, at most {MEAN_GOAL}": f"{mean:+.3f}",
        f"worst case, at most {CASE_GOAL}": f"{worse[worst]:+.3f} ({worst})",
        "goal": "reached" if reached else "**missed**",
    }


def _pair(found, method):
    parts = (found[key] for what in ("seen", "unseen") if (key := f"{method}, {what}") in found)
    return " / ".join(f"{each.mean():.3f} ± {each.std():.3f}" for each in parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--cases", nargs="+", default=list(CASES))
    parser.add_argument("--output", type=Path, default=Path("feature_cases.csv"))
    parser.add_argument("--publish", action="store_true", help="write the tables of the page")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.publish:
        publish(read_rows(asked.output))
    else:
        measure(asked.output, asked.cases, asked.seeds)


if __name__ == "__main__":
    main()
