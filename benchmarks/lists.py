"""Lists of ten recommended items: COE beside popularity, item means, item-kNN, ALS and BPR.

    pip install implicit
    python benchmarks/lists.py --publish docs/results/benchmarks_coe.rst

A fifth of each user's ratings is the test. A fifth of the others chooses the settings of every
method by nDCG@10, all by the same rule; then it is fitted to both. An item counts as liked if the
user has it (binary sets), or gave it at least the own mean (ratings). Items that a user has in the
fit are not recommended. One thread. With --data and --methods, --publish replaces their rows only.
"""

import argparse
import csv
import itertools
import platform
import time
from datetime import date
from pathlib import Path

import numpy as np
from pages import put_tables  # the script beside this one
from scipy.sparse import csr_matrix

import ordinate as od

K = 10
BINARY = {"penalty": [0.01, 3e-3, 1e-3]}
RATED = {"penalty": [0.03, 0.01, 3e-3], "unrated": [0.1, 0.6, 0.9]}
ALS = {"factors": [16], "regularization": [0.01, 1, 10], "alpha": [1, 10]}
BPR = {"factors": [16], "learning_rate": [0.02, 0.1], "regularization": [1e-3, 1e-2]}


def binary(ratings, least=-np.inf):
    """Return who has what, with at least this value, of users and items with five or more."""
    kept = ratings.values >= least
    names = {"user_names": ratings.user_names, "item_names": ratings.item_names}
    ones = np.ones(kept.sum())
    table = od.Ratings(ratings.users[kept], ratings.items[kept], ones, **names)
    return table.filter(min_per_user=5, min_per_item=5)


def sets():
    films, music = od.datasets.load_movielens100k().ratings, od.datasets.load_lastfm2k().ratings
    return {
        "MovieLens, 4 stars or more": binary(films, 4),
        "Last.fm, listened": binary(music),
        "MovieLens, ratings": films.filter(min_per_user=5, min_per_item=5),
    }


def best(scores, fitted):
    """Return the numbers of the best items that users do not have yet."""
    scores = np.array(scores, dtype=np.float64)
    scores[fitted.users, fitted.items] = -np.inf
    return np.argsort(-scores, axis=1, kind="stable")[:, :K]


def table_of(ratings):
    shape = ratings.n_users, ratings.n_items
    entries = np.ones(len(ratings), np.float32)
    return csr_matrix((entries, (ratings.users, ratings.items)), shape=shape)


def popularity(fitted):
    counts = np.bincount(fitted.items, minlength=fitted.n_items)
    return best(np.tile(counts, (fitted.n_users, 1)), fitted)


def item_means(fitted):
    """Means of standard scores, shrunk by five ratings of zero."""
    users, values = fitted.users, fitted.values
    counts = np.maximum(np.bincount(users, minlength=fitted.n_users), 1)
    means = np.bincount(users, values, minlength=fitted.n_users) / counts
    sums = np.bincount(fitted.items, values - means[users], minlength=fitted.n_items)
    shrunk = sums / (np.bincount(fitted.items, minlength=fitted.n_items) + 5)
    return best(np.tile(shrunk, (fitted.n_users, 1)), fitted)


def item_knn(fitted, n_neighbors):
    """Sum the cosines of an item with the items that a user has."""
    table = table_of(fitted)
    together = (table.T @ table).toarray()
    sizes = np.sqrt(np.maximum(together.diagonal(), 1))
    cosines = together / np.outer(sizes, sizes)
    np.fill_diagonal(cosines, 0)
    least = np.sort(cosines, axis=0)[-n_neighbors]
    return best(table @ np.where(cosines >= least, cosines, 0), fitted)


def factors(model, fitted):
    model.fit(table_of(fitted), show_progress=False)
    return best(model.user_factors @ model.item_factors.T, fitted)


def als(fitted, **given):
    from implicit.cpu.als import AlternatingLeastSquares

    return factors(AlternatingLeastSquares(**given, random_state=0, num_threads=1), fitted)


def bpr(fitted, **given):
    from implicit.cpu.bpr import BayesianPersonalizedRanking

    return factors(BayesianPersonalizedRanking(**given, random_state=0, num_threads=1), fitted)


def coe(fitted, n_components, **given):
    given = {"objective": "predict", "draws_per_object": 2000, "random_state": 0, **given}
    return od.COE(n_components, n_jobs=1, **given).fit(fitted).recommend(k=K).numbers


def methods(is_binary):
    ours = BINARY if is_binary else RATED
    return {
        "popularity": (popularity, {}),
        **({} if is_binary else {"item means": (item_means, {})}),
        "item-kNN": (item_knn, {"n_neighbors": [20, 50, 200]}),
        "ALS, 16": (als, ALS),
        "BPR, 16": (bpr, BPR),
        "COE, 16": (coe, {"n_components": [16], **ours}),
        "COE, 2": (coe, {"n_components": [2], **ours}),
    }


def judged(work, given, fitted, held_out):
    mean = np.bincount(fitted.users, fitted.values, minlength=fitted.n_users)
    mean /= np.maximum(np.bincount(fitted.users, minlength=fitted.n_users), 1)
    liked = held_out.values >= mean[held_out.users] - 1e-9
    return od.metrics.top_k(work(fitted, **given), held_out, liked)


def rows_of(name, ratings, wanted):
    """Choose the settings of each method that is wanted, and measure it with them."""
    known, test = ratings.train_test_split(0.2, random_state=0)
    fitted, choosing = known.train_test_split(0.2, random_state=1)
    for method, (work, grid) in methods(np.ptp(ratings.values) == 0).items():
        if wanted and not method.startswith(wanted):
            continue
        settings = [
            dict(zip(grid, chosen, strict=True)) for chosen in itertools.product(*grid.values())
        ]
        given = settings[0]
        if len(settings) > 1:
            given = max(settings, key=lambda each: judged(work, each, fitted, choosing).ndcg)
        start = time.process_time()
        found = judged(work, given, known, test)
        seconds = time.process_time() - start
        told = ", ".join(f"{key} {value:g}" for key, value in given.items() if len(grid[key]) > 1)
        figures = [f"{found.ndcg:.3f}", f"{found.recall:.3f}", f"{found.mrr:.3f}"]
        yield [name, method, *figures, f"{found.coverage:.2f}", f"{seconds:.1f}", told]


def publish(page, rows):
    """Write the table beside a page; rows that were not measured stay."""
    head = ["data", "method", "nDCG@10", "recall@10", "MRR", "coverage", "CPU s", "chosen"]
    table = page.with_name(f"{page.stem}-lists.txt").read_text()
    there = csv.reader(
        (line.strip() for line in table.splitlines() if line.startswith('   "')),
        skipinitialspace=True,
    )
    measured = {tuple(row[:2]): row for row in rows}
    kept = {tuple(row[:2]): row for row in there}
    lines = [
        ", ".join(f'"{entry}"' for entry in row) for row in (head, *(kept | measured).values())
    ]
    body = "\n".join(f"   {line}" for line in lines[1:])
    told = f"{date.today():%d %B %Y}, {platform.processor() or platform.machine()}, one thread."
    table = f"{told}\n\n.. csv-table::\n   :header: {lines[0]}\n\n{body}\n"
    put_tables(page, {"lists": table})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="+", help="beginnings of the names of sets; all by default")
    parser.add_argument("--methods", nargs="+", help="beginnings of their names; all by default")
    parser.add_argument("--publish", type=Path, metavar="PAGE")
    asked = parser.parse_args()
    rows = []
    for name, ratings in sets().items():
        if asked.data and not any(name.startswith(part) for part in asked.data):
            continue
        for row in rows_of(name, ratings, tuple(asked.methods or ())):
            print(*row, sep="  ", flush=True)
            rows.append(row)
    if asked.publish:
        publish(asked.publish, rows)


if __name__ == "__main__":
    main()
