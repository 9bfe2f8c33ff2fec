"""Salmon's own protocol for adaptive questions: its rule and ours, on a line of thirty objects.

    python benchmarks/salmon.py [--seeds 20] [--output results/salmon.csv] [--publish]

Salmon's documentation ("Active sampling") and its repository of experiments describe it. Thirty of
600 objects that differ in one number are embedded in two dimensions. An observer compares the two
differences to the anchor; with r the share of the larger one, the answer is right with probability
1/2 + (1 − 2 e)(σ(k (r − 1/2)) − 1/2), e = .0707 and k = 17.55: fitted to people's answers there.

Salmon's rule ("ARR") starts with n random questions. Then anchors come in random order, each with
the question that tells most about its place: by t-STE (α = 1), and by a distribution over the
places of the objects, which every answer multiplies by its probability on the map of its time.
Written from the documentation. Its maps are fitted to convergence here, and used at once.

All rules ask 30 questions at a time. Maps in two dimensions of all answers are fitted by t-STE, as
Salmon does, and by CKL. The error is the share of 20,000 random questions that a map gets wrong.
Rows are appended as they come, one per run: a run that was stopped goes on where it was.
"""

import argparse
import csv
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from pages import conditions, list_table, put_tables  # the script beside this one
from scipy.special import entr, expit
from sklearn.exceptions import ConvergenceWarning

import ordinate as od
from ordinate.tasks import make_task
from questions import mean_curve, needed

N_OBJECTS, OF = 30, 600
SLIPS, SHARPNESS = 0.07074231, 17.55473809
TRIPLETS = make_task("triplet")
JUDGES = {"t-STE": partial(od.TSTE, 2, alpha=1), "CKL": partial(od.CKL, 2, penalty=0.5)}
PER_OBJECT = (2, 3, 4, 6, 8, 10)
"""Answers per object at which maps are judged."""
MORE_RANDOM = (14, 20, 30)
"""Where random questions are judged as well."""
MULTIPLES_AT = (3, 4, 6, 10)
"""Answers per object of the table of multiples."""
RULES = ("random", "Salmon", "Ordinate")
PAGE = Path(__file__).parents[1] / "docs/results/questions.rst"


def observer(line, rng):
    """Return who answers: 0 for the first of two objects, 1 for the second."""

    def answer(items):
        gaps = np.abs(line[items[:, 1:]] - line[items[:, :1]])
        larger = gaps.max(axis=1) / gaps.sum(axis=1)
        right = 0.5 + (1 - 2 * SLIPS) * (expit(SHARPNESS * (larger - 0.5)) - 0.5)
        return np.where(rng.random(len(items)) < right, gaps.argmin(axis=1), gaps.argmax(axis=1))

    return answer


def fitted(judge, answers, seed):
    """Return a map of answers; t-STE of few has no smallest loss, and says that it stopped."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return JUDGES[judge](random_state=seed, n_jobs=1).fit(answers).embedding_


class RandomQuestions:
    """Ask anything."""

    def __init__(self, seed):
        self.rng = np.random.default_rng([seed, 1])
        self.rows = np.empty((0, 3), dtype=np.int32)

    def ask(self):
        """Return the next questions."""
        return TRIPLETS.draw(N_OBJECTS, N_OBJECTS, self.rng)

    def tell(self, items, answers):
        """Note answers, as anchor, near and far."""
        near = np.where(answers == 0, items[:, 1], items[:, 2])
        far = np.where(answers == 0, items[:, 2], items[:, 1])
        self.rows = np.concatenate([self.rows, np.column_stack([items[:, 0], near, far])])

    def comparisons(self):
        """Return all answers."""
        return od.Comparisons(self.rows, n_objects=N_OBJECTS)


class SalmonQuestions(RandomQuestions):
    """Ask of each anchor what tells most about its place."""

    def __init__(self, seed):
        super().__init__(seed)
        self.points = np.zeros((N_OBJECTS, 2))
        self.log_places = np.zeros((N_OBJECTS, N_OBJECTS))

    def ask(self):
        """Return one question per anchor; random ones before the first answers."""
        if len(self.rows) == 0:
            return super().ask()
        places = np.exp(self.log_places - self.log_places.max(axis=1, keepdims=True))
        places /= places.sum(axis=1, keepdims=True)
        pairs = np.array(np.triu_indices(N_OBJECTS, 1)).T
        chances = self._chances(*pairs.T)
        gains = _entropy(chances @ places.T) - _entropy(chances) @ places.T
        asked = []
        for anchor in self.rng.permutation(N_OBJECTS):
            own = np.where((pairs == anchor).any(axis=1), -np.inf, gains[:, anchor])
            asked.append([anchor, *pairs[np.argmax(own)]])
        return np.array(asked, dtype=np.int32)

    def tell(self, items, answers):
        """Note answers and fit the map."""
        n_before = len(self.rows)
        super().tell(items, answers)
        anchors, near, far = self.rows[n_before:].T
        np.add.at(self.log_places, anchors, np.log(self._chances(near, far)))
        self.points = fitted("t-STE", self.comparisons(), 0)

    def _chances(self, near, far):
        """Return how likely "near" is for an anchor at each place."""
        squares = ((self.points[:, None] - self.points[None]) ** 2).sum(axis=2)
        return (1 + squares[far]) / (2 + squares[near] + squares[far])


class OrdinateQuestions:
    """Ask what the default rule of the package chooses."""

    def __init__(self, seed):
        self.questions = od.Questions(N_OBJECTS, 2, random_state=seed)
        self.comparisons = self.questions.comparisons

    def ask(self):
        """Return the next questions."""
        self.batch = self.questions.ask(N_OBJECTS)
        return np.array([row.items for row in self.batch], dtype=np.int32)

    def tell(self, _, answers):
        """Note answers to the last questions."""
        self.questions.tell(self.batch, answers)


WAYS = dict(zip(RULES, (RandomQuestions, SalmonQuestions, OrdinateQuestions), strict=True))


def _entropy(chance):
    return entr(chance) + entr(1 - chance)


def study(rule, seed, per_object=PER_OBJECT):
    """Return numbers of answers, and the errors of the maps of all judges."""
    rng = np.random.default_rng([seed, 600])
    line = np.sort(rng.choice(OF, N_OBJECTS, replace=False)).astype(float)
    judged = TRIPLETS.draw(N_OBJECTS, 20_000, rng)
    gaps = np.abs(line[judged[:, 1:]] - line[judged[:, :1]])
    judged, gaps = judged[gaps[:, 0] != gaps[:, 1]], gaps[gaps[:, 0] != gaps[:, 1]]
    truth = np.where(gaps.argmin(axis=1)[:, None] == 0, judged, judged[:, [0, 2, 1]])
    way, answer = WAYS[rule](seed), observer(line, rng)
    curve, n_told = [], 0
    for per in per_object:
        while n_told < per * N_OBJECTS:
            items = way.ask()
            way.tell(items, answer(items))
            n_told += len(items)
        maps = [fitted(judge, way.comparisons(), seed) for judge in JUDGES]
        curve.append((n_told, *(od.metrics.triplet_error(truth, points) for points in maps)))
    return curve


def run(seeds, path):
    """Run what is not in the file yet."""
    done = {(row[0], row[1]) for row in read(path)}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", newline="") as file:
        for seed in seeds:
            for rule in RULES:
                if (rule, seed) in done:
                    continue
                sizes = PER_OBJECT + MORE_RANDOM if rule == "random" else PER_OBJECT
                for size, *errors in study(rule, seed, sizes):
                    csv.writer(file).writerow([rule, seed, size, *(f"{e:.5f}" for e in errors)])
                file.flush()
                print(rule, seed, flush=True)


def read(path):
    """Return rows of rule, seed, answers and errors; none if there is no file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [(row[0], int(row[1]), *map(float, row[2:])) for row in csv.reader(file)]


def curves(rows, rule, judge):
    """Return a curve per seed."""
    column = 3 + list(JUDGES).index(judge)
    own = [row for row in rows if row[0] == rule]
    return [
        np.array([(row[2], row[column]) for row in own if row[1] == seed])
        for seed in sorted({row[1] for row in own})
    ]


def multiple(random, other, size):
    """Return how many times its answers random questions need for the mean error at a size."""
    at, errors = mean_curve(other)
    return needed(*mean_curve(random), errors[at == size][0]) / size


def interval(random, other, size, n_bootstrap=1000):
    """Return 90 % of the multiples when seeds are resampled."""
    rng = np.random.default_rng(0)
    drawn = [
        multiple([random[k] for k in chosen], [other[k] for k in chosen], size)
        for chosen in rng.integers(len(other), size=(n_bootstrap, len(other)))
    ]
    return np.quantile(drawn, [0.05, 0.95], method="inverted_cdf")  # some are infinite


def tables(rows):
    """Return the errors and the multiples as tables in reStructuredText."""
    errors, multiples = [], []
    for judge in JUDGES:
        found = {rule: curves(rows, rule, judge) for rule in RULES}
        for rule, own in found.items():
            each = 100 * np.array([curve[: len(PER_OBJECT), 1] for curve in own])
            spread = each.std(axis=0, ddof=1) / np.sqrt(len(each)) if len(each) > 1 else each[0] * 0
            cells = [f"{m:.1f} ± {s:.1f}" for m, s in zip(each.mean(0), spread, strict=True)]
            errors.append([judge, rule, len(each), *cells])
        for rule in RULES[1:]:
            cells = []
            for per in MULTIPLES_AT:
                size = per * N_OBJECTS
                ends = interval(found["random"], found[rule], size)
                low, high = (f"{end:.1f}" if np.isfinite(end) else "–" for end in ends)
                middle = multiple(found["random"], found[rule], size)
                middle = f"{middle:.1f}" if np.isfinite(middle) else "–"
                cells.append(f"**{middle}** ({low} – {high})")
            multiples.append([judge, rule, *cells])
    return (
        list_table(["map", "questions", "seeds", *(f"{per} n" for per in PER_OBJECT)], errors),
        list_table(["map", "questions", *(f"{per} n" for per in MULTIPLES_AT)], multiples),
    )


def main():
    """Run, print the tables, and put them on the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--output", type=Path, default=Path("results/salmon.csv"))
    parser.add_argument("--publish", action="store_true", help="tables into the results page")
    options = parser.parse_args()
    run(range(options.seeds), options.output)
    errors, multiples = tables(read(options.output))
    print(errors, multiples, sep="\n\n")
    if options.publish:
        text = f"*{conditions('ordinate')}.*\n\n{errors}\n\n{multiples}"
        put_tables(PAGE, {"salmon": text})


if __name__ == "__main__":
    main()
