"""A table of the size of Netflix (Table 4), with planted positions instead of the lost data.

Users and items lie on a plane; a user's rating of an item falls with their distance and carries
noise. The planted positions keep a certain share of the triples; the fit should come near it.
"""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from experiment import arguments, on_map

import ordinate as od

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


def main() -> None:
    chosen = arguments(__doc__)
    parts = 100 if chosen.quick else 1
    rng = np.random.default_rng(0)
    users, items, table = planted_table(
        N_USERS // parts, N_ITEMS // max(parts // 10, 1), N_RATINGS // parts, rng
    )
    ratings = od.Ratings(*table, user_names=range(len(users)), item_names=range(len(items)))
    del table
    print(ratings, flush=True)
    model, fitting = timed(
        lambda: od.COE(normalize="none", random_state=0, draws_per_object=1000, verbose=True).fit(
            ratings
        )
    )
    print(f"fitted: {fitting}", flush=True)
    found, evaluating = timed(
        lambda: accuracy(ratings, model.user_embedding_, model.item_embedding_)
    )
    both = np.concatenate([users, items])
    figures = {
        "ratings": len(ratings),
        "fit": fitting,
        "evaluation": evaluating,
        "peak_gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
        "load_average": os.getloadavg()[1],
        "accuracy": found,
        "planted_accuracy": accuracy(ratings, users, items),
        "procrustes_distance": float(od.metrics.procrustes_distance(model.embedding_, both)),
    }
    (chosen.output / "netflix_size.json").write_text(json.dumps(figures, indent=2) + "\n")
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
