"""Held-out error of six losses when answers are flipped: what t and t' of t-ETE do.

    python papers/tete/flips.py [--quick]

Objects are drawn from a normal distribution in the plane; triplets are random; each answer is
flipped with the given probability; the error is on new triplets with correct answers.
"""

import argparse

import numpy as np

import ordinate as od
from ordinate.sources import FlippedAnswers, random_triplets

MODELS = {
    "SOE": od.SOE,
    "STE": od.STE,
    "t-STE": od.TSTE,
    "t-ETE 2, 2": lambda **settings: od.TETE(t=2, t_prime=2, **settings),
    "t-ETE 1.5, 1.5": lambda **settings: od.TETE(t=1.5, t_prime=1.5, **settings),
    "t-ETE 2, 1": lambda **settings: od.TETE(t=2, t_prime=1, **settings),
}


def errors(flipped: float, n_objects: int, n_triplets: int, seed: int) -> dict[str, float]:
    """Fit every model on answers of which a share is flipped."""
    points = np.random.default_rng(seed).normal(size=(n_objects, 2))
    noise = FlippedAnswers(flipped) if flipped else None
    train = random_triplets(points, n_triplets, noise=noise, random_state=seed)
    test = random_triplets(points, 50_000, random_state=seed + 1000)
    return {
        name: 1 - model(random_state=0, max_iter=5000).fit(train).score(test)
        for name, model in MODELS.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small version, in seconds")
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    n_objects, n_triplets = (50, 3000) if options.quick else (200, 20_000)
    seeds = range(1 if options.quick else options.seeds)
    print(f"{n_objects} objects, {n_triplets} triplets, mean over {len(seeds)} seed(s)")
    print("flipped " + "".join(f"{name:>16}" for name in MODELS))
    for flipped in (0.0, 0.1, 0.2, 0.3):
        runs = [errors(flipped, n_objects, n_triplets, seed) for seed in seeds]
        means = [np.mean([run[name] for run in runs]) for name in MODELS]
        print(f"{flipped:7.0%} " + "".join(f"{mean:16.4f}" for mean in means), flush=True)


if __name__ == "__main__":
    main()
