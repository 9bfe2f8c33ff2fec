"""The GPU engine beside the CPU engine and cblearn's torch backend.

    python benchmarks/gpu.py evaluate --output gpu.json
    python benchmarks/gpu.py fit --output gpu.json
    python benchmarks/gpu.py billion --output gpu.json
    python benchmarks/gpu.py peer --output gpu.json --publish  # pip install --no-deps cblearn

Run it on a machine with a CUDA GPU, on which nothing else runs. Times of evaluations are medians
after a warm-up, by the clock of the GPU; times of fits are wall-clock times of one fit, after a
small fit that compiles the kernels. The output keeps the rows of earlier runs; --publish writes
all of them as tables of the page.
"""

import argparse
import json
import os
import statistics
import time
from pathlib import Path

import numpy as np
import torch
from pages import earlier_rows, machine_of, write_table  # the script beside this one

import ordinate as od
from ordinate import losses
from ordinate.comparisons.record import Comparisons
from ordinate.engine import cpu
from ordinate.engine.torch_objective import TorchObjective

TASKS = [
    (1000, 2, 10**7),
    (10**5, 2, 10**8),
    (10**6, 2, 10**8),
    (10**5, 10, 5 * 10**7),
]
LOSSES = {
    "SOE": (losses.soe, (1.0,)),
    "STE": (losses.ste, ()),
    "t-ETE": (losses.tete, (2.0, 1.0)),
}
PROTOTYPES = (2.7, 6.6, 6.8, 1.44)
"""Billions of triplets per second of the better of two, by task; the goal was twice as many."""
SETTINGS = {
    ("init",): "given start",
    (): "as a user calls it",
    ("init", "n_init"): "8 random starts as one batch",
}
SUPERSCRIPT = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
N_TEST = 100_000
REPEATS = 15
BYTES_PER_TRIPLET = 12


def random_triplets(points, size, rng):
    """Draw triplets of distinct objects; the nearer one comes second."""
    rows = rng.integers(len(points), size=(size, 3), dtype=np.int32)
    # The few rows that repeat an object are replaced by a shift, which keeps them random.
    same = (rows[:, 0] == rows[:, 1]) | (rows[:, 0] == rows[:, 2]) | (rows[:, 1] == rows[:, 2])
    rows[same] = (rows[same, :1] + [0, 1, 2]) % len(points)
    for start in range(0, size, 10**7):
        part = rows[start : start + 10**7]
        anchor, near, far = (points[part[:, column]] for column in range(3))
        wrong = np.square(anchor - near).sum(axis=1) > np.square(anchor - far).sum(axis=1)
        part[wrong] = part[wrong][:, [0, 2, 1]]
    return rows


def make_task(n_objects, dimension, n_triplets, seed=0):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n_objects, dimension)).astype(np.float32)
    train = od.Comparisons(random_triplets(points, n_triplets, rng), n_objects=n_objects)
    test = od.Comparisons(random_triplets(points, N_TEST, rng), n_objects=n_objects)
    return train, test, rng.normal(size=points.shape)


def gpu_seconds(work, repeats=REPEATS):
    """Median time of some work on the GPU."""
    work()
    times = []
    for _ in range(repeats):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / 1000)
    return statistics.median(times)


def wall_seconds(work, repeats=3):
    work()
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def copy_bandwidth():
    source = torch.empty(2**30, device="cuda")
    target = torch.empty_like(source)
    return 8 * 2**30 / gpu_seconds(lambda: target.copy_(source))


def evaluation_rows(task):
    """Yield the name of each way to evaluate and its time."""
    triplets, _, points = make_task(*task)
    begin = time.perf_counter()
    objective = TorchObjective(triplets, *LOSSES["SOE"], device="cuda")
    torch.cuda.synchronize()
    yield "SOE: copying and ordering, once", time.perf_counter() - begin
    place = objective.tensor(points)[None]
    for name, (loss, parameters) in LOSSES.items():
        objective = TorchObjective(triplets, loss, parameters, device="cuda")
        yield name, gpu_seconds(lambda: objective.evaluate(place))  # noqa: B023
    ways = {
        "SOE, float64": {"precision": "float64"},
        "SOE, plain operations": {"memory": 40 * len(triplets)},
        "SOE, streamed": {"memory": 0},
    }
    for name, settings in ways.items():
        objective = TorchObjective(triplets, *LOSSES["SOE"], device="cuda", **settings)
        yield name, gpu_seconds(lambda: objective.evaluate(place), 5)  # noqa: B023
    threads = os.cpu_count()
    on_cpu = cpu.CPUObjective(triplets, *LOSSES["SOE"], n_threads=threads)
    yield f"SOE, CPU engine, {threads} threads", wall_seconds(lambda: on_cpu(points))


def evaluate():
    bandwidth = copy_bandwidth()
    results = [{"what": "copy", "terabytes_per_second": bandwidth / 1e12}]
    for task in TASKS:
        for what, seconds in evaluation_rows(task):
            rate = task[2] / seconds
            share = rate * BYTES_PER_TRIPLET / bandwidth
            results.append(
                {"task": task, "what": what, "seconds": seconds, "rate": rate, "share": share}
            )
            print(
                f"{task!s:26} {what:34} {1e3 * seconds:10.3f} ms {rate / 1e9:8.3f} billion/s"
                f" {100 * share:5.1f} % of bandwidth",
                flush=True,
            )
        torch.cuda.empty_cache()
    return results


def fit_row(task, train, test, device, **settings):
    begin = time.perf_counter()
    model = od.SOE(task[1], device=device, random_state=1, **settings).fit(train)
    seconds = time.perf_counter() - begin
    row = {
        "task": task,
        "device": device,
        "settings": sorted(settings),
        "seconds": seconds,
        "iterations": model.n_iter_,
        "loss": model.loss_ / len(train),
        "held_out_error": 1 - model.score(test),
    }
    print(row, flush=True)
    return row


def fit():
    """Fit from one and the same start on both devices, then as a user would."""
    small = make_task(1000, 2, 10**4)[0]
    for device in ("cuda", "cpu"):
        od.SOE(device=device).fit(small)
    results = []
    for task in [(1000, 2, 10**7), (10**5, 2, 10**8), (10**6, 2, 10**8)]:
        train, test, start = make_task(*task)
        for device in ("cuda", "cpu"):
            results.append(fit_row(task, train, test, device, init=start))
        results.append(fit_row(task, train, test, "cuda"))
        if task[0] <= 10**5:
            results.append(fit_row(task, train, test, "cpu"))
            settings = {"init": "random", "n_init": 8}
            results.append(fit_row(task, train, test, "cuda", **settings))
    return results


def billion():
    """Fit a billion triplets of a million objects, made on the GPU and kept by the host."""
    task = (10**6, 2, 10**9)
    torch.manual_seed(0)
    points = torch.randn(task[0], task[1], device="cuda")
    rows = np.empty((task[2], 3), dtype=np.int32)
    for part in np.split(rows, 20):
        part[:] = triplets_on_gpu(points, len(part)).cpu()
    train = Comparisons._from_validated(rows, None, {}, None, task[0])  # checked as they were made
    test = od.Comparisons(triplets_on_gpu(points, N_TEST), n_objects=task[0])
    start = np.random.default_rng(1).normal(size=points.shape)
    return [fit_row(task, train, test, "cuda", init=start)]


def triplets_on_gpu(points, size):
    first = torch.randint(len(points), (size, 1), device="cuda")
    shifts = torch.randint(1, len(points) // 2, (size, 2), device="cuda").cumsum(dim=1)
    rows = torch.cat([first, (first + shifts) % len(points)], dim=1)
    anchor, near, far = (points[column] for column in rows.T)
    wrong = (anchor - near).square().sum(dim=1) > (anchor - far).square().sum(dim=1)
    return torch.where(wrong[:, None], rows[:, [0, 2, 1]], rows).int()


def peer_seconds(task):
    """Time of cblearn's loss and of torch's gradient of it, for all triplets at once."""
    from cblearn.embedding._soe import _soe_loss_torch

    triplets, _, points = make_task(*task)
    rows = torch.tensor(triplets.rows, device="cuda").long()
    place = torch.tensor(points, device="cuda", requires_grad=True)

    def work():
        place.grad = None
        _soe_loss_torch(place, rows, 1.0).backward()

    return gpu_seconds(work, 5)


def peer():
    from cblearn.embedding import SOE

    results = []
    for task in TASKS:
        seconds = peer_seconds(task)
        what = "SOE, cblearn's loss and its gradient by torch, on the GPU"
        results.append({"task": task, "what": what, "rate": task[2] / seconds})
        print(results[-1], flush=True)
        torch.cuda.empty_cache()
    task, epochs = (1000, 2, 10**6), 3
    train, _, start = make_task(*task)
    model = SOE(2, backend="torch", device="cuda", max_iter=epochs, learning_rate=0.1)
    begin = time.perf_counter()
    model.fit(train.rows, init=start)
    seconds = (time.perf_counter() - begin) / epochs
    results.append({"task": task, "seconds_per_epoch": seconds})
    print(results[-1], flush=True)
    return results


def short(number):
    """Write a number as a power of ten, or a multiple of one."""
    exponent = len(str(number)) - 1
    lead = number // 10**exponent
    return f"{lead}·" * (lead > 1) + "10" + str(exponent).translate(SUPERSCRIPT)


def evaluation_table(results):
    """Return billions of triplets per second: a row for each way to evaluate, a column by task."""
    first = "objects, dimension, triplets"
    tasks = [f"{short(n)}, {d}, {short(m)}" for n, d, m in TASKS]
    rows = {}
    for row in (row for row in results if "rate" in row and not row["what"].endswith("once")):
        task = tasks[TASKS.index(tuple(row["task"]))]
        rows.setdefault(row["what"], {first: row["what"]})[task] = row["rate"] / 1e9
        if row["what"] == "SOE":
            share = "SOE: share of the bandwidth, at 12 bytes per triplet"
            rows.setdefault(share, {first: share})[task] = f"{row['share']:.1%}"
    known = {"prototypes, the better one": 1, "goal": 2} if rows else {}
    return [
        {first: name, **{task: times * x for task, x in zip(tasks, PROTOTYPES, strict=True)}}
        for name, times in known.items()
    ] + list(rows.values())


def fit_table(results):
    """Return seconds, iterations and errors of fits: a row for each, a column by device."""
    rows = {}
    for row in (row for row in results if "held_out_error" in row):
        n_objects, _, n_triplets = row["task"]
        fit = f"{short(n_objects)} objects, {short(n_triplets)} triplets, "
        fit += SETTINGS[tuple(row["settings"])]
        device = "GPU" if row["device"] == "cuda" else "CPU"
        rows.setdefault(fit, {"fit": fit}).update(
            {
                f"{device}, s": row["seconds"],
                f"{device}, iterations": row["iterations"],
                f"{device}, error": f"{row['held_out_error']:.4f}",
            }
        )
    return list(rows.values())


def publish(results):
    """Write the tables of the page, of the parts that were measured."""
    command, machine = "python benchmarks/gpu.py", machine_of("cuda")
    tables = {
        "evaluation": ("billions of triplets per second", evaluation_table(results)),
        "fits": ("whole fits of SOE", fit_table(results)),
    }
    for name, (caption, rows) in tables.items():
        if rows:
            write_table(f"benchmarks_gpu-{name}", caption, rows, command, machine=machine)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["evaluate", "fit", "billion", "peer"])
    parser.add_argument("--output", type=Path)
    parser.add_argument("--publish", action="store_true", help="write the tables of the page")
    options = parser.parse_args()
    measure = {"evaluate": evaluate, "fit": fit, "billion": billion, "peer": peer}[options.part]
    results = earlier_rows(options.output) + measure()
    if options.output:
        options.output.write_text(json.dumps(results, indent=1))
    if options.publish:
        publish(results)


if __name__ == "__main__":
    main()
