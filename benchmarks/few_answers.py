"""STE of few answers of people, beside cblearn: error on answers to other questions.

    python benchmarks/few_answers.py [--draws 2] [--first 100] [--publish docs/methods/ste.rst]

Each draw takes the answers to some questions of a study (data folder: ORDINATE_DATA) and judges by
up to 20,000 answers to others about the same objects. A cell has three errors in per cent: of
cblearn, which runs in an environment of its own, of STE without a penalty, and of STE. Their
penalty was chosen on draws below 100.
"""

import argparse
import sys
import tempfile
import warnings
from itertools import product
from pathlib import Path

import numpy as np

PEER = ["cblearn==0.4.0", "numpy==1.26.4"]
STUDIES = {"food100": "dishes", "cars60": "cars", "music400": "music artists"}
ANSWERS = (300, 1_000, 3_000)
DIMENSIONS = (3, 4, 5)
MARGIN = 0.3
"""Points of error by which the default may be worse than cblearn."""


def by_peer(folder):
    """Write the maps of cblearn beside the answers; runs where cblearn is installed."""
    from cblearn.embedding import STE

    for path in sorted(Path(folder).glob("*.npy")):
        rows = np.load(path)
        maps = {str(d): STE(d, random_state=1).fit(rows).embedding_ for d in DIMENSIONS}
        np.savez(path.with_suffix(".npz"), **maps)
    print("{}")


def draw(od, name, n_answers, seed):
    """Return answers to fit, and answers to other questions about the same objects."""
    record = getattr(od.datasets, f"load_{name}")().comparisons
    question = record.question_groups()
    shuffled = np.random.default_rng(seed).permutation(question.max() + 1)[question]
    order = np.argsort(shuffled, kind="stable")
    fitted, judged = record.rows[order[:n_answers]], record.rows[order[n_answers:][-20_000:]]
    known = np.unique(fitted)
    judged = judged[np.isin(judged, known).all(axis=1)]
    return tuple(od.Comparisons(np.searchsorted(known, rows)) for rows in (fitted, judged))


def errors_by_cell(seeds):
    """Return errors of cblearn, STE(penalty=0) and STE() by study, answers and dimension."""
    from peers import peer_python, run_json

    import ordinate as od

    found = {}
    with tempfile.TemporaryDirectory() as folder:
        drawn = {}
        for study, n_answers, seed in product(STUDIES, ANSWERS, seeds):
            fitted, judged = draw(od, study, n_answers, seed)
            path = Path(folder) / f"{study}-{n_answers}-{seed}.npy"
            np.save(path, fitted.rows)
            drawn[study, n_answers, seed] = fitted, judged, path.with_suffix(".npz")
        run_json(peer_python("cblearn", PEER), Path(__file__), "--peer", folder)
        for (study, n_answers, _), (fitted, judged, path) in drawn.items():
            peer = np.load(path)
            for d in DIMENSIONS:
                models = (od.STE(d, penalty=0, random_state=0), od.STE(d, random_state=0))
                maps = [peer[str(d)], *(model.fit(fitted).embedding_ for model in models)]
                errors = [100 * od.metrics.triplet_error(judged, points) for points in maps]
                found.setdefault((study, n_answers, d), []).append(errors)
                print(study, n_answers, d, *(f"{error:.1f}" for error in errors), flush=True)
    return found


def tables_of(found):
    """Return the table of mean errors, and a line of how often the default is behind."""
    from pages import list_table

    body = []
    for study, n_answers in product(STUDIES, ANSWERS):
        means = (np.mean(found[study, n_answers, d], axis=0) for d in DIMENSIONS)
        cells = (" / ".join(f"{error:.1f}" for error in errors) for errors in means)
        body.append([f"{STUDIES[study]}, {n_answers:,}", *cells])
    every = np.concatenate(list(found.values()))
    lead = every[:, 0] - every[:, 2]
    means = " / ".join(f"{error:.1f}" for error in every.mean(axis=0))
    line = (
        f"Means of all {len(every)} cells: {means}. ``STE()`` is better than cblearn in"
        f" {np.sum(lead > 0)} of them and worse by over {MARGIN} points in"
        f" {np.sum(lead < -MARGIN)}; its smallest lead is {lead.min():.1f} points."
    )
    head = ["study, answers", *(f"{d} dimensions" for d in DIMENSIONS)]
    return {"few answers": f"{list_table(head, body)}\n\n{line}"}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--publish", type=Path, metavar="PAGE", help="write the table into a page")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    tables = tables_of(errors_by_cell(range(given.first, given.first + given.draws)))
    if given.publish:
        from pages import put_tables

        put_tables(given.publish, tables)
    print(*tables.values(), sep="\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peer"]:
        by_peer(sys.argv[2])
    else:
        main()
