"""How close the default fit comes to the best of fifty starts.

    python benchmarks/starts.py [--seeds 3] [--only cars60] [--methods SOE TSTE] [--output F]
    python benchmarks/starts.py --summary [--publish]

For every set of answers, in two dimensions: how far the loss of a single spectral start
(`n_init=1`) and of the default (`n_init="auto"`) lies above that of the best of 50 starts, the
error on answers to other questions, and, in the file, processor seconds. Simulated
people lapse in a tenth of their answers; the folder of people's answers is named by ORDINATE_DATA.

Rows are appended as they come: a run that was stopped goes on where it was.
"""

import argparse
import csv
import time
import warnings
import zlib
from pathlib import Path

import numpy as np
from pages import conditions, list_table, put_tables  # the script beside this one
from sklearn.exceptions import ConvergenceWarning

import ordinate as od

PAGE = Path(__file__).parents[1] / "docs/results/starts.rst"
METHODS = {"SOE": od.SOE, "TSTE": od.TSTE, "STE": od.STE, "CKL": od.CKL}
SIZES = (1_000, 3_000, 10_000)
OBSERVERS = {
    "30 objects, 2-D": (30, 2),
    "60 objects, 3-D": (60, 3),
    "100 objects, 2-D": (100, 2),
    "100 objects, 6-D": (100, 6),
}
"""Objects and true dimensions of simulated people."""
PEOPLE = ("cars60", "food100", "music400")
MANY = 50
GOAL = 0.1
"""Per cent of the loss."""
COLUMNS = ("set", "answers", "seed", "method")
COLUMNS += tuple(
    f"{what} {n_init}" for what in ("loss", "error", "time") for n_init in (1, "auto", MANY)
)


def observed(n_objects, true_dimension, n_answers, rng):
    """Answers of somebody who is unsure at near ties and presses any key now and then."""
    points = rng.standard_normal((n_objects, true_dimension))
    rows = np.array([rng.choice(n_objects, 3, replace=False) for _ in range(n_answers)])
    near2, far2 = (np.square(points[rows[:, 0]] - points[rows[:, k]]).sum(axis=1) for k in (1, 2))
    holds = rng.random(n_answers) < 0.9 / (1 + np.exp(near2 - far2)) + 0.05
    return od.Comparisons(rows, holds, n_objects=n_objects)


def drawn(name, n_answers, seed):
    """Return answers to fit, and answers to other questions."""
    rng = np.random.default_rng([zlib.crc32(name.encode()), n_answers, seed])
    if name in OBSERVERS:
        answers = observed(*OBSERVERS[name], n_answers + 5_000, rng)
        return answers[:n_answers], answers[n_answers:]
    answers = getattr(od.datasets, f"load_{name}")().comparisons
    question = answers.question_groups()
    order = np.argsort(rng.permutation(question.max() + 1)[question], kind="stable")
    n_answers = min(n_answers, int(0.8 * len(answers)))
    return answers[order[:n_answers]], answers[order[n_answers:][:20_000]]


def fit(method, answers, others, n_init, seed):
    """Return loss, held-out error and processor seconds."""
    begin = time.process_time()
    model = method(2, n_init=n_init, random_state=seed, n_jobs=1).fit(answers)
    seconds = time.process_time() - begin
    return model.loss_, 1 - model.score(others), seconds


def run(names, methods, sizes, seeds, path):
    """Fit what is not in the file yet."""
    done = {tuple(row[column] for column in COLUMNS[:4]) for row in read(path)}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", newline="") as file:
        for seed in seeds:
            for name in names:
                for size in sizes:
                    given, others = drawn(name, size, seed)
                    for method in methods:
                        key = (name, str(size), str(seed), method)
                        if key in done:
                            continue
                        found = [
                            fit(METHODS[method], given, others, n_init, seed)
                            for n_init in (1, "auto", MANY)
                        ]
                        figures = [
                            f"{value:.7g}"
                            for values in zip(*found, strict=True)
                            for value in values
                        ]
                        csv.writer(file).writerow([*key, *figures])
                        file.flush()


def read(path):
    """Return the rows; none if there is no file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file, COLUMNS))


def above(row, n_init):
    """Return by how many per cent a loss lies above that of the best of fifty."""
    best = float(row[f"loss {MANY}"])
    # a loss of 0 can be reached if answers are few: a thousandth per answer is as good
    return 100 * (float(row[f"loss {n_init}"]) - best) / (best + 1e-3 * int(row["answers"]))


def table(rows):
    """Return how far losses lie above the best of fifty, by method and number of answers."""
    cells = []
    for method in METHODS:
        for size in SIZES:
            own = [row for row in rows if (row["method"], row["answers"]) == (method, str(size))]
            if own:
                cells.append([method, f"{size:,}", *_summary(own)])
    cells.append(["**all**", "", *_summary(rows)])
    head = ["method", "answers", "fits"]
    head += ["one start: within .1 %", "worst, %", "default: within .1 %", "worst, %"]
    head += ["error − best of 50, points"]
    return list_table(head, cells)


def _summary(rows):
    cells = [len(rows)]
    for n_init in (1, "auto"):
        far = np.array([above(row, n_init) for row in rows])
        cells += [np.sum(far <= GOAL), f"{far.max():.2f}"]
    errors = [100 * (float(row["error auto"]) - float(row[f"error {MANY}"])) for row in rows]
    spread = np.std(errors) / np.sqrt(len(rows))
    return [*cells, f"{np.mean(errors):+.2f} ± {spread:.2f}"]


def misses(rows):
    """Print the fits of the default beyond the goal."""
    for row in sorted(rows, key=lambda row: -above(row, "auto")):
        if above(row, "auto") > GOAL:
            print(*(row[column] for column in COLUMNS[:4]), f"{above(row, 'auto'):.2f}", sep="; ")


def main():
    """Fit, print the table, and put it on the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--only", nargs="+", default=[*OBSERVERS, *PEOPLE], help="sets of answers")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--summary", action="store_true", help="fit nothing")
    parser.add_argument("--publish", action="store_true", help="the table into the results page")
    parser.add_argument("--output", type=Path, default=Path("results/starts.csv"))
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    if not options.summary:
        seeds = range(options.first, options.first + options.seeds)
        run(options.only, options.methods, options.sizes, seeds, options.output)
    rows = read(options.output)
    misses(rows)
    print(text := table(rows))
    if options.publish:
        put_tables(PAGE, {"starts": f"*{conditions('ordinate')}.*\n\n{text}"})


if __name__ == "__main__":
    main()
