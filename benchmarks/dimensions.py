"""Sparse dimensions: priors, shares of the trials, published steps, planted dimensions, speed.

    python benchmarks/dimensions.py priors shares planted speed --output dimensions.json
    python benchmarks/dimensions.py write --output dimensions.json  # docs/results/dimensions.rst

Needs the folder `things` of the data folder (ORDINATE_DATA): trials of people about 1,854 objects,
and the 49 published dimensions. People are held out; penalties are chosen within the others.
The steps of SPoSE and VICE are written here from the formulas of their papers, with our compiled
sums over trials; times of their own programs are not claimed.
"""

import argparse
import datetime
import json
import os
import platform
import time
from pathlib import Path

import numpy as np

import ordinate as od
from ordinate.dimensions.objective import TrialObjective
from ordinate.dimensions.sparse_fit import (
    Penalty,
    accuracy,
    carrying,
    fit_loadings,
    partners,
    random_loadings,
)

THINGS = Path(os.environ.get("ORDINATE_DATA", "data")) / "things"
PAGE = Path(__file__).parents[1] / "docs" / "results" / "dimensions.rst"
N_START = 50
SEED = 0


def real_trials():
    """Return people's trials."""
    names = (THINGS / "object_names.txt").read_text().split()
    return od.read_trials(THINGS / "odd_one_out_half.txt", names=names)


def published():
    """Return the published dimensions, for planting."""
    return np.maximum(np.load(THINGS / "spose49.npy").astype(float), 0)


def score(loadings, trials):
    """Return the accuracy, ties counted by their share."""
    return round(accuracy(loadings, trials, has_anchor=False), 4)


# ---- priors ----


def with_prior(prior):
    """Return a function that adds a prior to an objective."""

    def added(objective):
        def both(loadings):
            cost, gradient = objective(loadings)
            value, slope = prior(loadings)
            return cost + value, gradient + slope

        return both

    return added


def reweighted(weight, knee):
    """Return weight · log(1 + x / knee), whose steps are those of a reweighted L1 penalty."""
    return lambda x: (weight * np.log1p(x / knee).sum(), weight / (knee + x))


def squared(weight):
    """Return weight / 2 · x², the same for all dimensions."""
    return lambda x: (weight / 2 * np.vdot(x, x), weight * x)


PRIORS = {
    "L1": [Penalty(w, 0).added_to for w in (0.4, 0.8, 1.2, 1.6, 2.0)],
    "reweighted L1": [with_prior(reweighted(w, 0.3)) for w in (0.3, 0.5, 0.8)],
    "squared": [with_prior(squared(w)) for w in (5, 6, 7)],
    "half normal, a variance per dimension": [
        Penalty(0, w).added_to for w in (6.5, 7.3, 8.1, 9.0, 10.0)
    ],
    "the same and L1": [Penalty(a, b).added_to for a, b in ((0.2, 7.3), (0.2, 8.1), (0.4, 7.3))],
}


def fitted(around, trials, max_iter=200):
    """Fit under any prior from one random start."""
    from ordinate.solvers.lbfgs import lbfgs

    start = random_loadings(trials.n_objects, N_START, np.random.default_rng(SEED))
    objective = around(TrialObjective(trials.rows, trials.weights))
    return lbfgs(objective, start, max_iter=max_iter, tol=1e-4, minimum=0.0).points


def nested(trials, settings, splits=1):
    """Choose a setting by people held out of the training people; judge by others."""
    rows = []
    for seed in range(splits):
        train, test = trials.train_test_split(0.2, by="participant", random_state=seed)
        inner, held_out = train.train_test_split(0.2, by="participant", random_state=seed)
        inside = [score(fitted(setting, inner), held_out) for setting in settings]
        best = int(np.argmax(inside))
        found = fitted(settings[best], train)
        rows.append(
            {
                "chosen": best,
                "inside": inside,
                "accuracy": score(found, test),
                "dimensions": int(carrying(found).sum()),
                "nonzero": round(float((found > 1e-3).mean()), 3),
            }
        )
    return rows


def priors():
    """Compare priors on people held out."""
    trials = real_trials()
    return {name: nested(trials, settings) for name, settings in PRIORS.items()}


# ---- published steps ----


def spose_steps(trials, weight, epochs=25, batch=1024, rate=0.01):
    """Take SPoSE's steps: Adam over mini-batches, L1 of the mean, negative loadings cut off."""
    rng = np.random.default_rng(SEED)
    x = rng.uniform(0, 1, (trials.n_objects, N_START)) * 0.2
    adam = Adam(x.shape, rate)
    for _ in range(epochs):
        order = rng.permutation(len(trials))
        for at in range(0, len(order), batch):
            rows = trials.rows[order[at : at + batch]]
            _, gradient = TrialObjective(rows, None)(x)
            x = np.maximum(x - adam.step(gradient / len(rows) + weight / len(trials)), 0)
    return x


def vice_steps(trials, spike, epochs=25, batch=1024, rate=0.01, slab=1.0, share=0.5):
    """Take VICE's steps: a normal posterior per loading under a prior of spike and slab."""
    rng = np.random.default_rng(SEED)
    shape = trials.n_objects, N_START
    mean, log_scale = rng.uniform(0, 1, shape) * 0.2, np.full(shape, np.log(0.1))
    adams = Adam(shape, rate), Adam(shape, rate)
    for _ in range(epochs):
        order = rng.permutation(len(trials))
        for at in range(0, len(order), batch):
            rows = trials.rows[order[at : at + batch]]
            noise = rng.standard_normal(shape)
            scale = np.exp(log_scale)
            z = mean + scale * noise
            _, gradient = TrialObjective(rows, None)(np.maximum(z, 0))
            slope = gradient / len(rows) * (z > 0)
            parts = [
                weight * np.exp(-0.5 * (z / s) ** 2) / s
                for weight, s in ((share, spike), (1 - share, slab))
            ]
            pull = z * (parts[0] / spike**2 + parts[1] / slab**2) / (parts[0] + parts[1] + 1e-300)
            slope += pull / len(trials)
            mean = mean - adams[0].step(slope)
            log_scale = log_scale - adams[1].step(slope * noise * scale - 1 / len(trials))
    return np.maximum(mean, 0)


class Adam:
    """Steps with running means of the gradient and of its square."""

    def __init__(self, shape, rate):
        self.rate, self.count = rate, 0
        self.first, self.second = np.zeros(shape), np.zeros(shape)

    def step(self, gradient):
        """Return what to subtract."""
        self.count += 1
        self.first = 0.9 * self.first + 0.1 * gradient
        self.second = 0.999 * self.second + 0.001 * gradient**2
        first = self.first / (1 - 0.9**self.count)
        return self.rate * first / (np.sqrt(self.second / (1 - 0.999**self.count)) + 1e-8)


def shares():
    """Compare with published steps at 5, 20 and 100 % of the trials of nine tenths of people."""
    trials = real_trials()
    train, test = trials.train_test_split(0.1, by="participant", random_state=SEED)
    order = np.random.default_rng(SEED).permutation(len(train))
    rows = []
    for share in (1.0, 0.2, 0.05):
        part = train[np.sort(order[: int(share * len(train))])]
        inner, held_out = part.train_test_split(0.2, random_state=SEED)
        row = {"share": share, "trials": len(part), "test": len(test)}
        start = time.process_time()
        model = od.SparseDimensions(n_seeds=3, random_state=SEED).fit(part)
        row["seconds"] = round(time.process_time() - start, 1)
        row |= {"SparseDimensions": round(model.score(test), 4), "penalty": model.penalty_}
        row["dimensions"] = model.n_dimensions_
        print(row, flush=True)
        for name, steps, settings in (
            ("SPoSE", spose_steps, (0.3, 1.0, 2.0)),
            ("VICE", vice_steps, (0.125, 0.25)),
        ):
            best = max(settings, key=lambda s, steps=steps: score(steps(inner, s), held_out))
            row[name] = score(steps(part, best), test)
        rows.append(row)
        print(row, flush=True)
    features = np.load(THINGS / "clip_vit_b32.npy").astype(float)
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    return {
        "rows": rows,
        "features": score(features, test),
        "published": score(published(), test),
        "ceiling": vars(trials.ceiling()),
    }


# ---- planted dimensions and speed ----


def planted(n_trials=10**6, penalties=((6.0, 0.0), (3.0, 10.0)), n_seeds=2):
    """Plant the published dimensions and find them again; both penalties from the same seeds."""
    truth = published()
    trials = od.sources.random_trials(truth, n_trials, random_state=1)
    test = od.sources.random_trials(truth, 200_000, random_state=2)
    rows = []
    for penalty in penalties:
        start, wall = time.process_time(), time.perf_counter()
        model = od.SparseDimensions(
            80, penalty=penalty, n_seeds=n_seeds, max_iter=200, random_state=SEED
        ).fit(trials)
        together = partners(truth, model.embedding_)
        rows.append(
            {
                "trials": n_trials,
                "penalty": penalty,
                "accuracy": round(model.score(test), 4),
                "of truth": score(truth, test),
                "dimensions": model.n_dimensions_,
                "above .8": int((together >= 0.8).sum()),
                "above .9": int((together >= 0.9).sum()),
                "planted": truth.shape[1],
                "CPU seconds": round(time.process_time() - start),
                "seconds": round(time.perf_counter() - wall),
            }
        )
        print(rows[-1], flush=True)
    return rows


def speed(n_trials=10**6):
    """Time the cost and its gradient at 100 dimensions, one thread."""
    trials = od.sources.random_trials(published(), n_trials, random_state=1)
    x = random_loadings(trials.n_objects, 100, np.random.default_rng(SEED))
    objective = TrialObjective(trials.rows, None)
    objective(x)
    times = []
    for _ in range(5):
        start = time.process_time()
        objective(x)
        times.append(time.process_time() - start)
    fit_start = time.process_time()
    found = fit_loadings(objective, Penalty(3.0, 10.0), x, max_iter=200, tol=1e-4)
    return {
        "trials": n_trials,
        "dimensions": 100,
        "trials per CPU-second": round(n_trials / float(np.median(times))),
        "fit seconds": round(time.process_time() - fit_start, 1),
        "iterations": found.n_iter,
    }


# ---- the page ----


def table(title, header, rows):
    """Return a table in reStructuredText."""
    lines = [f".. list-table:: {title}", "   :header-rows: 1", ""]
    for row in [header, *rows]:
        lines += [f"   {'*' if at == 0 else ' '} - {cell}" for at, cell in enumerate(row)]
    return "\n".join([*lines, ""])


def prior_section(priors):
    """Return what priors predict."""
    return [
        "Which prior?",
        "------------",
        "",
        "Each prior gets one random start of 50 dimensions. Its strength is chosen on "
        "people held out of the training people, and judged by people who were held out "
        "of both. One split: differences below .01 say little.",
        "",
        table(
            "Accuracy on other people's trials",
            ["prior of the loadings", "accuracy", "dimensions", "share of loadings above 0"],
            [
                [
                    name,
                    ", ".join(f"{row['accuracy']:.3f}" for row in rows),
                    ", ".join(str(row["dimensions"]) for row in rows),
                    ", ".join(f"{row['nonzero']:.2f}" for row in rows),
                ]
                for name, rows in priors.items()
            ],
        ),
        "One squared penalty predicts best, but spreads over all dimensions it is given. With a"
        " variance per dimension few dimensions are left, which people can look at and name;"
        " this is what we keep. Its strength matters more: too strong and nothing is left.",
        "",
    ]


def share_section(shares):
    """Return what shares of the trials predict."""
    ceiling = shares["ceiling"]
    return [
        "Beside published steps",
        "----------------------",
        "",
        "SPoSE (L1) and VICE (variational, spike and slab) are written from the formulas "
        "of their papers, with our compiled sums, Adam, batches of 1,024 and 25 epochs. "
        "Their strength is the best of a few on held-out trials. These are not runs of "
        "their programs.",
        "",
        table(
            f"Accuracy on {shares['rows'][0]['test']:,} trials of people held out",
            [
                *("trials fitted", "SPoSE's steps", "VICE's steps", "SparseDimensions"),
                *("its dimensions", "penalty chosen", "CPU seconds, with the search"),
            ],
            [
                [
                    f"{row['trials']:,}",
                    *(
                        f"{row[name]:.3f}" if name in row else "not run"
                        for name in ("SPoSE", "VICE")
                    ),
                    f"**{row['SparseDimensions']:.3f}**",
                    row["dimensions"],
                    f"{row['penalty'][0]:g}, {row['penalty'][1]:g}",
                    row["seconds"],
                ]
                for row in shares["rows"]
            ],
        ),
        "On the same trials the published 49 dimensions, from millions of trials, predict"
        f" {shares['published']:.3f}, and cosines of CLIP features "
        f"{shares['features']:.3f}. Answers to {ceiling['n_questions']:,} repeated "
        f"questions bound any model by {ceiling['lower']:.3f} to {ceiling['upper']:.3f}.",
        "",
    ]


def planted_section(planted):
    """Return how many planted dimensions are found."""
    return [
        "Planted dimensions",
        "------------------",
        "",
        "The 49 published dimensions answer random trials; two seeds of 80 dimensions "
        "look for them.",
        "",
        table(
            "Found again, by correlation",
            [
                *("trials", "penalty", "accuracy", "of the truth", "dimensions", "above .8"),
                *("above .9", "planted", "CPU seconds"),
            ],
            [
                [
                    f"{row['trials']:,}",
                    f"{row['penalty'][0]:g}, {row['penalty'][1]:g}",
                    *(f"{row[key]:.4f}" for key in ("accuracy", "of truth")),
                    *(row[key] for key in ("dimensions", "above .8", "above .9", "planted")),
                    row["CPU seconds"],
                ]
                for row in planted
            ],
        ),
    ]


def speed_section(speed):
    """Return how quick the loop is."""
    return [
        "Speed",
        "-----",
        "",
        f"The cost of {speed['trials']:,} trials at {speed['dimensions']} dimensions, with"
        f" its gradient: {speed['trials per CPU-second']:,} trials per processor second. "
        f"One fit of them takes {speed['iterations']} iterations"
        f" and {speed['fit seconds']} processor seconds.",
        "",
    ]


SECTIONS = {
    "priors": prior_section,
    "shares": share_section,
    "planted": planted_section,
    "speed": speed_section,
}


def page(found):
    """Write the page of results from what was measured."""
    parts = [
        "Sparse dimensions",
        "=================",
        "",
        f"{found['when']}, {found['machine']}, other work on the machine; times are "
        "processor time.",
        "",
        ".. code-block:: console",
        "",
        "   $ python benchmarks/dimensions.py priors shares planted speed --output dimensions.json",
        "   $ python benchmarks/dimensions.py write --output dimensions.json",
        "",
        "Trials: 65,708 odd-one-out trials of 132 people about the 1,854 objects of "
        "THINGS. Accuracy is the share of trials predicted, ties counted by their share; "
        "chance is .333. People are held out.",
        "",
    ]
    for name, section in SECTIONS.items():
        if name in found:
            parts += section(found[name])
    return "\n".join(parts)


def main():
    parts = {"priors": priors, "shares": shares, "planted": planted, "speed": speed}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="+", choices=[*parts, "write"])
    parser.add_argument("--output", type=Path, required=True)
    asked = parser.parse_args()
    found = json.loads(asked.output.read_text()) if asked.output.exists() else {}
    for name in asked.parts:
        if name == "write":
            PAGE.write_text(page(found), encoding="utf-8")
            continue
        found[name] = parts[name]()
        found["when"] = f"{datetime.date.today():%d %B %Y}"
        found["machine"] = f"{os.cpu_count()} cores, {platform.machine()}"
        asked.output.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
