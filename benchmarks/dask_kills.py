"""Kill workers of a Dask cluster in the middle of fits: each fit must end, with the same bits.

    python benchmarks/dask_kills.py --kills 50 --output dask_kills.csv

For 1, 2 and 3 workers a fit of SOE to Parquet files runs again and again; in each run some of the
workers, or all of them at once, are ended with SIGKILL after a random iteration. Dask starts new
ones. A row of the output says how many were killed when, whether the map has the bits of a fit in
peace, and the seconds from the kill to the next iteration; a run that is repeated goes on.
"""

import argparse
import csv
import os
import signal
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import dask
import numpy as np
from dask.distributed import Client, LocalCluster

import ordinate as od

FIELDS = ("workers", "run", "killed", "iteration", "same_bits", "seconds")


class Killer:
    """A callback of a fit that ends workers after one of its iterations."""

    def __init__(self, client, rng):
        self.client, self.rng = client, rng
        self.iteration = int(rng.integers(1, 8))
        self.n_killed, self.killed_at, self.recovered = 0, None, None

    def __call__(self, number, loss, points):
        """Kill after the chosen iteration, and note when the next one was reached."""
        if self.killed_at is not None and self.recovered is None:
            self.recovered = time.monotonic() - self.killed_at
        if number == self.iteration:
            processes = list(self.client.run(os.getpid).values())
            self.n_killed = int(self.rng.integers(1, len(processes) + 1))
            for process in self.rng.permutation(processes)[: self.n_killed].tolist():
                os.kill(process, signal.SIGKILL)
            self.killed_at = time.monotonic()


def fit(folder, callback=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = od.SOE(n_init=1, max_iter=12, tol=0, random_state=0, callback=callback)
        return model.fit(od.scan_parquet(folder)).embedding_


def one_kill(folder, client, n_workers, number, expected):
    """Fit once while workers die, and return a row."""
    client.cluster.scale(n_workers)  # brings back those that Dask gave up between two fits
    client.wait_for_workers(n_workers, timeout=600)
    killer = Killer(client, np.random.default_rng([n_workers, number]))
    try:
        same = np.array_equal(fit(folder, killer), expected)
        seconds = round(killer.recovered, 2)
    except od.InputError:  # no worker came back, and the fit was given up in a sentence
        same, seconds = "given up", ""
    values = (n_workers, number, killer.n_killed, killer.iteration, same, seconds)
    return dict(zip(FIELDS, values, strict=True))


def publish(found, kills):
    """Write the table of the page: a row for each number of workers."""
    from pages import write_table

    rows = []
    for workers in dict.fromkeys(row["workers"] for row in found):
        fits = [row for row in found if row["workers"] == workers]
        seconds = [float(row["seconds"]) for row in fits if row["seconds"]]
        low, middle, high = np.quantile(seconds, [0, 0.5, 1])
        rows.append(
            {
                "workers": workers,
                "kills": len(fits),
                "all workers at once": sum(row["killed"] == workers for row in fits),
                "fits with same bits": sum(row["same_bits"] == "True" for row in fits),
                "seconds to the next iteration": f"{low:.1f} to {high:.1f}, median {middle:.1f}",
            }
        )
    command = f"python benchmarks/dask_kills.py --kills {kills}"
    write_table("benchmarks_cluster-kills", "fits whose workers were killed", rows, command)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=50, help="for each number of workers")
    parser.add_argument("--output", type=Path, default=Path("dask_kills.csv"))
    parser.add_argument("--publish", action="store_true", help="write the table of the page")
    options = parser.parse_args()
    # a new worker is a copy of a process that has Dask loaded, which spares it most of its start
    dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
    done = list(csv.DictReader(options.output.open())) if options.output.exists() else []
    counts = Counter(int(row["workers"]) for row in done)
    with tempfile.TemporaryDirectory() as folder, options.output.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if file.tell() == 0:
            writer.writeheader()
        points = np.random.default_rng(0).normal(size=(100, 2))
        for part in range(6):
            answers = od.sources.random_triplets(points, 20_000, random_state=part)
            od.write_comparisons(answers, Path(folder) / f"{part}.parquet")
        expected = fit(folder)
        for n_workers in (1, 2, 3):
            with (
                LocalCluster(
                    n_workers=n_workers, threads_per_worker=1, dashboard_address=":0"
                ) as cluster,
                Client(cluster) as client,
            ):
                for number in range(counts[n_workers], options.kills):
                    row = one_kill(folder, client, n_workers, number, expected)
                    writer.writerow(row)
                    file.flush()
                    print(row, flush=True)
    if options.publish:
        publish(list(csv.DictReader(options.output.open())), options.kills)


if __name__ == "__main__":
    main()
