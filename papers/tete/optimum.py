"""What the capped loss is minimal at: t = t' = 2 against t = 2, t' = 1, on answers without error.

30 objects in the plane and 500 triplets that all hold there. Each loss is minimised from many
starts and compared with its value on the true map, on which every answer holds, at the best scale.
Where maps that violate answers have the lower loss, the optimum is to blame and not the start. Then
the same losses, and those of other methods, on 200 objects with 20,000 triplets, some of them
flipped.
"""

import numpy as np

import ordinate as od
from papers._common import Run, print_table, ranged
from papers.tete.protocol import flip

SETTINGS = {"t = t' = 2": (2, 2), "t = t' = 1.7": (1.7, 1.7), "t = 2, t' = 1": (2, 1)}


def lowest_loss(points, answers, t, t_prime):
    """Return the loss of a map at the scale where it is lowest."""
    anchor, near, far = (points[column] for column in answers.rows.T)
    near2, far2 = (np.square(anchor - other).sum(axis=1) for other in (near, far))
    scales = np.geomspace(0.01, 1e6, 400)
    return min(od.losses.tete(s * near2, s * far2, t, t_prime)[0].sum() for s in scales)


def clean_row(t, t_prime, start):
    """Return loss and violations of a setting from one start, beside the true map's loss."""
    points = np.random.default_rng(0).standard_normal((30, 2))
    answers = od.sources.random_triplets(points, 500, random_state=0)
    model = od.TETE(2, penalty=0, t=t, t_prime=t_prime, init="random", random_state=start, tol=1e-7)
    model.set_params(max_iter=5000, n_jobs=1).fit(answers)
    return {
        "loss": model.loss_,
        "violated": 1 - model.score(answers),
        "loss_of_truth": lowest_loss(points, answers, t, t_prime),
    }


def clean_rows(rows):
    """Yield what the map of the lowest loss violates, and its loss."""
    for name in SETTINGS:
        chosen = [row for row in rows if row["setting"] == name]
        if not chosen:
            continue
        best = min(chosen, key=lambda row: row["loss"])
        least = min(row["violated"] for row in chosen)
        yield {
            "setting": name,
            "answers violated": f"{best['violated']:.1%} (least of {len(chosen)} {least:.1%})",
            "loss": best["loss"],
            "loss of the true map": best["loss_of_truth"],
        }


METHODS = {
    **{
        f"t-ETE, {name}": od.TETE(2, penalty=0, t=t, t_prime=s) for name, (t, s) in SETTINGS.items()
    },
    "STE": od.STE(2, penalty=0),
    "t-STE": od.TSTE(2, penalty=0),
    "SOE": od.SOE(2),
}


def noisy_row(method, n_objects, n_triplets, share, seed):
    """Return the error on clean answers after a fit to answers of which a share is flipped."""
    rng = np.random.default_rng([seed, round(100 * share)])
    points = np.random.default_rng(seed).standard_normal((n_objects, 2))
    train, test = (
        od.sources.random_triplets(points, n_triplets, random_state=2 * seed + part)
        for part in (1, 2)
    )
    model = method.set_params(random_state=0, n_jobs=1).fit(flip(train, share, rng))
    return {"error": 1 - model.score(test)}


def main(run: Run) -> None:
    """Print what the optimum violates, and errors under flips."""
    starts = run.seeds(1, 20)
    with run.table("optimum_clean", total=len(SETTINGS) * len(starts)) as table:
        for name, (t, t_prime) in SETTINGS.items():
            for start in starts:
                table.row(
                    {"setting": name, "seed": start},
                    lambda t=t, t_prime=t_prime, start=start: clean_row(t, t_prime, start),
                )
    rows = list(clean_rows(table.found))
    print_table(rows)
    run.page(table, "30 objects, 500 correct answers: the lowest loss of all starts", rows)
    size = run.size((40, 1200), (200, 20_000))
    shares = run.size((0.0, 0.2), (0.0, 0.1, 0.2, 0.3))
    with run.table("optimum_noisy", total=len(shares) * len(METHODS)) as table:
        for share in shares:
            for name, method in METHODS.items():
                for seed in run.seeds(1, 5):
                    given = method, *size, share, seed
                    table.row(
                        {"seed": seed, "flipped": share, "method": name},
                        lambda given=given: noisy_row(*given),
                    )
    rows = list(noisy_rows(table.found, shares))
    print_table(rows)
    caption = "error on clean answers, by the share of flipped ones: mean (range) over draws"
    run.page(table, caption, rows)


def noisy_rows(found, shares):
    """Yield the errors of each method."""
    for name in METHODS:
        line = {"method": name}
        for share in shares:
            rows = [row for row in found if (row["method"], row["flipped"]) == (name, share)]
            line[f"{share:.0%}"] = ranged([row["error"] for row in rows])
        yield line
