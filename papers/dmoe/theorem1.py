"""Theorem 1: the bound on the excess risk beside what is measured.

Points as in the paper's synthetic data, scaled so that half of the true margins exceed the one
aimed at. The risk is the mean loss (16) over all triplets, which is an expectation, as training
triplets are drawn uniformly. The bound takes the largest entry of the true Gram matrix for mu.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od
from ordinate.gram.dmoe import excess_risk_bound
from papers._common import Run, print_table, ranged, summarise
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
    """Print and draw measured risk and bound against the number of answers."""
    n_objects = run.size(30, 100)
    sizes = run.size((100, 1000), (200, 500, 1000, 2000, 5000, 10_000))
    with run.table("theorem1", total=len(sizes)) as table:
        for size in sizes:
            for seed in run.seeds(1, 10):
                table.row(
                    {"seed": seed, "objects": n_objects, "answers": size},
                    lambda size=size, seed=seed: one_row(n_objects, size, seed),
                )
    rows = list(page_rows(table.found))
    print_table(rows)
    run.page(table, "mean (minimum to maximum) over draws", rows)
    draw(run, table.found)


def page_rows(found):
    """Yield both risks and the bound of each number of answers."""
    for size in dict.fromkeys(row["answers"] for row in found):
        rows = [row for row in found if row["answers"] == size]
        line = {"answers": f"{size:,}", "draws": len(rows)}
        for name in ("risk", "risk of the truth"):
            line[name] = ranged([row[name] for row in rows])
        yield {**line, "bound on the difference": ranged([row["bound"] for row in rows], ".0f")}


def draw(run, found):
    """Draw means against the number of answers."""
    fig, ax = plt.subplots(figsize=(5, 3.4), layout="constrained")
    rows = summarise(found, ["answers"], ["bound", "risk", "risk of the truth"])
    names = {"bound": "bound of Theorem 1", "risk": "measured risk", "risk of the truth": "true"}
    for name, label in names.items():
        style = "--" if label == "true" else "o-"
        ax.loglog([r["answers"] for r in rows], [r[name] for r in rows], style, label=label)
    ax.set(xlabel="training triplets", ylabel="risk")
    ax.legend(frameon=False, fontsize=8)
    fig.savefig(run.path("theorem1.png"), dpi=80)
    plt.close(fig)
