"""Whether a map's uncertainty can be believed, on answers whose truth is known and on real halves.

    python benchmarks/uncertainty.py simulate [--repeats 100] [--only posterior bootstrap]
    python benchmarks/uncertainty.py coins | people | halves | splits [...]
    python benchmarks/uncertainty.py table | publish
    python benchmarks/uncertainty.py speed

Truth is N(0, I); an observer says "b is nearer" with the probability (1 − ℓ) σ(m) + ℓ/2, m the
difference of squared distances (15 % of answers are wrong without lapses). A run goes on where the
last one ended: every repeat is a line of the output. `speed` times by the clock, so it needs a
machine that does nothing else, and writes its table at once.
"""

import argparse
import csv
import json
import time
import warnings
from functools import cache, partial
from pathlib import Path

import numpy as np
from pages import with_error, write_table  # the script beside this one
from sklearn.base import clone

import ordinate as od
from ordinate.engine.distances import squared_distances

PER_OBJECT = (5, 20, 80)
LAPSES = (0.0, 0.2, 0.3)
PUBLISHED = partial(od.STE, penalty=0.0)
FITS = {
    "posterior": ("posterior", PUBLISHED, 2),
    "bootstrap": ("bootstrap", PUBLISHED, 2),
    "bootstrap, lapse rate": ("bootstrap", partial(PUBLISHED, lapse_rate="estimate"), 2),
    "bootstrap of STE(penalty=2)": ("bootstrap", od.STE, 2),
    "the same, lapse rate": ("bootstrap", partial(od.STE, lapse_rate="estimate"), 2),
    "bootstrap of SOE": ("bootstrap", od.SOE, 2),
    "posterior, 4 dimensions fitted": ("posterior", PUBLISHED, 4),
    "bootstrap, 4 dimensions fitted": ("bootstrap", PUBLISHED, 4),
}
"""Method, estimator and dimension; the truth has two."""
N_OBJECTS = 30
MAIN = ("posterior", "bootstrap", "bootstrap, lapse rate")
N_EXTRA = 20
N_DRAWS = {"posterior": 400, "bootstrap": 200}


def observe(points, n_answers, rng, lapse=0.0, groups=None):
    n = len(points)
    rows = np.array([rng.choice(n, 3, replace=False) for _ in range(n_answers)])
    near2, far2 = squared_distances(points, rows)
    chance = lapse / 2 + (1 - lapse) / (1 + np.exp(near2 - far2))
    return od.Comparisons(rows, rng.random(n_answers) < chance, n_objects=n, groups=groups)


def unit(points):
    points = points - points.mean(axis=0)
    return points / np.linalg.norm(points)


def judge(sure, truth):
    """Coverage of 90 % intervals of distances, and how often "certain at 95 %" is right."""
    n = len(truth)
    pairs = np.column_stack(np.triu_indices(n, 1))
    true = np.linalg.norm(sure.embedding_) * np.linalg.norm(
        unit(truth)[pairs[:, 0]] - unit(truth)[pairs[:, 1]], axis=1
    )
    low, high = sure.distance_intervals(pairs).T
    questions = od.sources.random_triplets(truth, 5_000, random_state=0)
    chances = sure.chances(questions)
    certain = np.maximum(chances, 1 - chances) >= 0.95
    return {
        "coverage": float(np.mean((low <= true) & (true <= high))),
        "width": float(np.mean(high - low) / true.mean()),
        "sure": float(certain.mean()),
        "right": float(np.mean(chances[certain] > 0.5)) if certain.any() else None,
        "accuracy": float(np.mean(chances > 0.5)),
        "rhat": sure.rhat_,
        "learned_lapse": sure.lapse_rate_,
    }


def simulate(repeat):
    for per_object in PER_OBJECT:
        for lapse in LAPSES:
            rng = np.random.default_rng([repeat, per_object, round(100 * lapse)])
            truth = rng.standard_normal((N_OBJECTS, 2))
            answers = observe(truth, per_object * N_OBJECTS, rng, lapse)
            for name, (method, estimator, dimension) in FITS.items():
                # what else is tried costs as much again: fewer repeats will do
                with_lapses = name in MAIN or estimator is od.STE or "lapse rate" in name
                if name not in MAIN and (repeat >= N_EXTRA or (lapse and not with_lapses)):
                    continue
                key = {"fit": name, "per_object": per_object, "lapse": lapse}

                def run(
                    method=method,
                    estimator=estimator,
                    dimension=dimension,
                    answers=answers,
                    truth=truth,
                ):
                    model = estimator(dimension, random_state=0, n_jobs=1).fit(answers)
                    sure = od.map_uncertainty(
                        model,
                        answers,
                        method=method,
                        n_draws=N_DRAWS[method],
                        n_jobs=1,
                        random_state=0,
                    )
                    return judge(sure, truth)

                yield key, run


def coins(repeat):
    rng = np.random.default_rng([repeat, 99])
    rows = np.array([rng.choice(20, 3, replace=False) for _ in range(200)])

    def run():
        test = od.uncertainty.structure_test(
            PUBLISHED(2), rows, n_permutations=19, random_state=repeat, n_jobs=1
        )
        return {"p_value": test.p_value}

    yield {"fit": "structure test of coins"}, run


def people(repeat):
    """Twenty participants whose maps differ: how wide and how right both bootstraps are."""
    rng = np.random.default_rng([repeat, 7])
    truth = rng.standard_normal((N_OBJECTS, 2))
    parts = []
    for who in range(20):
        own = truth + 0.5 * rng.standard_normal(truth.shape)
        parts.append(observe(own, 90, rng, groups={"participant": np.full(90, who)}))
    answers = od.Comparisons.concatenate(parts)
    for by in (None, "participant"):

        def run(by=by):
            model = PUBLISHED(2, random_state=0, n_jobs=1).fit(answers)
            return judge(od.map_uncertainty(model, answers, by=by, n_jobs=1, random_state=0), truth)

        yield {"fit": f"by {by or 'question'}"}, run


def halves(repeat):
    """Fit halves of real answers apart; compare how they differ with what one half promised."""
    for name in ("food100", "cars60", "music400"):
        answers = getattr(od.datasets, f"load_{name}")().comparisons
        # a round of the cars is one person's answers
        by = next((group for group in ("participant", "round") if group in answers.groups), None)

        def run(answers=answers, by=by):
            return compare_halves(answers, by, 2, repeat)

        yield {"fit": name, "by": by or "question"}, run
        if name == "food100":
            # a few people gave most of the answers: what if nobody could?
            equal = answers[first_of_each(answers.group_codes(by), 600, repeat)]
            yield {"fit": "food100, 600 each at most", "by": by}, partial(run, equal)


SPLITS = {
    "food100": (1_000, 2_000, 5_000, 10_000),
    "cars60": (1_000, 2_000, 3_500),
    "music400": (4_500,),
    "things": (30_000,),
}
MOST_PAIRS = 20_000
"""Of many objects, so many distances are judged."""
SPLIT_FITS = {
    "posterior": ("posterior", od.STE),
    "bootstrap": ("bootstrap", od.STE),
    "bootstrap, lapse rate": ("bootstrap", partial(od.STE, lapse_rate="estimate")),
}
CHOSEN = "bootstrap, chosen method"


def splits(repeat):
    """Fit some of people's answers; judge intervals by a map of all others and its own noise."""
    for name, sizes in SPLITS.items():
        answers = study(name)
        for n_answers in sizes:
            fitted, others = split_trials(answers, n_answers, repeat)
            key = {"split": name, "fitted": n_answers}
            for dimension in (2, 3):
                for fit, (method, estimator) in SPLIT_FITS.items():
                    model = estimator(dimension, random_state=0, n_jobs=1)
                    run = partial(judge_split, model, method, fitted, others)
                    yield {"fit": fit, **key, "dimension": dimension}, run
            # the choice takes longer than the draws: it is made once, when first asked for
            choice = cache(partial(chosen, fitted))
            for fit in ("posterior", "bootstrap", CHOSEN):
                run = partial(judge_choice, fit, choice, fitted, others)
                yield {"fit": fit, **key, "dimension": "chosen"}, run


def study(name):
    """Return the answers of a study; of THINGS those of half of the people."""
    if name != "things":
        return getattr(od.datasets, f"load_{name}")().comparisons
    from dimensions import real_trials

    return real_trials().to_comparisons()


def split_trials(answers, n_answers, seed):
    """One answer of each of so many trials, and all answers of the other trials.

    Answers of one trial go together: with some on either side a map and its judge would err alike.
    """
    alone = "trial" not in answers.groups
    trials = np.arange(len(answers)) if alone else answers.group_codes("trial")
    order = np.random.default_rng([seed, n_answers]).permutation(len(trials))
    _, first = np.unique(trials[order], return_index=True)
    rows = order[np.sort(first)][:n_answers]
    others = ~np.isin(trials, trials[rows])
    fitted = od.Comparisons(answers.rows[rows], n_objects=answers.n_objects)
    kept = {"trial": trials[others]}
    return fitted, od.Comparisons(answers.rows[others], n_objects=answers.n_objects, groups=kept)


def chosen(fitted):
    """Return the method that ``compare`` chooses, in the dimension that it chooses."""
    choice = od.compare(fitted, random_state=0, n_jobs=1).choice
    return clone(choice.estimator).set_params(n_components=choice.dimension)


def judge_choice(fit, choice, fitted, others):
    """Judge intervals in the chosen dimension, of STE or of the chosen method."""
    model = choice().set_params(random_state=0, n_jobs=1)
    dimension = model.n_components
    if fit != CHOSEN:
        model = od.STE(dimension, random_state=0, n_jobs=1)
    method = "posterior" if fit == "posterior" else "bootstrap"
    return {"chosen": float(dimension), **judge_split(model, method, fitted, others)}


def judge_split(model, method, fitted, others):
    """Judge the intervals of a map of the fitted answers."""
    model = clone(model).fit(fitted)
    reference = clone(model).fit(others)
    sure = od.map_uncertainty(model, fitted, method=method, n_draws=200, n_jobs=1, random_state=0)
    return judge_by_others(sure, reference, others)


def judge_by_others(sure, reference, others):
    """Coverage by a map of other answers; its bootstrap says how noisy that one is.

    The half-width h of an interval becomes √(h² + (1.645 s)²), s the standard deviation of the
    reference's distance over twelve refits.
    """
    pairs = np.column_stack(np.triu_indices(others.n_objects, 1))
    if len(pairs) > MOST_PAIRS:
        pairs = np.random.default_rng(0).permutation(pairs)[:MOST_PAIRS]

    def distances(points):
        places = unit(points)[pairs]
        return np.linalg.norm(places[:, 0] - places[:, 1], axis=1)

    noise = od.map_uncertainty(reference, others, by=None, n_draws=12, n_jobs=1, random_state=0)
    spread = np.std([distances(draw.astype(float)) for draw in noise.draws_], axis=0, ddof=1)
    true = distances(reference.embedding_)
    low, high = sure.distance_intervals(pairs).T / np.linalg.norm(sure.embedding_)
    half = np.sqrt(((high - low) / 2) ** 2 + (1.645 * spread) ** 2)
    chances = sure.chances(od.sources.random_triplets(reference.embedding_, 5_000, random_state=0))
    certain = np.maximum(chances, 1 - chances) >= 0.95
    return {
        "coverage": float(np.mean(np.abs(true - (low + high) / 2) <= half)),
        "plain_coverage": float(np.mean((low <= true) & (true <= high))),
        "width": float(np.mean(high - low) / true.mean()),
        "sure": float(certain.mean()),
        "right": float(np.mean(chances[certain] > 0.5)) if certain.any() else None,
    }


def first_of_each(codes, most, seed):
    """Numbers of rows of which no group has more than so many, drawn at random."""
    order = np.random.default_rng(seed).permutation(len(codes))
    order = order[np.argsort(codes[order], kind="stable")]
    counts = np.bincount(codes)
    place = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.sort(order[place < most])


def compare_halves(answers, by, dimension, seed):
    one, two = answers.train_test_split(0.5, by=by, random_state=seed)
    maps = [PUBLISHED(dimension, random_state=0, n_jobs=1).fit(half) for half in (one, two)]
    sure = od.map_uncertainty(maps[0], one, by=by, n_draws=100, n_jobs=1, random_state=0)
    n = answers.n_objects
    pairs = np.column_stack(np.triu_indices(n, 1))
    draws = np.array([unit(draw) for draw in sure.draws_.astype(float)])
    distances = np.linalg.norm(draws[:, pairs[:, 0]] - draws[:, pairs[:, 1]], axis=2)
    # between so few gaps the usual interpolation would hold 88 % of further ones
    promised = np.quantile(np.abs(distances[:50] - distances[50:]), 0.9, axis=0, method="weibull")
    found = [
        np.linalg.norm(p[pairs[:, 0]] - p[pairs[:, 1]], axis=1)
        for p in (unit(model.embedding_) for model in maps)
    ]
    return {
        "inside": float(np.mean(np.abs(found[0] - found[1]) <= promised)),
        "promised_neighbors": float(
            np.mean([shared(a, b) for a, b in zip(draws[:50], draws[50:], strict=True)])
        ),
        "found_neighbors": shared(maps[0].embedding_, maps[1].embedding_),
        "sure": sure.sure_share_,
    }


def shared(one, two, k=5):
    """Share of the five nearest objects that two maps have in common."""
    near = []
    for points in (one, two):
        distances = np.linalg.norm(points[:, None] - points, axis=2)
        np.fill_diagonal(distances, np.inf)
        near.append(np.argsort(distances, axis=1)[:, :k])
    return float((near[0][:, :, None] == near[1][:, None, :]).any(axis=2).mean())


TASKS = {
    "simulate": simulate,
    "coins": coins,
    "people": people,
    "halves": halves,
    "splits": splits,
}


def read_cells(path):
    """Rows of each cell, by what was fitted to what."""
    cells = {}
    for row in map(json.loads, path.read_text().splitlines()):
        cells.setdefault(row["key"], []).append(row)
    return cells


def mean(rows, name, digits=2):
    """Mean over the repeats with its standard error."""
    return with_error((row[name] for row in rows if isinstance(row.get(name), float)), digits)


def sure_and_right(rows):
    sure = np.mean([row["sure"] for row in rows])
    # each repeat counts as much as it is sure of
    certain = [row for row in rows if row["right"] is not None]
    right = sum(row["right"] * row["sure"] for row in certain)
    share = f"{right / sum(row['sure'] for row in certain):.1%}" if certain else "–"
    return f"{sure:.0%}, {share}"


def table(path):
    """Print means with their standard errors, one row per cell."""
    for key, found in sorted(read_cells(path).items()):
        names = [name for name, value in found[0].items() if isinstance(value, float)]
        figures = {name: mean(found, name, 3) for name in names if name not in json.loads(key)}
        if "p_value" in found[0]:
            figures["alarms at 5 %"] = np.mean([row["p_value"] <= 0.05 for row in found])
        print(*json.loads(key).values(), f"({len(found)})", figures)


def publish(path, folder=Path("docs/results")):
    """Write the tables of the page of results."""
    cells = read_cells(path)
    simulated, others, kept, apart, differ = [], [], [], [], []
    for per_object in PER_OBJECT:
        for lapse in LAPSES:
            key = {"per_object": per_object, "lapse": lapse}
            found = [cells.get(json.dumps({"fit": fit} | key)) for fit in MAIN]
            if not all(found):
                continue
            row = [str(per_object), f"{lapse:.0%}", ", ".join(str(len(rows)) for rows in found)]
            row += [mean(rows, name) for name in ("coverage", "width") for rows in found]
            simulated.append(row + [sure_and_right(rows) for rows in found])
    for key, rows in cells.items():
        given = json.loads(key)
        if "split" not in given and given["fit"] in FITS and given["fit"] not in MAIN:
            row = [given["fit"], str(given["per_object"]), f"{given['lapse']:.0%}", str(len(rows))]
            row += [mean(rows, "coverage"), mean(rows, "width"), sure_and_right(rows)]
            others.append(row)
        elif "found_neighbors" in rows[0]:
            names = ("inside", "promised_neighbors", "found_neighbors", "sure")
            row = [given["fit"], given["by"], str(len(rows)), *(mean(rows, name) for name in names)]
            kept.append(row)
        elif "split" in given:
            names = ("coverage", "plain_coverage", "width")
            dimension = str(given["dimension"])
            if dimension == "chosen":
                dimension = f"chosen, {np.mean([row['chosen'] for row in rows]):.1f}"
            row = [given["split"], f"{given['fitted']:,}", dimension, given["fit"]]
            row += [str(len(rows)), *(mean(rows, name, 3) for name in names), sure_and_right(rows)]
            apart.append(row)
        elif given["fit"] in ("by question", "by participant"):
            figures = (mean(rows, name, 3) for name in ("coverage", "width"))
            differ.append([given["fit"], str(len(rows)), *figures, sure_and_right(rows)])
    apart.sort(key=lambda row: (row[0], int(row[1].replace(",", "")), row[2]))
    others.sort(key=lambda row: (list(FITS).index(row[0]), int(row[1]), row[2]))
    tables = {"simulated": simulated, "others": others, "halves": kept, "splits": apart}
    tables["participants"] = differ
    for name, rows in tables.items():
        if rows:
            with (folder / f"uncertainty-{name}.csv").open("w", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows(rows)


TIMED = (
    (100, 10_000, "posterior", 800, 5),
    (100, 10_000, "bootstrap", 200, 5),
    (1_000, 500_000, "bootstrap", 200, 60),
)
"""Objects, noise-free answers, how and by how many draws, and the goal in seconds."""


def speed(timed=TIMED):
    """Time the second of two calls, since the first compiles; write the table of the page."""
    rows = []
    for n_objects, n_answers, method, n_draws, goal in timed:
        truth = np.random.default_rng(0).standard_normal((n_objects, 2))
        answers = od.sources.random_triplets(truth, n_answers, random_state=0)
        model = PUBLISHED(2, random_state=0).fit(answers)
        how = {"method": method, "n_draws": n_draws, "n_jobs": 2, "random_state": 0}
        for _ in range(2):
            start = time.perf_counter()
            od.map_uncertainty(model, answers, **how)
            seconds = time.perf_counter() - start
        what = f"n = {n_objects}, {n_answers:,} answers, {method}, {n_draws} draws"
        rows.append({"what": what, "seconds": f"{seconds:.1f}", "goal": goal})
    command = "python benchmarks/uncertainty.py speed"
    write_table("uncertainty-speed", "seconds by the clock, two threads", rows, command)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=[*TASKS, "table", "publish", "speed"])
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--only", nargs="+", help="of the fits, such as posterior, these alone")
    parser.add_argument("--first", type=int, default=0, help="number of the first repeat")
    parser.add_argument("--output", type=Path, default=Path("results/uncertainty.jsonl"))
    given = parser.parse_args()
    if given.task == "speed":
        speed()
        return
    if given.task in ("table", "publish"):
        (table if given.task == "table" else publish)(given.output)
        return
    warnings.simplefilter("ignore")
    given.output.parent.mkdir(parents=True, exist_ok=True)
    text = given.output.read_text() if given.output.exists() else ""
    done = {(row["repeat"], row["key"]) for row in map(json.loads, text.splitlines())}
    for repeat in range(given.first, given.first + given.repeats):
        for key, run in TASKS[given.task](repeat):
            name = json.dumps(key)
            if (repeat, name) in done or key["fit"] not in (given.only or [key["fit"]]):
                continue
            start = time.process_time()
            row = {"repeat": repeat, "key": name, **key, **run()}
            row["seconds"] = time.process_time() - start
            with given.output.open("a") as file:
                file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
