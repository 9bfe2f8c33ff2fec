"""Rankings: do intervals, ranks and groups hold; what adaptive pairs save; how fast it is.

    python benchmarks/rank.py coverage --studies 500
    python benchmarks/rank.py adaptive --seeds 10
    python benchmarks/rank.py speed --rows 10000000

Writes JSON lines to standard output; ``docs/results/rank.rst`` has the tables.
"""

import argparse
import json
import time
import warnings

import numpy as np
from scipy.special import expit

import ordinate as od
from ordinate.scales.next_pairs import (
    _for_scores,
    _for_top,
    balanced_pairs,
    score_posterior,
)
from ordinate.scales.outcomes import AnswerModel
from ordinate.scales.pairs import PairCounts
from ordinate.scales.posterior import Objective, find_posterior

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


def coverage(studies, only, equal):
    for number, cell in enumerate(CELLS):
        if only and only not in cell:
            continue
        n, _, ties, side, _, slopes, taste = CELLS[cell]
        held = ranks = apart = done = 0
        start = time.process_time()
        for study in range(studies):
            rng = np.random.default_rng([number, study])
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
            held += np.mean((low <= truth) & (truth <= high))
            best = 1 + (truth[:, None] < truth - 1e-9).sum(axis=1)
            worst = n - (truth[:, None] > truth + 1e-9).sum(axis=1)
            lowest, highest = model.rank_intervals().T
            ranks += bool(((lowest <= best) & (worst <= highest)).all())
            alike = np.abs(truth[:, None] - truth) < 1e-9
            apart += bool((model.told_apart() & alike).any())
            done += 1
        figures = {
            "cell": cell, "all_equal": equal, "studies": done, "coverage": held / done,
            "ranks": ranks / done, "told_apart": apart / done, "cpu": time.process_time() - start,
        }  # fmt: skip
        print(json.dumps(figures), flush=True)


def answered(rng, scores, rows):
    return rng.random(len(rows)) < expit(scores[rows[:, 0]] - scores[rows[:, 1]])


def counts_of(wins):
    i, j = np.nonzero(np.triu(wins + wins.T, 1))
    counts = np.stack([wins[i, j], np.zeros(len(i)), wins[j, i]])
    return PairCounts(i, j, counts, len(wins), False)


def plain_rule(mean, covariance, n_pairs, rng):
    """Take, as the usual script does, the pairs with the largest log(1 + p (1 - p) variance)."""
    variance = np.diag(covariance)
    spread = variance[:, None] + variance - 2 * covariance
    chance = expit(mean[:, None] - mean)
    gain = np.triu(np.log1p(chance * (1 - chance) * spread) + 1e-9 * rng.random(spread.shape), 1)
    order = np.argsort(-gain, axis=None)[:n_pairs]
    return np.column_stack(np.unravel_index(order, gain.shape))


def random_rule(mean, covariance, n_pairs, rng):
    return np.argsort(rng.random((n_pairs, len(mean))), axis=1)[:, :2]


RULES = {"random": random_rule, "plain": plain_rule, "scores": _for_scores, "top": _for_top}


def adaptive(seeds, only, batch=20):
    for n, spread, most in ((50, 2.0, 1_200), (20, 3.0, 600), (20, 1.5, 600)):
        for rule, choose in RULES.items():
            if only not in rule:
                continue
            curves, named = [], []
            for seed in range(seeds):
                rng = np.random.default_rng([n, seed])
                scores = rng.normal(0, spread, n)
                scores -= scores.mean()
                wins, curve, top = np.zeros((n, n)), [], []
                mean, covariance = np.zeros(n), np.eye(n)
                for asked in range(batch, most + 1, batch):
                    early = rule != "random" and asked - batch < 1.5 * n
                    if asked == batch or early:
                        rows = balanced_pairs(n, batch, rng)
                    else:
                        rows = choose(mean, covariance, batch, rng)
                        rows = rows[0] if isinstance(rows, tuple) else rows
                    won = answered(rng, scores, rows)
                    np.add.at(wins, tuple(rows[won].T), 1)
                    np.add.at(wins, tuple(rows[~won][:, ::-1].T), 1)
                    if asked % (5 * batch) == batch or asked <= 5 * batch:
                        prior = find_posterior(Objective(counts_of(wins), AnswerModel()), "auto")
                        size = prior.prior.scores
                    mean, covariance = score_posterior(counts_of(wins), size)
                    curve.append(np.sqrt(np.mean((mean - scores) ** 2)))
                    top.append(np.argmax(mean) == np.argmax(scores))
                curves.append(curve)
                named.append(top)
            figures = {
                "items": n, "sd": spread, "rule": rule, "batch": batch, "seeds": seeds,
                "error": np.mean(curves, axis=0).round(4).tolist(),
                "best": np.mean(named, axis=0).round(3).tolist(),
            }  # fmt: skip
            print(json.dumps(figures), flush=True)


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
    figures = {"rows": n_rows, "read": read, "read_and_fit": plain, "default_fit": full}
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
    print(json.dumps(figures))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("coverage", "adaptive", "speed"))
    parser.add_argument("--studies", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--cell", default="", help="only cells, or the rule, with this name")
    parser.add_argument("--equal", action="store_true", help="all items are of equal strength")
    options = parser.parse_args()
    if options.what == "coverage":
        coverage(options.studies, options.cell, options.equal)
    elif options.what == "adaptive":
        adaptive(options.seeds, options.cell)
    else:
        speed(options.rows)
