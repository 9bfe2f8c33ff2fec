"""What a user without an opinion gets: its error, its interval, its dimension, its noise bracket.

    python benchmarks/defaults.py [--seeds 10] [--quick] [--output results/defaults.jsonl]
    python benchmarks/defaults.py --summary
    python benchmarks/defaults.py --coverage 100
    python benchmarks/defaults.py --publish docs/results/defaults.rst

Every setting is drawn anew for each seed. A map is judged by what it was not fitted to: simulated
observers by 20,000 questions and the truth, people (data folder: ORDINATE_DATA) by all of their
answers to other questions. The choice sees only what is fitted. The *old default* is SOE in two
dimensions from one start; the *oracle* is the best of all methods and dimensions by the judge. Rows
are written as they come: a run that was stopped goes on where it was.

Observers: points N(0, I), in clusters or on a ring; "b" with the probability (1 − ℓ) σ(s m) + ℓ/2,
where m = |a − c|² − |a − b|², s is the sharpness and ℓ the lapse rate. Participants weigh
dimensions by exp(N(0, .5²)).
"""

import argparse
import json
import time
import warnings
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import ordinate as od
from ordinate.selection._compare import USUAL_DIMENSIONS, USUAL_METHODS
from ordinate.selection._cross_validation import as_estimator, label_of

N_JUDGED = 20_000


@dataclass(frozen=True)
class Drawn:
    """Answers to fit, answers to judge by, and, of simulations, the truth about the judged."""

    fitted: od.Comparisons
    judged: od.Comparisons
    truth: od.Comparisons | None = None
    wrong: float | None = None


@dataclass(frozen=True)
class Observers:
    """Simulated people and objects."""

    n_objects: int
    n_answers: int
    dimension: int = 2
    sharpness: float = 1.0
    lapses: float = 0.0
    shape: str = "normal"
    participants: int = 1
    asked: int = 1

    def draw(self, rng, n_judged=N_JUDGED):
        """Return answers of one draw of objects, people and questions."""
        points = self._points(rng)
        weights = np.exp(0.5 * rng.standard_normal((self.participants, points.shape[1])))
        if self.participants == 1:
            weights[:] = 1
        questions = np.repeat(
            self._questions(self.n_answers // self.asked, rng), self.asked, axis=0
        )
        fitted, wrong = self._answers(points, weights, questions, rng)
        others = self._questions(n_judged, rng)
        judged, _ = self._answers(points, weights, others, rng)
        right = _margins(points, others, 1.0) > 0
        return Drawn(fitted, judged, od.Comparisons(others, right, n_objects=self.n_objects), wrong)

    def _points(self, rng):
        if self.shape == "ring":
            angle = rng.uniform(0, 2 * np.pi, self.n_objects)
            ring = np.sqrt(2) * np.column_stack([np.cos(angle), np.sin(angle)])
            return ring + 0.05 * rng.standard_normal(ring.shape)
        if self.shape == "clusters":
            centres = 1.3 * rng.standard_normal((6, self.dimension))
            spread = 0.35 * rng.standard_normal((self.n_objects, self.dimension))
            return centres[rng.integers(6, size=self.n_objects)] + spread
        return rng.standard_normal((self.n_objects, self.dimension))

    def _questions(self, number, rng):
        return np.array([rng.choice(self.n_objects, 3, replace=False) for _ in range(number)])

    def _answers(self, points, weights, questions, rng):
        who = rng.integers(len(weights), size=len(questions))
        clear = expit(self.sharpness * _margins(points, questions, weights[who]))
        holds = rng.random(len(questions)) < (1 - self.lapses) * clear + self.lapses / 2
        wrong = float(np.mean(holds != (_margins(points, questions, weights[who]) > 0)))
        groups = {"participant": who} if len(weights) > 1 else None
        return od.Comparisons(questions, holds, n_objects=self.n_objects, groups=groups), wrong


def _margins(points, questions, weights):
    a, b, c = points[questions.T]
    return (weights * ((a - c) ** 2 - (a - b) ** 2)).sum(axis=1)


@dataclass(frozen=True)
class People:
    """Some of the answers of a real study; the judge has those to other questions."""

    name: str
    n_answers: int

    def draw(self, rng):
        """Return answers to some questions, and to the others."""
        record = getattr(od.datasets, f"load_{self.name}")().comparisons
        question = record.question_groups()
        order = np.argsort(rng.permutation(question.max() + 1)[question], kind="stable")
        return Drawn(record[order[: self.n_answers]], record[order[self.n_answers :][-N_JUDGED:]])


SETTINGS = {
    "20 objects, 3 answers each": Observers(20, 60, sharpness=2),
    "20 objects on a line": Observers(20, 300, dimension=1, sharpness=4),
    "50 objects, 3-D": Observers(50, 1_500, dimension=3),
    "85 objects in clusters, 300 answers": Observers(85, 300, lapses=0.05, shape="clusters"),
    "85 objects in clusters, 2,000 answers": Observers(85, 2_000, 3, 0.5, 0.1, "clusters"),
    "100 objects, 1,000 answers": Observers(100, 1_000, sharpness=2, lapses=0.1),
    "100 objects, 2,000 answers, 3-D": Observers(100, 2_000, dimension=3, lapses=0.05),
    "100 objects, 2,000 answers, 5-D": Observers(100, 2_000, dimension=5, sharpness=0.5),
    "100 objects on a ring, 2,000 answers": Observers(100, 2_000, sharpness=2, shape="ring"),
    "50 objects, questions asked five times": Observers(
        50, 2_500, sharpness=0.7, lapses=0.05, asked=5
    ),
    "50 objects, 30 participants": Observers(50, 3_000, lapses=0.05, participants=30),
    "30 objects, 40 % lapses": Observers(30, 3_000, sharpness=10, lapses=0.4),
    "200 objects, 3 answers each": Observers(200, 600),
    "40 objects, 500 answers each, 3-D": Observers(40, 20_000, 3, 0.7, 0.1),
    "dishes, 300 answers": People("food100", 300),
    "dishes, 1,000 answers": People("food100", 1_000),
    "dishes, 2,000 answers": People("food100", 2_000),
    "cars, 1,000 answers": People("cars60", 1_000),
    "cars, 3,000 answers": People("cars60", 3_000),
    "music, 2,000 answers": People("music400", 2_000),
}
QUICK = {"20 objects": Observers(20, 300, sharpness=2, asked=2)}


def evaluate(drawn, methods=None, dimensions=USUAL_DIMENSIONS):
    """Return what the default gives and says, and what all other choices would have given."""
    judge = drawn.truth or drawn.judged
    methods = {label_of(one): as_estimator(one) for one in methods or USUAL_METHODS}
    maps = {}

    def fit(method, dimension, part=drawn.fitted, **more):
        settings = {"n_components": dimension, "random_state": 0, "n_jobs": 1, **more}
        return clone(method).set_params(**settings).fit(part)

    start = time.process_time()
    table = od.compare(drawn.fitted, methods, dimensions, n_jobs=1, random_state=0)
    method, dimension = methods[table.choice.method], table.choice.dimension
    model = fit(method, dimension)
    seconds = time.process_time() - start
    found = od.held_out_error(
        drawn.fitted, lambda part: fit(method, dimension, part).embedding_, random_state=0
    )
    start = time.process_time()
    old = 1 - fit(od.SOE(), 2, n_init=1).score(judge)
    old_seconds = time.process_time() - start
    for name, one in methods.items():
        for d in dimensions:
            maps[f"{name} {d}"] = 1 - fit(one, d).score(judge)
    noise = od.estimate_noise(drawn.fitted, method, dimension, n_jobs=1, random_state=0)
    return {
        "old": old,
        "new": 1 - model.score(judge),
        "choice": f"{table.choice.method} {dimension}",
        "range": list(table.dimension_range),
        "errors": maps,
        "old_seconds": old_seconds,
        "new_seconds": seconds,
        "held_out": [found.error, found.low, found.high],
        "fresh": 1 - model.score(drawn.judged),
        "at_least": noise.at_least,
        "at_most": noise.at_most,
        "wrong": drawn.wrong,
    }


def run(settings, n_seeds, path, **options):
    """Evaluate what is not in the file yet, all settings of a seed before the next seed."""
    done = {(row["setting"], row["seed"]) for row in read(path)}
    path.parent.mkdir(parents=True, exist_ok=True)
    for seed in range(n_seeds):
        for name, setting in settings.items():
            if (name, seed) in done:
                continue
            rng = np.random.default_rng([zlib.crc32(name.encode()), seed])
            row = {"setting": name, "seed": seed} | evaluate(setting.draw(rng), **options)
            with path.open("a") as file:
                file.write(json.dumps(row) + "\n")


def read(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def summarize(rows):
    """Print one line per setting, and the figures that have goals."""
    print(f"{'setting':40} draws    old    new oracle  s old  s new  chosen most often")
    for name in dict.fromkeys(row["setting"] for row in rows):
        its = [row for row in rows if row["setting"] == name]
        old, new, oracle = (np.mean([value(row) for row in its]) for value in (_old, _new, _oracle))
        chosen = [row["choice"] for row in its]
        print(
            f"{name:40} {len(its):5} {old:6.1%} {new:6.1%} {oracle:6.1%}"
            f" {np.mean([row['old_seconds'] for row in its]):6.2f}"
            f" {np.mean([row['new_seconds'] for row in its]):6.2f}"
            f"  {max(set(chosen), key=chosen.count)}"
        )
    regrets = [np.mean([value(row) - _oracle(row) for row in rows]) for value in (_old, _new)]
    print(f"mean regret: old {regrets[0]:.2%}, new {regrets[1]:.2%}")
    print(
        f"dimension worse by more than a point: {np.mean([_loss(row) > 0.01 for row in rows]):.1%}"
    )
    covered = [row["held_out"][1] <= row["fresh"] <= row["held_out"][2] for row in rows]
    print(f"90 % intervals that cover the error of fresh answers: {np.mean(covered):.1%}")
    simulated = [row for row in rows if row["wrong"] is not None]
    held = [(row["at_least"] or 0) <= row["wrong"] <= row["at_most"] for row in simulated]
    print(f"noise brackets that hold the truth: {np.mean(held):.1%} of {len(held)}")


def _old(row):
    return row["old"]


def _new(row):
    return row["new"]


def _oracle(row):
    return min(row["errors"].values())


def _loss(row):
    """By how much the chosen dimension is worse than the best one of the chosen method."""
    method = row["choice"].split()[0]
    its = {name: error for name, error in row["errors"].items() if name.split()[0] == method}
    return row["errors"][row["choice"]] - min(its.values())


def _settings_table(rows, list_table):
    body = []
    for name in dict.fromkeys(row["setting"] for row in rows):
        its = [row for row in rows if row["setting"] == name]
        errors = (np.mean([value(row) for row in its]) for value in (_old, _new, _oracle))
        chosen = [row["choice"] for row in its]
        often = max(sorted(set(chosen)), key=chosen.count)
        body.append(
            [
                name,
                len(its),
                *(f"{100 * error:.1f}" for error in errors),
                f"{often.replace(' ', ', ')} ({chosen.count(often)})",
                f"{np.median([row['new_seconds'] for row in its]):.1f}",
            ]
        )
    head = [
        "setting",
        "draws",
        "former default",
        "default",
        "oracle",
        "chosen most often",
        "seconds",
    ]
    return list_table(head, body)


def _goals_table(rows, list_table):
    old, new = (
        np.mean([100 * (value(row) - _oracle(row)) for row in rows]) for value in (_old, _new)
    )
    worse = sum(_loss(row) > 0.01 for row in rows)
    seconds = [row["new_seconds"] for row in rows]
    covered = sum(row["held_out"][1] <= row["fresh"] <= row["held_out"][2] for row in rows)
    simulated = [row for row in rows if row["wrong"] is not None]
    held = sum((row["at_least"] or 0) <= row["wrong"] <= row["at_most"] for row in simulated)
    n = len(rows)
    found = [
        [
            "mean regret against the oracle",
            "at most a third of the former default's",
            f"{new:.2f} points, former default {old:.2f} ({new / old:.2f} of it)",
        ],
        [
            "chosen dimension worse than the method's best by more than a point",
            "at most 5 % of draws",
            f"{worse} of {n} ({worse / n:.0%})",
        ],
        [
            "time of the choice",
            "a few seconds",
            f"{np.median(seconds):.1f} s (median), {max(seconds):.1f} at most",
        ],
        [
            "90 % interval of ``embed`` covers the error of fresh answers, after the choice",
            "87 to 94 %",
            f"{covered} of {n} ({covered / n:.0%})",
        ],
        [
            "noise bracket contains the share of wrong answers",
            "95 % of draws",
            f"{held} of {len(simulated)} simulated draws",
        ],
    ]
    return list_table(["figure", "goal", "found"], found)


def _coverage_table(rows, list_table):
    body = []
    for name in [*COVERED, "all"]:
        its = [row for row in rows if name in (row["setting"], "all")]
        if not its:
            continue
        inside = sum(row["low"] <= row["fresh"] <= row["high"] for row in its)
        bias = 100 * np.mean([row["error"] - row["fresh"] for row in its])
        width = 100 * np.mean([row["high"] - row["low"] for row in its])
        body.append(
            [name, len(its), f"{inside} ({inside / len(its):.0%})", f"{bias:+.1f}", f"{width:.1f}"]
        )
    head = [
        "setting",
        "draws",
        "intervals that hold",
        "mean of error minus truth, points",
        "mean width, points",
    ]
    return list_table(head, body)


FEWEST = "20 objects, 3 answers each"
"""The setting with 60 answers."""


def _printed_rows(rows):
    """Return by how much the error that is printed after a choice differs from the fresh one."""
    from pages import with_error

    few = [row for row in rows if row["setting"] == FEWEST]
    others = [row for row in rows if row["setting"] != FEWEST]
    for draws, its in (("all", rows), ("the setting with 60 answers", few), ("others", others)):
        differences = (100 * (row["held_out"][0] - row["fresh"]) for row in its)
        yield {"draws": draws, "number": len(its), "difference": with_error(differences, 1)}


def publish(page, path):
    """Write the tables of the rows that are there, into the page or beside it."""
    from pages import conditions, list_table, put_tables, write_table

    rows, coverage = read(path), read(path.with_name("coverage.jsonl"))
    caption = "printed error minus the error on fresh answers, in points"
    write_table("defaults-printed", caption, list(_printed_rows(rows)), COMMAND)
    tables = {
        "settings": _settings_table(rows, list_table),
        "goals": _goals_table(rows, list_table),
    }
    if coverage:
        tables["coverage"] = _coverage_table(coverage, list_table)
    commands = {"coverage": f"{COMMAND} --coverage 100"}
    for name, table in tables.items():
        tables[name] = f"{table}\n\n{conditions()}; ``{commands.get(name, COMMAND)}``."
    put_tables(page, tables)


COVERED = {
    "STE, 85 objects, 300 answers": ("STE", 2, Observers(85, 300, lapses=0.1)),
    "STE, 85 objects, 1,000 answers": ("STE", 2, Observers(85, 1_000, lapses=0.1)),
    "STE, 85 objects, 2,000 answers": ("STE", 2, Observers(85, 2_000, lapses=0.1)),
    "STE, 85 objects, 100,000 answers": ("STE", 2, Observers(85, 100_000, lapses=0.1)),
    "SOE, 40 objects, 500 answers, 3-D": ("SOE", 3, Observers(40, 500, 3, sharpness=2)),
    "t-STE, 60 objects, 1,500 answers": ("TSTE", 2, Observers(60, 1_500, sharpness=0.7)),
    "CKL, 30 objects, 200 answers": ("CKL", 2, Observers(30, 200, sharpness=2, lapses=0.1)),
}
"""Method, dimension and observers whose interval of the error is judged."""


def cover(n_draws, path):
    """Print how often an interval covers the error that the map of all answers has."""
    done = {(row["setting"], row["seed"]) for row in read(path)}
    path.parent.mkdir(parents=True, exist_ok=True)
    for seed in range(n_draws):
        for name, (method, dimension, observers) in COVERED.items():
            if (name, seed) in done or (observers.n_answers > 10_000 and seed % 5):
                continue
            rng = np.random.default_rng([zlib.crc32(name.encode()), seed])
            # the judge must know the error better than the interval does
            drawn = observers.draw(rng, max(N_JUDGED, 4 * observers.n_answers))
            model = getattr(od, method)(dimension, random_state=0, n_jobs=1)
            place = lambda part, model=model: model.fit(part).embedding_  # noqa: E731
            found = od.held_out_error(drawn.fitted, place, random_state=0)
            fresh = float(od.metrics.triplet_error(drawn.judged, place(drawn.fitted)))
            row = {"setting": name, "seed": seed, "fresh": fresh, **vars(found)}
            with path.open("a") as file:
                file.write(json.dumps(row) + "\n")
    rows = read(path)
    for name in COVERED:
        its = [row for row in rows if row["setting"] == name]
        inside = [row["low"] <= row["fresh"] <= row["high"] for row in its]
        bias = np.mean([row["error"] - row["fresh"] for row in its])
        width = np.mean([row["high"] - row["low"] for row in its])
        print(
            f"{name:36} {np.mean(inside):6.1%} of {len(its)} intervals cover;"
            f" bias {bias:+.2%}, width {width:.2%}"
        )


COMMAND = "python benchmarks/defaults.py"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--quick", action="store_true", help="one small setting, in seconds")
    parser.add_argument("--summary", action="store_true", help="of what is there already")
    parser.add_argument("--publish", type=Path, metavar="PAGE", help="write tables into a page")
    parser.add_argument("--coverage", type=int, metavar="N", help="coverage in N draws instead")
    parser.add_argument("--output", type=Path, default=Path("results/defaults.jsonl"))
    given = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    if given.publish:
        publish(given.publish, given.output)
        return
    if given.coverage:
        cover(given.coverage, given.output.with_name("coverage.jsonl"))
        return
    if given.quick:
        run(QUICK, 1, given.output, methods=["SOE", "TSTE"], dimensions=(1, 2))
    elif not given.summary:
        run(SETTINGS, given.seeds, given.output)
    summarize(read(given.output))


if __name__ == "__main__":
    main()
