"""Triplet embeddings beside cblearn 0.4.0: time of a fit, of an evaluation, held-out error.

    python benchmarks/triplets.py --tasks BCD --methods SOE STE --output out.json [--publish]

Each (task, method, library) runs in a process of its own, one after the other, so that neither
library shares the machine with the other. cblearn lives in an environment of its own, made on
first use. Both get the same triplets and, unless ``--starts`` says otherwise, one start.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

TASKS = {
    "A": (100, 2, 10_000),
    "B": (500, 2, 100_000),
    "C": (1000, 5, 500_000),
    "D": (1000, 2, 1_000_000),
    "E": (10_000, 2, 1_000_000),
    "F": (100_000, 2, 10_000_000),
}
OURS_ALONE = {"F"}  # the peer needs n × n matrices
METHODS = ["SOE", "STE", "TSTE", "CKL", "GNMDS", "TETE"]
PEER = ["cblearn==0.4.0", "numpy==1.26.4"]
N_TEST = 100_000


def random_triplets(points, size, rng):
    """Draw triplets of distinct objects, the nearer one second."""
    rows = np.empty((0, 3), dtype=np.int32)
    while len(rows) < size:
        more = rng.integers(len(points), size=(int(1.05 * size) + 10, 3), dtype=np.int32)
        distinct = (
            (more[:, 0] != more[:, 1]) & (more[:, 0] != more[:, 2]) & (more[:, 1] != more[:, 2])
        )
        rows = np.concatenate([rows, more[distinct]])[:size]
    near = np.square(points[rows[:, 0]] - points[rows[:, 1]]).sum(axis=1)
    far = np.square(points[rows[:, 0]] - points[rows[:, 2]]).sum(axis=1)
    wrong = near > far
    rows[wrong] = rows[wrong][:, [0, 2, 1]]
    return rows


def make_task(name, folder):
    n, d, m = TASKS[name]
    rng = np.random.default_rng(0)
    points = rng.normal(size=(n, d))
    path = Path(folder) / f"{name}.npz"
    np.savez(path, train=random_triplets(points, m, rng), test=random_triplets(points, N_TEST, rng))
    return path


def held_out_error(embedding, test):
    near = np.square(embedding[test[:, 0]] - embedding[test[:, 1]]).sum(axis=1)
    far = np.square(embedding[test[:, 0]] - embedding[test[:, 2]]).sum(axis=1)
    return float(np.mean(near >= far))


def count_evaluations():
    """Count and time SciPy's calls of the objective, in either library."""
    import scipy.optimize

    counter = {"calls": 0, "seconds": 0.0}
    original = scipy.optimize.minimize

    def counting(fun, *arguments, **keywords):
        def timed(*x):
            start = time.perf_counter()
            result = fun(*x)
            counter["seconds"] += time.perf_counter() - start
            counter["calls"] += 1
            return result

        return original(timed, *arguments, **keywords)

    scipy.optimize.minimize = counting
    return counter


def our_estimator(method, d, starts, seed):
    import ordinate as od

    # cblearn minimises the published losses, which have no penalty
    published = {"penalty": 0.0} if method in ("STE", "CKL") else {}
    return getattr(od, method)(d, n_init=starts, random_state=seed, max_iter=2000, **published)


def peer_estimator(method, d, starts, seed):
    from cblearn import embedding

    name = {"SOE": "SOE", "STE": "STE", "TSTE": "TSTE", "CKL": "CKL", "GNMDS": "GNMDS"}[method]
    extra = {"n_init": starts} if method == "SOE" else {}
    return getattr(embedding, name)(n_components=d, random_state=seed, **extra)


def worker(library, path, method, dimension, starts, repeats):
    """Fit `repeats` times; the first fit of a fresh process counts imports and compilation."""
    begin = time.perf_counter()
    counter = count_evaluations()
    data = np.load(path)
    train, test = data["train"], data["test"]
    make = our_estimator if library == "ordinate" else peer_estimator
    fits = []
    for seed in range(repeats):
        model = make(method, dimension, starts, seed)
        counter.update(calls=0, seconds=0.0)
        start = time.perf_counter()
        model.fit(train)
        fits.append(
            {
                "seconds": time.perf_counter() - start,
                "error": held_out_error(model.embedding_, test),
                "evaluations": counter["calls"],
                "ns": 1e9 * counter["seconds"] / max(counter["calls"], 1) / len(train),
            }
        )
        if seed == 0:
            fresh = time.perf_counter() - begin
    import resource

    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"fits": fits, "fresh": fresh, "peak_mib": memory}))


def measure(library, python, path, task, method, starts, repeats):
    sys.path.insert(0, str(Path(__file__).parent))
    from peers import run_json

    dimension = TASKS[task][1]
    result = run_json(
        python,
        Path(__file__),
        *["--worker", library, str(path), method, str(dimension), str(starts), str(repeats)],
    )
    warm = result["fits"][1:] or result["fits"]
    return {
        "task": task,
        "method": method,
        "library": library,
        "seconds": min(fit["seconds"] for fit in warm),
        "fresh": result["fresh"],
        "error": float(np.median([fit["error"] for fit in result["fits"]])),
        "ns": min(fit["ns"] for fit in warm),
        "evaluations": float(np.median([fit["evaluations"] for fit in warm])),
        "peak_mib": result["peak_mib"],
    }


def publish(rows, tasks):
    """Write the table of the page: each method beside its peer."""
    from pages import write_table

    found = {(row["task"], row["method"], row["library"]): row for row in rows}
    shown = []
    for (task, method, library), theirs in found.items():
        if library != "cblearn":
            continue
        ours = found[task, method, "ordinate"]
        line = {"task": task, "method": method}
        for title, name, form in (("fit, s", "seconds", ".3g"), ("ns", "ns", ".1f")):
            line[f"{title} (ours / peer)"] = f"{ours[name]:{form}} / {theirs[name]:{form}}"
            line[f"ratio of {name}"] = f"{theirs[name] / ours[name]:.1f}"
        line["error (ours / peer)"] = f"{ours['error']:.4f} / {theirs['error']:.4f}"
        line["fresh, s (ours / peer)"] = f"{ours['fresh']:.2f} / {theirs['fresh']:.2f}"
        shown.append(line)
    command = f"python benchmarks/triplets.py --tasks {tasks}"
    write_table("benchmarks_triplets-fits", f"fits beside {PEER[0]}", shown, command)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--tasks", default="ABCD")
    parser.add_argument("--methods", nargs="+", default=METHODS[:5], choices=METHODS)
    parser.add_argument("--starts", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--publish", action="store_true", help="write the table of the page")
    parser.add_argument("--worker", nargs=6, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        library, path, method, *numbers = options.worker
        return worker(library, path, method, *map(int, numbers))
    sys.path.insert(0, str(Path(__file__).parent))
    from peers import peer_python

    peer = peer_python("cblearn", PEER)
    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {PEER}; {options.starts} start(s)"
    )
    print("task method    ours s   peer s  ratio | ours ns  peer ns  ratio | ours err  peer err")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for task in options.tasks:
            path = make_task(task, folder)
            for method in options.methods:
                ours = measure(
                    "ordinate", sys.executable, path, task, method, options.starts, options.repeats
                )
                rows.append(ours)
                line = f"{task:4} {method:6} {ours['seconds']:9.3f}"
                if task in OURS_ALONE or method == "TETE":
                    alone = f"{line}{'':17}| {ours['ns']:7.1f}{'':17}| {ours['error']:.4f}"
                    print(f"{alone}  peak {ours['peak_mib']:.0f} MiB", flush=True)
                    continue
                theirs = measure("cblearn", peer, path, task, method, options.starts, 1)
                rows.append(theirs)
                print(
                    f"{line} {theirs['seconds']:8.2f} {theirs['seconds'] / ours['seconds']:6.1f} |"
                    f" {ours['ns']:7.1f} {theirs['ns']:8.1f} {theirs['ns'] / ours['ns']:6.1f} |"
                    f" {ours['error']:8.4f} {theirs['error']:9.4f}"
                    f"   fresh {ours['fresh']:.2f} / {theirs['fresh']:.2f} s",
                    flush=True,
                )
    if options.output:
        options.output.write_text(json.dumps(rows, indent=1))
    if options.publish:
        publish(rows, options.tasks)
    return None


if __name__ == "__main__":
    main()
