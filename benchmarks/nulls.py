"""What each command claims about data in which there is nothing to find.

    python benchmarks/nulls.py [--sets 200] [--only rank,people] [--jobs 16]

Every row of `NULLS` makes data without the structure that a command looks for, and says whether the
command claims it all the same. The script counts the claims over many sets, writes the page
docs/nulls.rst, and tests/nulls/test_claims.py looks at a few sets of each row.
"""

import argparse
import csv
import sys
import time
import warnings
from collections.abc import Callable
from itertools import starmap
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import binom, binomtest

import ordinate as od
from ordinate.selection._direction import check_direction

PAGE = Path(__file__).parents[1] / "docs" / "nulls.rst"
COUNTS = PAGE.with_suffix(".csv")


class Null(NamedTuple):
    """Data without structure, and what would be a false alarm."""

    command: str
    data: str
    claim: str
    claims: Callable[[int], bool]
    level: float = 0.05
    """How often the claim may be made."""
    quick: int = 4
    """Sets that a test looks at; none where a set takes seconds."""
    before: str = "–"
    """What was counted before its cause was mended."""

    def most(self, n_sets: int) -> int:
        """Return how many claims in so many sets the level explains, but for one case in fifty."""
        return int(binom.ppf(0.98, n_sets, self.level))


def questions(n_objects, n_answers, rng, n_columns=3):
    """Draw questions about different objects."""
    return rng.random((n_answers, n_objects)).argsort(axis=1)[:, :n_columns]


def coins(seed, n_objects=20, n_answers=600):
    """Answer questions at random."""
    return od.Comparisons(questions(n_objects, n_answers, np.random.default_rng([seed, 1])))


def observed(points, n_answers, rng, slope=2.0):
    """Answer questions about points with logistic noise."""
    rows = questions(len(points), n_answers, rng)
    near, far = (np.square(points[rows[:, 0]] - points[rows[:, k]]).sum(axis=1) for k in (1, 2))
    chance = 1 / (1 + np.exp(-slope * (far - near)))
    return od.Comparisons(rows, rng.random(n_answers) < chance, n_objects=len(points))


def cloud(seed, n_objects=30, n_answers=1500):
    """Answer questions about one normal cloud in the plane."""
    rng = np.random.default_rng([seed, 2])
    return observed(rng.normal(size=(n_objects, 2)), n_answers, rng)


def people_alike(seed, n_people=12, each=80):
    """Let people answer by one map, each with a noise of their own."""
    rng = np.random.default_rng([seed, 3])
    points = rng.normal(size=(20, 2))
    parts = [observed(points, each, rng, slope) for slope in rng.uniform(0.7, 3, n_people)]
    who = np.repeat([f"p{k:02}" for k in range(n_people)], each)
    rows = np.vstack([part.rows for part in parts])
    return od.Comparisons(rows, n_objects=20, groups={"participant": who})


def as_reliable(seed, n_people=12, each=80):
    """Let people answer by one map with the same noise."""
    rng = np.random.default_rng([seed, 4])
    points = rng.normal(size=(20, 2))
    who = np.repeat([f"p{k:02}" for k in range(n_people)], each)
    rows = observed(points, n_people * each, rng).rows
    return od.Comparisons(rows, n_objects=20, groups={"participant": who})


def equal_items(seed, n_items=12, n_answers=300):
    """Compare items that are equally good."""
    return od.Pairs(questions(n_items, n_answers, np.random.default_rng([seed, 5]), 2))


def judges_alike(seed, n_items=10, n_judges=12, each=40, slopes=(0.7, 2)):
    """Let judges of one taste, some more reliable than others, compare items."""
    rng = np.random.default_rng([seed, 6])
    rows = questions(n_items, n_judges * each, rng, 2)
    slope = np.repeat(rng.uniform(*slopes, n_judges), each)
    scores = rng.normal(size=n_items)
    chance = 1 / (1 + np.exp(-slope * (scores[rows[:, 0]] - scores[rows[:, 1]])))
    rows = np.where((rng.random(len(rows)) < chance)[:, None], rows, rows[:, ::-1])
    return od.Pairs(rows, groups={"judge": np.repeat(np.arange(n_judges), each)})


def machines_alike(seed, each=300):
    """Let machines, of two kinds, compare items as people do, with a noise of their own."""
    pairs = judges_alike(seed, 10, 3, each)
    who = np.array(["person", "model-a", "model-b"])[pairs.groups["judge"]]
    return od.Pairs(pairs.rows, groups={"answered_by": who})


def answers_of_both(seed, n_objects=15, each=600):
    """Let machines answer triplets as people do, by one map and with the same noise."""
    rng = np.random.default_rng([seed, 77])
    points = rng.normal(size=(n_objects, 2))
    rows = rng.random((2 * each, n_objects)).argsort(axis=1)[:, :3]
    near, far = (((points[rows[:, 0]] - points[rows[:, k]]) ** 2).sum(axis=1) for k in (1, 2))
    wrong = far - near + rng.logistic(size=len(rows)) < 0
    rows[wrong] = rows[wrong][:, [0, 2, 1]]
    who = np.repeat(["person", "gpt"], each)
    return od.Comparisons(rows, groups={"answered_by": who}, n_objects=n_objects)


def random_ratings(seed, n_users=60, n_items=40, each=20):
    """Permute the ratings of every user."""
    rng = np.random.default_rng([seed, 7])
    items = np.array([rng.permutation(n_items)[:each] for _ in range(n_users)])
    users = np.repeat(np.arange(n_users), each)
    return od.Ratings(users, items.ravel(), rng.integers(1, 6, users.size))


def random_network(seed, n_nodes=100, degree=8):
    """Join nodes at random (Erdős–Rényi)."""
    rng = np.random.default_rng([seed, 8])
    joined = np.triu(rng.random((n_nodes, n_nodes)) < degree / n_nodes, 1)
    return (joined | joined.T).astype(float)


def features(kind, n_rows, dimension):
    """Return what draws independent columns."""
    return lambda seed: getattr(np.random.default_rng([seed, 9]), kind)(size=(n_rows, dimension))


# ---- claims ----


def _predicts(seed):
    return od.analyze(coins(seed), random_state=seed, verbose=False).error.high < 0.5


def _structure(seed):
    test = od.uncertainty.structure_test(od.STE(), coins(seed), n_permutations=39, random_state=0)
    return test.p_value <= 0.05


def _stable_neighbors(seed):
    answers = coins(seed)
    model = od.STE(random_state=0).fit(answers)
    sure = od.map_uncertainty(model, answers, random_state=0)
    return bool(sure.stable_neighbors())


def _helps(seed):
    return od.learning_curve(coins(seed), "STE", 2, random_state=seed).verdict == "yes"


def _reversed(seed):
    return check_direction(coins(seed), random_state=0).is_reversed


def _clusters(seed):
    rng = np.random.default_rng([seed, 13])
    answers = od.sources.random_triplets(rng.normal(size=(15, 2)), 1000, random_state=rng)
    return "no clearly separate" not in str(od.selection.find_clusters(answers, random_state=seed))


def _maps_differ(seed):
    answers = cloud(seed)
    half = np.random.default_rng([seed, 10]).permutation(len(answers)) < len(answers) // 2
    sure = [
        od.map_uncertainty(
            od.STE(random_state=0).fit(part), part, n_draws=50, by=None, random_state=0
        )
        for part in (answers[half], answers[~half])
    ]
    return od.uncertainty.compare_maps(*sure).differ


def _people(seed):
    return od.compare_people(people_alike(seed), random_state=seed).are_real


def _share_a_map(seed):
    people = np.arange(600) % 12
    answers = od.Comparisons(coins(seed).rows, groups={"participant": people})
    return od.compare_people(answers, random_state=seed).predicts


def _scale_found(seed):
    rows = np.sort(questions(8, 300, np.random.default_rng([seed, 13]), 4), axis=1)
    swapped = np.random.default_rng([seed, 14]).random(300) < 0.5
    rows[swapped] = rows[swapped][:, [2, 3, 0, 1]]
    model = od.DifferenceScale(random_state=seed).fit(od.Comparisons(rows, n_objects=8))
    return model.p_random_ <= 0.05


def _other_views(seed):
    found = od.compare_people(people_alike(seed), random_state=seed)
    return any(one.verdict in ("another view", "reversed") for one in found.participants)


def _more_errors(seed):
    found = od.compare_people(as_reliable(seed), random_state=seed)
    return any(one.verdict for one in found.participants)


def _disagree(seed):
    found = od.estimate_noise(as_reliable(seed), "STE", 2, per="participant", random_state=seed)
    return bool(found.deviating_groups)


def _groups_of_people(seed):
    model = od.GroupMaps(2, n_groups="auto", random_state=seed)
    return model.fit(people_alike(seed)).n_groups_ > 1


def _distinguished(seed):
    return bool(od.Ranking().fit(equal_items(seed)).distinguishable(0.95).any())


def _judges_differ(seed):
    return od.rank(judges_alike(seed), by="judge").p_judges <= 0.05


def _named(slopes):
    def claims(seed):
        return bool(od.rank(judges_alike(seed, slopes=slopes), by="judge").audit.named)

    return claims


def _named_by_chance(seed):
    pairs = equal_items(seed)
    judged = od.Pairs(pairs.rows, groups={"judge": np.arange(len(pairs)) % 12})
    return bool(od.rank(judged, by="judge").audit.named)


def rankings_by_judges(seed, spread):
    """Let ten judges of one taste, some more reliable than others, rank five of eight items."""
    rng = np.random.default_rng([seed, 25])
    scores, slopes, orders = spread * rng.normal(size=8), rng.uniform(0.7, 2, 10), []
    for number in range(100):
        items = rng.permutation(8)[:5]
        felt = slopes[number % 10] * scores[items] + rng.gumbel(size=5)
        orders.append(items[np.argsort(-felt)].tolist())
    return od.Pairs.from_rankings(orders, groups={"judge": [f"j{k % 10}" for k in range(100)]})


def _named_by_rankings(spread):
    def claims(seed):
        return bool(od.rank(rankings_by_judges(seed, spread), by="judge").audit.named)

    return claims


def _judges_of_rankings_differ(seed):
    return od.rank(rankings_by_judges(seed, 1), by="judge").p_judges <= 0.05


def _groups_by_rankings(seed):
    model = od.JudgeGroups(judges="judge", n_groups="auto", random_state=seed)
    return model.fit(rankings_by_judges(seed, 1)).n_groups_ > 1


def in_conditions(record, group):
    """Put every other person into another condition."""
    who = record.groups[group]
    odd = np.unique(who, return_inverse=True)[1] % 2
    groups = {"participant": who.astype(str), "condition": np.array(["a", "b"])[odd]}
    return type(record)(record.rows, groups=groups, n_objects=record.n_objects)


def _rankings_differ(seed):
    found = od.rank(in_conditions(judges_alike(seed), "judge"), by="condition").conditions
    return any((one.different["p_value"] < 0.05).any() for one in found.sides.values())


def _maps_of_conditions_differ(seed):
    record = in_conditions(as_reliable(seed), "participant")
    settings = {"error_folds": 0, "random_state": seed, "verbose": False}
    found = od.analyze(record, "STE", 2, **settings).by_group("condition")
    return any(pair.p_value <= 0.05 for pair in found.pairs)


def _enough(seed):
    return od.describe(coins(seed)).curve.verdict != "unknown"


def _machines_differ(seed):
    return bool((od.rank(machines_alike(seed)).machines.different["p_value"] <= 0.05).any())


def _machines_see_elsewhere(seed):
    record = answers_of_both(seed)
    found = od.analyze(record, "STE", 2, error_folds=0, random_state=seed, verbose=False)
    return len(found.machines().different["object"]) > 0


def _groups_of_judges(seed):
    found = od.rank(judges_alike(seed), by="judge", n_groups="auto")
    return found.groups.n_groups_ > 1


def _dimensions(seed):
    trials = od.sources.random_trials(np.zeros((40, 1)), 2000, random_state=seed)
    return od.SparseDimensions(20, n_init=1, random_state=seed).fit(trials).n_dimensions_ > 0


def _groups_on_map(kind, n_rows, dimension):
    draw = features(kind, n_rows, dimension)

    def claims(seed):
        found = od.reduce(draw(seed), random_state=seed).to_dict()
        return found["n_groups_found_again"] > 1

    return claims


def _features_predict(seed):
    rows = np.random.default_rng([seed, 11]).normal(size=(30, 10))
    found = od.align(cloud(seed), rows, map_dimensions=[], random_state=seed)
    best = found.scores.rows[0]
    return best.low > 0.5 and best.p_chance <= 0.05


def _alignment_gains(seed):
    rows = np.random.default_rng([seed, 12]).normal(size=(20, 5))
    answers = coins(seed, 20, 300)
    found = od.align(answers, rows, map_dimensions=[], fit=True, rank=2, random_state=seed)
    return any(row.gain_low > 0 for row in found.alignment.rows)


def _ratings_predicted(seed):
    found = od.coembed(random_ratings(seed), random_state=seed).accuracy
    return not any(words in found.verdict for words in ("no better", "hardly"))


def _network_recovered(seed):
    return od.draw_graph(random_network(seed), random_state=seed).gari >= 0.5


def _features_help(seed):
    """Whether features that have nothing to do with the answers are said to help."""
    features = np.random.default_rng([seed, 21]).normal(size=(30, 20))
    return (
        od.FeatureEmbedding(2, random_state=seed, n_jobs=1)
        .fit(cloud(seed, n_answers=500), features=features)
        .features_help_
    )


def _people_with_features(seed):
    """Whether people alike are said to differ on maps with features that tell the map."""
    rng = np.random.default_rng([seed, 22])
    features = rng.normal(size=(20, 8))
    points = features @ rng.normal(size=(8, 2)) / 8**0.5
    parts = [observed(points, 50, rng, slope) for slope in rng.uniform(0.7, 3, 10)]
    answers = od.Comparisons(
        np.vstack([part.rows for part in parts]),
        n_objects=20,
        groups={"participant": np.repeat([f"p{k:02}" for k in range(10)], 50)},
    )
    model = od.WeightedSpaces(2, features=features, n_jobs=1)
    return od.compare_people(answers, model, folds=3, random_state=seed, n_jobs=1).are_real


def _random_rankings(seed):
    """Whether items are distinguished by rankings in a random order, some with ties."""
    rng = np.random.default_rng([seed, 23])
    orders = [rng.permutation(8)[:5].tolist() for _ in range(40)]
    orders = [[one[0], one[1:3], *one[3:]] if rng.random() < 0.3 else one for one in orders]
    fitted = od.Ranking(random_state=seed).fit(od.Pairs.from_rankings(orders))
    return bool((fitted.to_frame()["groups"] != "a").any())


def _covariate_counts(seed):
    """Whether the interval of a covariate that sways nobody leaves out zero."""
    rng = np.random.default_rng([seed, 24])
    rows, scores = questions(8, 300, rng, 2), rng.normal(size=8)
    wins = rng.random(300) < 1 / (1 + np.exp(scores[rows[:, 1]] - scores[rows[:, 0]]))
    rows = np.where(wins[:, None], rows, rows[:, ::-1])
    pairs = od.Pairs(rows, covariates={"length": rng.normal(size=(300, 2))})
    table = od.rank(pairs, random_state=seed).tables()["covariates"]
    return bool(table["worth_lower"][0] > 0 or table["worth_upper"][0] < 0)


COINS = "20 objects, 600 random responses"
CLOUD = "30 objects from one normal cloud, 1,500 answers"
ALIKE = "12 people, one map, noise of their own"
JUDGES = "12 judges of one taste, noise of their own"
NULLS = {
    "embed": Null("embed", COINS, "predicts better than guessing", _predicts, quick=2),
    "structure": Null("report", COINS, "the answers hold structure (p ≤ .05)", _structure),
    "neighbours": Null(
        "embed --uncertainty",
        COINS,
        "a neighbour is stable (90 %)",
        _stable_neighbors,
        quick=2,
        before="15 of 200, 50 draws",
    ),
    "learning": Null("embed --show learning", COINS, "more answers would help", _helps),
    "direction": Null("report", COINS, "near and far were exchanged", _reversed),
    "cluster": Null(
        "cluster",
        "15 objects from one normal cloud, 1,000 answers without noise",
        "separate clusters",
        _clusters,
        quick=2,
        before="5 of 32",
    ),
    "maps": Null(
        "od.uncertainty.compare_maps",
        f"{CLOUD}, in halves",
        "the halves' maps differ",
        _maps_differ,
    ),
    "people": Null("people", ALIKE, "people see the objects differently", _people),
    "shared map": Null(
        "people",
        "12 people, 20 objects, 600 random responses",
        "people seem to share one map",
        _share_a_map,
        quick=2,
        before="each",
    ),
    "views": Null("people", ALIKE, "somebody has another view", _other_views),
    "errors": Null(
        "people",
        "12 people, one map and noise",
        "somebody makes more errors",
        _more_errors,
        quick=6,
    ),
    "noise": Null(
        "od.estimate_noise", "12 people, one map and noise", "somebody disagrees", _disagree
    ),
    "groups": Null(
        "people --groups", ALIKE, "several groups of people", _groups_of_people, quick=2
    ),
    "rank": Null(
        "rank", "12 equal items, 300 answers", "two items are distinguished", _distinguished
    ),
    "scale": Null(
        "scale",
        "8 items, 300 random responses",
        "there is a scale",
        _scale_found,
        before="each that was read",
    ),
    "judges": Null("rank --by judge", JUDGES, "judges differ (p ≤ .05)", _judges_differ),
    "named": Null(
        "rank --by judge",
        "12 judges of one taste and noise",
        "a judge is named",
        _named((1.3, 1.3)),
        quick=2,
    ),
    "named of unlike": Null(
        "rank --by judge",
        JUDGES,
        "a judge is named",
        _named((0.7, 2)),
        quick=0,
        before="17 of 200",
    ),
    "named of noise": Null(
        "rank --by judge",
        "12 equal items, 300 random responses of 12 judges",
        "a judge is named",
        _named_by_chance,
        quick=2,
    ),
    "judges of rankings": Null(
        "rank --by judge",
        "100 rankings of 5 of 8 items by 10 judges of one taste, noise of their own",
        "judges differ (p ≤ .05)",
        _judges_of_rankings_differ,
        quick=2,
        before="107 of 120",
    ),
    "named of rankings": Null(
        "rank --by judge",
        "100 rankings of 5 of 8 items by 10 judges of one taste, noise of their own",
        "a judge is named",
        _named_by_rankings(1),
        quick=2,
        before="7 of 60",
    ),
    "named of random rankings": Null(
        "rank --by judge",
        "100 random rankings of 5 of 8 items by 10 judges",
        "a judge is named",
        _named_by_rankings(0),
        quick=2,
        before="12 of 40",
    ),
    "groups of rankings": Null(
        "rank --groups",
        "100 rankings of 5 of 8 items by 10 judges of one taste, noise of their own",
        "several groups of judges",
        _groups_by_rankings,
        quick=2,
        before="3 of 15",
    ),
    "rankings of conditions": Null(
        "rank --by condition",
        f"{JUDGES}, in two conditions",
        "an item's score differs",
        _rankings_differ,
        quick=2,
    ),
    "maps of conditions": Null(
        "embed --by condition",
        "12 people, one map and noise, in two conditions",
        "the maps differ",
        _maps_of_conditions_differ,
        quick=0,
    ),
    "enough": Null("describe", COINS, "new answers are foretold", _enough, quick=2),
    "machines": Null(
        "rank --respondent all",
        "300 answers of people, 600 of machines of the same taste",
        "items are seen differently by machines",
        _machines_differ,
        quick=2,
    ),
    "machines on maps": Null(
        "embed --respondent all",
        "15 objects, 600 answers of people and 600 of machines by one map",
        "objects are seen differently by machines",
        _machines_see_elsewhere,
        quick=2,
    ),
    "judge groups": Null(
        "rank --groups", JUDGES, "several groups of judges", _groups_of_judges, quick=2
    ),
    "dimensions": Null(
        "dimensions", "40 objects, 2,000 random odd ones out", "a dimension", _dimensions
    ),
    "reduce uniform": Null(
        "reduce", "600 uniform rows in 20-D", "groups", _groups_on_map("uniform", 600, 20), quick=2
    ),
    "reduce normal": Null(
        "reduce", "600 normal rows in 50-D", "groups", _groups_on_map("normal", 600, 50), quick=2
    ),
    "reduce few dimensions": Null(
        "reduce", "600 uniform rows in 5-D", "groups", _groups_on_map("uniform", 600, 5), quick=2
    ),
    "features": Null(
        "embed --features",
        "30 objects from one normal cloud, 500 answers; random features",
        "features help",
        _features_help,
        quick=2,
    ),
    "people with features": Null(
        "people --features",
        "10 people, one map that features tell, noise of their own",
        "people see the objects differently",
        _people_with_features,
        quick=0,
    ),
    "rankings": Null(
        "rank --question ranking",
        "40 random rankings of 5 of 8 items, some with ties",
        "two items are distinguished",
        _random_rankings,
    ),
    "covariates": Null(
        "rank --covariates",
        "300 answers about 8 items; a random covariate",
        "the interval of its worth leaves out zero",
        _covariate_counts,
    ),
    "align": Null(
        "align",
        f"{CLOUD}; random features",
        "better than chance",
        _features_predict,
        before="5 of 40",
    ),
    "align --fit": Null(
        "align --fit",
        "20 objects, 300 random responses; random features",
        "a gain's interval lies above zero (of three)",
        _alignment_gains,
        level=0.1,
        quick=0,
        before="28 of 200",
    ),
    "coembed": Null(
        "coembed",
        "ratings permuted within users",
        "predicts new ratings",
        _ratings_predicted,
        before="4 of 40",
    ),
    "graph": Null(
        "graph", "Erdős–Rényi, 100 nodes, degree 8", "drawn well (no warning)", _network_recovered
    ),
}


def is_claimed(name, seed):
    """Say whether the claim is made about a set."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bool(NULLS[name].claims(seed))


def count(name, n_sets, n_jobs=1):
    """Count the sets about which the claim is made."""
    tasks = [(name, seed) for seed in range(n_sets)]
    if n_jobs == 1:
        return sum(starmap(is_claimed, tasks))
    with get_context("spawn").Pool(n_jobs) as pool:
        return sum(pool.starmap(is_claimed, tasks, chunksize=1))


def main():
    """Count the false alarms, keep the counts and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--only", default="", help="rows of NULLS, with commas; others stay")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    given = parser.parse_args()
    counts = dict(csv.reader(COUNTS.open())) if COUNTS.exists() else {}
    for name in [name.strip() for name in given.only.split(",") if name.strip()] or NULLS:
        start = time.perf_counter()
        counts[name] = f"{count(name, given.sets, given.jobs)} of {given.sets}"
        print(f"{name:16} {counts[name]:12} {time.perf_counter() - start:6.1f} s", flush=True)
    with COUNTS.open("w") as file:
        csv.writer(file, lineterminator="\n").writerows(
            (n, counts[n]) for n in NULLS if n in counts
        )
    write_page([row_of(NULLS[name], counts[name]) for name in NULLS if name in counts])


def row_of(null, counted):
    """Return a row of the page."""
    found, n_sets = map(int, counted.split(" of "))
    low, high = binomtest(found, n_sets).proportion_ci(0.9, "wilson")
    share = f"{counted} ({low:.0%} to {high:.0%})"
    return [f"``{null.command}``", null.data, null.claim, share, null.before, f"{null.level:.0%}"]


def write_page(rows):
    """Write the page of the documentation."""
    from pages import date_and_machine, list_table  # the script beside this one

    head = [
        "command",
        "data without structure",
        "claim",
        "false alarms (90 % interval)",
        "before",
        "level",
    ]
    intro = [
        "Nothing from noise",
        "==================",
        "",
        "A command that finds something in every file finds nothing. Here each command gets data",
        "without the structure that it looks for. The table counts how often the command claims it",
        "all the same, and how often it may (level). *Before* stands beside claims whose cause was",
        "mended.",
        "",
        list_table(head, rows),
        "",
        "Each set has a seed of its own. Rows are counted one by one; the last run was on"
        f" {date_and_machine()}:",
        "``python benchmarks/nulls.py --sets 200``.",
        "A neighbour's share of 50 draws has an error of its own, and the luckiest of 380 pairs is",
        "looked at: the default of 200 draws is needed.",
        "``tests/nulls`` repeats the rows on a few sets. A map of random responses is still drawn,",
        "and ``embed`` says that it predicts no better than guessing: see :doc:`trustworthy`.",
        "",
    ]
    PAGE.write_text("\n".join(intro))


if __name__ == "__main__":
    sys.exit(main())
