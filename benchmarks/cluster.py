"""Comparisons in Parquet files on a local Dask cluster, beside the same ones in memory.

    python benchmarks/cluster.py iteration --output iteration.json
    python benchmarks/cluster.py fit --copies 10 --output fit.json

``iteration`` times one evaluation of SOE's loss and gradient and checks that all engines agree;
``overhead`` times evaluations of almost nothing; ``fit`` fits SOE to the same files ten times
over, with 3 GB for each of two workers. With ``--data folder`` the files are kept; ``files`` only
writes them.
"""

import argparse
import json
import resource
import tempfile
import time
import warnings
from contextlib import nullcontext
from pathlib import Path

import dask.array
import numpy as np
from dask.distributed import Client

import ordinate as od
from ordinate import partitions
from ordinate.engine.cluster import ClusterObjective
from ordinate.engine.cpu import Objective

ROWS_PER_FILE = 5_000_000


def write_files(folder, n_rows, n_objects, seed=0):
    """Write triplets about normal points in the plane, a file at a time, if there are none yet."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n_objects, 2))
    if any(folder.iterdir()):
        return points
    for number in range(n_rows // ROWS_PER_FILE):
        answers = od.sources.random_triplets(points, ROWS_PER_FILE, random_state=rng)
        od.write_comparisons(answers, folder / f"{number:04d}.parquet")
    return points


def workers(number):
    """Start workers of one thread each, or none: then Dask uses threads of this process."""
    if number == 0:
        return nullcontext()
    return Client(
        n_workers=number, threads_per_worker=1, memory_limit="3GB", dashboard_address=":0"
    )


def timed(objective, points, repeats):
    """Return the seconds of the quickest of some calls, and the result."""
    result = objective(points)
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        objective(points)
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def iteration(folder, options):
    """Time one evaluation in memory and in partitions, kept with the workers or read anew."""
    points = write_files(folder, options.rows, options.objects)
    record = od.scan_parquet(folder)[:]
    rows = []
    in_memory = {}
    for threads in (1, 2):
        engine = Objective(record, od.losses.soe, [1.0], n_threads=threads)
        in_memory[threads], reference = timed(engine, points, options.repeats)
        rows.append({"engine": "in memory", "cores": threads, "seconds": in_memory[threads]})
    del record, engine
    found = [
        measure(folder, points, number, kept, options.repeats)
        for number in (1, 2, 0)
        for kept in (True, False)
    ]
    for seconds, (value, gradient), row in found:
        row |= {
            "seconds": seconds,
            "beside in memory": seconds / in_memory[row["cores"]],
            "value differs by": abs(value / reference[0] - 1),
            "gradient differs by": float(np.abs(gradient - reference[1]).max()),
        }
        rows.append(row)
    same_bits = len({(value, gradient.tobytes()) for _, (value, gradient), _ in found}) == 1
    return {"rows": rows, "the same bits in all partitioned runs": same_bits}


def measure(folder, points, n_workers, kept, repeats):
    """Time an evaluation with some workers; none stands for two threads of this process."""
    row = {
        "engine": f"{n_workers or 'no'} workers, {'kept' if kept else 'read anew'}",
        "cores": n_workers or 2,
    }
    with workers(n_workers):
        answers = od.scan_parquet(folder)
        with answers.kept() if kept else nullcontext(answers) as record:
            objective = ClusterObjective(record, od.losses.soe, [1.0], n_threads=2)
            return *timed(objective, points, repeats), row


def overhead(folder, options):
    """Time evaluations of almost nothing: what a task and a large map cost beside the sums."""
    found = []
    with workers(2):
        for n_objects, n_partitions in ((1000, 16), (1000, 128), (1000, 512), (100_000, 16)):
            rng = np.random.default_rng(0)
            points = rng.normal(size=(n_objects, 2))
            rows = od.sources.random_triplets(points, 10 * n_partitions, random_state=rng).rows
            chunks = dask.array.from_array(rows, chunks=(10, 3))
            with od.sources.from_dask(chunks, n_objects=n_objects).kept() as record:
                objective = ClusterObjective(record, od.losses.soe, [1.0])
                seconds, _ = timed(objective, points, options.repeats)
            row = {"objects": n_objects, "partitions": n_partitions, "seconds": seconds}
            found.append(row)
    return found


def fit(folder, options):
    """Fit files that do not fit into the workers' memory; report times and the most memory."""
    write_files(folder, options.rows, options.objects)
    paths = sorted(folder.iterdir()) * options.copies
    times = []
    with workers(2) as client:
        start = time.perf_counter()
        answers = od.scan_parquet(paths)
        scanned = time.perf_counter()
        model = od.SOE(
            random_state=0, max_iter=options.iterations, callback=lambda *_: times.append(now())
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(answers)
        done = time.perf_counter()
        score = model.score(answers)
        return {
            "record": repr(answers),
            "bytes read": sum(path.stat().st_size for path in paths),
            "kept in memory": 12 * len(answers) <= partitions._SHARE_OF_MEMORY * 6e9,
            "seconds to scan": scanned - start,
            "seconds to fit": done - scanned,
            "seconds per iteration": float(np.median(np.diff(times))),
            "iterations": model.n_iter_,
            "share of answers that hold": score,
            "most memory of a worker, bytes": max(client.run(most_memory).values()),
            "most memory of the client, bytes": most_memory(),
        }


def now():
    return time.perf_counter()


def most_memory():
    """Return the most memory that this process ever had resident."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def files(folder, options):
    """Write the files and measure nothing."""
    write_files(folder, options.rows, options.objects)


PARTS = {"files": files, "iteration": iteration, "overhead": overhead, "fit": fit}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--data", type=Path, help="folder in which the files are kept")
    parser.add_argument("--rows", type=int, default=50_000_000)
    parser.add_argument("--objects", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--copies", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.data or Path(temporary)
        folder.mkdir(exist_ok=True)
        result = PARTS[options.part](folder, options)
    text = json.dumps(result, indent=1)
    print(text)
    if options.output:
        options.output.write_text(text)


if __name__ == "__main__":
    main()
