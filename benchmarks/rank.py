"""Rankings: do intervals, ranks and groups hold; what adaptive pairs save; how fast it is.

    python benchmarks/rank.py coverage --studies 500
    python benchmarks/rank.py adaptive --seeds 20
    python benchmarks/rank.py best --seeds 20
    python benchmarks/rank.py judges --studies 200
    python benchmarks/rank.py speed --rows 10000000
    python benchmarks/rank.py page

Each study adds a line to ``results/rank.jsonl``; a run goes on where the last one ended. "page"
writes the tables of ``docs/results/rank.rst``.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np
from pages import conditions, list_table, put_tables  # the script beside this one
from scipy.special import expit

import ordinate as od
from ordinate.comparisons.pairs import PairCounts
from ordinate.scales.judges import judges_differ
from ordinate.scales.likelihood import Objective
from ordinate.scales.next_pairs import choose_pairs, score_posterior
from ordinate.scales.outcomes import AnswerModel
from ordinate.scales.posterior import find_posterior

PAGE = Path(__file__).parents[1] / "docs/results/rank.rst"
SPREAD = 1.5
CELLS = {
    # items, answers per item, ties, side, judges, spread of log slopes, spread of tastes
    "5 items, 3 answers": (5, 3, 0.0, 0.0, 0, 0.0, 0.0),
    "6 items, 20 answers": (6, 20, 0.0, 0.0, 0, 0.0, 0.0),
    "10 items, 10 answers, 20 % ties": (10, 10, 0.2, 0.0, 0, 0.0, 0.0),
    "10 items, 50 answers, 40 % ties": (10, 50, 0.4, 0.0, 0, 0.0, 0.0),
    "20 items, 10 answers, side": (20, 10, 0.0, 0.5, 0, 0.0, 0.0),
    "20 items, 40 answers, 20 % ties, side": (20, 40, 0.2, 0.5, 0, 0.0, 0.0),
    "50 items, 6 answers": (50, 6, 0.0, 0.0, 0, 0.0, 0.0),
    "50 items, 20 answers, 40 % ties": (50, 20, 0.4, 0.0, 0, 0.0, 0.0),
    "100 items, 10 answers": (100, 10, 0.0, 0.0, 0, 0.0, 0.0),
    "20 items, 60 answers, slopes of 12 judges": (20, 60, 0.0, 0.0, 12, 0.5, 0.0),
    "20 items, 100 answers, tastes of 20 judges": (20, 100, 0.0, 0.0, 20, 0.0, 0.7),
    "100 items, 200 answers, 20 % ties": (100, 200, 0.2, 0.0, 0, 0.0, 0.0),
}


def simulate(rng, cell, equal=False):
    """Answers of one study, in which items 0 and 1 or all are equal, and what intervals hold."""
    n, per_item, ties, side, n_judges, slope_spread, taste = CELLS[cell]
    scores = rng.normal(0, SPREAD, n) if not equal else np.zeros(n)
    scores[1] = scores[0]
    scores -= scores.mean()
    n_answers = n * per_item // 2
    rows = np.argsort(rng.random((n_answers, n)), axis=1)[:, :2]
    judge = rng.integers(max(n_judges, 1), size=n_answers)
    own = scores + rng.normal(0, taste, (max(n_judges, 1), n))
    slopes = np.exp(rng.normal(0, slope_spread, max(n_judges, 1)))
    ahead = slopes[judge] * (own[judge, rows[:, 0]] - own[judge, rows[:, 1]]) + side
    nu = davidson_nu(ties)
    weights = np.column_stack([np.exp(ahead / 2), np.full(n_answers, nu), np.exp(-ahead / 2)])
    chances = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    outcomes = 1 - (rng.random(n_answers)[:, None] > chances[:, :2]).sum(axis=1)
    groups = {"participant": judge} if n_judges else None
    pairs = od.Pairs(rows, outcomes, n_objects=n, groups=groups)
    # scores as the average judge of the study feels them, or as all judges together show them
    return pairs, marginal(scores, taste) if taste else scores * np.exp(np.log(slopes).mean())


def davidson_nu(ties):
    """Davidson's parameter that gives about this share of ties between random items."""
    if not ties:
        return 0.0
    gaps = np.random.default_rng(0).normal(0, SPREAD * np.sqrt(2), 4_000)
    low, high = 0.0, 50.0
    for _ in range(40):
        middle = (low + high) / 2
        share = np.mean(middle / (middle + np.exp(gaps / 2) + np.exp(-gaps / 2)))
        low, high = (middle, high) if share < ties else (low, middle)
    return middle


def marginal(scores, taste):
    """Scores that fit the shares of wins in a population of judges with tastes."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(31)
    i, j = np.triu_indices(len(scores), 1)
    gaps = (scores[i] - scores[j])[:, None] + taste * np.sqrt(2) * nodes
    wins = expit(gaps) @ (weights / weights.sum())
    counts = PairCounts(i, j, np.stack([wins, 0 * wins, 1 - wins]), len(scores), False)
    return find_posterior(Objective(counts, AnswerModel()), None).mean


def study_of_intervals(cell, study, equal):
    """Whether intervals, ranks and groups of one simulated study hold."""
    n, _, ties, side, _, slopes, taste = CELLS[cell]
    rng = np.random.default_rng([list(CELLS).index(cell), study])
    pairs, truth = simulate(rng, cell, equal)
    model = od.Ranking(
        ties="auto" if not ties else "davidson" if (pairs.outcomes == 0).any() else "half",
        side=bool(side), slopes=bool(slopes), random_state=study,
        errors="judges" if taste else "answers",
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", od.DoubtfulObjectsWarning)
        model.fit(pairs)
    low, high = model.intervals().T
    best = 1 + (truth[:, None] < truth - 1e-9).sum(axis=1)
    worst = n - (truth[:, None] > truth + 1e-9).sum(axis=1)
    lowest, highest = model.rank_intervals().T
    alike = np.abs(truth[:, None] - truth) < 1e-9
    return {
        "held": float(np.mean((low <= truth) & (truth <= high))),
        "ranks": bool(((lowest <= best) & (worst <= highest)).all()),
        "apart": bool((model.distinguishable() & alike).any()),
    }


SETTINGS = ((50, 2.0, 1_200), (20, 3.0, 600), (20, 1.5, 600))
"""Items, standard deviation of their scores, answers."""
BATCH, LOOK = 20, 60
"""Answers of a batch, and answers between two looks at the scores."""
GROUPED = 10
"""Studies in which groups of judges are looked for."""


def counts_of(wins):
    i, j = np.nonzero(np.triu(wins + wins.T, 1))
    counts = np.stack([wins[i, j], np.zeros(len(i)), wins[j, i]])
    return PairCounts(i, j, counts, len(wins), False)


def plain_posterior(wins, spread):
    """Mode and curvature with a normal prior, as the usual script finds them."""
    at = np.zeros(len(wins))
    for _ in range(50):
        chance = expit(at[:, None] - at)
        weight = (wins + wins.T) * chance * (1 - chance)
        curvature = np.diag(weight.sum(axis=1) + spread**-2) - weight
        step = np.linalg.solve(
            curvature, (wins - (wins + wins.T) * chance).sum(axis=1) - at / spread**2
        )
        at = at + step * min(1.0, 2.0 / np.abs(step).max())
        if np.abs(step).max() < 1e-6:
            break
    return at - at.mean(), np.linalg.inv(curvature)


def plain_pairs(mean, covariance):
    """Take, as the usual script does, the pairs with the largest log(1 + p (1 - p) variance)."""
    chance = expit(mean[:, None] - mean)
    weight, found = chance * (1 - chance), []
    for _ in range(BATCH):
        variance = np.diag(covariance)
        gain = np.log1p(weight * (variance[:, None] + variance - 2 * covariance))
        i, j = np.unravel_index(np.argmax(np.triu(gain, 1)), gain.shape)
        found.append((i, j))
        moved = covariance[i] - covariance[j]
        by = weight[i, j] / (1 + weight[i, j] * (moved[i] - moved[j]))
        covariance = covariance - by * np.outer(moved, moved)
    return np.array(found)


def looks_at(n):
    """Return after how many answers the best item is named: at least 6, 12 and 30 per item."""
    return [LOOK * -(-per_item * n // (2 * LOOK)) for per_item in (6, 12, 30)]


def random_pairs(n, rng):
    return np.argsort(rng.random((BATCH, n)), axis=1)[:, :2]


RULES = {
    # how the pairs are chosen, and whether the spread of the scores is told
    "random": ("random", False),
    "scores": ("scores", False),
    "top": ("top", False),
    "random, told the spread": ("random", True),
    "scores, told the spread": ("scores", True),
    "plain script, told the spread": ("plain", True),
}


def study_of_pairs(n, spread, most, rule, seed):
    """Error of the scores, and whether the best item is named, after each batch of one study."""
    rng = np.random.default_rng([n, int(10 * spread), seed])
    scores = rng.normal(0, spread, n)
    scores -= scores.mean()
    kind, told = RULES[rule]
    prior = spread if told else "auto"
    wins, errors, best = np.zeros((n, n)), [], []
    mean, covariance = np.zeros(n), spread**2 * np.eye(n)
    for asked in range(BATCH, most + 1, BATCH):
        if kind == "random":
            rows = random_pairs(n, rng)
        elif kind == "plain":
            rows = plain_pairs(mean, covariance)
        else:
            known = counts_of(wins) if wins.any() else None
            rows = choose_pairs(known, n, BATCH, kind, prior=prior, random_state=rng).pairs
        won = rng.random(BATCH) < expit(scores[rows[:, 0]] - scores[rows[:, 1]])
        np.add.at(wins, tuple(rows[won].T), 1)
        np.add.at(wins, tuple(rows[~won][:, ::-1].T), 1)
        if kind == "plain":
            mean, covariance = plain_posterior(wins, spread)
        if asked % LOOK:
            continue
        if kind != "plain":
            mean = score_posterior(counts_of(wins), prior)[0]
        errors.append(round(float(np.sqrt(np.mean((mean - scores) ** 2))), 4))
        best.append(int(np.argmax(mean) == np.argmax(scores)))
    return {"error": errors, "best": best}


def optimal_share(n, spread, answers, seed, told):
    """Share of random's answers of the best design for scores that are known, by the curvature.

    Somebody who is not told the spread knows the length of the vector of scores up to a factor e.
    """
    scores = np.random.default_rng([n, int(10 * spread), seed]).normal(0, spread, n)
    scores -= scores.mean()
    i, j = np.triu_indices(n, 1)
    chance = expit(scores[i] - scores[j])
    weight = chance * (1 - chance)
    centre = np.eye(n) - 1 / n
    prior = np.linalg.inv(spread**2 * np.eye(n) + (not told) * np.outer(scores, scores))

    def covariance(times):
        between = np.zeros((n, n))
        between[i, j] = times * weight
        between += between.T
        precision = np.diag(between.sum(axis=1)) - between + prior
        return centre @ np.linalg.inv(precision) @ centre

    def best(total, steps=60):
        times = np.full(len(i), total / len(i))
        for _ in range(steps):
            squared = np.linalg.matrix_power(covariance(times), 2)
            gain = weight * (squared[i, i] + squared[j, j] - 2 * squared[i, j])
            times *= np.sqrt(gain)
            times *= total / times.sum()
        return float(np.trace(covariance(times)))

    random = float(np.trace(covariance(np.full(len(i), answers / len(i)))))
    low, high = 0.1, 1.0
    for _ in range(8):
        middle = (low + high) / 2
        low, high = (low, middle) if best(middle * answers) <= random else (middle, high)
    return {"share": high}


DESIGNS = {
    # one scale for all, then scales of their own
    "all alike": {},
    "slopes of their own": {"slope": 0.7},
    "two of six guess": {"n_judges": 6, "each": 100, "guess": 2},
    "40 judges, 15 answers each": {"n_judges": 40, "each": 15},
    "habits of calling ties": {"slope": 0.4, "ties": 1.0},
    "all prefer the first shown": {"side": (0.7, 0.0)},
    "habits of preferring a side": {"slope": 0.4, "side": (0.0, 0.7)},
    "no scale fits": {"slope": 0.4, "misfit": 0.7},
    "tastes of their own, sd .5": {"taste": 0.5},
    "one of 20 ranks otherwise": {"n_judges": 20, "others": 1},
    "two groups": {"others": 6},
}
"""How studies of judges differ from twelve judges, who answer 50 questions about twelve items."""
N_ALIKE = 8
"""The first designs, in which all judges share a scale."""


def judged(
    rng, n_judges=12, each=50, slope=0.0, guess=0, ties=0.0, side=None, misfit=0.0, taste=0.0,
    others=0,
):  # fmt: skip
    """Answers of judges with their slopes, habits and tastes."""
    n = 12
    own = rng.normal(0, SPREAD, n) + rng.normal(0, taste, (n_judges, n))
    own[:others] = rng.normal(0, SPREAD, n)
    judge = np.repeat(np.arange(n_judges), each)
    rows = np.argsort(rng.random((len(judge), n)), axis=1)[:, :2]
    slopes = np.exp(rng.normal(0, slope, n_judges))
    slopes[:guess] = 0.02
    shared = np.triu(rng.normal(0, misfit, (n, n)), 1)
    shared -= shared.T
    ahead = own[judge, rows[:, 0]] - own[judge, rows[:, 1]] + shared[rows[:, 0], rows[:, 1]]
    if side is not None:  # mean and standard deviation over judges
        ahead += rng.normal(*side, n_judges)[judge]
    felt = slopes[judge] * ahead + rng.logistic(size=len(judge))
    bar = (ties * np.exp(rng.normal(0, 0.7, n_judges)))[judge]
    outcomes = np.select([felt > bar, felt < -bar], [1, -1], 0)
    return od.Pairs(rows, outcomes, n_objects=n, groups={"participant": judge})


def study_of_judges(design, study):
    """Whether judges are found to differ, and into how many groups they fall."""
    rng = np.random.default_rng([20261118, list(DESIGNS).index(design), study])
    pairs = judged(rng, **DESIGNS[design])
    model = od.Ranking(random_state=study).fit(pairs)
    found = {"p": judges_differ(pairs, model, study)}
    if study < GROUPED:
        found["groups"] = od.JudgeGroups(random_state=study).fit(pairs).n_groups_
    return found


def speed(n_rows, n_items=130):
    import pandas as pd

    rng = np.random.default_rng(0)
    scores, names = rng.normal(0, 1, n_items), np.array([f"model-{k}" for k in range(n_items)])
    first = rng.integers(n_items, size=n_rows)
    second = (first + rng.integers(1, n_items, n_rows)) % n_items
    won = rng.random(n_rows) < expit(scores[first] - scores[second])
    winner = np.where(won, "model_a", "model_b")
    winner[rng.random(n_rows) < 0.1] = "tie"
    frame = pd.DataFrame({"model_a": names[first], "model_b": names[second], "winner": winner})
    od.Ranking(random_state=0).fit(od.read_pairs(frame[:2_000]))  # imports are not measured
    start = time.process_time()
    pairs = od.read_pairs(frame)
    read = time.process_time() - start
    model = od.Ranking(ties="half", side=False, prior=None, errors="answers").fit(pairs)
    plain = time.process_time() - start
    start = time.process_time()
    od.Ranking(random_state=0).fit(pairs)
    full = time.process_time() - start
    figures = {"read": read, "plain_fit": plain - read, "default_fit": full}
    if n_rows <= 10**5:
        figures |= first_call(frame)
    try:
        import evalica
    except ImportError:
        pass
    else:
        start = time.process_time()
        codes = {
            "model_a": evalica.Winner.X,
            "model_b": evalica.Winner.Y,
            "tie": evalica.Winner.Draw,
        }
        result = evalica.bradley_terry(
            frame["model_a"], frame["model_b"], frame["winner"].map(codes)
        )
        figures["evalica"] = time.process_time() - start
        theirs = np.log(result.scores.loc[list(model.names_)].to_numpy())
        figures["difference"] = float(np.abs(theirs - theirs.mean() - model.scores_).max())
    try:
        import choix
    except ImportError:
        pass
    else:
        start = time.process_time()
        code = {name: at for at, name in enumerate(names.tolist())}
        rows = np.column_stack([frame[side].map(code) for side in ("model_a", "model_b")])
        decided = (frame["winner"] != "tie").to_numpy()
        turned = (frame["winner"] == "model_b").to_numpy()[:, None]
        rows = np.where(turned, rows[:, ::-1], rows)[decided]
        if n_rows <= 10**5:  # loops in Python
            choix.ilsr_pairwise(n_items, rows.tolist(), alpha=0.01)
            figures["choix"] = time.process_time() - start
    return figures | {"load": os.getloadavg()[0]}


FIRST = """
import sys, time
begin = time.process_time()
import ordinate.io.read, ordinate.io.tables, ordinate.scales.ranking, ordinate.solvers.folds
import pandas, pyarrow.csv, scipy.sparse.csgraph
from ordinate import Ranking, read_pairs
imported = time.process_time()
Ranking(random_state=0).fit(read_pairs(sys.argv[1]))
print(imported - begin, time.process_time() - imported)
"""


def first_call(frame):
    """Return processor seconds of a first ranking of a file in a fresh process, and of imports."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes.csv"
        frame.to_csv(path, index=False)
        said = [
            subprocess.check_output([sys.executable, "-c", FIRST, path], text=True).split()
            for _ in range(5)
        ]
    imports, call = np.median(np.array(said, dtype=float), axis=0)
    return {"imports": float(imports), "first_call": float(call)}


def studies_of(what, given):
    """Yield the names of each study, and what computes it."""
    if what == "coverage":
        for study in range(given.first, given.studies):
            for cell in CELLS:
                if given.only in cell:
                    names = {"cell": cell, "equal": given.equal, "study": study}
                    yield names, lambda names=names: study_of_intervals(**names)
    elif what == "adaptive":
        for seed in range(given.seeds):
            for n, spread, most in SETTINGS:
                for rule in RULES:
                    names = {"n": n, "spread": spread, "most": most, "rule": rule, "seed": seed}
                    if given.only in rule and rule != "top":
                        yield names, lambda names=names: study_of_pairs(**names)
                for answers, told in product((most // 2, most), (False, True)):
                    names = {"n": n, "spread": spread, "answers": answers, "optimum": seed}
                    names |= {"told": told}
                    if given.only in "optimum":
                        yield names, lambda names=names: optimal_share(*names.values())
    elif what == "best":
        for seed, (n, spread, _), rule in product(range(given.seeds), SETTINGS, RULES):
            names = {"n": n, "spread": spread, "most": looks_at(n)[-1], "rule": rule, "seed": seed}
            if not RULES[rule][1]:  # nobody is told the spread
                yield names, lambda names=names: study_of_pairs(**names)
    elif what == "judges":
        for study in range(given.studies):
            for design in DESIGNS:
                names = {"design": design, "study": study}
                yield names, lambda names=names: study_of_judges(**names)
    else:
        names = {"rows": given.rows}
        yield names, lambda: speed(given.rows)


def run(what, given):
    """Add the studies that are missing; one of every kind at a time, so that a run may be ended."""
    lines = given.output.read_text().splitlines() if given.output.exists() else []
    done = {json.dumps(json.loads(line)["names"]) for line in lines}
    for names, compute in studies_of(what, given):
        names = {"what": what, **names}
        if what != "speed" and json.dumps(names) in done:
            continue
        start = time.process_time()
        row = {"names": names, **compute(), "cpu": round(time.process_time() - start, 2)}
        with given.output.open("a") as file:
            file.write(json.dumps(row) + "\n")


def page(path):
    """Write the tables of the page of results for which there are rows."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    tables = {}
    run_on = f"Measured on {conditions('numpy', 'scipy')}; the machine was shared with other work."
    if len(of(rows, "speed")) < len(rows):
        more = " A run goes on where the last one ended; tables say how many studies there are."
        tables["run"] = run_on + more
    if of(rows, "coverage"):
        tables |= {"intervals": intervals_table(rows), "short intervals": short_intervals(rows)}
    if of(rows, "adaptive", rule="scores"):
        lines = adaptive_lines(rows)
        tables["adaptive"] = list_table(ADAPTIVE_HEAD, lines)
        tables["short adaptive"] = short_adaptive(lines)
    if of(rows, "adaptive", rule="scores, told the spread"):
        lines = told_lines(rows)
        tables["told"] = list_table(TOLD_HEAD, lines)
        tables["short told"] = short_told(lines)
    if of(rows, "best"):
        tables["best"] = best_table(rows)
    if of(rows, "speed"):
        tables |= {"speed": f"{speed_table(rows)}\n\n{run_on}", "short speed": short_speed(rows)}
    if of(rows, "judges"):
        tables |= {"judges": judges_table(rows), "short judges": short_judges(rows)}
    put_tables(PAGE, tables)


def short_intervals(rows):
    """Return in two sentences whether intervals, ranks and groups hold."""
    found = [of(rows, "coverage", cell=cell, equal=False) for cell in CELLS]
    held, ranks, apart = zip(*(shares_that_hold(cell) for cell in found if cell), strict=True)
    return (
        f"- 95 % intervals held {min(held):.1f} to {max(held):.1f} % of the scores in"
        f" {len(held)} kinds of studies.\n"
        f"- Ranges of ranks held in at least {min(ranks):.1f} % of the studies of each kind; equal"
        f" items were distinguished in at most {max(apart):.1f} %."
    )


def short_adaptive(lines):
    """Return in a sentence which share of random's answers adaptive pairs need in the end."""
    ours, optimum = (in_the_end(lines, column) for column in (3, 4))
    return (
        f"- Adaptive pairs need {ours} % of random's answers in three settings. The best design for"
        f" known scores needs {optimum} %."
    )


def short_told(lines):
    """Return the same in a sentence where all are told the spread of the scores."""
    ours, plain = (in_the_end(lines, column) for column in (3, 4))
    return f"- If all are told the spread of the scores: {ours} %, a plain script {plain} %."


def in_the_end(lines, column):
    """Return the shares at the last size of each setting, without their errors."""
    return ", ".join(line[column].split(" ±")[0] for line in lines[1::2])


def short_judges(rows):
    """Return in one sentence how often judges who share a scale are found to differ."""
    alike = [of(rows, "judges", design=name) for name in list(DESIGNS)[:N_ALIKE]]
    shares = [100 * np.mean([row["p"] <= 0.05 for row in found]) for found in alike]
    return (
        f"- Judges who share a scale are found to differ in {min(shares):.1f} to"
        f" {max(shares):.1f} % of the studies, by a test of level 5 %."
    )


def of(rows, what, **names):
    """Return the rows of a part, and of these names."""
    wanted = {"what": what, **names}
    return [row for row in rows if wanted.items() <= row["names"].items()]


def shares_that_hold(rows):
    """Return percentages of intervals, ranks and groups; a row may be the mean of "studies"."""
    weights = [row.get("studies", 1) for row in rows]
    return [
        100 * float(np.average([row[key] for row in rows], weights=weights))
        for key in ("held", "ranks", "apart")
    ]


def intervals_table(rows):
    head = ["study", "studies", "intervals that hold, %", "studies whose ranks all hold, %",
            "studies that distinguish equal items, %"]  # fmt: skip
    lines = []
    for cell in CELLS:
        found = of(rows, "coverage", cell=cell, equal=False)
        if found:
            n_studies = sum(row.get("studies", 1) for row in found)
            lines.append([cell, n_studies, *(f"{share:.1f}" for share in shares_that_hold(found))])
    return list_table(head, lines)


def curves(rows, key, setting, rule):
    n, spread, most = setting
    found = of(rows, "adaptive", n=n, spread=spread, most=most, rule=rule)
    return np.array([row[key] for row in found if key in row])


ADAPTIVE_HEAD = ["study", "seeds", "error of random pairs", "adaptive pairs, %",
                 "optimal for known scores, %"]  # fmt: skip
TOLD_HEAD = [*ADAPTIVE_HEAD[:4], "plain script, %", ADAPTIVE_HEAD[4]]


def adaptive_lines(rows):
    """Shares of random's answers, where the spread of the scores is estimated."""
    return shares_of_random(rows, "random", ["scores"], told=False)


def told_lines(rows):
    """Shares of random's answers, where all are told the spread of the scores."""
    end = ", told the spread"
    return shares_of_random(rows, f"random{end}", [f"scores{end}", f"plain script{end}"], told=True)


def shares_of_random(rows, reference, rules, *, told):
    lines = []
    for setting in SETTINGS:
        n, spread, most = setting
        errors = [curves(rows, "error", setting, rule) for rule in (reference, *rules)]
        seeds = min(map(len, errors))
        random, *others = (found[:seeds] for found in errors)
        for answers in (most // 2, most):
            aim = random.mean(axis=0)[answers // LOOK - 1]
            line = [f"{n} items, sd {spread:g}, {answers:,} answers", seeds, f"{aim:.2f}"]
            line += [with_error(random, other, answers) for other in others]
            optima = of(rows, "adaptive", n=n, spread=spread, answers=answers, told=told)
            lines.append([*line, f"{100 * np.mean([row['share'] for row in optima]):.0f}"])
    return lines


def with_error(random, other, answers):
    """Return the share of random's answers, and its standard error by resampled seeds."""

    def found(seeds):
        aim = random[seeds].mean(axis=0)[answers // LOOK - 1]
        return share(other[seeds].mean(axis=0), aim, answers)

    rng = np.random.default_rng(0)
    drawn = [found(rng.integers(len(random), size=len(random))) for _ in range(200)]
    here = found(np.arange(len(random)))
    return f"{here:.0f} ± {np.std(drawn):.0f}" if here < 100 else "over 100"


def share(errors, aim, answers):
    """Return the share of the answers at which errors first reach the aim, between two looks."""
    reached = np.flatnonzero(errors <= aim)
    if not len(reached):
        return 100.0
    at = int(reached[0])
    before = errors[at - 1] if at else errors[at] + 1
    return 100 * LOOK * (at + 1 - (aim - errors[at]) / (before - errors[at])) / answers


def best_table(rows):
    head = ["study", "seeds", "random pairs", "goal scores", "goal top"]
    lines = []
    for n, spread, _ in SETTINGS:
        for answers in looks_at(n):
            cells = [f"{n} items, sd {spread:g}, {2 * answers // n} answers per item"]
            for rule in ("random", "scores", "top"):
                found = of(rows, "best", n=n, spread=spread, rule=rule)
                named = [row["best"][answers // LOOK - 1] for row in found]
                cells.append(f"{100 * np.mean(named):.0f} %")
            lines.append([cells[0], len(found), *cells[1:]])
    return list_table(head, lines)


def judges_table(rows):
    head = ["judges", "studies", "found to differ", "one, two, more groups (studies)"]
    lines = []
    for design in DESIGNS:
        found = of(rows, "judges", design=design)
        if found:
            differ = 100 * np.mean([row["p"] <= 0.05 for row in found])
            groups = np.array([row["groups"] for row in found if "groups" in row])
            counts = [int(np.sum(groups == 1)), int(np.sum(groups == 2)), int(np.sum(groups > 2))]
            lines.append([design, len(found), f"{differ:.1f} %", ", ".join(map(str, counts))])
    return list_table(head, lines)


TIMED = {
    "read": "``read_pairs``",
    "plain_fit": '``Ranking(ties="half", side=False, prior=None)``',
    "default_fit": "``Ranking()``",
    "first_call": "a file, read and ranked, first call in a process (median of five)",
    "imports": "imports of that process, pandas among them",
    "evalica": "evalica 0.4.2, ``bradley_terry``, with the conversion of winners",
    "choix": "choix 0.4.1, ``ilsr_pairwise`` without ties, with the conversion",
}


def timings(rows):
    """Return the last measurement of each size that there is, smallest first."""
    found = {row["names"]["rows"]: row for row in of(rows, "speed")}
    return [found[size] for size in sorted(found)]


def speed_table(rows):
    """Processor seconds by what was done and by the number of answers."""
    measured = timings(rows)
    head = ["s", *(f"{row['names']['rows']:,} answers" for row in measured)]
    lines = [
        [name, *(f"{row[key]:.2f}" if key in row else "" for row in measured)]
        for key, name in TIMED.items()
    ]
    loads = [f"{row['load']:.0f}" for row in measured]
    return list_table(head, [*lines, ["load of the machine, 2 cores", *loads]])


def short_speed(rows):
    """Return in a sentence how long the largest set takes."""
    row = timings(rows)[-1]
    ours, size = row["read"] + row["plain_fit"], row["names"]["rows"]
    theirs = f", evalica {row['evalica']:.1f} s" if "evalica" in row else ""
    return f"- {size:,} rows of names take {ours:.1f} s of the processor{theirs}."


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("coverage", "adaptive", "best", "judges", "speed", "page"))
    parser.add_argument("--studies", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="the first study of intervals")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--only", default="", help="only cells, or rules, with this in the name")
    parser.add_argument("--equal", action="store_true", help="all items are of equal strength")
    parser.add_argument("--output", type=Path, default=Path("results/rank.jsonl"))
    given = parser.parse_args()
    given.output.parent.mkdir(parents=True, exist_ok=True)
    if given.what == "page":
        page(given.output)
    else:
        run(given.what, given)
