"""Time and memory of the triplet kernels, beside the paper's figures and our own embeddings.

    python benchmarks/kernels.py [--tasks food n10000 n20000 million] [--output kernels.json]
        [--publish]

Each task runs in a process of its own, whose peak of memory is reported. The paper's times are
those of its MATLAB code on a laptop of 2016; there is no other implementation to compare with.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from functools import partial
from typing import NamedTuple

import numpy as np

import ordinate as od

TASKS = {
    "food": "190,376 triplets of the food data; needs ORDINATE_DATA",
    "n10000": "10,000 objects, 30 landmarks, 150 triplets each",
    "n20000": "20,000 objects, 30 landmarks, 150 triplets each",
    "million": "1,000,000 objects, 30 landmarks, 150 triplets each",
}
PAPER = {
    ("food", "K1"): 0.1,
    ("food", "K2"): 0.1,
    ("food", "GNMDS"): 18.0,
    ("n10000", "K1"): 100.0,
    ("n10000", "K2"): 180.0,
    ("n10000", "GNMDS"): 2000.0,
    ("n20000", "K1"): 900.0,
    ("n20000", "GNMDS"): 6000.0,
}
GOALS = {"food": 0.05, "n10000": 3.0, "n20000": 12.0, "million": 90.0}
"""Seconds of a kernel matrix, or of the features of a million objects."""
N_LANDMARKS, PER_OBJECT = 30, 150


def landmark_answers(n_objects, design, seed=0, block=10_000):
    """Ask every object 150 different landmark questions and answer them by Gaussian points.

    The library's `landmark_triplets` lists all questions first, for which a million objects would
    be too many; here questions are drawn for some objects at a time.
    """
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((n_objects, 5))
    landmarks = np.arange(N_LANDMARKS)
    pairs = np.array(
        [(i, j) for i in landmarks for j in landmarks if (i < j if design == "K1" else i != j)],
        dtype=np.int32,
    )
    between = np.linalg.norm(points[landmarks, None] - points[landmarks], axis=2)
    rows = np.empty((n_objects * PER_OBJECT, 3), dtype=np.int32)
    size = 0
    for start in range(0, n_objects, block):
        objects = np.arange(start, min(start + block, n_objects), dtype=np.int32)
        drawn = rng.random((len(objects), len(pairs))).argpartition(PER_OBJECT)[:, :PER_OBJECT]
        asked = np.repeat(objects, PER_OBJECT)
        i, j = pairs[drawn.ravel()].T
        distances = np.linalg.norm(points[objects, None] - points[landmarks], axis=2)
        one = distances[asked - start, i]
        if design == "K1":
            anchor, other, two = asked, i, distances[asked - start, j]
        else:
            anchor, i, other, two = i, asked, asked, between[i, j]
        near, far = np.where(one < two, i, j), np.where(one < two, j, i)
        valid = (other != j) & (anchor != near) & (anchor != far)
        n_valid = int(valid.sum())
        rows[size : size + n_valid] = np.column_stack([anchor, near, far])[valid]
        size += n_valid
    return od.Comparisons._from_validated(rows[:size], None, {}, None, n_objects), landmarks


class Seconds(NamedTuple):
    """Time by the clock, and time of all processors, which other work hardly changes."""

    clock: float
    processors: float

    def __add__(self, other):
        return Seconds(self.clock + other.clock, self.processors + other.processors)


def timed(act, *arguments, repeats=1):
    """Return what an act returned and the shortest of several times."""
    times = []
    for _ in range(repeats):
        start = Seconds(time.perf_counter(), time.process_time())
        result = act(*arguments)
        stop = Seconds(time.perf_counter(), time.process_time())
        times.append(Seconds(stop.clock - start.clock, stop.processors - start.processors))
    return result, min(times)


def food():
    rows = od.datasets.load_food100().comparisons.merge_repeats().rows
    answers = od.Comparisons(rows)
    for cls in (od.K1, od.K2):
        _, seconds = timed(lambda cls: cls().fit(answers).kernel(), cls, repeats=20)
        yield cls.__name__, "features and kernel matrix", seconds
    yield from embeddings(answers, repeats=3)


def kernel_matrix(n_objects):
    for cls in (od.K1, od.K2):
        answers, landmarks = landmark_answers(n_objects, cls.__name__)
        model, fitting = timed(cls(landmarks=landmarks).fit, answers, repeats=3)
        products = timed(model.kernel)[1]  # the matrix itself is gone before the next one
        yield cls.__name__, "features", fitting
        yield cls.__name__, "features and kernel matrix", fitting + products
    yield from embeddings(landmark_answers(n_objects, "K1")[0])


def embeddings(answers, repeats=1):
    """Time the library's own embeddings in two dimensions on the same answers."""
    for cls in (od.GNMDS, od.SOE):
        cls(2, max_iter=1, tol=1e9).fit(answers[:100])  # compiles
        model = cls(2, random_state=0)
        _, seconds = timed(model.fit, answers, repeats=repeats)
        yield cls.__name__, "embedding", seconds


def million():
    answers, landmarks = landmark_answers(1_000_000, "K1")
    model, seconds = timed(od.K1(landmarks=landmarks, dtype="float32").fit, answers)
    yield "K1", f"features, {len(answers):,} triplets", seconds
    del answers
    cluster = partial(od.kernels.kernel_kmeans, n_init=1, random_state=0)
    _, seconds = timed(cluster, model, 10)
    yield "K1", "kernel k-means, 10 clusters, 1 start", seconds


def run_task(task):
    runs = {
        "food": food,
        "n10000": lambda: kernel_matrix(10_000),
        "n20000": lambda: kernel_matrix(20_000),
        "million": million,
    }
    for method, what, seconds in runs[task]():
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        row = {"task": task, "method": method, "what": what, "peak_GB": peak}
        row |= {"seconds": seconds.clock, "processor_seconds": seconds.processors}
        row["paper_seconds"] = None if what == "features" else PAPER.get((task, method))
        print(json.dumps(row), flush=True)


def publish(rows):
    """Write the table of the page."""
    from pages import write_table

    shown = []
    for row in rows:
        wanted = "matrix" in row["what"] or row["what"].startswith("features, ")
        shown.append(
            {
                "task": TASKS[row["task"]].partition(";")[0],
                "method": row["method"],
                "what": row["what"],
                "seconds": f"{row['seconds']:.2g}",
                "processor seconds": f"{row['processor_seconds']:.2g}",
                "peak memory": f"{row['peak_GB']:.1f} GB",
                "paper": f"{row['paper_seconds']:g} s" if row["paper_seconds"] else "",
                "goal": f"{GOALS[row['task']]:g} s" if wanted else "",
            }
        )
    command = "python benchmarks/kernels.py"
    write_table("benchmarks_kernels-tasks", "best of several", shown, command)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--output", help="write the results as JSON")
    parser.add_argument("--publish", action="store_true", help="write the table of the page")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        run_task(options.tasks[0])
        return
    rows = []
    for task in options.tasks:
        print(f"{task}: {TASKS[task]}")
        command = [sys.executable, __file__, "--here", "--tasks", task]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                row = json.loads(line)
                rows.append(row)
                paper = f"paper {row['paper_seconds']:g} s" if row["paper_seconds"] else ""
                print(
                    f"  {row['method']:<6}{row['what']:<40}{row['seconds']:9.3f} s"
                    f"{row['processor_seconds']:9.3f} s of processors"
                    f"{row['peak_GB']:7.1f} GB  {paper}"
                )
        if process.returncode:
            sys.exit(f"{task} failed with exit code {process.returncode}")
    about = {"load": os.getloadavg(), "python": platform.python_version(), "numpy": np.__version__}
    print(about)
    if options.output:
        with open(options.output, "w") as file:
            json.dump({"about": about, "rows": rows}, file, indent=2)
    if options.publish:
        publish(rows)


if __name__ == "__main__":
    main()
