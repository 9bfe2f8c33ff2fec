"""What the capped loss is minimal at: t = t' = 2 against t = 2, t' = 1, on answers without error.

    python papers/tete/optimum.py [--quick] [--output results/tete]

30 objects in the plane and 500 triplets that all hold there. Each loss is minimised from many
starts and compared with its value on the true map, on which every answer holds, at the best scale.
Where maps that violate answers have the lower loss, the optimum is to blame and not the start. Then
the same losses, and those of other methods, on 200 objects with 20,000 triplets, some of them
flipped.
"""

import warnings

import numpy as np
from protocol import arguments, flip, write_csv
from sklearn.exceptions import ConvergenceWarning

import ordinate as od

SETTINGS = {"t = t' = 2": (2, 2), "t = t' = 1.7": (1.7, 1.7), "t = 2, t' = 1": (2, 1)}


def lowest_loss(points, answers, t, t_prime):
    """Return the loss of a map at the scale where it is lowest."""
    anchor, near, far = (points[column] for column in answers.rows.T)
    near2, far2 = (np.square(anchor - other).sum(axis=1) for other in (near, far))
    scales = np.geomspace(0.01, 1e6, 400)
    return min(od.losses.tete(s * near2, s * far2, t, t_prime)[0].sum() for s in scales)


def clean_rows(n_starts):
    """Yield loss and violations of each setting from each start, beside the true map's loss."""
    points = np.random.default_rng(0).standard_normal((30, 2))
    answers = od.sources.random_triplets(points, 500, random_state=0)
    for name, (t, t_prime) in SETTINGS.items():
        for start in range(n_starts):
            model = od.TETE(2, t=t, t_prime=t_prime, init="random", random_state=start, tol=1e-7)
            model.set_params(max_iter=5000, n_jobs=1).fit(answers)
            yield {
                "setting": name,
                "start": start,
                "loss": model.loss_,
                "violated": 1 - model.score(answers),
                "loss_of_truth": lowest_loss(points, answers, t, t_prime),
            }


def print_clean(rows):
    print("Clean answers: what the map of the lowest loss violates; its loss")
    for name in SETTINGS:
        chosen = [row for row in rows if row["setting"] == name]
        best = min(chosen, key=lambda row: row["loss"])
        least = min(row["violated"] for row in chosen)
        violated = f"{best['violated']:.1%} (least of {len(chosen)} starts {least:.1%})"
        losses = f"{best['loss']:.4g}, the true map's {best['loss_of_truth']:.4g}"
        print(f"{name:16}{violated:36}{losses}")


def noisy_rows(n_objects, n_triplets, shares):
    """Yield the error on clean answers after fits to answers of which a share is flipped."""
    rng = np.random.default_rng(0)
    points = rng.standard_normal((n_objects, 2))
    train, test = (
        od.sources.random_triplets(points, n_triplets, random_state=seed) for seed in (1, 2)
    )
    methods = {
        **{f"t-ETE, {name}": od.TETE(2, t=t, t_prime=s) for name, (t, s) in SETTINGS.items()},
        "STE": od.STE(2),
        "t-STE": od.TSTE(2),
        "SOE": od.SOE(2),
    }
    for share in shares:
        noisy = flip(train, share, rng)
        for name, method in methods.items():
            model = method.set_params(random_state=0, n_jobs=1).fit(noisy)
            yield {"method": name, "flipped": share, "error": 1 - model.score(test)}


def print_noisy(rows):
    shares = list(dict.fromkeys(row["flipped"] for row in rows))
    print("\nError on clean answers, by share of flipped ones among those fitted")
    print(f"{'':22}" + "".join(f"{share:8.0%}" for share in shares))
    for name in dict.fromkeys(row["method"] for row in rows):
        errors = [row["error"] for row in rows if row["method"] == name]
        print(f"{name:22}" + "".join(f"{error:8.3f}" for error in errors))


def main():
    given = arguments(__doc__)
    warnings.simplefilter("ignore", ConvergenceWarning)
    clean = list(clean_rows(1 if given.quick else 20))
    write_csv(given.output / "optimum_clean.csv", clean)
    print_clean(clean)
    size = (40, 1200, (0.0, 0.2)) if given.quick else (200, 20_000, (0.0, 0.1, 0.2, 0.3))
    noisy = list(noisy_rows(*size))
    write_csv(given.output / "optimum_noisy.csv", noisy)
    print_noisy(noisy)


if __name__ == "__main__":
    main()
