"""Maps of few answers: error on answers to other questions.

    python benchmarks/few_answers.py [--draws 2] [--first 100] [--publish docs/methods/ste.rst]
    python benchmarks/few_answers.py --very-few [--draws 4] [--publish docs/methods/dmoe.rst]

Each draw takes the answers to some questions of a study (data folder: ORDINATE_DATA) and judges by
up to 20,000 answers to others about the same objects. A cell has three errors in per cent: of
cblearn, which runs in an environment of its own, of STE without a penalty, and of STE. Their
penalty was chosen on draws below 100.

With two to five answers per object the methods with penalties, at their defaults, are compared with
PosteriorGram, all in three dimensions; also about simulated points in ten dimensions.
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
PER_OBJECT = (2, 3, 5)
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


def very_few(n_draws):
    """Return errors of five methods by study and answers per object."""
    import ordinate as od

    methods = {
        "PosteriorGram": od.PosteriorGram(3, random_state=0),
        "STE": od.STE(3, random_state=0),
        "CKL": od.CKL(3, random_state=0),
        "TSTE, penalty .5": od.TSTE(3, penalty=0.5, random_state=0),
        "TETE, penalty .5": od.TETE(3, penalty=0.5, random_state=0),
    }
    found = {}
    for study, per_object, seed in product((*STUDIES, "10-D"), PER_OBJECT, range(n_draws)):
        if study == "music400":  # with so many objects PosteriorGram takes minutes
            continue
        if study == "10-D":
            points = np.random.default_rng(seed).standard_normal((40, 10))
            noise = od.sources.LogisticNoise(1.0)
            ask = od.sources.random_triplets
            fitted = ask(points, 40 * per_object, noise=noise, random_state=seed)
            judged = ask(points, 20_000, random_state=1_000 + seed)
        else:
            n_objects = {"food100": 100, "cars60": 60}[study]
            fitted, judged = draw(od, study, per_object * n_objects, seed)
        errors = [100 * (1 - model.fit(fitted).score(judged)) for model in methods.values()]
        found.setdefault((study, per_object), []).append(errors)
        print(study, per_object, seed, *(f"{error:.1f}" for error in errors), flush=True)
    return list(methods), found


def very_few_tables(methods, found):
    """Return the table of mean errors and their standard errors."""
    from pages import conditions, list_table

    body = []
    for (study, per_object), errors in found.items():
        spread = np.std(errors, axis=0) / np.sqrt(len(errors))
        cells = (f"{m:.1f} ± {s:.1f}" for m, s in zip(np.mean(errors, axis=0), spread, strict=True))
        body.append([STUDIES.get(study, "40 simulated objects, 10-D"), per_object, *cells])
    every = np.concatenate(list(found.values()))
    body.append(["**mean**", "", *(f"{error:.1f}" for error in every.mean(axis=0))])
    table = list_table(["answers about", "per object", *methods], body)
    n_draws = len(next(iter(found.values())))
    measured = (
        f"{conditions('ordinate')}; error in per cent with its standard error, {n_draws} draws;"
        f" ``python benchmarks/few_answers.py --very-few --draws {n_draws}``."
    )
    return {"very few answers": f"{table}\n\n{measured}"}


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
    parser.add_argument("--very-few", action="store_true", help="two to five answers per object")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.very_few:
        tables = very_few_tables(*very_few(given.draws))
    else:
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
