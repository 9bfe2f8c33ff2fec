"""What the tables of the COE paper have in common: splits, measures, printing."""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import ordinate as od
from ordinate.ratings.normalization import Normalization

Method = Callable[[od.Ratings, int], Any]
"""Takes the observed ratings and a seed; returns something `coe_report` takes."""
Published = Mapping[str, tuple[float, ...]]
"""For each method the twelve numbers of a row as printed in the paper."""

COLUMNS = (
    *("keep A", "keep B", "keep H", "predict A", "predict B", "predict H"),
    *("1-NN user", "1-NN item", "1-NN H", "5-NN user", "5-NN item", "5-NN H"),
)
EXTRA = ("keep B by user", "predict B by user", "unseen A", "unseen B", "unseen H", "seconds")


def arguments(description: str) -> argparse.Namespace:
    """Read the options that all scripts share."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--quick", action="store_true", help="one split instead of ten")
    parser.add_argument("--output", type=Path, default=Path("results/coe"), help="results folder")
    chosen = parser.parse_args()
    chosen.output.mkdir(parents=True, exist_ok=True)
    return chosen


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


def measure(model: Any, test: od.Ratings, normalize: str, seconds: float) -> list[float]:
    """Return the twelve numbers of the paper, type B averaged over users, and the time."""
    report = od.coe_report(model, test, normalize=normalize)
    row: list[float] = []
    for accuracy in (report.preservation, report.prediction):
        row += [100 * accuracy.user_anchored, 100 * accuracy.item_anchored, 100 * accuracy.h_mean]
    for average in report.neighbors:
        row += [average.users, average.items, average.h_mean]
    by_user = [part.item_anchored_by_user for part in (report.preservation, report.prediction)]
    unseen = [report.unseen.user_anchored, report.unseen.item_anchored, report.unseen.h_mean]
    return [*row, *(100 * share for share in (*by_user, *unseen)), seconds]


def run(
    title: str,
    ratings: od.Ratings,
    methods: Mapping[str, Method],
    published: Published,
    *,
    n_splits: int,
    output: Path,
    normalize: str = "zscore",
) -> dict[str, np.ndarray]:
    """Fit every method to the same random splits; print and write means and deviations."""
    print(f"{title}\n{ratings.describe(normalize=normalize)}", flush=True)
    rows: dict[str, list[list[float]]] = {name: [] for name in methods}
    results: dict[str, np.ndarray] = {}
    for split in range(n_splits):
        train, test = ratings.train_test_split(0.2, random_state=split)
        for name, method in methods.items():
            start = time.perf_counter()
            model = method(train, split)
            rows[name].append(measure(model, test, normalize, time.perf_counter() - start))
        # after each split, so that a run that is cut short leaves what it has
        results = {name: np.array(measured) for name, measured in rows.items()}
        _write(results, published, output)
    _print(results, published, n_splits)
    print(f"Wrote {output}")
    return results


def _print(results: Mapping[str, np.ndarray], published: Published, n_splits: int) -> None:
    print(f"mean over {n_splits} split(s), ± standard deviation; 'paper' rows as printed there")
    print(" " * 22 + "".join(f"{name:>12}" for name in (*COLUMNS, *EXTRA)))
    for name, rows in results.items():
        print(f"{name:22}" + "".join(f"{value:12.4g}" for value in rows.mean(axis=0)))
        print(f"{'':22}" + "".join(f"{f'±{value:.2g}':>12}" for value in rows.std(axis=0)))
        if name in published:
            print(f"{'  paper':22}" + "".join(f"{value:12.4g}" for value in published[name]))


def _write(results: Mapping[str, np.ndarray], published: Published, output: Path) -> None:
    with output.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["method", "figure", "splits", *COLUMNS, *EXTRA])
        for name, rows in results.items():
            writer.writerow([name, "mean", len(rows), *np.round(rows.mean(axis=0), 4)])
            writer.writerow([name, "deviation", len(rows), *np.round(rows.std(axis=0), 4)])
            if name in published:
                writer.writerow([name, "paper", 10, *published[name]])
