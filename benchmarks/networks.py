"""Networks laid out by LOE, GraphTSTE and others: neighbourhoods preserved, processor time.

A neighbourhood is preserved as far as an object's k nearest on the map are its k neighbours: the
mean over objects of the Jaccard index of the two sets. UMAP's layout, DrL and FR
(Fruchterman–Reingold) are igraph's, ForceAtlas2 is networkx's; sfdp (Graphviz) and pymde are run
where they are installed.

    python benchmarks/networks.py --seeds 3 --output networks.csv
    python benchmarks/networks.py --publish --output networks.csv

Rows are appended as they come, and those that are there are not made again. --publish writes the
means over seeds to the page. Large networks are timed by large_networks.py.
"""

import argparse
import csv
import gzip
import importlib.util
import os
import random
import resource
import shutil
import subprocess
import warnings
from importlib.metadata import version
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
from pages import write_table
from sklearn.datasets import load_digits
from sklearn.neighbors import kneighbors_graph

import ordinate as od


def friends() -> nx.Graph:
    """Read who is whose friend on Last.fm (HetRec 2011)."""
    path = Path(os.environ["ORDINATE_DATA"]) / "hetrec2011_lastfm2k" / "user_friends.dat.gz"
    with gzip.open(path, "rt") as file:
        return nx.Graph([line.split()[:2] for line in file.readlines()[1:]])


def digits() -> nx.Graph:
    joined = kneighbors_graph(load_digits().data[:1000], 10)
    return nx.from_scipy_sparse_array(joined.maximum(joined.T))


CHOSEN_ON = {
    "small world, 1,000 of degree 10, 5 % rewired": lambda: nx.watts_strogatz_graph(
        1000, 10, 0.05, seed=1
    ),
    "balanced tree, 3 branches, 6 levels": lambda: nx.balanced_tree(3, 6),
    "hubs (Barabási–Albert), 1,000, 3 each": lambda: nx.barabasi_albert_graph(1000, 3, seed=1),
    "Les Misérables": nx.les_miserables_graph,
    "10-NN of 1,000 digits, symmetric": digits,
}
JUDGED_ON = {
    "small world, 600 of degree 8, 10 % rewired": lambda: nx.watts_strogatz_graph(
        600, 8, 0.1, seed=2
    ),
    "random tree, 800": lambda: nx.random_labeled_tree(800, seed=2),
    "hubs in clusters, 1,000, 4 each": lambda: nx.powerlaw_cluster_graph(1000, 4, 0.5, seed=2),
    "karate club": nx.karate_club_graph,
    "friends on Last.fm, 1,843": friends,
    "grid, 25 × 25": lambda: nx.grid_2d_graph(25, 25),
}


def connected(graph: nx.Graph) -> nx.Graph:
    """Return the largest connected component without loops, its nodes numbered."""
    graph = nx.Graph(graph)
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    return nx.convert_node_labels_to_integers(
        graph.subgraph(max(nx.connected_components(graph), key=len))
    )


def preserved(graph: nx.Graph, points: np.ndarray) -> float:
    """Return the mean Jaccard index of neighbours and as many nearest objects."""
    return od.metrics.neighborhood_jaccard(nx.to_scipy_sparse_array(graph, weight=None), points)


def layout_of(name: str):
    def draw(graph: nx.Graph, seed: int) -> np.ndarray:
        random.seed(seed)  # which igraph draws from
        drawn = igraph.Graph(n=len(graph), edges=list(graph.edges))
        return np.array(getattr(drawn, f"layout_{name}")().coords)

    return draw


def sfdp(graph: nx.Graph, seed: int) -> np.ndarray:
    text = f"graph {{start={seed + 1};" + ";".join(f"{a} -- {b}" for a, b in graph.edges) + "}"
    plain = subprocess.run(
        ["sfdp", "-Tplain"], input=text, capture_output=True, text=True, check=True
    )
    nodes = (line.split() for line in plain.stdout.splitlines() if line.startswith("node"))
    places = {int(node[1]): (float(node[2]), float(node[3])) for node in nodes}
    return np.array([places[i] for i in range(len(graph))])


def force_atlas(graph: nx.Graph, seed: int) -> np.ndarray:
    places = nx.forceatlas2_layout(graph, seed=seed)
    return np.array([places[i] for i in range(len(graph))])


def pymde_neighbors(graph: nx.Graph, seed: int) -> np.ndarray:
    """Attract neighbours and repel as many other pairs, pymde's recipe for neighbourhoods."""
    import pymde
    import torch

    torch.manual_seed(seed)
    edges = torch.tensor(list(graph.edges))
    others = pymde.preprocess.dissimilar_edges(
        len(graph), similar_edges=edges, num_edges=len(edges), seed=seed
    )
    weights = torch.cat([torch.ones(len(edges)), -torch.ones(len(others))])
    penalty = pymde.penalties.PushAndPull(weights)
    problem = pymde.MDE(len(graph), 2, torch.cat([edges, others]), penalty, pymde.Standardized())
    return problem.embed().numpy()


def ours(estimator: type):
    def draw(graph: nx.Graph, seed: int) -> np.ndarray:
        return estimator(random_state=seed, n_jobs=None).fit(graph).embedding_

    return draw


METHODS = {
    "GraphTSTE": ours(od.GraphTSTE),
    "LOE": ours(od.LOE),
    "UMAP's layout": layout_of("umap"),
    "DrL": layout_of("drl"),
    "FR": layout_of("fruchterman_reingold"),
    "ForceAtlas2": force_atlas,
}
if shutil.which("sfdp"):
    METHODS["sfdp"] = sfdp
if importlib.util.find_spec("pymde"):
    METHODS["pymde"] = pymde_neighbors


def processor_seconds() -> float:
    """Return what this process and those that it ran have taken."""
    each = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used.ru_utime + used.ru_stime for used in each)


def read_rows(path: Path) -> list[dict]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def measure(output: Path, methods: list[str], n_init: int) -> None:
    """Append what each method preserves of each graph, and its time, by seed."""
    there = {(row["graph"], row["method"], int(row["seed"])) for row in read_rows(output)}
    for method in methods:  # compile
        METHODS[method](nx.cycle_graph(9), 0)
    with output.open("a", newline="") as file:
        write = csv.DictWriter(file, ["graph", "method", "seed", "jaccard", "cpu_s"])
        if not there:
            write.writeheader()
        for name, make in (CHOSEN_ON | JUDGED_ON).items():
            graph = connected(make())
            for method in methods:
                for seed in range(n_init):
                    if (name, method, seed) in there:
                        continue
                    begin = processor_seconds()
                    points = METHODS[method](graph, seed)
                    spent = processor_seconds() - begin
                    row = [name, method, seed, round(preserved(graph, points), 4), round(spent, 2)]
                    write.writerow(dict(zip(write.fieldnames, row, strict=True)))
                    file.flush()
                    print(*row, flush=True)


def publish(rows: list[dict]) -> None:
    """Write means over seeds, those of each half, and how much seeds differ."""
    methods = list(dict.fromkeys(row["method"] for row in rows))
    lines = []
    for what, graphs in (("chosen on", CHOSEN_ON), ("judged on", JUDGED_ON)):
        found = []
        for name in graphs:
            its = [row for row in rows if row["graph"] == name]
            found.append(_by_seed(its, methods))
            lines.append([name, *_shown(found[-1])])
        lines.append([f"**mean of {len(found)}, {what}**", *_shown(np.mean(found, axis=0))])
    spent = np.array([sum(float(row["cpu_s"]) for row in rows if row["method"] == method)
                      for method in methods])  # fmt: skip
    n_init = found[0].shape[1]
    lines.append(["processor seconds, all graphs", *(f"{each:.0f}" for each in spent / n_init)])
    shown = [dict(zip(["graph", *methods], line, strict=True)) for line in lines]
    versions = ", ".join(f"{name} {version(name)}" for name in ("igraph", "networkx"))
    caption = f"mean Jaccard index of {n_init} seeds ± standard deviation between seeds"
    command = f"python benchmarks/networks.py --seeds {n_init}; {versions}"
    write_table("benchmarks_loe-networks", caption, shown, command)


def _by_seed(rows: list[dict], methods: list[str]) -> np.ndarray:
    """Return the figures of a graph, a row per method and a column per seed."""
    return np.array(
        [[float(row["jaccard"]) for row in rows if row["method"] == method] for method in methods]
    )


def _shown(figures: np.ndarray) -> list[str]:
    """Write means and spreads of methods, the largest mean in bold."""
    means = [f"{mean:.3f}" for mean in figures.mean(axis=1)]
    return [
        f"{f'**{mean}**' if mean == max(means) else mean} ± {spread:.3f}"
        for mean, spread in zip(means, figures.std(axis=1), strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--methods", nargs="+", default=[*METHODS], choices=[*METHODS])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--output", type=Path, default=Path("networks.csv"))
    parser.add_argument("--publish", action="store_true", help="write the table of the page")
    warnings.simplefilter("ignore")
    asked = parser.parse_args()
    if asked.publish:
        publish(read_rows(asked.output))
    else:
        measure(asked.output, asked.methods, asked.seeds)


if __name__ == "__main__":
    main()
