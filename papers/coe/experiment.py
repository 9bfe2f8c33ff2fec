"""What the tables of the COE paper have in common: splits, measures, printing."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.stats import ttest_rel

import ordinate as od
from ordinate.ratings.normalization import Normalization
from papers._common import Run

Method = Callable[[od.Ratings, int], Any]
"""Takes the observed ratings and a seed; returns something `coe_report` takes."""
Published = Mapping[str, tuple[float, ...]]
"""For each method the twelve numbers of a row as printed in the paper."""

COLUMNS = (
    *("keep A", "keep B", "keep H", "predict A", "predict B", "predict H"),
    *("1-NN user", "1-NN item", "1-NN H", "5-NN user", "5-NN item", "5-NN H"),
)
EXTRA = ("keep B by user", "predict B by user", "unseen A", "unseen B", "unseen H", "seconds")


def coe(probability: str, **parameters: Any) -> Method:
    """COE with its defaults."""
    return lambda train, seed: od.COE(probability=probability, random_state=seed, **parameters).fit(
        train
    )


def item_means(normalize: str = "none") -> Method:
    """Rank items by the mean score they received: type A without an embedding."""
    return lambda train, seed: on_map(
        train, np.zeros((train.n_users, 1)), _line(train, normalize, train.items, train.n_items)
    )


def user_means(normalize: str = "none") -> Method:
    """Rank users by the mean score they gave: type B without an embedding."""
    return lambda train, seed: on_map(
        train, _line(train, normalize, train.users, train.n_users), np.zeros((train.n_items, 1))
    )


def _line(train: od.Ratings, normalize: str, owners: np.ndarray, n_owners: int) -> np.ndarray:
    """Put owners with a higher mean nearer to zero; everybody else stands there."""
    scores = Normalization.of(normalize, train).scores(train)
    counts = np.maximum(np.bincount(owners, minlength=n_owners), 1)
    mean = np.bincount(owners, scores, minlength=n_owners) / counts
    return (mean.max() - mean)[:, None]


def on_map(train: od.Ratings, users: np.ndarray, items: np.ndarray) -> SimpleNamespace:
    """Coordinates from anywhere, in the form that `coe_report` takes."""
    return SimpleNamespace(ratings_=train, user_embedding_=users, item_embedding_=items)


def fitted_to_sample(
    estimator: Callable[[int], Any], n_triples: int = 100_000, normalize: str = "zscore"
) -> Method:
    """Fit an estimator of comparisons to a sample of the observed triples."""

    def method(train: od.Ratings, seed: int) -> SimpleNamespace:
        triples = od.sample_triples(train, n_triples, normalize=normalize, random_state=seed)
        points = estimator(seed).fit(triples).embedding_
        return on_map(train, points[: train.n_users], points[train.n_users :])

    return method


def measure(method: Method, ratings: od.Ratings, normalize: str, seed: int) -> dict[str, float]:
    """Fit to a random split; return the figures of the paper, and more of the kind."""
    train, test = ratings.train_test_split(0.2, random_state=seed)
    start = time.process_time()
    model = method(train, seed)
    seconds = time.process_time() - start
    report = od.coe_report(model, test, normalize=normalize)
    row: list[float] = []
    for accuracy in (report.preservation, report.prediction):
        row += [100 * accuracy.user_anchored, 100 * accuracy.item_anchored, 100 * accuracy.h_mean]
    for average in report.neighbors:
        row += [average.users, average.items, average.h_mean]
    by_user = [part.item_anchored_by_user for part in (report.preservation, report.prediction)]
    unseen = [report.unseen.user_anchored, report.unseen.item_anchored, report.unseen.h_mean]
    values = [*row, *(100 * share for share in (*by_user, *unseen)), seconds]
    return dict(zip((*COLUMNS, *EXTRA), values, strict=True))


def run_table(
    run: Run,
    name: str,
    ratings: od.Ratings,
    methods: Mapping[str, Method],
    published: Published,
    *,
    normalize: str = "zscore",
) -> None:
    """Fit every method to the same random splits; print means, deviations and tests."""
    print(ratings.describe(normalize=normalize), flush=True)
    seeds = run.seeds(1, 10)
    with run.table(name, total=len(seeds) * len(methods)) as table:
        for seed in seeds:  # split by split: a run that is cut short has all methods
            for title, method in methods.items():
                table.row(
                    {"seed": seed, "method": title},
                    lambda method=method, seed=seed: measure(method, ratings, normalize, seed),
                )
    _print(table.found, published)


def _print(rows: list[dict[str, Any]], published: Published) -> None:
    results = {
        name: np.array(
            [[row[c] for c in (*COLUMNS, *EXTRA)] for row in rows if row["method"] == name]
        )
        for name in dict.fromkeys(row["method"] for row in rows)
    }
    print("mean over splits, ± standard deviation; 'paper' rows as printed there")
    print(" " * 22 + "".join(f"{name:>12}" for name in (*COLUMNS, *EXTRA)))
    for name, found in results.items():
        print(f"{name:22}" + "".join(f"{value:12.4g}" for value in found.mean(axis=0)))
        print(f"{'':22}" + "".join(f"{f'±{value:.2g}':>12}" for value in found.std(axis=0)))
        if name in published:
            print(f"{'  paper':22}" + "".join(f"{value:12.4g}" for value in published[name]))
    _print_significance(results)


def _print_significance(results: Mapping[str, np.ndarray]) -> None:
    """Compare the H-means of COE-S with those of others, split by split (paired t-test)."""
    reference = results.get("COE-S")
    if reference is None or len(reference) < 3:
        return
    print("COE-S minus others, split by split: difference (two-sided p of a paired t-test)")
    for name, found in results.items():
        if name != "COE-S" and len(found) == len(reference):
            cells = []
            for column in (2, 5):
                gap = reference[:, column] - found[:, column]
                p = ttest_rel(reference[:, column], found[:, column]).pvalue
                cells.append(f"{COLUMNS[column]} {gap.mean():+.2f} (p = {p:.2g})")
            print(f"  {name:22}" + ", ".join(cells))
