"""Errors of maps with a prior from features, beside the same maps without features.

    python benchmarks/feature_prior.py --seeds 4 --jobs 2 --output rows.csv
    python benchmarks/feature_prior.py --speed
    python benchmarks/feature_prior.py --people --seeds 8

Simulated: 85 objects, 50 normal features that explain all, half or none of a map of three
dimensions; logistic observers. Misleading: features of the map of other objects, pair by pair, so
that what features call similar people call different. CLIP: 85 objects of THINGS, answers drawn
from SPoSE's similarities of people; "shuffled" gives each object the features of another. These are
judged by 10,000 noise-free questions. Music: people's answers, tags as features. Food: people's
answers; features are the map of 20,000 other answers in six dimensions, rotated into 30 columns
with noise of the same size. Both are judged by 2,000 other answers. All maps have four dimensions.
How the prior is chosen was decided on seeds below 30; judge it on others. --speed writes how long
large fits and alignments take, each in a process of its own, into the page of results.
"""

import argparse
import csv
import os
import subprocess
import sys
import time
import warnings
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from pages import with_error, write_table  # the script beside this one

import ordinate as od

DATA = (
    *("simulated 1", "simulated 0.5", "simulated 0", "misleading"),
    *("clip", "clip shuffled", "music", "food", "food shuffled"),
)
METHODS = ("STE", "no features", "features")
N_OBJECTS, N_TESTS = 85, 10_000


def simulated(share, n_answers, rng):
    """Return features that explain a share of the map, noisy answers and noise-free ones."""
    features = rng.standard_normal((N_OBJECTS, 50))
    told = features @ rng.standard_normal((50, 3)) / 50**0.5
    free = rng.standard_normal(told.shape)
    truth = 1.3 * (share**0.5 * told + (1 - share) ** 0.5 * free)
    return features, *drawn(similarities(truth), n_answers, rng)


def misleading(n_answers, rng):
    """Return features by which objects are near that people call far, and answers."""
    truth = 1.3 * rng.standard_normal((N_OBJECTS, 3))
    order = np.argsort(truth[:, 0])
    swapped = truth.copy()
    swapped[order[::2]] = -truth[order[::2]]  # neighbours come to lie on opposite sides
    features = swapped @ rng.standard_normal((3, 50)) + 0.3 * rng.standard_normal((N_OBJECTS, 50))
    return features, *drawn(similarities(truth), n_answers, rng)


def similarities(points):
    return -np.square(points[:, None] - points).sum(axis=2)


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


@cache
def food_map():
    """Return the map of 20,000 answers, and the others."""
    rows = od.datasets.load_food100().comparisons.rows
    rows = rows[np.random.default_rng(0).permutation(len(rows))]
    first = od.Comparisons(rows[:20_000], n_objects=100)
    return od.STE(6, random_state=0, n_jobs=1).fit(first).embedding_, rows[20_000:]


def food(shuffled, n_answers, rng):
    points, rows = food_map()
    features = points / points.std() @ rng.standard_normal((6, 30)) / 6**0.5
    features += rng.standard_normal(features.shape)
    if shuffled:
        features = rng.permutation(features)
    order = rng.permutation(len(rows))
    parts = (rows[order[:n_answers]], rows[order[-2000:]])
    return features, *(od.Comparisons(part, n_objects=100) for part in parts)


def load(data, n_answers, seed):
    rng = np.random.default_rng([seed, 7])
    kind, *more = data.split()
    if kind == "simulated":
        return simulated(float(more[0]), n_answers, rng)
    if kind == "clip":
        return things(bool(more), n_answers, rng)
    if kind == "food":
        return food(bool(more), n_answers, rng)
    return {"music": music, "misleading": misleading}[kind](n_answers, rng)


def errors(data, n_answers, seed):
    """Return error and CPU seconds of each method."""
    warnings.simplefilter("ignore")
    features, answers, test = load(data, n_answers, seed)
    start = time.process_time()
    chosen = od.FeatureEmbedding(4, random_state=0, n_jobs=1).fit(answers, features=features)
    seconds = time.process_time() - start
    tried = chosen.cv_results_
    free = np.flatnonzero(tried["share"] == 0)
    variance = float(tried["variance"][free[tried["answers_loss"][free].argmin()]])
    alone = od.FeatureEmbedding(
        4, prior={"share": 0.0, "variance": variance}, random_state=0, n_jobs=1
    )
    maps = {
        "STE": od.STE(4, random_state=0, n_jobs=1).fit(answers),
        "no features": alone.fit(answers, features=features),
        "features": chosen,
    }
    row = {"data": data, "answers": n_answers, "seed": seed}
    row |= {
        name: round(od.metrics.triplet_error(test, maps[name].embedding_), 4) for name in METHODS
    }
    return row | {"seconds": round(seconds, 2), **chosen.prior_}


def people_study(n_answers, good, grouped, seed):
    """Return features, answers of 12 people about 40 objects, and what they say without noise.

    People weigh two axes differently, or belong to two groups with a map each; features explain a
    share of the maps.
    """
    rng = np.random.default_rng([seed, 3])
    features = rng.standard_normal((40, 30))
    maps = []
    for _ in range(1 + grouped):
        told = features @ rng.standard_normal((30, 2)) / 30**0.5
        free = rng.standard_normal(told.shape)
        maps.append(1.5 * (good**0.5 * told + (1 - good) ** 0.5 * free))
    weights = np.exp(0.7 * rng.standard_normal((12, 2)))
    weights = np.ones((12, 2)) if grouped else weights / weights.mean(axis=1, keepdims=True)

    def ask(number, noise):
        rows = np.argsort(rng.random((number, 40)), axis=1)[:, :3]
        who = rng.integers(12, size=number)
        seen = np.array(maps)[who % len(maps)] * np.sqrt(weights)[who, None]
        at = np.arange(number)
        near, far = (
            np.square(seen[at, rows[:, 0]] - seen[at, rows[:, side]]).sum(axis=1) for side in (1, 2)
        )
        yes = far - near + noise * rng.logistic(size=number) > 0
        labels = [f"p{one:02}" for one in who]
        return od.Comparisons(rows, yes, n_objects=40, groups={"participant": labels})

    return features, ask(n_answers, 1), ask(5_000, 0)


def people(n_seeds):
    """Write errors of maps of people who differ, without and with features."""
    warnings.simplefilter("ignore")
    rows = []
    sizes = ((False, 300), (False, 600), (True, 600), (True, 1_200))
    for (grouped, n_answers), good in product(sizes, (0.8, 0.0)):
        found = []
        for seed in range(n_seeds):
            features, answers, test = people_study(n_answers, good, grouped, seed)
            errors = []
            for given in (None, features):
                shared = {"features": given, "random_state": seed, "n_jobs": 1}
                model = od.WeightedSpaces(2, **shared)
                if grouped:
                    model = od.GroupMaps(2, n_groups=2, n_init=5, **shared)
                errors.append(100 * (1 - model.fit(answers).score(test)))
            found.append(errors)
        without, told = np.transpose(found)
        rows.append(
            {
                "model": "GroupMaps, two groups" if grouped else "WeightedSpaces",
                "answers": n_answers,
                "features explain": f"{100 * good:.0f} %",
                "error without, %": f"{without.mean():.1f}",
                "with, %": f"{told.mean():.1f}",
                "difference": with_error(told - without, 1),
            }
        )
        print(rows[-1], flush=True)
    command = f"python benchmarks/feature_prior.py --people --seeds {n_seeds}"
    write_table("features-people", f"{n_seeds} draws", rows, command)


def large_fit():
    """Fit a map of many objects."""
    rng = np.random.default_rng(0)
    features = rng.standard_normal((100_000, 512), dtype=np.float32)
    points = features[:, :3] + 0.5 * rng.standard_normal((100_000, 3))
    answers = od.sources.random_triplets(points, 200_000, random_state=0)
    return lambda: od.FeatureEmbedding(3, random_state=0, n_jobs=1).fit(answers, features=features)


def alignment(n_trials, n_features):
    """Align features of CLIP with trials of THINGS, as the command does."""
    folder = Path(os.environ["ORDINATE_DATA"]) / "things"
    rows = np.loadtxt(folder / "odd_one_out_half.txt", dtype=int)
    rows = rows[np.random.default_rng(0).permutation(len(rows))[:n_trials]]
    features = np.load(folder / "clip_vit_b32.npy")[:, :n_features].astype(float)
    trials = od.Trials(rows[:, :3], groups={"participant": rows[:, 3]}, n_objects=len(features))
    return lambda: od.align(trials, {"clip": features}, fit=True, random_state=0, n_jobs=1)


SPEED = {
    "100,000 objects, 512 features, 200,000 answers: FeatureEmbedding(3)": large_fit,
    "49,620 trials, 300 features: align --fit": lambda: alignment(49_620, 300),
    "2,400 trials, 512 features: align --fit": lambda: alignment(2_400, 512),
}


def measure(number):
    """Print processor seconds and the largest memory of one of these."""
    import resource

    warnings.simplefilter("ignore")
    run = list(SPEED.values())[number]()
    start = time.process_time()
    run()
    seconds = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{seconds:.0f} {memory:.1f}")


def speed():
    """Write how long large fits take."""
    rows = []
    for number, name in enumerate(SPEED):
        command = [sys.executable, __file__, "--measure", str(number)]
        seconds, memory = subprocess.check_output(command, text=True).split()
        rows.append({"what": name, "CPU s": int(seconds), "largest memory, GB": memory})
        print(rows[-1], flush=True)
    write_table("features-speed", "one thread", rows, "python benchmarks/feature_prior.py --speed")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--answers", type=int, nargs="+", default=[100, 300, 1000, 3000])
    parser.add_argument("--data", nargs="+", default=DATA)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path("feature_prior.csv"))
    parser.add_argument("--people", action="store_true", help="maps of people who differ instead")
    parser.add_argument("--speed", action="store_true", help="time large fits instead")
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure is not None:
        measure(options.measure)
        return
    if options.people:
        people(options.seeds)
        return
    if options.speed:
        speed()
        return
    seeds = range(options.first_seed, options.first_seed + options.seeds)
    rows = []
    for data in options.data:
        tasks = [(data, n_answers, seed) for n_answers in options.answers for seed in seeds]
        rows += Parallel(n_jobs=options.jobs, backend="multiprocessing")(
            delayed(errors)(*task) for task in tasks
        )
        with options.output.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        for n_answers in options.answers:
            found = [row for row in rows if (row["data"], row["answers"]) == (data, n_answers)]
            told = [f"{data}, {n_answers}:"]
            for name in METHODS:
                of = np.array([row[name] for row in found])
                spread = of.std(ddof=1) / len(of) ** 0.5 if len(of) > 1 else np.nan
                told.append(f"{name} {of.mean():.3f} ± {spread:.3f}")
            seconds = np.mean([row["seconds"] for row in found])
            shares = [row["share"] for row in found]
            print(*told, f"({seconds:.1f} s) ρ {shares}", flush=True)


if __name__ == "__main__":
    main()
