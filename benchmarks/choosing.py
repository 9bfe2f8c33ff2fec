"""How well noise and dimension are estimated, and what the choice of a map costs.

    python benchmarks/choosing.py [--part noise|dimension|regret] [--runs 5]
    python benchmarks/choosing.py --publish docs/results/choosing.rst

For noise and dimension, points are N(0, I), questions random, and a share of the answers is
flipped. cblearn, which runs in an environment of its own, estimates dimensions as well: by a test
of cross-validated accuracies with SOE, and as the rank that LORE finds.

Regret is by how much the map that `compare` chooses is worse than the best of its rows, each fitted
to all answers and judged by other ones: 20,000 simulated questions and the truth, or people's
answers to other questions (data folder: ORDINATE_DATA).

Publishing writes the parts that were measured. A run that was stopped goes on where it was.
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
MOST_OF_PEER = 1_000
"""Answers up to which cblearn is measured too: with 4,000 its test takes minutes for each draw."""
LORE_COMPONENTS = 10
"""What LORE's rank is bounded by; its other parameters are its defaults."""
MANY = (300, 1_000, 3_000, 10_000, 30_000, 100_000)
OF_PEOPLE = {"dishes": MANY, "cars": MANY[:3], "music": MANY[1:3]}
SIMULATED = {"clusters, 2-D": MANY, "5-D": MANY}
CHOICES = [
    (name, n_answers)
    for n_answers in MANY
    for name, sizes in (OF_PEOPLE | SIMULATED).items()
    if n_answers in sizes
]
"""Answers that a map is chosen for."""
REGRET_GOALS = (0.8, 3.0)
"""Points of error, on the mean and at worst."""


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


def noise_estimate(n_runs, name, share):
    """Return the mean estimate, its spread, and the held-out error for a share of flips."""
    import ordinate as od

    robust = od.TETE(t=2, t_prime=1)
    n_objects, n_answers, true, fitted = DATA[name]
    found = [
        od.estimate_noise(
            answers(n_objects, n_answers, true, share, run), robust, fitted, folds=5, random_state=0
        )
        for run in range(n_runs)
    ]
    shares = [estimate.lapse_rate for estimate in found]
    return {
        "data": name,
        "runs": n_runs,
        "flipped": share,
        "estimate": float(np.mean(shares)),
        "lowest": min(shares),
        "highest": max(shares),
        "held_out_error": float(np.mean([e.overall.held_out_error for e in found])),
    }


def dimension_estimates(n_runs, n_answers, true):
    """Return the dimensions chosen for 40 objects and 10 % of flips, by us and by cblearn."""
    from peers import peer_python, run_json

    import ordinate as od

    python = peer_python("cblearn", PEER)
    found = {"n_answers": n_answers, "true": true, "ours": [], "cblearn": [], "LORE": []}
    for run in range(n_runs):
        given = answers(40, n_answers, true, 0.1, run)
        estimate = od.estimate_dimension(given, tuple(TRIED), "SOE", folds=10, random_state=0)
        found["ours"].append(estimate.dimension)
        if n_answers > MOST_OF_PEER:
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.npy"
            np.save(path, given.rows)
            theirs = run_json(python, Path(__file__), "--peer", str(path))
        for name, dimension in theirs.items():
            found[name].append(dimension)
    return found


def regret_of_draw(draw, name, n_answers):
    """Return scores of all rows, the error of the map that each gives, and which was chosen."""
    from defaults import Observers, People
    from sklearn.base import clone

    import ordinate as od

    settings = {
        "dishes": People("food100", n_answers),
        "cars": People("cars60", n_answers),
        "music": People("music400", n_answers),
        "clusters, 2-D": Observers(85, n_answers, lapses=0.05, shape="clusters"),
        "5-D": Observers(60, n_answers, dimension=5, sharpness=0.5),
    }
    drawn = settings[name].draw(np.random.default_rng([draw, n_answers, len(name)]))
    table = od.compare(drawn.fitted, n_jobs=1, random_state=draw)
    rows = []
    for row, factor in zip(table.rows, table.held_out.factors, strict=True):
        model = clone(row.estimator).set_params(n_components=row.dimension, random_state=0)
        error = 1 - model.fit(drawn.fitted).score(drawn.truth or drawn.judged)
        scores = {"held_out": row.error, "brier": row.brier_score, "factor": float(factor)}
        rows.append({"method": row.method, "dimension": row.dimension, **scores, "error": error})
    chosen = table.rows.index(table.choice)
    return {"data": name, "answers": n_answers, "draw": draw, "rows": rows, "chosen": chosen}


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
        + [", ".join(map(str, row[name])) or "–" for name in ("ours", "cblearn", "LORE")]
        for row in rows
    ]
    measured = f"{conditions()}; cblearn 0.4.0; ``python benchmarks/choosing.py --part dimension``."
    return {"dimension": f"{list_table(head, body)}\n\n{measured}"}


def regret_table(draws):
    """Return mean and worst regret of the chosen row, and of other rules."""
    from pages import conditions, list_table

    rules = {
        "the choice": lambda draw: draw["rows"][draw["chosen"]],
        "lowest score": lambda draw: min(draw["rows"], key=score),
        "lowest Brier score": lambda draw: min(draw["rows"], key=lambda row: row["brier"]),
        "lowest held-out error": lambda draw: min(draw["rows"], key=lambda row: row["held_out"]),
        "always CKL in 4-D": lambda draw: next(filter(is_ckl_in_4d, draw["rows"])),
    }
    body = []
    for name, n_answers in CHOICES:
        its = [d for d in draws if (d["data"], d["answers"]) == (name, n_answers)]
        if its:
            body.append([f"{name}, {n_answers:,}", len(its), *regrets(its, rules.values())])
    groups = {
        "**people**": [d for d in draws if d["data"] in OF_PEOPLE],
        "**simulated**": [d for d in draws if d["data"] in SIMULATED],
        "**all**": draws,
    }
    for name, its in groups.items():
        if its:
            body.append([name, len(its), *regrets(its, rules.values())])
    mean, worst = REGRET_GOALS
    measured = (
        f"{conditions('ordinate')}; goal: {mean} on the mean, {worst:g} at worst;"
        " ``python benchmarks/choosing.py --part regret``."
    )
    return {"regret": f"{list_table(['answers', 'draws', *rules], body)}\n\n{measured}"}


def score(row):
    """Return what rows are chosen by."""
    return row["brier"] + row["held_out"] / 2


def is_ckl_in_4d(row):
    """Return whether a row is the one to use where answers are few."""
    return (row["method"], row["dimension"]) == ("CKL", 4)


def regrets(draws, rules, digits=1):
    """Return a cell for each rule: mean regret in points, its standard error, and the worst."""
    cells = []
    for rule in rules:
        lost = [100 * (rule(d)["error"] - min(row["error"] for row in d["rows"])) for d in draws]
        if len(lost) == 1:
            cells.append(f"{lost[0]:.1f}")
            continue
        spread = np.std(lost, ddof=1) / np.sqrt(len(lost))
        cells.append(f"{np.mean(lost):.{digits}f} ± {spread:.{digits}f}, {max(lost):.1f}")
    return cells


def jobs(part, n_runs, first):
    """Return what to measure: arguments of the part's function."""
    if part == "regret":
        draws = range(first, first + n_runs)
        return [(draw, *choice) for draw in draws for choice in CHOICES]
    inner = [(name, share) for name in DATA for share in SHARES]
    if part == "dimension":
        inner = [(n_answers, true) for n_answers in (800, 4_000) for true in DIMENSIONS]
    return [(n_runs, *setting) for setting in inner]


PARTS = {
    "noise": (noise_estimate, noise_tables),
    "dimension": (dimension_estimates, dimension_table),
    "regret": (regret_of_draw, regret_table),
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--part", choices=PARTS, help="measure this alone (default: all)")
    parser.add_argument("--publish", type=Path, metavar="PAGE", help="write tables into a page")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="number of the first draw (regret)")
    parser.add_argument("--output", type=Path, default=Path("results/choosing"))
    given = parser.parse_args()
    files = {part: given.output / f"{part}.jsonl" for part in PARTS}
    if given.publish:
        from pages import put_tables

        for part, (_, tables) in PARTS.items():
            if rows := read(files[part]):
                put_tables(given.publish, tables(rows))
        return
    from sklearn.exceptions import ConvergenceWarning

    warnings.simplefilter("ignore", ConvergenceWarning)
    given.output.mkdir(parents=True, exist_ok=True)
    for part in [given.part] if given.part else PARTS:
        for job in jobs(part, given.runs, given.first)[len(read(files[part])) :]:
            row = PARTS[part][0](*job)
            with files[part].open("a") as file:
                file.write(json.dumps(row) + "\n")


def read(path):
    """Return the rows measured so far."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


if __name__ == "__main__":
    by_peer(sys.argv[2]) if sys.argv[1:2] == ["--peer"] else main()
