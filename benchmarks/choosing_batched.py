"""What choosing a map costs on thousands of draws, and what a mean of maps would cost.

    python benchmarks/choosing_batched.py --device cuda --first 5000 --seconds 500
    python benchmarks/choosing_batched.py --publish docs/results/choosing.rst

All rows of `compare` are fitted to all answers and to those outside of each of five folds. The fits
of many draws run at once, by Adam in single precision; losses, penalties and the rule of the choice
are Ordinate's. Folds are of single answers, unlike those of `compare`, which are of questions.
Regret is by how much a map's error on other answers exceeds that of the best row.

The *mean of maps* is the weighted mean of the rows' Gram matrices, each at unit spread. The weights
are exp(−(score − lowest score) / 0.02). It is judged as it is, and cut to four dimensions.

Answers are people's, or of simulated observers as in benchmarks/defaults.py (data folder:
ORDINATE_DATA). Rows are written as they come; a run that was stopped goes on where it was.
"""

import argparse
import csv
import itertools
import json
import os
import time
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import torch
from choosing import is_ckl_in_4d, read, regrets, score
from pages import date_and_machine, list_table, put_tables
from scipy.special import expit
from sklearn.base import clone

import ordinate as od
from ordinate.engine.torch_blocks import with_torch
from ordinate.gram.posterior_gram import at_unit_spread
from ordinate.metrics import triplet_error, triplet_margins
from ordinate.selection._compare import USUAL_DIMENSIONS, usual_methods
from ordinate.selection._cross_validation import Judge, as_estimator, label_of
from ordinate.selection._intervals import HeldOutAnswers, brier_scores, variance_factor
from ordinate.selection._method_table import MethodRow, MethodTable, score_of

DATA = Path(os.environ.get("ORDINATE_DATA", "data"))
PEOPLE = {"food100": "dishes", "cars60": "cars", "music400": "music"}
DISTANCES = {
    "morse": "smacof/derived_morse.csv",
    "kinship": "smacof/derived_kinshipdelta.csv",
    "ekman": "smacof/derived_ekman.csv",
    "eurodist": "r_datasets/eurodist.csv",
}
DRAWS = {
    "food100": {(40, 100): 12, (100, 300): 24, (40, 300): 16, (100, 600): 16, (100, 1_000): 16}
    | {(100, 3_000): 8, (100, 10_000): 3},
    "cars60": {(30, 100): 12, (60, 300): 24, (60, 600): 16, (60, 1_000): 16}
    | {(60, 3_000): 8, (60, 10_000): 3},
    "music400": {(100, 300): 16, (400, 1_000): 8, (400, 3_000): 4},
    "normal": {(60, 300): 24, (100, 300): 16, (60, 1_000): 16, (60, 3_000): 8, (60, 10_000): 4},
    "clusters": {(85, 300): 16, (85, 1_000): 12},
    "spose": {(60, 300): 16, (100, 1_000): 12},
    "ring": {(60, 300): 12},
    "morse": {(36, 300): 12},
    "eurodist": {(21, 300): 12},
    "kinship": {(15, 100): 12},
    "ekman": {(14, 100): 12},
}
"""Draws in each round, by data and by objects and answers."""
ROUND = 100
"""By how much the numbers of draws of two rounds differ."""
N_JUDGED = 8_000
FOLDS = 5
N_STARTS = 4
STEPS = (60, 80, 250)
"""Steps of Adam: of a start, of all starts with a method's own loss, and of the best of them."""
SCALES = (0.15, 0.3, 0.6, 1.0, 1.6, 2.5)
TEMPERATURE = 0.02
"""Difference of scores that makes the weight of a map smaller by the factor e."""
CUT = 4
"""Dimensions that a mean of maps is cut to."""


def draw(data, n_objects, n_answers, number):
    """Return answers to fit, and answers to other questions to judge by."""
    rng = np.random.default_rng([sum(map(ord, data)), n_objects, n_answers, number])
    if data in PEOPLE:
        return _people(data, n_objects, n_answers, rng)
    return _simulated(data, n_objects, n_answers, rng)


@cache
def _study(data):
    record = getattr(od.datasets, f"load_{data}")().comparisons
    return record.rows, record.question_groups(), record.n_objects


def _people(data, n_objects, n_answers, rng):
    """Return answers about all objects, the most frequent (music) or any of them."""
    rows, questions, n_all = _study(data)
    if n_objects < n_all:
        if data == "music400":
            objects = np.argsort(-np.bincount(rows.ravel(), minlength=n_all))[:n_objects]
        else:
            objects = rng.choice(n_all, n_objects, replace=False)
        numbers = np.full(n_all, -1)
        numbers[objects] = np.arange(n_objects)
        known = (numbers[rows] >= 0).all(axis=1)
        rows = numbers[rows[known]]
        questions = np.unique(questions[known], return_inverse=True)[1]
    order = np.argsort(rng.permutation(questions.max() + 1)[questions], kind="stable")
    parts = order[:n_answers], order[n_answers:][-N_JUDGED:]
    return tuple(od.Comparisons(rows[part], n_objects=n_objects) for part in parts)


def _simulated(data, n_objects, n_answers, rng):
    """Return noisy answers, and right ones to other questions."""
    distances, sharpness, lapses = _observer(data, n_objects, rng)
    questions = _questions(n_objects, n_answers, rng)
    clear = expit(sharpness * _margins(distances, questions))
    holds = rng.random(n_answers) < (1 - lapses) * clear + lapses / 2
    others = _questions(n_objects, N_JUDGED, rng)
    return (
        od.Comparisons(questions, holds, n_objects=n_objects),
        od.Comparisons(others, _margins(distances, others) >= 0, n_objects=n_objects),
    )


def _observer(data, n_objects, rng):
    """Return dissimilarities of objects, and sharpness and lapse rate of who compares them."""
    dimension = rng.choice([1, 2, 3, 5, 10]) if data == "normal" else 2
    lapses = rng.choice([0.0, 0.05, 0.1, 0.2])
    if data == "normal":
        points = rng.standard_normal((n_objects, dimension)) / (dimension / 2) ** 0.25
        return _squared(points), rng.choice([0.5, 1.0, 2.0]), lapses
    if data == "clusters":
        points = 1.3 * rng.standard_normal((6, 2))[rng.integers(6, size=n_objects)]
        return _squared(points + 0.35 * rng.standard_normal((n_objects, 2))), 1.0, lapses
    if data == "ring":
        angle = rng.uniform(0, 2 * np.pi, n_objects)
        return _squared(1.4 * np.column_stack([np.cos(angle), np.sin(angle)])), 2.0, lapses
    if data == "spose":
        loadings = np.load(DATA / "things" / "spose49.npy")
        points = loadings[rng.choice(len(loadings), n_objects, replace=False)].astype(float)
        return -points @ points.T, rng.choice([0.5, 1.0, 2.0]), 0.0
    return _published(data), rng.choice([1.5, 3.0]), lapses


@cache
def _published(data):
    """Return published dissimilarities with the standard deviation one."""
    with (DATA / DISTANCES[data]).open(encoding="utf-8") as file:
        _, *lines = csv.reader(file)
    given = np.array([[float(cell or 0) for cell in line[1:]] for line in lines])
    if data == "ekman":  # similarities up to one
        given = 1 - given - np.eye(len(given))
    return given / given[np.triu_indices(len(given), 1)].std()


def _squared(points):
    return np.square(points[:, None] - points).sum(axis=2)


def _questions(n_objects, number, rng):
    a = rng.integers(n_objects, size=number)
    b, c = ((a + 1 + rng.integers(n_objects - 1, size=number)) % n_objects for _ in "bc")
    while (same := b == c).any():
        c[same] = (a[same] + 1 + rng.integers(n_objects - 1, size=same.sum())) % n_objects
    return np.column_stack([a, b, c])


def _margins(distances, questions):
    a, b, c = questions.T
    return distances[a, c] - distances[a, b]


def models():
    """Return the rows of `compare`: estimators by label and dimension."""
    return {
        (label_of(method), d): clone(as_estimator(method)).set_params(n_components=d)
        for method in usual_methods()
        for d in USUAL_DIMENSIONS
    }


def problems(rows, weights, n_objects, times=1):
    """Repeat each problem and number the objects of all: three columns, and a weight per row."""
    rows, weights = (given.repeat_interleave(times, dim=0) for given in (rows, weights))
    rows = rows + n_objects * torch.arange(len(rows), device=rows.device)[:, None, None]
    return rows.flatten(0, 1).unbind(dim=1), weights.flatten()


def objective(points, answers, loss, penalty):
    """Return the loss of each map, and its gradient."""
    (a, b, c), weights = answers
    function, parameters = loss
    flat = points.flatten(0, 1)
    gradient = torch.zeros_like(flat)
    differences = flat[a] - flat[b], flat[a] - flat[c]
    squared = [difference.square().sum(dim=1) for difference in differences]
    values, *slopes = with_torch(function)(*squared, *parameters)
    for other, difference, square, slope in zip((b, c), differences, squared, slopes, strict=True):
        # at distance zero a slope may be infinite
        pull = difference * torch.where(square == 0, 0.0, 2 * slope * weights)[:, None]
        gradient.index_add_(0, a, pull).index_add_(0, other, pull, alpha=-1)
    values = (values * weights).view(len(points), -1).sum(dim=1)
    values = values + penalty * points.square().sum(dim=(1, 2))
    return values, gradient.view_as(points) + 2 * penalty * points


def adam(points, evaluate, n_steps, highest, lowest):
    """Return where Adam arrives; its rate falls as a cosine."""
    points = points.clone()
    mean, square = torch.zeros_like(points), torch.zeros_like(points)
    for step in range(1, n_steps + 1):
        _, gradient = evaluate(points)
        mean.lerp_(gradient, 0.1)
        square.lerp_(gradient.square(), 0.01)
        rate = lowest + (highest - lowest) * (1 + np.cos(np.pi * step / n_steps)) / 2
        size = (square / (1 - 0.99**step)).sqrt() + 1e-8
        points -= rate / (1 - 0.9**step) * mean / size
    return points


def starts(rows, weights, n_objects, dimension):
    """Return rough maps of each problem: by CKL in three dimensions more, which are cut off."""
    many = len(rows) * N_STARTS
    answers = problems(rows, weights, n_objects, N_STARTS)
    points = 0.5 * torch.randn(many, n_objects, dimension + 3, device=rows.device)
    evaluate = partial(objective, answers=answers, loss=od.CKL()._loss(), penalty=0.2)
    points = adam(points, evaluate, STEPS[0], 0.15, 0.05)
    points -= points.mean(dim=1, keepdim=True)
    axes = torch.linalg.eigh(points.mT @ points).eigenvectors[:, :, -dimension:]
    return (points @ axes).view(len(rows), N_STARTS, n_objects, dimension)


def fit(model, begin, rows, weights):
    """Return a map of each problem, from that of its starts which soon is the best."""
    n_problems, n_starts, n_objects, _ = begin.shape
    penalty = model._coordinate_penalty()
    answers = problems(rows, weights, n_objects, n_starts)
    evaluate = partial(objective, answers=answers, loss=model._first_loss(), penalty=penalty)
    points = begin.flatten(0, 1)
    values = torch.stack([evaluate(scale * points)[0] for scale in SCALES])
    points = points * points.new_tensor(SCALES)[values.argmin(dim=0)][:, None, None]
    points = adam(points, evaluate, STEPS[1], 0.1, 0.03)
    values = evaluate(points)[0].nan_to_num(nan=torch.inf).view(n_problems, n_starts)
    points = points.view_as(begin)[torch.arange(n_problems), values.argmin(dim=1)]
    answers = problems(rows, weights, n_objects)
    evaluate = partial(objective, answers=answers, loss=model._loss(), penalty=penalty)
    return adam(points, evaluate, STEPS[2], 0.1, 0.0005).nan_to_num()


def measure(setting, numbers, device):
    """Return the row of each draw of a setting."""
    data, n_objects, n_answers = setting
    torch.manual_seed(sum(map(ord, data)) + n_objects + n_answers + numbers[0])
    drawn = [draw(*setting, number) for number in numbers]
    folds = [
        np.random.default_rng([7, n_objects, n_answers, number]).permutation(n_answers) % FOLDS
        for number in numbers
    ]
    rows = np.repeat([fitted.rows for fitted, _ in drawn], 1 + FOLDS, axis=0)
    fits = np.array([[its != fold for fold in range(-1, FOLDS)] for its in folds])  # -1: to all
    rows = torch.tensor(rows, dtype=torch.long, device=device)
    weights = torch.tensor(fits.reshape(-1, n_answers), dtype=torch.float32, device=device)
    begin = {d: starts(rows, weights, n_objects, d) for d in USUAL_DIMENSIONS}
    shape = (len(numbers), 1 + FOLDS, n_objects)
    maps = {
        (label, d): fit(model, begin[d], rows, weights).view(*shape, d).double().cpu().numpy()
        for (label, d), model in models().items()
    }
    about = {"data": data, "objects": n_objects, "answers": n_answers}
    return [
        {**about, "draw": number, **judge(*drawn[k], folds[k], {key: maps[key][k] for key in maps})}
        for k, number in enumerate(numbers)
    ]


def judge(fitted, judged, folds, maps):
    """Return scores and errors of the rows of a draw, which was chosen, and errors of means."""
    new_questions, estimators = Judge(fitted), models()
    rows, wrong, squared, factors, grams = [], [], [], [], []
    for (label, d), (whole, *parts) in maps.items():
        margins = np.empty(len(fitted))
        for fold, points in enumerate(parts):
            margins[folds == fold] = triplet_margins(fitted[folds == fold], points)
        wrong.append(np.float32(margins <= 0))
        squared.append(np.float32(brier_scores(margins)))
        said = np.array([new_questions.predictions(points) for points in parts])
        factors.append(variance_factor(said, FOLDS))
        centred = whole - whole.mean(axis=0)
        grams.append(at_unit_spread(centred @ centred.T))
        figures = {"error": float(wrong[-1].mean()), "brier_score": float(squared[-1].mean())}
        unused = dict.fromkeys(("low", "high", "seconds"), np.nan) | {"fold_errors": ()}
        rows.append(MethodRow(label, d, **figures, **unused, estimator=estimators[label, d]))
    held_out = HeldOutAnswers(np.array(wrong), np.arange(len(fitted)), None, np.array(factors))
    table = MethodTable(
        tuple(rows),
        held_out,
        replace(held_out, values=np.array(squared)),
        folds=FOLDS,
        repeats=1,
        by=None,
        n_answers=len(fitted),
        n_objects=fitted.n_objects,
        n_never_held_out=0,
    )
    scores = np.array([score_of(row) for row in rows])
    gram = np.average(grams, axis=0, weights=np.exp((scores.min() - scores) / TEMPERATURE))
    values, vectors = np.linalg.eigh(gram)
    cut = vectors[:, -CUT:] * np.sqrt(np.maximum(values[-CUT:], 0))
    return {
        "rows": [
            {
                "method": row.method,
                "dimension": row.dimension,
                "held_out": row.error,
                "brier": row.brier_score,
                "error": triplet_error(judged, whole),
            }
            for row, (whole, *_) in zip(rows, maps.values(), strict=True)
        ],
        "chosen": rows.index(table.choice),
        "mean": triplet_error(judged, cut),
        "uncut mean": triplet_error(judged, gram=gram),
    }


def regret_table(draws):
    """Return mean and worst regret of rules and of means, for parts of the draws."""
    best = best_rows(draws)
    rules = {
        "the choice": lambda draw: draw["rows"][draw["chosen"]],
        "lowest score": lambda draw: min(draw["rows"], key=score),
        "always CKL in 4-D": lambda draw: next(filter(is_ckl_in_4d, draw["rows"])),
        "oracle": lambda draw: draw["rows"][best[_kind(draw)]],
        "mean of maps in 4-D": lambda draw: {"error": draw["mean"]},
        "mean of maps, uncut": lambda draw: {"error": draw["uncut mean"]},
    }
    body = []
    for name, belongs in _parts().items():
        its = [draw for draw in draws if belongs(draw)]
        if its:
            body.append([name, f"{len(its):,}", *regrets(its, rules.values(), digits=2)])
    measured = "; ".join(dict.fromkeys(draw["measured"] for draw in draws))
    origin = f"{measured}; ``python benchmarks/choosing_batched.py --device cuda``."
    return {"batched": f"{list_table(['answers', 'draws', *rules], body)}\n\n{origin}"}


def best_rows(draws):
    """Return the row with the lowest mean error, of each kind of data and number of answers."""
    kinds = {}
    for draw in draws:
        kinds.setdefault(_kind(draw), []).append([row["error"] for row in draw["rows"]])
    return {kind: int(np.mean(errors, axis=0).argmin()) for kind, errors in kinds.items()}


def _kind(draw):
    return draw["data"], draw["objects"], draw["answers"]


def _parts():
    """Return which draws a line of the table is about."""

    def between(low, high, data=DRAWS):
        return lambda draw: draw["data"] in data and low <= draw["answers"] / draw["objects"] < high

    return {
        "fewer than 4 per object": between(0, 4),
        "4 to 8": between(4, 8),
        "8 to 16": between(8, 16),
        "16 to 32": between(16, 32),
        "32 or more": between(32, np.inf),
        "fewer than 16": between(0, 16),
        **{f"{name}, fewer than 16": between(0, 16, [data]) for data, name in PEOPLE.items()},
        "all people's, fewer than 16": between(0, 16, PEOPLE),
        "simulated, fewer than 16": between(0, 16, set(DRAWS) - set(PEOPLE)),
        "300 answers": lambda draw: draw["answers"] == 300,
        "1,000 answers": lambda draw: draw["answers"] == 1_000,
        "**all**": between(0, np.inf),
    }


def batches(first, most):
    """Yield settings and numbers of draws, round after round, few answers first."""
    sizes = [(m, n, data) for data, its in DRAWS.items() for n, m in its]
    for number in itertools.count(first, ROUND):
        for n_answers, n_objects, data in sorted(sizes):
            n_draws = min(DRAWS[data][n_objects, n_answers], most)
            yield (data, n_objects, n_answers), range(number, number + n_draws)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--publish", type=Path, metavar="PAGE", help="write the table into a page")
    parser.add_argument("--seconds", type=float, default=500, help="no batch begins later")
    parser.add_argument("--first", type=int, default=0, help="number of the first draw")
    parser.add_argument("--draws", type=int, default=24, help="of a setting at most, in each round")
    parser.add_argument("--device", default="cpu", help="of PyTorch, such as cuda")
    parser.add_argument("--output", type=Path, default=Path("results/choosing/batched.jsonl"))
    given = parser.parse_args()
    rows = read(given.output)
    if given.publish:
        put_tables(given.publish, regret_table(rows))
        return
    measured = date_and_machine()
    if given.device.startswith("cuda"):
        measured += f", {torch.cuda.get_device_name(given.device)}"
    done = {(*_kind(row), row["draw"]) for row in rows}
    given.output.parent.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + given.seconds
    for setting, numbers in batches(given.first, given.draws):
        if time.monotonic() > end:
            return
        if all((*setting, number) in done for number in numbers):
            continue
        found = measure(setting, numbers, given.device)
        with given.output.open("a") as file:
            file.writelines(json.dumps({**row, "measured": measured}) + "\n" for row in found)


if __name__ == "__main__":
    main()
