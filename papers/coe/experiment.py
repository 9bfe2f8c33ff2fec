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
    return measure_split(method, train, test, normalize, seed)


def measure_split(
    method: Method, train: od.Ratings, test: od.Ratings, normalize: str, seed: int
) -> dict[str, float]:
    """Fit to the observed ratings of a split; return the figures of the paper, and more."""
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
    text = page(table.found, published, run.path(f"{name}.csv").read_text().splitlines()[0])
    run.path(f"{name}.txt").write_text(text)
    print(text)


SHOWN = ((*COLUMNS[:6], "unseen A", "unseen B"), COLUMNS[6:])
"""Columns of the tables in the documentation: all that the paper prints, and unseen pairs."""


def page(rows: list[dict[str, Any]], published: Published, origin: str) -> str:
    """Return what docs/results/coe-NAME.txt holds: where rows come from, means, deviations, tests.

    Parameters
    ----------
    rows : list of dict
        A row for each split and method.
    published : mapping
        The figures of the paper.
    origin : str
        The first line of the file of rows: date, machine, load and command.

    Returns
    -------
    str
        Tables in reStructuredText: accuracies, averages over neighbours, tests.
    """
    results: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        results.setdefault(row["method"], []).append(row)
    lines = [f"{origin.lstrip('# ')}."]
    for columns in SHOWN:
        lines += ["", ".. csv-table::", "   :class: small"]
        lines += [_csv_line(":header:", ["method (splits)", *columns]), ""]
        for name, found in results.items():
            cells = [_mean_and_deviation([row[column] for row in found]) for column in columns]
            lines.append(_csv_line("", [f"{name} ({len(found)})", *cells]))
            if name in published:
                printed = dict(zip(COLUMNS, published[name], strict=True))
                cells = [
                    f"{printed[column]:.3g}" if column in printed else "" for column in columns
                ]
                lines.append(_csv_line("", ["*paper*", *cells]))
    return "\n".join([*lines, *_significance(results), ""])


def _csv_line(option: str, cells: list[str]) -> str:
    quoted = ", ".join(f'"{cell}"' for cell in cells)
    return f"   {option} {quoted}" if option else f"   {quoted}"


def _mean_and_deviation(values: list[float]) -> str:
    mean = float(np.mean(values))
    if mean == 0:  # a ranking of items alone says nothing of an item's users, and the reverse
        return "–"
    digits = 1 if mean > 10 else 2 if mean > 1 else 4
    deviation = f" ± {np.std(values):.{digits}f}" if len(values) > 1 else ""
    return f"{mean:.{digits}f}{deviation}"


def _significance(results: Mapping[str, list[dict[str, Any]]]) -> list[str]:
    """Compare the H-means of COE-S with those of others, split by split (paired t-test)."""
    columns = ("keep H", "predict H", "unseen A", "unseen B")
    header = ["COE-S minus …", *(f"{column} (p)" for column in columns)]
    lines = ["", ".. csv-table::", "   :class: small", _csv_line(":header:", header), ""]
    reference = {row["seed"]: row for row in results.get("COE-S", [])}
    compared = False
    for name, rows in results.items():
        rows = [row for row in rows if row["seed"] in reference]
        if name == "COE-S" or len(rows) < 3:
            continue
        cells = []
        for column in columns:
            theirs = np.array([row[column] for row in rows])
            ours = np.array([reference[row["seed"]][column] for row in rows])
            p = ttest_rel(ours, theirs).pvalue
            cells.append(f"{np.mean(ours - theirs):+.2f} ({p:.2g})" if theirs.any() else "–")
        lines.append(_csv_line("", [name, *cells]))
        compared = True
    return lines if compared else []
