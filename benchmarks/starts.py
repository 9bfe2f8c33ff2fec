"""How good a fit of one start is: one start, the default, the best of fifty.

    python benchmarks/starts.py [--methods SOE TSTE "STE, penalty 0"] [--seeds 3] [--sets cars60]

For every set of answers and dimension: the share of the answers fitted that the map denies, and
how far its loss lies above the lowest found, for a single spectral start (`n_init=1`), the
default (`n_init="auto"`) and the best of 50 starts by its loss; and how many times the processor
time of the single start the default takes. The data folder is named by ORDINATE_DATA.
"""

import argparse
import os
import time
import warnings

import numpy as np
from methods import KINDS, METHODS
from sklearn.exceptions import ConvergenceWarning

import ordinate as od

FOOD = (300, 1_000, 2_000, 5_000, 20_000, 100_000)
OBSERVERS = (
    (20, 2, 200),
    (20, 2, 2_000),
    (40, 2, 400),
    (40, 3, 4_000),
    (60, 4, 1_200),
    (100, 2, 1_000),
    (100, 5, 5_000),
    (200, 2, 4_000),
)
"""Objects, true dimensions and answers of simulated people with 10 % lapses."""
MANY = 50


def observed(n_objects, true_dimension, n_answers, seed):
    """Answers of somebody who is unsure at near ties and presses any key now and then."""
    rng = np.random.default_rng([seed, n_objects, n_answers])
    points = rng.standard_normal((n_objects, true_dimension))
    rows = np.array([rng.choice(n_objects, 3, replace=False) for _ in range(n_answers)])
    near2, far2 = (np.square(points[rows[:, 0]] - points[rows[:, k]]).sum(axis=1) for k in (1, 2))
    says_near = 0.9 / (1 + np.exp(near2 - far2)) + 0.05
    denied = rng.random(n_answers) > says_near
    rows[denied] = rows[denied][:, [0, 2, 1]]
    return od.Comparisons(rows, n_objects=n_objects)


def all_sets(seed):
    """Yield name and answers: simulated people, kinds of answers, people."""
    for n, d, m in OBSERVERS:
        yield f"observer, n {n}, {d}-D, {m}", observed(n, d, m, seed)
    for name, kind in KINDS.items():
        yield name, kind.draw(seed)[0]
    if seed == 0:
        yield "cars60", od.datasets.load_cars60().comparisons
        yield "music400", od.datasets.load_music400().comparisons
    food = od.datasets.load_food100().comparisons
    rng = np.random.default_rng(seed)
    for size in FOOD:
        yield f"food100, {size}", food[np.sort(rng.choice(len(food), size, replace=False))]


def fit(method, dimension, answers, n_init, seed):
    """Return loss, training error and processor seconds, of the quicker of two fits."""
    seconds = []
    for _ in range(1 if n_init == MANY else 2):
        begin = time.process_time()
        model = method(dimension, n_init=n_init, random_state=seed, n_jobs=1).fit(answers)
        seconds.append(time.process_time() - begin)
    return model.loss_, 1 - model.score(answers), min(seconds)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--methods", nargs="+", default=["SOE"])
    parser.add_argument("--dimensions", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--sets", nargs="+", help="only sets whose names contain one of these")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; times of one processor")
    print(f"{'':34}method d | error: one    auto   of {MANY} | loss above: one    auto | time")
    for seed in range(options.seeds):
        for name, answers in all_sets(seed):
            if options.sets and not any(part in name for part in options.sets):
                continue
            for method_name in options.methods:
                for dimension in options.dimensions:
                    method = METHODS[method_name]
                    one, auto, many = (
                        fit(method, dimension, answers, n_init, seed)
                        for n_init in (1, "auto", MANY)
                    )
                    unit = many[0] + 1e-3 * len(answers)  # where everything can be satisfied
                    above = [100 * (fitted[0] - many[0]) / unit for fitted in (one, auto)]
                    print(
                        f"{name:34}{method_name:6} {dimension} |     {one[1]:.4f}  {auto[1]:.4f}"
                        f"  {many[1]:.4f} | {above[0]:12.2f}%  {above[1]:6.2f}% |"
                        f" {auto[2] / one[2]:.1f}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
