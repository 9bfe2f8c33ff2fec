"""How well noise and dimension are estimated, on answers whose truth is known.

    python benchmarks/choosing.py [--part noise|dimension] [--runs 5]
    python benchmarks/choosing.py --publish docs/results/choosing.rst

Points are N(0, I), questions random, and a share of the answers is flipped. cblearn, which runs in
an environment of its own, estimates dimensions as well: by a test of cross-validated accuracies
with SOE, and as the rank that LORE finds. Publishing writes the parts that were measured.
"""

import argparse
import json
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

PEER = ["cblearn==0.4.0", "numpy==1.26.4"]
SHARES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
DATA = {
    "60 objects, 60 answers each, 2-D": (60, 3_600, 2, 2),
    "60 objects, 20 answers each, 2-D": (60, 1_200, 2, 2),
    "60 objects, 60 answers each, 4-D fitted in 2-D": (60, 3_600, 4, 2),
}
"""Objects, answers, true dimension and dimension fitted."""
DIMENSIONS = (1, 2, 3)
TRIED = [1, 2, 3, 4]
LORE_COMPONENTS = 10
"""What LORE's rank is bounded by; its other parameters are its defaults."""


def by_peer(path):
    """Print what cblearn estimates, as JSON; runs where cblearn is installed."""
    from cblearn.embedding import LORE, SOE, estimate_dimensionality_cv

    rows = np.load(path)
    warnings.simplefilter("ignore")
    test = estimate_dimensionality_cv(
        SOE(1, random_state=0), rows, test_dimensions=TRIED, refit=False, n_jobs=1, random_state=0
    )
    lore = LORE(LORE_COMPONENTS, backend="scipy", random_state=0).fit(rows)
    print(json.dumps({"cblearn": test.estimated_dimension, "LORE": int(lore.rank_)}))


def answers(n_objects, n_answers, dimension, share, seed):
    import ordinate as od

    points = np.random.default_rng([seed, dimension]).standard_normal((n_objects, dimension))
    noise = od.sources.FlippedAnswers(share)
    return od.sources.random_triplets(points, n_answers, noise=noise, random_state=seed)


def noise_estimates(n_runs):
    """Yield the mean estimate, its spread, and the held-out error for each share of flips."""
    import ordinate as od

    robust = od.TETE(t=2, t_prime=1)
    for name, (n_objects, n_answers, true, fitted) in DATA.items():
        for share in SHARES:
            found = [
                od.estimate_noise(
                    answers(n_objects, n_answers, true, share, run),
                    robust,
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
    """Yield the dimensions chosen for 40 objects and 10 % of flips, by us and by cblearn."""
    from peers import peer_python, run_json

    import ordinate as od

    python = peer_python("cblearn", PEER)
    for n_answers in (800, 4_000):
        for true in DIMENSIONS:
            found = {"n_answers": n_answers, "true": true, "ours": [], "cblearn": [], "LORE": []}
            for run in range(n_runs):
                given = answers(40, n_answers, true, 0.1, run)
                estimate = od.estimate_dimension(
                    given, tuple(TRIED), "SOE", folds=10, random_state=0
                )
                found["ours"].append(estimate.dimension)
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / "rows.npy"
                    np.save(path, given.rows)
                    theirs = run_json(python, Path(__file__), "--peer", str(path))
                for name, dimension in theirs.items():
                    found[name].append(dimension)
            yield found


def noise_tables(rows):
    """Return a table for each setting, by its name on the page."""
    from pages import list_table

    from ordinate.selection._method_table import GUESSING

    tables = {}
    for number, data in enumerate(DATA):
        body = []
        for row in (row for row in rows if row["data"] == data):
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
    return tables


def dimension_table(rows):
    """Return the table of chosen dimensions, with what it was measured on."""
    from pages import conditions, list_table

    head = ["answers", "true dimension", "ours", "cblearn's test", "rank of LORE"]
    body = [
        [f"{row['n_answers']:,}", row["true"]]
        + [", ".join(map(str, row[name])) for name in ("ours", "cblearn", "LORE")]
        for row in rows
    ]
    measured = f"{conditions()}; cblearn 0.4.0; ``python benchmarks/choosing.py --part dimension``."
    return {"dimension": f"{list_table(head, body)}\n\n{measured}"}


PARTS = {
    "noise": (noise_estimates, noise_tables),
    "dimension": (dimension_estimates, dimension_table),
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--part", choices=PARTS, help="measure this alone (default: both)")
    parser.add_argument("--publish", type=Path, metavar="PAGE", help="write tables into a page")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--output", type=Path, default=Path("results/choosing"))
    given = parser.parse_args()
    files = {part: given.output / f"{part}.json" for part in PARTS}
    if given.publish:
        from pages import put_tables

        for part, (_, tables) in PARTS.items():
            if files[part].exists():
                put_tables(given.publish, tables(json.loads(files[part].read_text())))
        return
    from sklearn.exceptions import ConvergenceWarning

    warnings.simplefilter("ignore", ConvergenceWarning)
    given.output.mkdir(parents=True, exist_ok=True)
    for part in [given.part] if given.part else PARTS:
        rows = []
        for row in PARTS[part][0](given.runs):
            print(row, flush=True)
            rows.append(row)
            files[part].write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    by_peer(sys.argv[2]) if sys.argv[1:2] == ["--peer"] else main()
