"""Comparisons in Parquet files on a local Dask cluster, beside the same ones in memory.

    python benchmarks/cluster.py iteration --output iteration.json [--publish]
    python benchmarks/cluster.py fit --copies 10 --output fit.json [--publish]

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
from contextlib import ExitStack, nullcontext
from pathlib import Path

import dask.array
import numpy as np
from dask.distributed import Client

import ordinate as od
from ordinate.comparisons import partitions
from ordinate.engine.cpu import CPUObjective
from ordinate.engine.partitioned import PartitionedObjective

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
    """Start workers of one thread each."""
    return Client(
        n_workers=number,
        threads_per_worker=1,
        memory_limit="3GB",
        dashboard_address=":0",
        set_as_default=False,
    )


def engines(folder, stack):
    """Yield name, cores, a context to run in and an objective, for each way to evaluate."""
    record = od.scan_parquet(folder)[:]
    for threads in (1, 2):
        engine = CPUObjective(record, od.losses.soe, [1.0], n_threads=threads)
        yield "in memory", threads, nullcontext, engine
    for number in (1, 2, 0):
        context = nullcontext
        name = "threads of this process"
        if number:
            context = stack.enter_context(workers(number)).as_current
            name = f"workers: {number}"
        with context():
            answers = od.scan_parquet(folder)
            held = stack.enter_context(answers.kept())
        for how, comparisons in (("kept", held), ("from disk", answers)):
            engine = PartitionedObjective(comparisons, od.losses.soe, [1.0], n_threads=2)
            yield f"{name}, {how}", number or 2, context, engine


def take_turn(row, points):
    """Evaluate once and note the result, and the time if it is the shortest so far."""
    _, _, context, evaluate, fastest, _ = row
    with context():
        start = time.perf_counter()
        row[5] = evaluate(points)
        row[4] = min(fastest, time.perf_counter() - start)


def iteration(folder, options):
    """Time one evaluation in memory and in partitions, kept with the workers or read from disk.

    Each way is timed when it has just been set up and then in turns with the others, and its
    quickest time counts, since the machine may have other work at times.
    """
    points = write_files(folder, options.rows, options.objects)
    found = []
    with ExitStack() as stack:
        for engine in engines(folder, stack):
            found.append([*engine, np.inf, None])
            for _ in range(options.repeats):
                take_turn(found[-1], points)
        for _ in range(options.repeats):
            for row in found:
                take_turn(row, points)
    in_memory = {cores: seconds for _, cores, _, _, seconds, _ in found[:2]}
    value, gradient = found[0][5]
    rows = [
        {
            "engine": name,
            "cores": cores,
            "seconds": seconds,
            "ns per triplet and core": 1e9 * seconds * cores / options.rows,
            "vs. in memory": seconds / in_memory[cores],
            "value differs by": abs(result[0] / value - 1),
            "gradient differs by": float(np.abs(result[1] - gradient).max()),
        }
        for name, cores, _, _, seconds, result in found
    ]
    bits = {(result[0], result[1].tobytes()) for *_, result in found[2:]}
    return {"rows": rows, "the same bits in all partitioned runs": len(bits) == 1}


def overhead(folder, options):
    """Time evaluations of almost nothing: what a task and a large map cost beside the sums."""
    found = []
    with workers(2) as client, client.as_current():
        for n_objects, n_partitions in ((1000, 16), (1000, 128), (1000, 512), (100_000, 16)):
            rng = np.random.default_rng(0)
            points = rng.normal(size=(n_objects, 2))
            rows = od.sources.random_triplets(points, 10 * n_partitions, random_state=rng).rows
            chunks = dask.array.from_array(rows, chunks=(10, 3))
            with od.from_dask(chunks, n_objects=n_objects).kept() as record:
                objective = PartitionedObjective(record, od.losses.soe, [1.0])
                row = ["overhead", 2, nullcontext, objective, np.inf, None]
                for _ in range(options.repeats):
                    take_turn(row, points)
            found.append({"objects": n_objects, "partitions": n_partitions, "seconds": row[4]})
    return found


def fit(folder, options):
    """Fit files that do not fit into the workers' memory; report times and the most memory."""
    write_files(folder, options.rows, options.objects)
    paths = sorted(folder.iterdir()) * options.copies
    times = []
    with workers(2) as client, client.as_current():
        start = time.perf_counter()
        answers = od.scan_parquet(paths)
        scanned = time.perf_counter()
        model = od.SOE(
            random_state=0,
            max_iter=options.iterations,
            callback=lambda *_: times.append(clocks(client)),
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
            "seconds per iteration": float(np.median(np.diff(times, axis=0)[:, 0])),
            "processor seconds per iteration": float(np.median(np.diff(times, axis=0)[:, 1])),
            "iterations": model.n_iter_,
            "share of answers that hold": score,
            "most memory of a worker, bytes": max(client.run(most_memory).values()),
            "most memory of the client, bytes": most_memory(),
        }


def clocks(client):
    """Return the time, and the time that the workers' processors have spent."""
    return time.perf_counter(), sum(client.run(time.process_time).values())


def most_memory():
    """Return the most memory that this process ever had resident."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def files(folder, options):
    """Write the files and measure nothing."""
    write_files(folder, options.rows, options.objects)


PARTS = {"files": files, "iteration": iteration, "overhead": overhead, "fit": fit}


def page_rows(part, result):
    """Return what a part measured as a page shows it."""
    if part == "iteration":
        return [
            {name: x for name, x in row.items() if "differs" not in name} for row in result["rows"]
        ]
    if part == "overhead":
        return [row | {"objects": f"{row['objects']:,}"} for row in result]
    shown = {
        "most memory of a worker, GB (goal: 3)": result["most memory of a worker, bytes"] / 1e9,
        "most memory of the client, GB": result["most memory of the client, bytes"] / 1e9,
        "going through all rows once, checking them, s": result["seconds to scan"],
        f"start and {result['iterations']} iterations, s": result["seconds to fit"],
        "one iteration, s": result["seconds per iteration"],
        "one iteration, processor s": result["processor seconds per iteration"],
        "share of all answers that hold afterwards": result["share of answers that hold"],
    }
    return [{"what": what, "found": found} for what, found in shown.items()]


CAPTIONS = {
    "iteration": "one evaluation of all triplets, the quickest of several",
    "overhead": "evaluations of ten triplets per partition, on two workers",
    "fit": "a fit of more triplets than memory holds",
}


def publish(part, result):
    """Write the table of one part."""
    from pages import write_table

    rows, command = page_rows(part, result), f"python benchmarks/cluster.py {part}"
    write_table(f"benchmarks_cluster-{part}", CAPTIONS[part], rows, command)


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
    parser.add_argument("--publish", action="store_true", help="write the table of the page")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.data or Path(temporary)
        folder.mkdir(exist_ok=True)
        result = PARTS[options.part](folder, options)
    text = json.dumps(result, indent=1)
    print(text)
    if options.output:
        options.output.write_text(text)
    if options.publish:
        publish(options.part, result)


if __name__ == "__main__":
    main()
