"""DMOE's convex problem: time to a tolerance, peak memory, and cvxpy beside it.

    python benchmarks/gram.py --output gram.json [--publish]

Each problem runs in a process of its own. cvxpy lives in an environment of its own, made on first
use; it solves the smallest problem with SCS and with Clarabel. Seconds are those of the processor,
which other work on the machine does not lengthen as it does the clock's; the best of three for
small problems. Objectives are compared, so that nobody is fast by stopping early.
"""

import argparse
import json
import os
import platform
import resource
import sys
import time
from pathlib import Path

import numpy as np

SIZES = {"S": (50, 500), "A": (100, 1000), "B": (400, 5000), "C": (1000, 50_000)}
GOALS = {"A": 1.0, "B": 20.0, "C": 300.0}
"""Seconds."""
STRENGTH = 0.1
"""The penalty, as a share of the smallest one that shrinks the matrix to zero."""
PEER = ["cvxpy", "clarabel", "scs", "numpy"]


def triplets(size):
    """Draw points as the paper does, and triplets about them."""
    n, m = SIZES[size]
    rng = np.random.default_rng(0)
    points = rng.standard_normal((n, 10)) / np.sqrt(20)
    rows = np.array([rng.choice(n, 3, replace=False) for _ in range(m)])
    near, far = (np.square(points[rows[:, 0]] - points[rows[:, c]]).sum(axis=1) for c in (1, 2))
    rows[near > far] = rows[near > far][:, [0, 2, 1]]
    return rows, n


def signs(rows, n):
    """Return each margin's non-zeros in the flattened matrix, as a sparse array."""
    from scipy.sparse import coo_array

    i, j, k = rows.T
    columns = [k * n + k, j * n + j, i * n + k, k * n + i, i * n + j, j * n + i]
    values = np.repeat([1.0, -1.0, -1.0, -1.0, 1.0, 1.0], len(rows))
    where = (np.tile(np.arange(len(rows)), 6), np.concatenate(columns))
    return coo_array((values, where), shape=(len(rows), n * n)).tocsr()


def penalty(rows, n):
    pull = (signs(rows, n).T @ np.ones(len(rows))).reshape(n, n)
    return STRENGTH * float(np.linalg.eigvalsh(pull)[-1])


def run_ours(size, power, nu):
    import ordinate as od

    rows, n = triplets(size)
    model = od.DMOE(10, nu=nu, power=power, penalty=penalty(rows, n), n_jobs=1)
    seconds = []
    wall = []
    for _ in range(3 if n <= 100 else 1):
        start, clock = time.process_time(), time.perf_counter()
        model.fit(od.Comparisons(rows, n_objects=n))
        seconds.append(time.process_time() - start)
        wall.append(time.perf_counter() - clock)
    return {
        "seconds": min(seconds),
        "wall_seconds": min(wall),
        "iterations": model.n_iter_,
        "residual": float(model.residuals_[-1].max()),
        "objective": model.loss_,
        "version": od.__version__,
    }


def run_cvxpy(solver, power, nu):
    import cvxpy as cp

    rows, n = triplets("S")
    gram = cp.Variable((n, n), PSD=True)
    slack = 1.0 - signs(rows, n) @ cp.vec(gram, order="C")
    short, long = cp.pos(slack), cp.pos(-slack)
    if power == 2:
        short, long = cp.square(short), cp.square(long)
    total = cp.sum(short) + nu * cp.sum(long) + penalty(rows, n) * cp.trace(gram)
    problem = cp.Problem(cp.Minimize(total))
    start = time.process_time()
    problem.solve(solver=solver)
    seconds = time.process_time() - start
    return {"seconds": seconds, "objective": float(problem.value), "version": cp.__version__}


def worker(library, size, power, nu):
    power, nu = int(power), float(nu)
    result = run_ours(size, power, nu) if library == "ours" else run_cvxpy(library, power, nu)
    result["peak_MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(result))


def publish(results):
    """Write both tables of the page."""
    from pages import write_table

    sizes, peers = [], []
    goals = {SIZES[size][0]: f"{goal:g} s" for size, goal in GOALS.items()}
    for ours in (row for row in results if row["library"] == "ordinate"):
        problem = {"power": ours["power"], "ν": f"{ours['nu']:g}"}
        sizes.append(
            {"n": f"{ours['n']:,}", "m": f"{ours['m']:,}", **problem}
            | {"iterations": ours["iterations"], "seconds": f"{ours['seconds']:.2g}"}
            | {"memory": f"{ours['peak_MB']:.0f} MB", "goal": goals.get(ours["n"], "")}
        )
        theirs = {
            row["library"]: row
            for row in results
            if all(row[name] == ours[name] for name in ("n", "power", "nu")) and row is not ours
        }
        if theirs:
            scs, clarabel = (theirs[f"cvxpy {solver}"] for solver in ("SCS", "CLARABEL"))
            named = {"ours": ours, "SCS": scs, "Clarabel": clarabel}
            times = {name: f"{row['seconds']:.2f} s" for name, row in named.items()}
            ratios = [f"{row['seconds'] / ours['seconds']:.2g}" for row in (scs, clarabel)]
            quotient = f"{ours['objective'] / clarabel['objective']:.6f}"
            last = {"ratios": ", ".join(ratios), "objective, ours / Clarabel": quotient}
            peers.append({**problem, **times, **last})
    command = "python benchmarks/gram.py"
    caption = "DMOE: seconds of the processor and memory"
    write_table("benchmarks_gram-sizes", caption, sizes, command)
    if peers:
        caption = "50 objects, 500 triplets, beside cvxpy"
        write_table("benchmarks_gram-peers", caption, peers, command)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", default="SABC", help="letters of " + ", ".join(SIZES))
    parser.add_argument("--output", type=Path)
    parser.add_argument("--publish", action="store_true", help="write the tables of the page")
    parser.add_argument("--worker", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        worker(*options.worker)
        return
    from peers import peer_python, run_json

    results = []
    load = os.getloadavg()[0]
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {load:.1f}")
    for size in options.sizes:
        n, m = SIZES[size]
        for power, nu in ((1, 1.0), (1, 0.0), (2, 1.0)):
            task = [size, str(power), str(nu)]
            ours = run_json(sys.executable, Path(__file__), "--worker", "ours", *task)
            results.append(
                {"library": "ordinate", "n": n, "m": m, "power": power, "nu": nu, **ours}
            )
            goal = f", goal {GOALS[size]:g} s" if size in GOALS else ""
            print(
                f"n = {n:,}, m = {m:,}, power {power}, nu {nu:g}: {ours['seconds']:.2f} s,"
                f" {ours['iterations']} iterations, {ours['peak_MB']:.0f} MB{goal}",
                flush=True,
            )
            if size != "S":
                continue
            for solver in ("SCS", "CLARABEL"):
                peer = run_json(
                    peer_python("cvxpy", PEER), Path(__file__), "--worker", solver, *task
                )
                results.append(
                    {"library": f"cvxpy {solver}", "n": n, "m": m, "power": power, "nu": nu, **peer}
                )
                print(
                    f"    cvxpy {peer['version']} with {solver}: {peer['seconds']:.2f} s,"
                    f" {peer['seconds'] / ours['seconds']:.0f} times as long;"
                    f" objective ours / theirs = {ours['objective'] / peer['objective']:.6f}",
                    flush=True,
                )
    if options.output:
        options.output.write_text(json.dumps(results, indent=1))
    if options.publish:
        publish(results)


if __name__ == "__main__":
    main()
