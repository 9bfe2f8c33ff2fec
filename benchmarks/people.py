"""Whether planted differences between people are found, what is in food100, and how long it takes.

    python benchmarks/people.py recovery | lapses | groups | views | food | speed [--repeats 20]
    python benchmarks/people.py table | publish

Truth is N(0, I) in two dimensions; logarithms of weights are N(0, spread²). A person with weights w
says "b is nearer" with probability σ(s·m), m the difference of squared distances, weighted.
Errors are against the noise-free answers of the same people. Every repeat is a line of the
output, and a run goes on where the last one ended. Seconds are those of the processor.
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from pages import write_table  # the script beside this one
from scipy import stats
from sklearn.metrics import adjusted_rand_score

import ordinate as od

N_PEOPLE, N_OBJECTS, N_TEST = 30, 30, 600
"""People, objects, and held-out questions of each person."""
RECOVERY = [
    (sharpness, spread, n_answers)
    for sharpness in (1.0, 2.0)
    for spread in (0.7, 0.0)
    for n_answers in (100, 400)
]


def answers_of(maps, n_answers, rng, sharpness):
    """Let each person answer on a map of their own; also return the noise-free answers."""
    rows, margins = [], []
    for points in maps:
        asked = np.argsort(rng.random((n_answers, len(points))), axis=1)[:, :3]
        anchor, first, second = points[asked.T]
        margins.append((np.square(anchor - second) - np.square(anchor - first)).sum(axis=1))
        rows.append(asked)
    rows, margins = np.vstack(rows), np.concatenate(margins)
    chance = 0.5 * (1 + np.tanh(0.5 * sharpness * margins))
    people = np.repeat(np.arange(len(maps)), n_answers)
    shared = {"n_objects": maps.shape[1], "groups": {"participant": people}}
    given = od.Comparisons(rows, rng.random(len(rows)) < chance, **shared)
    return given, od.Comparisons(rows, margins > 0, **shared)


def study(repeat, sharpness, spread, n_answers):
    """Return answers to learn from, and the noise-free ones of the same people."""
    rng = np.random.default_rng([repeat, round(10 * sharpness), round(10 * spread), n_answers])
    weights = np.exp(spread * rng.standard_normal((N_PEOPLE, 1, 2)))
    maps = rng.standard_normal((N_OBJECTS, 2)) * np.sqrt(weights)
    train, _ = answers_of(maps, n_answers, rng, sharpness)
    _, test = answers_of(maps, N_TEST, rng, sharpness)
    return train, test


def recovery(repeat):
    for sharpness, spread, n_answers in RECOVERY:
        train, test = study(repeat, sharpness, spread, n_answers)
        pooled = od.STE(2, penalty=0, random_state=0).fit(train)
        model, seconds = timed(od.WeightedSpaces(2, random_state=0), train)
        yield {
            "setting": f"s = {sharpness:g}, spread {spread:g}, {n_answers} answers each",
            "pooled": 1 - pooled.score(test),
            "weighted": 1 - model.score(test),
            "tau": model.tau_,
            "lapse": float(np.mean(model.lapse_rate_)),
            "seconds": seconds,
        }


def lapses(repeat):
    """People who answer by coin at times, at rates of 5 % on average."""
    for sharpness in (1.0, 2.0):
        train, test = study(repeat, sharpness, 0.7, 100)
        rng = np.random.default_rng([repeat, 1])
        people = train.groups["participant"].astype(int)
        by_coin = rng.random(len(train)) < rng.beta(1, 19, N_PEOPLE)[people]
        holds = ~by_coin | (rng.random(len(train)) < 0.5)
        train = od.Comparisons(train.rows, holds, n_objects=N_OBJECTS, groups=train.groups)
        shared = od.WeightedSpaces(2, noise="shared", random_state=0).fit(train)
        model = od.WeightedSpaces(2, random_state=0).fit(train)
        yield {
            "setting": f"s = {sharpness:g}, 5 % lapses, 100 answers each",
            "pooled": 1 - od.STE(2, penalty=0, random_state=0).fit(train).score(test),
            "shared noise": 1 - shared.score(test),
            "own noise": 1 - model.score(test),
            "lapse": float(np.mean(model.lapse_rate_)),
        }


def groups(repeat):
    rng = np.random.default_rng(repeat)
    planted = np.arange(40) % 4
    maps = rng.standard_normal((4, N_OBJECTS, 2))[planted]
    train, _ = answers_of(maps, 100, rng, 1.0)
    _, test = answers_of(maps, N_TEST, rng, 1.0)
    model, seconds = timed(od.GroupMaps(2, random_state=0), train)
    yield {
        "setting": "4 groups of 10 people, 100 answers each",
        "pooled": 1 - od.STE(2, penalty=0, random_state=0).fit(train).score(test),
        "error": 1 - model.score(test),
        "chosen": model.n_groups_,
        "rand": adjusted_rand_score(planted, model.groups_),
        "seconds": seconds,
    }


def views(repeat):
    """Coloured shapes: hues on a circle, four shapes; answers by either, 5 % of them flipped."""
    rng = np.random.default_rng(repeat)
    hue, shape = rng.uniform(0, 2 * np.pi, 40), 0.5 * np.pi * rng.integers(4, size=40)
    colours = np.column_stack([np.cos(hue), np.sin(hue)])
    shapes = np.column_stack([np.cos(shape), np.sin(shape)]) + 0.15 * rng.standard_normal((40, 2))
    noise = od.sources.FlippedAnswers(0.05)
    parts = [
        od.sources.random_triplets(view, 2000, noise=noise, random_state=rng).rows
        for view in (colours, shapes)
    ]
    truth = [od.sources.random_triplets(v, 5000, random_state=rng) for v in (colours, shapes)]
    answers = od.Comparisons(np.vstack(parts), n_objects=40)
    pooled = od.STE(2, penalty=0, random_state=0).fit(answers)
    for weights in ("mixture", "published"):
        for loss in ("STE", "TSTE"):
            model, seconds = timed(od.MTE(2, weights=weights, loss=loss, random_state=0), answers)
            errors = [[od.metrics.triplet_error(t, e) for t in truth] for e in model.embeddings_]
            yield {
                "setting": f"{weights}, {loss}",
                "pooled": float(np.mean([1 - pooled.score(part) for part in truth])),
                "error": min(errors[0][0] + errors[1][1], errors[0][1] + errors[1][0]) / 2,
                "seconds": seconds,
            }


def food(repeat):
    answers = od.datasets.load_food100().comparisons
    for dimension in (2, 3, 5):
        model = od.WeightedSpaces(dimension, random_state=repeat)
        found = od.compare_people(
            answers, model, folds=5, by="trial", random_state=repeat, verbose=True
        )
        tau = model.fit(answers).tau_
        yield {"setting": f"food100, {dimension} dimensions", "tau": tau, **found.to_dict()}


def speed(repeat):
    answers = od.datasets.load_food100().comparisons
    for attempt in ("with compiling", "compiled"):
        model, seconds = timed(od.WeightedSpaces(3, random_state=repeat), answers)
        yield {
            "setting": f"food100, 3 dimensions, {attempt}",
            "answers": len(answers),
            "participants": len(model.participants_),
            "iterations": model.n_iter_,
            "tau": model.tau_,
            "seconds": seconds,
        }


def timed(model, answers):
    start = time.process_time()
    model.fit(answers)
    return model, time.process_time() - start


PARTS = {part.__name__: part for part in (recovery, lapses, groups, views, food, speed)}


def run(part, n_repeats, path):
    lines = path.read_text().splitlines() if path.exists() else []
    done = {(row["part"], row["repeat"]) for row in map(json.loads, lines)}
    for repeat in range(n_repeats):
        if (part, repeat) in done:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows = [{"part": part, "repeat": repeat, **row} for row in PARTS[part](repeat)]
        with path.open("a") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
        print(f"{part} {repeat}", flush=True)


SHOWN = {
    "recovery": {
        "pooled": "one map for all (STE)",
        "weighted": "WeightedSpaces",
        "tau": "learned τ",
    },
    "lapses": {
        "pooled": "one map for all",
        "shared noise": '``noise="shared"``',
        "own noise": "default",
    },
    "views": {"pooled": "one map for all", "error": "views recovered"},
    "food": {
        "pooled_error": "one map for all",
        "error": "WeightedSpaces",
        "gain": "difference",
        "low": "90 % from",
        "high": "to",
        "tau": "learned τ",
    },
}
"""Parts that have a table on the page, and the names of its columns; others have a sentence."""


def read_figures(path):
    """Return the values of all repeats, by part, setting and name of the figure."""
    found = {}
    for row in map(json.loads, path.read_text().splitlines()):
        figures = found.setdefault(row.pop("part"), {}).setdefault(row.pop("setting"), {})
        row.pop("repeat")
        for name, value in row.items():
            if isinstance(value, (int, float)):
                figures.setdefault(name, []).append(value)
    return found


def table(path):
    """Print means over repeats with half of their 95 % intervals."""
    for part, settings in read_figures(path).items():
        for setting, figures in settings.items():
            print(part, setting, {name: with_interval(values) for name, values in figures.items()})


def publish(path):
    """Write the tables of the page, of the parts that were measured."""
    found = read_figures(path)
    for part, columns in SHOWN.items():
        rows = []
        for setting, figures in found.get(part, {}).items():
            row = {"setting": setting, "repeats": len(next(iter(figures.values())))}
            row |= {shown: with_interval(figures[name]) for name, shown in columns.items()}
            if part == "recovery":
                pooled, weighted = figures["pooled"], figures["weighted"]
                row["difference"] = f"{np.mean(weighted) / np.mean(pooled) - 1:+.1%}"
                row["the first ten"] = f"{np.mean(pooled[:10]):.4f}, {np.mean(weighted[:10]):.4f}"
            rows.append(row)
        if rows:
            caption = "means over repeats ± half of their 95 % intervals"
            write_table(f"people-{part}", caption, rows, f"python benchmarks/people.py {part}")


def with_interval(values):
    """Show a mean with half the width of its 95 % interval; a single value stands alone."""
    if len(values) == 1:
        return f"{values[0]:.4f}"
    half = stats.t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / len(values) ** 0.5
    return f"{np.mean(values):.4f} ± {half:.4f}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=[*PARTS, "table", "publish"])
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--output", type=Path, default=Path("results/people.jsonl"))
    arguments = parser.parse_args()
    if arguments.part in ("table", "publish"):
        (table if arguments.part == "table" else publish)(arguments.output)
    else:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        run(arguments.part, arguments.repeats, arguments.output)
