"""Features of CLIP aligned with odd-one-out trials of THINGS, judged on people held out.

    python benchmarks/align.py FOLDER --output docs/results/align.rst

FOLDER holds odd_one_out_half.txt (two objects kept together, the odd one, the participant) and
clip_vit_b32.npy (a row per object). Participants are dealt into parts; each is held out in turn.
All choices, penalties included, are made inside the part that is fitted.
"""

import argparse
import platform
import time
from datetime import date
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import coo_array
from sklearn.base import clone

import ordinate as od

PENALTIES = (1.0, 3.0, 10.0)
"""Of the plain full matrix."""
FORMS = {
    "distances": od.FeatureEmbedding(30, keep_features=True),
    "dot products": od.FeatureEmbedding(
        60, similarity="dot", keep_features=True, n_starts=4, tol=1e-3
    ),
}
"""How features are aligned. Dot products stop where the fits do that choose their penalties."""


def full_matrix(trials, features, penalty):
    """Return the similarities f W f by logistic regression, W shrunk towards γI in squares."""
    rows = features - features.mean(axis=0)
    rows = (rows / np.sqrt(np.square(rows).sum(axis=1).mean())).astype(np.float32)
    n, p = rows.shape
    i, j = (trials.rows[:, c].T.ravel() for c in ([0, 0, 1], [1, 2, 2]))

    def cost(x):
        change = x[1:].reshape(p, p).astype(np.float32)
        matrix = change + np.float32(x[0]) * np.eye(p, dtype=np.float32)
        s = ((rows @ matrix) @ rows.T)[i, j].reshape(3, -1).astype(float)
        s -= s.max(axis=0)
        odds = np.exp(s)
        share = odds / odds.sum(axis=0)
        value = -np.log(share[0]).sum() + penalty / 2 * np.square(x[1:]).sum()
        share[0] -= 1
        pull = coo_array((share.ravel().astype(np.float32), (i, j)), shape=(n, n)).tocsr()
        slope = rows.T @ (pull @ rows)
        slope = (slope + slope.T) / 2
        return value, np.append(np.trace(slope), slope.ravel() + penalty * x[1:]).astype(float)

    start = np.append(3.0, np.zeros(p * p))
    found = minimize(cost, start, jac=True, method="L-BFGS-B", options={"maxiter": 100}).x
    change = found[1:].reshape(p, p)
    return rows @ ((change + change.T) / 2 + found[0] * np.eye(p)) @ rows.T


def share_right(similar, trials):
    """Return the share of trials whose kept pair is the most similar."""
    a, b, c = trials.rows.T
    options = np.stack([similar[a, b], similar[a, c], similar[b, c]])
    return float((options.argmax(axis=0) == 0).mean())


def best_full_matrix(train, features, rng):
    """Choose the penalty by people held out of the part that is fitted."""
    inner, judged = train.train_test_split(by="participant", random_state=rng)
    scores = [share_right(full_matrix(inner, features, p), judged) for p in PENALTIES]
    return full_matrix(train, features, PENALTIES[int(np.argmax(scores))])


def measure(trials, features, part, parts, seed):
    """Hold one part of the people out; return accuracies and times."""
    rng = np.random.default_rng(seed)
    people = rng.permutation(np.unique(trials.groups["participant"]))
    held_out = np.isin(trials.groups["participant"], people[part::parts])
    train, test = trials[~held_out], trials[held_out]
    found = {"features, centered cosine": (
        od.score_features(test, {"clip": features}, "centered").rows[0].accuracy, 0.0)}  # fmt: skip
    start = time.process_time()
    found["full matrix, one penalty"] = (
        share_right(best_full_matrix(train, features, rng), test), time.process_time() - start,
    )  # fmt: skip
    for form, model in FORMS.items():
        for what, given in (("features alone", {"penalty": np.inf}), ("features and objects", {})):
            start = time.process_time()
            fitted = clone(model).set_params(random_state=seed, **given).fit(train, features)
            seconds = time.process_time() - start
            found[f"{form}, {what}"] = fitted.score(test), seconds
            print(part, form, what, fitted.ridge_, fitted.penalty_, fitted.score(test), flush=True)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--parts", type=int, default=4, help="parts of the people")
    parser.add_argument("--only", type=int, help="hold out this many of the parts")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    trials = od.read_trials(given.folder / "odd_one_out_half.txt")
    features = np.load(given.folder / "clip_vit_b32.npy").astype(np.float64)
    parts = range(given.only or given.parts)
    rows = [measure(trials, features, part, given.parts, 0) for part in parts]
    lines = [
        "Features aligned with people's answers",
        "======================================",
        "",
        f"Measured on {date.today()} with ``python benchmarks/align.py`` on"
        f" {platform.machine()} with Python {platform.python_version()}.",
        "",
        f"{len(trials):,} odd-one-out trials of THINGS, {trials.n_objects:,} objects, 512 features"
        f" of CLIP ViT-B/32. People were dealt into {given.parts} parts; {len(rows)} were held out"
        " in turn."
        " Accuracy is the share of the held-out people's trials predicted; chance is 33.3 %.",
        "",
        ".. list-table::",
        "   :header-rows: 1",
        "",
        "   * - method",
        "     - accuracy, % (mean; lowest – highest part)",
        "     - processor seconds per fit, penalties chosen",
    ]
    for name in rows[0]:
        share = 100 * np.array([row[name][0] for row in rows])
        seconds = np.mean([row[name][1] for row in rows])
        lines += [
            f"   * - {name}",
            f"     - {share.mean():.1f} ({share.min():.1f} – {share.max():.1f})",
            f"     - {seconds:.0f}" if seconds else "     - –",
        ]
    text = "\n".join(lines) + "\n"
    print(text)
    if given.output:
        given.output.write_text(text)


if __name__ == "__main__":
    main()
