"""GraphTSTE of a large network on a GPU and on the CPU: seconds and neighbourhoods preserved.

    python benchmarks/gpu_graphs.py --output rows.csv
    python benchmarks/gpu_graphs.py --publish --output rows.csv

The networks are Barabási and Albert's, with hubs, one of 200,000 and one of a million edges. The
time is that of a whole fit by the clock, and of it the initialization, which is computed on the
CPU.
"""

import argparse
import csv
import os
import time
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
from pages import write_table

import ordinate as od
from ordinate.graphs.initialization import geodesic_start

NETWORKS = {"2 each": (100_000, 2), "10 each": (100_000, 10)}
COLUMNS = [
    "network", "nodes", "edges", "device", "seconds", "initialization", "processor_seconds",
    "score", "converged", "machine",
]  # fmt: skip


def measure(output: Path, devices: list[str]) -> None:
    """Append a row per network and device, after a small fit that compiles."""
    import torch

    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU"
    machine = f"{gpu}, {os.cpu_count()} cores, torch {torch.__version__}"
    is_new = not output.exists()
    with output.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if is_new:
            writer.writeheader()
        for device in devices:
            od.GraphTSTE(random_state=0, device=device).fit(nx.cycle_graph(99))
        for name, (n, n_each) in NETWORKS.items():
            edges = np.array(nx.barabasi_albert_graph(n, n_each, seed=0).edges)
            graph = od.NeighborGraph.from_edges(edges, n_objects=n)
            begin = time.perf_counter()
            geodesic_start(graph, 2, np.random.default_rng(0))
            initialization = time.perf_counter() - begin
            for device in devices:
                begin, cpu = time.perf_counter(), time.process_time()
                model = od.GraphTSTE(random_state=0, device=device).fit(graph)
                seconds = [time.perf_counter() - begin, initialization, time.process_time() - cpu]
                row = [name, n, len(edges), device, *(round(each, 1) for each in seconds)]
                row += [round(model.score(graph), 4), model.converged_, machine]
                writer.writerow(dict(zip(COLUMNS, row, strict=True)))
                file.flush()
                print(*row, flush=True)


def publish(rows: list[dict]) -> None:
    """Write seconds by network and device to the page."""
    shown = [
        {
            "network": f"Barabási–Albert, {row['network']}",
            "nodes": f"{int(row['nodes']):,}",
            "edges": f"{int(row['edges']):,}",
            "computed on": {"cuda": "GPU", "cpu": "16 cores"}[row["device"]],
            "seconds": row["seconds"],
            "of it the start": row["initialization"],
            "processor seconds": row["processor_seconds"],
            "score": f"{float(row['score']):.3f}",
        }
        for row in rows
    ]
    command = "python benchmarks/gpu_graphs.py; one run each"
    caption = "a whole fit of GraphTSTE by the clock"
    write_table("benchmarks_loe-gpu", caption, shown, command, machine=rows[0]["machine"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--devices", nargs="+", default=["cuda", "cpu"])
    parser.add_argument("--output", type=Path, default=Path("rows.csv"))
    parser.add_argument("--publish", action="store_true", help="write the table of the page")
    warnings.simplefilter("ignore")
    asked = parser.parse_args()
    if asked.publish:
        with asked.output.open(newline="") as file:
            publish(list(csv.DictReader(file)))
    else:
        measure(asked.output, asked.devices)


if __name__ == "__main__":
    main()
