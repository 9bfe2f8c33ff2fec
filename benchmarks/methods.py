"""Which method for which answers: all methods, several kinds of answers, one table.

    python benchmarks/methods.py [--runs 5] [--real] [--publish]

Synthetic answers have a known truth, so maps are judged by 20,000 new answers that are right. With
`--real` the answers of people (data folder: ORDINATE_DATA) are cross-validated instead.
"""

import argparse
from dataclasses import dataclass
from functools import partial

import numpy as np
from pages import write_table

import ordinate as od
from ordinate.sources import FlippedAnswers, LogisticNoise

METHODS = {
    "SOE": od.SOE,
    "GNMDS": od.GNMDS,
    "CKL": od.CKL,
    "CKL, penalty 0": partial(od.CKL, penalty=0.0),
    "STE": od.STE,
    "STE, penalty 0": partial(od.STE, penalty=0.0),
    "TSTE": od.TSTE,
    "TETE": od.TETE,
    "TETE, t = 2, t' = 1": lambda *args, **kwargs: od.TETE(*args, t=2, t_prime=1, **kwargs),
    "PosteriorGram": od.PosteriorGram,
}
MOST_ANSWERS_OF_POSTERIOR = 1_000
"""More take minutes, and gain little over the others."""


@dataclass(frozen=True)
class Answers:
    """A kind of answers about Gaussian points."""

    n_objects: int
    n_answers: int
    true_dimension: int
    fitted_dimension: int
    noise: object = None
    neighbors: bool = False

    def draw(self, seed):
        """Return answers to fit and answers, all right, to judge by."""
        rng = np.random.default_rng([seed, self.true_dimension])
        points = rng.standard_normal((self.n_objects, self.true_dimension))
        ask = od.sources.neighbor_triplets if self.neighbors else od.sources.random_triplets
        given = ask(points, self.n_answers, noise=self.noise, random_state=seed)
        return given, ask(points, 20_000, random_state=1_000 + seed)


KINDS = {
    "plenty, right": Answers(100, 20_000, 2, 2),
    "plenty, 10 % flipped": Answers(100, 20_000, 2, 2, FlippedAnswers(0.1)),
    "plenty, 20 % flipped": Answers(100, 20_000, 2, 2, FlippedAnswers(0.2)),
    "plenty, unsure at near ties": Answers(100, 20_000, 2, 2, LogisticNoise(0.5)),
    "ten per object, 10 % flipped": Answers(100, 1_000, 2, 2, FlippedAnswers(0.1)),
    "three per object, 10-D": Answers(100, 300, 10, 10),
    "about neighbours, 10-D in 2-D": Answers(300, 20_000, 10, 2, neighbors=True),
}


def synthetic(n_runs):
    """Yield a row for each kind of answers: mean error and deviation over draws."""
    for kind, answers in KINDS.items():
        row = {"answers": kind}
        for name, method in METHODS.items():
            if name == "PosteriorGram" and answers.n_answers > MOST_ANSWERS_OF_POSTERIOR:
                row[name] = "–"
                continue
            errors = []
            for seed in range(n_runs):
                given, right = answers.draw(seed)
                model = method(answers.fitted_dimension, random_state=0).fit(given)
                errors.append(1 - model.score(right))
            row[name] = f"{np.mean(errors):.4f} ± {np.std(errors):.3f}"
        yield row


def real():
    """Yield a row for each study and dimension: held-out error with half the 90 % interval."""
    methods = ["SOE", "GNMDS", "CKL", od.CKL(penalty=0), "STE", od.STE(penalty=0)]
    methods += ["TSTE", "TETE", od.TETE(t=2, t_prime=1)]
    for name in ("cars60", "music400", "food100"):
        answers = getattr(od.datasets, f"load_{name}")().comparisons
        by = "trial" if "trial" in answers.groups else None
        found = od.compare(answers, methods, [2, 3], by=by, random_state=0).rows
        for dimension in (2, 3):
            row = {"answers": name, "per object": f"{len(answers) / answers.n_objects:.0f}"}
            row["dimension"] = dimension
            for fitted in (fitted for fitted in found if fitted.dimension == dimension):
                half = (fitted.high - fitted.low) / 2
                row[fitted.method] = f"{100 * fitted.error:.1f} ± {100 * half:.1f}"
            yield row


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--real", action="store_true", help="cross-validate the answers of people")
    parser.add_argument("--publish", action="store_true", help="write the table of the page")
    args = parser.parse_args()
    rows = []
    for row in real() if args.real else synthetic(args.runs):
        print(row, flush=True)
        rows.append(row)
    if args.publish and args.real:
        caption = "held-out error in percent, five folds"
        write_table("methods-people", caption, rows, "python benchmarks/methods.py --real")
    elif args.publish:
        caption = f"error on 20,000 new answers, mean of {args.runs} draws"
        write_table("methods-simulated", caption, rows, "python benchmarks/methods.py")
