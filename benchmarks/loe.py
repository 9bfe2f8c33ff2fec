"""LOE beside the authors' R package: time for 50 iterations, stress, growth with n, full fits.

R is run when Rscript with the package loe is found; otherwise its recorded times are quoted.

Run: python benchmarks/loe.py [--large] [--publish] [--output results/benchmarks]
"""

import argparse
import json
import platform
import resource
import shutil
import subprocess
import time
import warnings
from pathlib import Path

import numpy as np
from pages import write_table
from sklearn.exceptions import ConvergenceWarning

import ordinate as od
from ordinate.graphs.loe import steepest
from ordinate.graphs.objective import LocalObjective
from ordinate.solvers.lbfgs import lbfgs
from ordinate.solvers.majorize import majorize

DELTA = 0.1
LOWEST = "R's lowest stress"
SOLVERS = {"majorize": "MM", "lbfgs": "L-BFGS"}
N_ITER = 50
RECORDED = {
    200: {"MM": (0.18, 6061), "SD": (0.59, 298), "BFGS": (0.56, 3528)},
    500: {"MM": (1.99, 4.0e4), "SD": (4.96, 520), "BFGS": (4.26, 2.7e5)},
    1000: {"MM": (15.9, 1.84e5), "SD": (24.1, 3285), "BFGS": (19.2, 2.2e4)},
}
"""Seconds and final stress of loe 1.1 under R 4.2.2 on two cores of an AMD EPYC."""

R_SCRIPT = """
suppressMessages(library(loe))
set.seed(1); n <- as.integer(commandArgs(TRUE)[1]); k <- as.integer(2 * log(n))
A <- make.kNNG(as.matrix(dist(matrix(rnorm(2 * n), n))), k = k)
for (method in c("MM", "BFGS")) {
  time <- system.time(found <- LOE(A, p = 2, c = 0.1, maxit = 50, method = method, iniX = "rand"))
  cat(method, time[["elapsed"]], tail(found$str, 1), "\\n")
}
"""


def graph_of(n: int) -> od.NeighborGraph:
    points = np.random.default_rng(1).standard_normal((n, 2))
    return od.NeighborGraph.from_points(points, int(2 * np.log(n)))


def best(work, repeats: int = 5) -> tuple[float, object]:
    """Return the shortest of several times, and the result."""
    times, result = [], None
    for _ in range(repeats):
        begin = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - begin)
    return min(times), result


def r_times(n: int) -> dict[str, tuple[float, float]]:
    """Run R if it is there, else quote."""
    if shutil.which("Rscript") is None:
        return RECORDED[n]
    run = subprocess.run(
        ["Rscript", "-e", R_SCRIPT, str(n)], capture_output=True, text=True, check=False
    )
    if run.returncode:
        return RECORDED[n]
    rows = [line.split() for line in run.stdout.splitlines()]
    return {method: (float(seconds), float(stress)) for method, seconds, stress in rows}


def fifty_iterations(n: int, threads: int) -> list[dict]:
    """Time each solver from the start R uses, and the estimator from its own."""
    graph = graph_of(n)
    start = np.random.default_rng(0).standard_normal((n, 2))
    objective = LocalObjective(graph.indptr, graph.indices, DELTA, n_threads=threads)
    rules = {"max_iter": N_ITER, "tol": 0.0}
    solvers = {
        "MM": lambda: majorize(objective.improve, start, **rules),
        "SD": lambda: steepest(objective, start, **rules),
        "L-BFGS": lambda: lbfgs(objective, start, **rules),
    }
    peer = r_times(n)
    rows = []
    for name, work in solvers.items():
        seconds, result = best(work)
        rows.append(_row(n, f"{name}, R's random start", seconds, result.value, peer))
    for solver, name in SOLVERS.items():
        model = od.LOE(2, delta=DELTA, solver=solver, max_iter=N_ITER, n_init=1, random_state=0)
        seconds, fitted = best(lambda model=model: model.fit(graph))
        done = ", to convergence" if fitted.converged_ else ""
        rows.append(_row(n, f"LOE ({name}){done}", seconds, fitted.loss_, peer))
    return rows


def _row(n: int, run: str, seconds: float, stress: float, peer: dict) -> dict:
    return {
        "n": n,
        "run": run,
        "seconds": seconds,
        "stress": stress,
        "R's MM, s": peer["MM"][0],
        "faster by": round(peer["MM"][0] / seconds),
        LOWEST: round(min(stress for _, stress in peer.values())),
    }


def growth(sizes: list[int], threads: int) -> dict:
    """Time one evaluation at the true points and fit the exponent of n."""
    rows = []
    for n in sizes:
        points = np.random.default_rng(0).uniform(size=(n, 2)) * np.sqrt(n)
        graph = od.NeighborGraph.from_points(points, 24)
        objective = LocalObjective(graph.indptr, graph.indices, n_threads=threads)
        objective(points)
        seconds, _ = best(lambda o=objective, p=points: o(p))
        rows.append({"n": n, "seconds per evaluation": seconds})
        print(rows[-1], flush=True)
    logs = np.log([[row["n"], row["seconds per evaluation"]] for row in rows])
    exponent = float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])
    print(f"exponent {exponent:.2f}")
    return {"rows": rows, "exponent": exponent}


def full_fit(n: int) -> dict:
    """Fit uniform points of the unit square with k = 23."""
    points = np.random.default_rng(0).uniform(size=(n, 2))
    graph = od.NeighborGraph.from_points(points, 23)
    begin, cpu = time.perf_counter(), time.process_time()
    model = od.LOE(2, random_state=0).fit(graph)
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    gari = od.metrics.graph_adjusted_rand_index(graph.adjacency, embedding=model.embedding_)
    row = {
        "n": f"{n:,}",
        "iterations": model.n_iter_,
        "seconds": seconds,
        "processor seconds": cpu,
        "peak memory, GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "GARI": f"{gari:.5f}",
        "Procrustes": f"{od.metrics.procrustes_distance(model.embedding_, points):.4f}",
    }
    print(row, flush=True)
    return row


def publish(report: dict, option: str) -> None:
    """Write the tables of the page."""
    tables = {
        "iterations": ("fifty iterations", "50 iterations, the shortest of several"),
        "fits": ("full fits", "full fits"),
    }
    command = f"python benchmarks/loe.py {option}".strip()
    for name, (part, caption) in tables.items():
        write_table(f"benchmarks_loe-{name}", caption, report[part], command)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="also evaluate and fit 10^6 objects")
    parser.add_argument("--quick", action="store_true", help="small sizes, in seconds")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--publish", action="store_true", help="write the tables of the page")
    parser.add_argument("--output", type=Path, default=Path("results/benchmarks"))
    chosen = parser.parse_args()
    if chosen.publish and chosen.quick:
        parser.error("--publish is for the sizes of the page; leave out --quick")
    warnings.simplefilter("ignore", ConvergenceWarning)
    fifty_iterations(200, chosen.threads)  # compiles
    rows = [
        row for n in ((200,) if chosen.quick else RECORDED)
        for row in fifty_iterations(n, chosen.threads)
    ]  # fmt: skip
    for row in rows:
        print(
            f"n={row['n']:>5}  {row['run']:<32} {row['seconds']:8.3f} s"
            f"  {row['faster by']:7} x R's MM  stress {row['stress']:.4g}"
            f" (R's lowest {row[LOWEST]})"
        )
    sizes = [1000, 4000] if chosen.quick else [10_000, 30_000, 100_000, 300_000]
    fits = [2000] if chosen.quick else [10_000, 100_000]
    if chosen.large:
        sizes.append(1_000_000)
        fits.append(1_000_000)
    report = {
        "machine": f"{platform.machine()}, {chosen.threads} threads",
        "versions": {"ordinate": od.__version__, "numpy": np.__version__},
        "fifty iterations": rows,
        "growth": growth(sizes, chosen.threads),
        "full fits": [full_fit(n) for n in fits],
    }
    chosen.output.mkdir(parents=True, exist_ok=True)
    (chosen.output / "loe.json").write_text(json.dumps(report, indent=2) + "\n")
    if chosen.publish:
        publish(report, "--large" if chosen.large else "")


if __name__ == "__main__":
    main()
