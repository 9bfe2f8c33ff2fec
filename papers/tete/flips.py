"""Held-out error of six losses when answers are flipped: what t and t' of t-ETE do.

Objects are drawn from a normal distribution in the plane; triplets are random; each answer is
flipped with the given probability; the error is on new triplets with correct answers.
"""

from functools import partial

import numpy as np

import ordinate as od
from ordinate.sources import FlippedAnswers, random_triplets
from papers._common import Run, print_table, summarise

MODELS = {
    "SOE": od.SOE,
    "STE": partial(od.STE, penalty=0),
    "t-STE": partial(od.TSTE, penalty=0),
    "t-ETE 2, 2": lambda **settings: od.TETE(penalty=0, t=2, t_prime=2, **settings),
    "t-ETE 1.5, 1.5": lambda **settings: od.TETE(penalty=0, t=1.5, t_prime=1.5, **settings),
    "t-ETE 2, 1": lambda **settings: od.TETE(penalty=0, t=2, t_prime=1, **settings),
}


def error(model, flipped: float, n_objects: int, n_triplets: int, seed: int) -> dict:
    """Fit a model to answers of which a share is flipped."""
    points = np.random.default_rng(seed).normal(size=(n_objects, 2))
    noise = FlippedAnswers(flipped) if flipped else None
    train = random_triplets(points, n_triplets, noise=noise, random_state=seed)
    test = random_triplets(points, 50_000, random_state=seed + 1000)
    return {"error": 1 - model(random_state=0, max_iter=5000).fit(train).score(test)}


def main(run: Run) -> None:
    """Print mean errors by method and share of flips."""
    n_objects, n_triplets = run.size((50, 3000), (200, 20_000))
    seeds, shares = run.seeds(1, 5), run.size((0.0, 0.2), (0.0, 0.1, 0.2, 0.3))
    with run.table("flips", total=len(seeds) * len(shares) * len(MODELS)) as table:
        for flipped in shares:
            for name, model in MODELS.items():
                for seed in seeds:
                    table.row(
                        {"n": n_objects, "flipped": flipped, "method": name, "seed": seed},
                        lambda model=model, flipped=flipped, seed=seed: error(
                            model, flipped, n_objects, n_triplets, seed
                        ),
                    )
    print_table(summarise(table.found, ("flipped", "method"), ["error"]))
