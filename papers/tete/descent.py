"""Algorithm 1 for other temperatures, and whether plain gradient descent suffices, as it says.

Weighted t-ETE exactly as published: the triplets and weights of `sample_weighted_triplets`, from
a start of variance 10⁻³. The paper gives no step, so descent has the one of the authors' program
for triplets: 2 n / |T|, times 1.01 after a step that lowers the loss and 0.5 after one that does
not.
Every solver has the same number of passes over the triplets.
"""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.manifold import trustworthiness

import ordinate as od
from ordinate.engine.cpu import CPUObjective
from ordinate.solvers.adam import adam
from ordinate.solvers.lbfgs import lbfgs
from papers._common import Run, print_table, summarise

TEMPERATURES = ((2.0, 2.0), (1.5, 1.5), (1.0, 2.0), (2.0, 1.0))
START = np.sqrt(1e-3)


def data_sets(run):
    """Return standardised wines, a sphere and a roll."""
    wine = load_wine().data
    size = run.size(150, 600)
    return {
        "Wine": (wine - wine.mean(axis=0)) / wine.std(axis=0),
        "Sphere": od.datasets.make_sphere(size, random_state=0).points,
        "Swiss roll": od.datasets.make_swiss_roll(size, random_state=0).points,
    }


def descend(objective, start, max_iter, step):
    """Follow the gradient, with a step that grows by a hundredth or halves; return the best."""
    points, best = start, (np.inf, start)
    before = np.inf
    for _ in range(max_iter):
        value, gradient = objective(points)
        best = min(best, (value, points), key=lambda found: found[0])
        step *= 1.01 if value < before - 1e-7 else 0.5
        before, points = value, points - step * gradient
    return best[1]


def measure(points, t, t_prime, seed, max_iter):
    """Minimise one loss by three solvers; return their losses per triplet and map quality."""
    triplets = od.sample_weighted_triplets(points, random_state=seed)
    objective = CPUObjective(triplets, od.losses.tete, [t, t_prime])
    start = START * np.random.default_rng(seed).standard_normal((len(points), 2))
    found = {
        "gradient descent": descend(objective, start, max_iter, 2 * len(points) / len(triplets)),
        "Adam": adam(objective, start, max_iter=max_iter, step=2.0)[0],
        "L-BFGS": lbfgs(objective, start, max_iter=max_iter, tol=0.0).points,
    }
    for solver, placed in found.items():
        yield {
            "solver": solver,
            "loss": objective(placed)[0] / triplets.weights.sum(),
            "trustworthiness": trustworthiness(points, placed, n_neighbors=10),
        }


def main(run: Run) -> None:
    """Print the loss and the trustworthiness of every solver."""
    with run.table("descent") as table:
        for seed in run.seeds(1, 3):
            for name, points in data_sets(run).items():
                for t, t_prime in run.size(TEMPERATURES[:1], TEMPERATURES):
                    table.rows(
                        {"data": name, "t": t, "t'": t_prime, "seed": seed},
                        lambda given=(points, t, t_prime, seed): measure(*given, run.size(50, 500)),
                    )
    rows = summarise(table.found, ["data", "t", "t'", "solver"], ["loss", "trustworthiness"])
    print_table(rows)
    run.page(table, "mean loss per triplet and trustworthiness after 500 passes; means", rows)
