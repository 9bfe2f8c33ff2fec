"""WeightedTETE on a GPU beside the CPU and TorchDR: time and quality of the same rows.

    python benchmarks/gpu_reduce.py --tasks mnist wide clouds --devices cuda cpu --seeds 2
    python benchmarks/gpu_reduce.py --tasks mnist --methods ordinate PACMAP LargeVis InfoTSNE UMAP
    python benchmarks/gpu_reduce.py --tasks clouds --rows 10000000 --devices cuda --publish

Tasks: "mnist", 70 000 × 784; "wide", as many made rows of as many features, where MNIST is not at
hand; "clouds", 1 000 000 × 50. Methods other than "ordinate" are TorchDR's, with its defaults and
Faiss if that is installed. One small fit before the first compiles and starts the device; times
are wall-clock times of whole fits from a NumPy array to the map. Of a million rows, the CPU's take
a quarter of an hour: leave it out with --devices cuda. The output keeps the rows of earlier runs;
--publish writes all of them as a table of docs/results/benchmarks_reduce.rst.
"""

import argparse
import importlib.util
import itertools
import json
import sys
import time
from pathlib import Path

import numpy as np
from pages import earlier_rows, machine_of, ranged, write_table
from reduce import QUALITY, points_and_labels

import ordinate as od
from ordinate.features.feature_space import FeatureSpace

SIZES = {"mnist": 70_000, "wide": 70_000, "clouds": 1_000_000}


def load(task, size):
    if task != "wide":
        return points_and_labels(task, size)
    rng = np.random.default_rng(0)
    centers, labels = rng.normal(size=(20, 40)), rng.integers(20, size=size)
    inner = centers[labels] + rng.normal(size=(size, 40))
    return np.maximum(inner @ rng.normal(size=(40, 784)), 0), labels


def stages(X, device):
    """Seconds of principal axes and of the search for neighbours."""
    start = time.perf_counter()
    space = FeatureSpace(X, "euclidean", 0, device)
    space.start(2)
    between = time.perf_counter()
    space.search.among(20)
    return {"axes_s": between - start, "search_s": time.perf_counter() - between}


def fit(method, X, device, seed):
    """Return the map of a method, as an array."""
    if method == "ordinate":
        return od.WeightedTETE(random_state=seed, device=device).fit_transform(X)
    import torchdr

    backend = "faiss" if importlib.util.find_spec("faiss") else None
    model = getattr(torchdr, method)(random_state=seed, device=device, backend=backend)
    return np.asarray(model.fit_transform(X))


def gigabytes(device):
    """Return the most memory of the device that was taken since the last call."""
    if device == "cpu":
        return None
    import torch

    most = torch.cuda.max_memory_allocated(device) / 2**30
    torch.cuda.reset_peak_memory_stats(device)
    return most


def measure(task, X, labels, method, device, seed, n_judged):
    gigabytes(device)
    start = time.perf_counter()
    embedding = fit(method, X, device, seed)
    row = {"task": task, "rows": len(X), "features": X.shape[1], "method": method}
    row |= {"device": device, "seed": seed, "seconds": time.perf_counter() - start}
    row["gpu_gib"] = gigabytes(device)
    if method == "ordinate" and seed == 0:
        row |= stages(X, device)
    chosen = np.random.default_rng(0).permutation(len(X))[:n_judged]
    given = X[chosen], embedding[chosen], labels[chosen]
    return row | od.metrics.map_quality(*given, random_state=0).to_dict()


def page_row(rows):
    """Return the rows of a fit, one for each seed, as a page shows them."""
    first = rows[0]
    method = first["method"]
    shown = {
        "rows": f"{first['task']}, {first['rows']:,} × {first['features']}",
        "method": method if method == "ordinate" else f"TorchDR's {method}",
        "device": first["device"],
        "seeds": len(rows),
        "seconds": ranged([row["seconds"] for row in rows], ".3g"),
        "of which search": first.get("search_s"),
        "GiB of the GPU": first["gpu_gib"],
    }
    names = ("trustworthiness", "accuracy_10", "one_piece", "triplets", "global_score")
    return shown | {QUALITY[name]: ranged([row[name] for row in rows]) for name in names}


def publish(rows, command):
    """Write the table of the page."""
    fits = {}
    for row in rows:
        key = tuple(row[name] for name in ("task", "rows", "method", "device"))
        fits.setdefault(key, {})[row["seed"]] = row  # of a seed that was repeated, the later row
    shown = [page_row(list(seeds.values())) for seeds in fits.values()]
    caption = "whole fits; range over seeds"
    machine = machine_of(max(row["device"] for row in rows))  # "cuda" rather than "cpu"
    write_table("benchmarks_reduce-gpu", caption, shown, command, machine=machine)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--tasks", nargs="+", default=[*SIZES], choices=[*SIZES])
    parser.add_argument("--methods", nargs="+", default=["ordinate"], help="and those of TorchDR")
    parser.add_argument("--devices", nargs="+", default=["cuda", "cpu"])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--rows", type=int, help="fewer rows than the task has")
    parser.add_argument("--judged", type=int, default=5000, help="most objects for quality")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--publish", action="store_true", help="write the table of the page")
    asked = parser.parse_args()
    small = np.random.default_rng(0).normal(size=(1000, 200))
    plan = list(itertools.product(asked.methods, asked.devices))
    for method, device in plan:
        fit(method, small.astype(np.float32), device, 0)
    rows = earlier_rows(asked.output)
    for task in asked.tasks:
        X, labels = load(task, asked.rows or SIZES[task])
        X = np.ascontiguousarray(X, dtype=np.float32)
        for method, device in plan:
            for seed in range(asked.seeds):
                rows.append(measure(task, X, labels, method, device, seed, asked.judged))
                shown = {
                    key: round(value, 3) if isinstance(value, float) else value
                    for key, value in rows[-1].items()
                }
                print(*(f"{key}={value}" for key, value in shown.items()), flush=True)
                if asked.output:
                    asked.output.write_text(json.dumps(rows, indent=1))
    if asked.publish:
        publish(rows, " ".join(["python", *sys.argv]))


if __name__ == "__main__":
    main()
