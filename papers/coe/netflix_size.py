"""A table of the size of Netflix (Table 4), with planted positions instead of the lost data.

Users and items lie on a plane; a user's rating of an item falls with their distance and carries
noise. The planted positions keep a certain share of the triples; the fit should come near it.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import ordinate as od
from papers._common import Run, print_table
from papers.coe.experiment import on_map

N_USERS, N_ITEMS, N_RATINGS = 429_102, 17_769, 99_841_834
NOISE = 0.5
DRAWN = 1.12
"""Pairs drawn for each rating that is wanted: repeats fall away."""
CHUNK = 20_000


def planted_table(n_users: int, n_items: int, n_ratings: int, rng: np.random.Generator):
    """Draw positions and ratings: busy and idle users, popular and obscure items."""
    users, items = rng.normal(size=(n_users, 2)), rng.normal(size=(n_items, 2))
    popularity = np.cumsum(rng.lognormal(sigma=1.5, size=n_items))
    activity = rng.lognormal(sigma=1.0, size=n_users)
    sizes = np.maximum(activity * (DRAWN * n_ratings / activity.sum()), 20).astype(np.int64)
    parts = []
    for first in range(0, n_users, CHUNK):
        owner = np.repeat(
            np.arange(first, min(first + CHUNK, n_users)), sizes[first : first + CHUNK]
        )
        chosen = np.searchsorted(popularity, rng.random(len(owner)) * popularity[-1])
        codes = np.unique(owner * n_items + chosen)
        owner, chosen = (codes // n_items).astype(np.int32), (codes % n_items).astype(np.int32)
        distance = np.linalg.norm(users[owner] - items[chosen], axis=1)
        values = 6 - distance + NOISE * rng.standard_normal(len(owner))
        parts.append((owner, chosen, np.clip(np.round(values), 1, 5)))
    return users, items, [np.concatenate(column) for column in zip(*parts, strict=True)]


def accuracy(ratings: od.Ratings, users: np.ndarray, items: np.ndarray) -> list[float]:
    """Measure a map over all triples: type A, type B, harmonic mean."""
    report = od.coe_report(on_map(ratings, users, items), normalize="none", neighbors=(), n_jobs=2)
    kept = report.preservation
    return [100 * kept.user_anchored, 100 * kept.item_anchored, 100 * kept.h_mean]


def timed(work: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """Return a result with the seconds it took, by the clock and of the processor."""
    start, cpu_start = time.perf_counter(), time.process_time()
    result = work()
    seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
    return result, {"seconds": round(seconds, 1), "cpu_seconds": round(cpu_seconds, 1)}


def measure(seed: int, parts: int) -> dict[str, float]:
    """Plant a table, fit it and compare the map with what was planted."""
    rng = np.random.default_rng(seed)
    users, items, table = planted_table(
        N_USERS // parts, N_ITEMS // max(parts // 10, 1), N_RATINGS // parts, rng
    )
    ratings = od.Ratings(*table, user_names=range(len(users)), item_names=range(len(items)))
    del table
    print(ratings, flush=True)
    model, fitting = timed(
        lambda: od.COE(
            normalize="none", random_state=seed, draws_per_object=1000, verbose=True
        ).fit(ratings)
    )
    found, evaluating = timed(
        lambda: accuracy(ratings, model.user_embedding_, model.item_embedding_)
    )
    planted = accuracy(ratings, users, items)
    both = np.concatenate([users, items])
    return {
        "ratings": len(ratings),
        **{f"fit {name}": value for name, value in fitting.items()},
        **{f"evaluation {name}": value for name, value in evaluating.items()},
        "peak gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        "load": os.getloadavg()[1],
        "kept": found[2],
        "kept by planted positions": planted[2],
        "procrustes": float(od.metrics.procrustes_distance(model.embedding_, both)),
    }


def main(run: Run) -> None:
    """Plant a table of the size of Netflix, or a hundredth of it, and fit it."""
    parts = run.size(400, 1)
    with run.table("netflix_size", total=1) as table:
        table.row({"seed": run.seed, "parts": parts}, lambda: measure(run.seed, parts))
    rows = [{"what": name, "found": value} for name, value in table.found[0].items()]
    print_table(rows)
    run.page(table, "a made-up table of the size of Netflix, one fit", rows)
