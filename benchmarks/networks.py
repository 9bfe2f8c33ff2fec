"""Networks laid out by LOE, GraphTSTE and others: neighbourhoods preserved, processor time.

A neighbourhood is preserved as far as an object's k nearest on the map are its k neighbours: the
mean over objects of the Jaccard index of the two sets. UMAP's layout, DrL and FR
(Fruchterman–Reingold) are igraph's, ForceAtlas2 is networkx's; sfdp (Graphviz) and pymde are run
where they are installed.

Run: python benchmarks/networks.py [--large]
"""

import argparse
import gzip
import importlib.util
import os
import random
import resource
import shutil
import subprocess
import time
import warnings
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
from pages import conditions, list_table
from scipy.spatial import cKDTree
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
    degrees = dict(graph.degree)
    nearest = cKDTree(points).query(points, min(max(degrees.values()) + 1, len(points)))[1]
    indices = []
    for i, row in enumerate(nearest):
        near = set(row[row != i][: degrees[i]].tolist())
        common = len(near & set(graph[i]))
        indices.append(common / (2 * degrees[i] - common))
    return float(np.mean(indices))


def layout_of(name: str):
    def draw(graph: nx.Graph) -> np.ndarray:
        drawn = igraph.Graph(n=len(graph), edges=list(graph.edges))
        return np.array(getattr(drawn, f"layout_{name}")().coords)

    return draw


def sfdp(graph: nx.Graph) -> np.ndarray:
    text = "graph {" + ";".join(f"{a} -- {b}" for a, b in graph.edges) + "}"
    plain = subprocess.run(
        ["sfdp", "-Tplain"], input=text, capture_output=True, text=True, check=True
    )
    nodes = (line.split() for line in plain.stdout.splitlines() if line.startswith("node"))
    places = {int(node[1]): (float(node[2]), float(node[3])) for node in nodes}
    return np.array([places[i] for i in range(len(graph))])


def force_atlas(graph: nx.Graph) -> np.ndarray:
    places = nx.forceatlas2_layout(graph, seed=0)
    return np.array([places[i] for i in range(len(graph))])


def pymde_neighbors(graph: nx.Graph) -> np.ndarray:
    """Attract neighbours and repel as many other pairs, pymde's recipe for neighbourhoods."""
    import pymde
    import torch

    edges = torch.tensor(list(graph.edges))
    others = pymde.preprocess.dissimilar_edges(len(graph), len(edges), edges, seed=0)
    weights = torch.cat([torch.ones(len(edges)), -torch.ones(len(others))])
    penalty = pymde.penalties.PushAndPull(weights)
    problem = pymde.MDE(len(graph), 2, torch.cat([edges, others]), penalty, pymde.Standardized())
    return problem.embed().numpy()


METHODS = {
    "GraphTSTE": lambda graph: od.GraphTSTE(random_state=0, n_jobs=None).fit(graph).embedding_,
    "LOE": lambda graph: od.LOE(random_state=0, n_jobs=None).fit(graph).embedding_,
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


def measure(graphs: dict) -> tuple[dict, dict]:
    """Return what each method preserves of each graph, and its time."""
    kept: dict[str, list[float]] = {}
    spent: dict[str, list[float]] = {}
    for name, make in graphs.items():
        graph = connected(make())
        kept[name], spent[name] = [], []
        for draw in METHODS.values():
            random.seed(0)
            begin = processor_seconds()
            points = draw(graph)
            spent[name].append(processor_seconds() - begin)
            kept[name].append(preserved(graph, points))
        print(name, *(f"{value:.3f}" for value in kept[name]), flush=True)
        print(name, *(f"{value:.1f} s" for value in spent[name]), flush=True)
    return kept, spent


def tables() -> str:
    """Measure all graphs, and return the table of what they give."""
    for draw in METHODS.values():  # compile
        draw(nx.cycle_graph(9))
    rows, seconds = [], []
    for what, graphs in (("chosen on", CHOSEN_ON), ("judged on", JUDGED_ON)):
        kept, spent = measure(graphs)
        for name, values in kept.items():
            best = max(round(value, 3) for value in values)
            rows.append([name, *(_shown(round(value, 3), best) for value in values)])
        means = np.mean(list(kept.values()), axis=0).round(3)
        rows.append([f"**mean of {len(kept)}, {what}**", *(_shown(m, means.max()) for m in means)])
        seconds += list(spent.values())
    rows.append(["processor seconds, all", *(f"{s:.0f}" for s in np.sum(seconds, axis=0))])
    load = f"load {os.getloadavg()[0]:.0f}"
    told = f"{conditions('igraph', 'networkx')}; {load}; ``python benchmarks/networks.py``."
    return f"{list_table(['graph', *METHODS], rows)}\n\n{told}"


def _shown(value: float, best: float) -> str:
    return f"**{value:.3f}**" if value == best else f"{value:.3f}"


def large(n: int = 100_000) -> None:
    """Lay out a large network with hubs, clusters and long links."""
    network = igraph.Graph.Forest_Fire(n, fw_prob=0.37, bw_factor=0.32)
    edges = np.array(network.get_edgelist())
    graph = od.NeighborGraph.from_edges(edges, n_objects=n)
    begin, cpu = time.perf_counter(), time.process_time()
    model = od.GraphTSTE(random_state=0).fit(graph)
    print(
        f"{n:,} nodes, {len(edges):,} edges, largest degree {graph.degrees.max():,}:"
        f" {time.perf_counter() - begin:.0f} s, {time.process_time() - cpu:.0f} processor seconds,"
        f" score {model.score(graph):.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="only time a network of 10^5 nodes")
    parser.add_argument("--without", nargs="*", default=[], help="methods to leave out")
    warnings.simplefilter("ignore")
    chosen = parser.parse_args()
    for name in chosen.without:
        del METHODS[name]
    if chosen.large:
        large()
    else:
        print(tables())


if __name__ == "__main__":
    main()
