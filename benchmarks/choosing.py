"""How well noise and dimension are estimated, on answers whose truth is known.

    python benchmarks/choosing.py [--runs 5] [--output results/choosing.json]
    python benchmarks/choosing.py --publish docs/results/choosing.rst

Points are N(0, I), questions random, and a share of the answers is flipped. No peer estimates
either, so truth is the only thing to compare with.
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import ordinate as od
from ordinate.selection._method_table import GUESSING

SHARES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
DATA = {
    "60 objects, 60 answers each, 2-D": (60, 3_600, 2, 2),
    "60 objects, 20 answers each, 2-D": (60, 1_200, 2, 2),
    "60 objects, 60 answers each, 4-D fitted in 2-D": (60, 3_600, 4, 2),
}
"""Objects, answers, true dimension and dimension fitted."""
DIMENSIONS = (1, 2, 3)
ROBUST = od.TETE(t=2, t_prime=1)


def answers(n_objects, n_answers, dimension, share, seed):
    points = np.random.default_rng([seed, dimension]).standard_normal((n_objects, dimension))
    noise = od.sources.FlippedAnswers(share)
    return od.sources.random_triplets(points, n_answers, noise=noise, random_state=seed)


def noise_estimates(n_runs):
    """Yield the mean estimate, its spread, and the held-out error for each share of flips."""
    for name, (n_objects, n_answers, true, fitted) in DATA.items():
        for share in SHARES:
            found = [
                od.estimate_noise(
                    answers(n_objects, n_answers, true, share, run),
                    ROBUST,
                    fitted,
                    folds=5,
                    random_state=0,
                )
                for run in range(n_runs)
            ]
            shares = [estimate.lapse_rate for estimate in found]
            yield {
                "data": name,
                "runs": n_runs,
                "flipped": share,
                "estimate": float(np.mean(shares)),
                "lowest": min(shares),
                "highest": max(shares),
                "held_out_error": float(np.mean([e.overall.held_out_error for e in found])),
            }


def dimension_estimates(n_runs):
    """Yield how often each dimension was chosen for 40 objects and 10 % of flips."""
    for n_answers in (800, 4_000):
        for true in DIMENSIONS:
            chosen = [
                od.estimate_dimension(
                    answers(40, n_answers, true, 0.1, run),
                    (1, 2, 3, 4),
                    "SOE",
                    folds=10,
                    random_state=0,
                ).dimension
                for run in range(n_runs)
            ]
            yield {"n_answers": n_answers, "true": true, "chosen": chosen}


def publish(page, path):
    """Write the tables of a run into the page, between its remarks."""
    from pages import list_table, put_tables

    found = json.loads(path.read_text())
    tables = {}
    for number, data in enumerate(DATA):
        its = [row for row in found["noise"] if row["data"] == data]
        body = []
        for row in its:
            low, high = 100 * row["lowest"], 100 * row["highest"]
            warned = ", warned" * (row["held_out_error"] >= GUESSING)
            body.append(
                [
                    f"{100 * row['flipped']:.0f} %",
                    f"{100 * row['estimate']:.1f} % ({low:.1f}–{high:.1f}){warned}",
                    f"{100 * row['held_out_error']:.1f} %",
                ]
            )
        head = ["flipped", "estimate, mean (range)", "held-out error"]
        tables[f"lapses {number + 1}"] = list_table(head, body)
    tables["dimension"] = list_table(
        ["answers", "true dimension", "chosen"],
        [
            [f"{row['n_answers']:,}", row["true"], ", ".join(map(str, row["chosen"]))]
            for row in found["dimension"]
        ],
    )
    put_tables(page, tables)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--publish", type=Path, metavar="PAGE", help="write tables into a page")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--output", type=Path, default=Path("results/choosing.json"))
    given = parser.parse_args()
    if given.publish:
        publish(given.publish, given.output)
        return
    warnings.simplefilter("ignore", ConvergenceWarning)
    noise, dimension = [], []
    for row in noise_estimates(given.runs):
        if row["flipped"] == 0:
            print(
                f"\n{row['data']}\nflipped  estimate (range)       interval holds  held-out error"
            )
        span = f"{row['estimate']:.3f} ({row['lowest']:.3f}–{row['highest']:.3f})"
        covered = f"{row['covered']} of {given.runs}"
        print(
            f"{row['flipped']:7.2f}  {span:21}  {covered:14}  {row['held_out_error']:.3f}",
            flush=True,
        )
        noise.append(row)
    print("\nanswers  true dimension  chosen")
    for row in dimension_estimates(given.runs):
        print(f"{row['n_answers']:7,}  {row['true']:14}  {row['chosen']}", flush=True)
        dimension.append(row)
    given.output.parent.mkdir(parents=True, exist_ok=True)
    given.output.write_text(json.dumps({"noise": noise, "dimension": dimension}, indent=1) + "\n")


if __name__ == "__main__":
    main()
