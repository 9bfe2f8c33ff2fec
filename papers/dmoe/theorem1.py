"""Theorem 1: the bound on the excess risk beside what is measured.

Points as in the paper's synthetic data, scaled so that half of the true margins exceed the one
aimed at. The risk is the mean loss (16) over all triplets, which is an expectation, as training
triplets are drawn uniformly. The bound takes the largest entry of the true Gram matrix for mu.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od
from ordinate.gram.dmoe import excess_risk_bound
from papers._common import Run, print_table
from papers.dmoe.figure1 import loss

NU = 1.0


def margins(gram, answers):
    """Return d_far² - d_near² of triplets."""
    squares, (i, j, k) = np.diagonal(gram), answers.rows.T
    return squares[k] - squares[j] - 2 * gram[i, k] + 2 * gram[i, j]


def one_row(n_objects, n_answers, seed):
    """Fit one draw; return the measured excess risk and the bound."""
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((n_objects, 10)) / np.sqrt(20)
    everything = od.sources.all_triplets(points)
    truth = points @ points.T
    truth /= np.median(margins(truth, everything))
    answers = everything[rng.integers(len(everything), size=n_answers)]
    gram = od.DMOE(10, nu=NU, penalty=3.0, n_jobs=1).fit(answers).gram_
    risk, best = (loss(margins(matrix, everything), NU).mean() for matrix in (gram, truth))
    largest = float(np.abs(truth).max())
    bound = excess_risk_bound(n_objects, 10, n_answers, largest=largest, nu=NU, delta=0.05)
    return {"risk": float(risk), "risk of the truth": float(best), "bound": bound}


def main(run: Run) -> None:
    """Print and draw measured excess and bound against the number of answers."""
    n_objects = run.size(30, 100)
    sizes = run.size((100, 1000), (200, 500, 1000, 2000, 5000, 10_000))
    with run.table("theorem1", total=len(sizes)) as table:
        for size in sizes:
            table.row(
                {"seed": run.seed, "objects": n_objects, "answers": size},
                lambda size=size: one_row(n_objects, size, run.seed),
            )
    print_table(table.found)
    fig, ax = plt.subplots(figsize=(5, 3.4), layout="constrained")
    excess = [row["risk"] - row["risk of the truth"] for row in table.found]
    ax.loglog(sizes, [row["bound"] for row in table.found], "o-", label="bound of Theorem 1")
    ax.loglog(sizes, [row["risk"] for row in table.found], "o-", label="measured risk")
    ax.loglog(sizes, [row["risk of the truth"] for row in table.found], "--", label="true matrix")
    ax.set(xlabel="training triplets", ylabel="risk")
    ax.legend(frameon=False, fontsize=8)
    fig.savefig(run.path("theorem1.png"), dpi=80)
    plt.close(fig)
    print(f"excess: {', '.join(f'{value:.3g}' for value in excess)}")
