"""How often the interval of `Questions.progress` contains the accuracy of the map handed out.

    python benchmarks/progress.py [--studies 200] [--output results/progress.csv] [--publish]

Every study is another one. Three of four are simulated: 12 to 24 objects in one to six dimensions,
a map in two, 3 to 14 answers per object, 5 to 25 % of answers wrong, with and without lapses. The
others replay people's answers about 30 of the foods or about all cars. Half of all studies have
random questions, half those of the default rule. The truth is the share of new answers to random
questions that the map predicts: by the probabilities of 40,000 simulated answers, or by people's
answers to all other questions.

Rows are appended as they come, one per study: a run that was stopped goes on where it was.
"""

import argparse
import csv
from pathlib import Path

import numpy as np
from pages import conditions, list_table, put_tables  # the script beside this one
from scipy.special import expit

import ordinate as od
from ordinate.questions.budget import logistic_observer, sharpness_for
from ordinate.questions.model import draw_maps
from ordinate.questions.progress import Counts, judge_progress
from ordinate.tasks import make_task
from questions import Replay

TRIPLETS = make_task("triplet")
PAGE = Path(__file__).parents[1] / "docs/results/questions.rst"
COLUMNS = ("study", "kind", "rule", "objects", "answers", "truth", "accuracy", "low", "high")


def simulated(rule, seed):
    """Return the progress of a simulated study, the accuracy of its map, and its size."""
    rng = np.random.default_rng([seed, 7])
    n, dimension = int(rng.choice([12, 16, 24])), int(rng.choice([1, 2, 3, 6]))
    per_object, wrong = int(rng.choice([3, 5, 8, 14])), float(rng.choice([0.05, 0.15, 0.25]))
    lapses = float(rng.choice([0.0, 0.2]))
    points = rng.standard_normal((n, dimension)) / np.sqrt(np.arange(1, dimension + 1))
    sharpness = sharpness_for(points, wrong, rng)
    observer = logistic_observer(points, sharpness, rng, lapses=lapses)
    questions = od.Questions(n, rule=rule, random_state=seed)
    n_told = 0
    while n_told < per_object * n:
        batch = questions.ask(min(2 * n, per_object * n - n_told))
        questions.tell(batch, observer(np.array([row.items for row in batch], dtype=np.int32)))
        n_told += len(batch)
    progress = questions.progress()
    items = TRIPLETS.draw(n, 40_000, rng)
    left = (1 - lapses) * expit(sharpness * _margins(items, points)) + lapses / 2
    truth = np.where(_margins(items, questions.map) > 0, left, 1 - left).mean()
    return progress, truth, (n, n_told)


def replayed(rule, seed):
    """Return the same of a study that people answered."""
    rng = np.random.default_rng([seed, 8])
    if rng.random() < 0.5:
        answers = od.datasets.load_cars60().comparisons
    else:
        answers = od.datasets.load_food100().comparisons
        numbers = np.full(answers.n_objects, -1, dtype=np.int32)
        chosen = rng.choice(answers.n_objects, 30, replace=False)
        numbers[chosen] = np.arange(30)
        rows = numbers[answers.rows]
        answers = od.Comparisons(rows[(rows >= 0).all(axis=1)], n_objects=30)
    n = answers.n_objects
    study = Replay(answers, rule, seed, n_components=2)
    study.go_on(int(rng.choice([3, 5])) * n, n)
    return judged(study, answers, rng)


def judged(study, answers, rng):
    """Judge a replay by its own answers and its map by all others."""
    known = study.known
    progress = judge_progress(known, study.is_random, 2, [], [], Counts(0, 0, 0, 0))
    points = draw_maps(known, 2, rng).mean
    question = answers.question_groups()
    others = answers[~np.isin(question, np.unique(question)[study.told])]
    truth = 1 - od.metrics.triplet_error(others, points)
    return progress, truth, (answers.n_objects, len(known))


def _margins(items, points):
    return TRIPLETS.margins(items, points[None])[:, 0, 0]


def run(numbers, path):
    """Run the studies that are not in the file yet."""
    done = {row["study"] for row in read(path)}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", newline="") as file:
        for number in numbers:
            if str(number) in done:
                continue
            kind = "replayed" if number % 4 == 3 else "simulated"
            rule = ("random", "posterior")[number // 4 % 2]
            play = replayed if kind == "replayed" else simulated
            progress, truth, sizes = play(rule, number)
            figures = (truth, progress.accuracy, progress.low, progress.high)
            row = [number, kind, rule, *sizes, *(f"{figure:.5f}" for figure in figures)]
            csv.writer(file).writerow(row)
            file.flush()
            print(*row, flush=True)


def read(path):
    """Return the rows; none if there is no file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file, COLUMNS))


def table(rows):
    """Return coverage, bias and width by kind of study as a table in reStructuredText."""
    cells = []
    kinds = ["simulated", "replayed"]
    for name, own in {
        **{f"{kind}, {rule}": (kind, rule) for kind in kinds for rule in ("random", "posterior")},
        "**all**": None,
    }.items():
        chosen = [row for row in rows if own is None or (row["kind"], row["rule"]) == own]
        if not chosen:
            continue
        truth, accuracy, low, high = (
            np.array([float(row[column]) for row in chosen])
            for column in ("truth", "accuracy", "low", "high")
        )
        within = (low <= truth) & (truth <= high)
        error = 100 * (accuracy - truth)
        cells.append(
            [
                name,
                len(chosen),
                f"{100 * within.mean():.0f}",
                f"{100 * np.mean(truth < low):.0f}, {100 * np.mean(truth > high):.0f}",
                f"{error.mean():+.1f} ± {error.std() / np.sqrt(len(error)):.1f}",
                f"{50 * np.mean(high - low):.1f}",
            ]
        )
    head = ["studies", "number", "truth within, %", "below, above, %", "bias, points", "half width"]
    return list_table(head, cells)


def main():
    """Run, print the table, and put it on the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="number of the first study")
    parser.add_argument("--output", type=Path, default=Path("results/progress.csv"))
    parser.add_argument("--publish", action="store_true", help="the table into the results page")
    options = parser.parse_args()
    run(range(options.first, options.first + options.studies), options.output)
    text = table(read(options.output))
    print(text)
    if options.publish:
        put_tables(PAGE, {"progress": f"*{conditions('ordinate')}.*\n\n{text}"})


if __name__ == "__main__":
    main()
