"""Networks drawn by Ordinate and others: neighbourhoods, stress, hidden nodes, crossings, time.

jaccard: mean Jaccard index of each node's neighbours and as many nearest nodes. stress: mean over
pairs of (distance / path length - 1)² at the best scale. hidden: share of nodes whose nearest node
lies within 0.4 % of the width of the drawing. crossings: of edges, per edge. KK
(Kamada-Kawai), DrL and FR (Fruchterman-Reingold) are igraph's; sfdp is Graphviz'.

    python benchmarks/networks.py --seeds 3 --output networks.csv
    python benchmarks/networks.py --publish --output networks.csv
    python benchmarks/networks.py --pictures

Rows are appended as they come, and those that are there are not made again.
"""

import argparse
import csv
import random
import resource
import shutil
import subprocess
import warnings
from importlib.metadata import version
from itertools import product
from pathlib import Path

import igraph
import networkx as nx
import numpy as np
from pages import write_table
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import pdist, squareform

import ordinate as od


def block_model(seed: int) -> nx.Graph:
    chances = [[0.4 if i == j else 0.01 for i in range(4)] for j in range(4)]
    return nx.stochastic_block_model([30] * 4, chances, seed=seed)


def lobster(n: int, seed: int) -> nx.Graph:
    """Return a path whose nodes have one or two branches of up to two steps."""
    rng = np.random.default_rng(seed)
    graph = nx.path_graph(n)
    for node in range(n):
        for _ in range(rng.integers(1, 3)):
            nx.add_path(
                graph, [node, *(f"{node}.{len(graph)}.{k}" for k in range(rng.integers(1, 3)))]
            )
    return graph


CHOSEN_ON = {
    "lobster": lambda seed: lobster(40, seed),
    "small world": lambda seed: nx.connected_watts_strogatz_graph(120, 6, 0.1, seed=seed),
    "hubs": lambda seed: nx.barabasi_albert_graph(150, 2, seed=seed),
    "four blocks": block_model,
    "cavemen": lambda _: nx.connected_caveman_graph(12, 8),
    "grid": lambda _: nx.grid_2d_graph(12, 12),
    "ternary tree": lambda _: nx.balanced_tree(3, 4),
    "geometric": lambda seed: nx.random_geometric_graph(150, 0.15, seed=seed),
    "clustered hubs": lambda seed: nx.powerlaw_cluster_graph(150, 3, 0.5, seed=seed),
    "random": lambda seed: nx.gnm_random_graph(100, 200, seed=seed),
}
JUDGED_ON = {
    "Les Misérables": lambda _: nx.les_miserables_graph(),
    "Florentine families": lambda _: nx.florentine_families_graph(),
    "Southern women": lambda _: nx.davis_southern_women_graph(),
    "karate club": lambda _: nx.karate_club_graph(),
    "Meredith": lambda _: igraph.Graph.Famous("Meredith").to_networkx(),
    "dodecahedron": lambda _: nx.dodecahedral_graph(),
    "hypercube": lambda _: nx.hypercube_graph(6),
    "ring of cliques": lambda _: nx.ring_of_cliques(10, 6),
    "triangles": lambda _: nx.triangular_lattice_graph(8, 20),
    "round ladder": lambda _: nx.circular_ladder_graph(40),
    "random tree": lambda seed: nx.random_labeled_tree(150, seed=seed + 7),
    "long lobster": lambda seed: lobster(60, seed + 11),
    "short cuts": lambda seed: nx.newman_watts_strogatz_graph(200, 4, 0.05, seed=seed + 7),
    "partition": lambda seed: nx.gaussian_random_partition_graph(
        150, 20, 10, 0.3, 0.01, directed=False, seed=seed + 7
    ),
    "Waxman": lambda seed: nx.waxman_graph(200, 0.6, 0.12, seed=seed + 7),
    "three links each": lambda seed: nx.barabasi_albert_graph(200, 3, seed=seed + 7),
}
"""Graphs on which no setting was chosen."""


def connected(graph: nx.Graph) -> nx.Graph:
    """Return the largest connected component without loops, its nodes numbered."""
    graph = nx.Graph(graph)
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    return nx.convert_node_labels_to_integers(
        graph.subgraph(max(nx.connected_components(graph), key=len))
    )


FIGURES = ("jaccard", "stress", "hidden", "crossings")


def judge(graph: nx.Graph, points: np.ndarray) -> dict[str, float]:
    """Return how good a drawing is."""
    adjacency = nx.to_scipy_sparse_array(graph, weight=None)
    paths = shortest_path(adjacency, unweighted=True)
    gaps = squareform(pdist(points))
    far = paths > 0
    ratio = gaps[far] / paths[far]
    np.fill_diagonal(gaps, np.inf)
    return {
        "jaccard": od.metrics.neighborhood_jaccard(adjacency, points),
        "stress": float(np.mean((ratio * ratio.sum() / (ratio**2).sum() - 1) ** 2)),
        "hidden": float(np.mean(gaps.min(axis=1) < 0.004 * np.ptp(points, axis=0).max())),
        "crossings": count_crossings(points, np.array(graph.edges)) / graph.number_of_edges(),
    }


def count_crossings(points: np.ndarray, edges: np.ndarray) -> int:
    def side(a, b, c):
        return np.sign(np.cross(b - a, c - a))

    found = 0
    for at, (i, j) in enumerate(edges):
        rest = edges[at + 1 :]
        rest = rest[~np.isin(rest, (i, j)).any(axis=1)]
        a, b, (c, d) = points[i], points[j], points[rest].swapaxes(0, 1)
        found += int(
            ((side(a, b, c) * side(a, b, d) < 0) & (side(c, d, a) * side(c, d, b) < 0)).sum()
        )
    return found


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


def ours(estimator: type):
    def draw(graph: nx.Graph, seed: int) -> np.ndarray:
        return estimator(random_state=seed, n_jobs=None).fit(graph).embedding_

    return draw


METHODS = {
    "GraphStress": ours(od.GraphStress),
    "GraphTSTE": ours(od.GraphTSTE),
    "LOE": ours(od.LOE),
    "KK": layout_of("kamada_kawai"),
    "FR": layout_of("fruchterman_reingold"),
    "DrL": layout_of("drl"),
}
if shutil.which("sfdp"):
    METHODS["sfdp"] = sfdp


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
    """Append how well each method draws each graph, and its time, by seed."""
    there = {(row["graph"], row["method"], int(row["seed"])) for row in read_rows(output)}
    for method in methods:  # compile
        METHODS[method](nx.cycle_graph(9), 0)
    with output.open("a", newline="") as file:
        write = csv.DictWriter(file, ["graph", "method", "seed", *FIGURES, "cpu_s"])
        if not there:
            write.writeheader()
        for (name, make), seed in product((CHOSEN_ON | JUDGED_ON).items(), range(n_seeds)):
            graph = connected(make(seed))
            for method in (each for each in methods if (name, each, seed) not in there):
                begin = processor_seconds()
                points = METHODS[method](graph, seed)
                row = {"graph": name, "method": method, "seed": seed, **judge(graph, points)}
                row["cpu_s"] = processor_seconds() - begin
                write.writerow(
                    {k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()}
                )
                file.flush()


def publish(rows: list[dict]) -> None:
    """Write means over the graphs of each half, and the worst stress beside the best peer's."""
    methods = list(dict.fromkeys(row["method"] for row in rows))
    n_seeds = len({row["seed"] for row in rows})
    peers = [name for name in methods if name in ("sfdp", "KK")]
    shown = []
    for what, graphs in (("chosen on", CHOSEN_ON), ("judged on", JUDGED_ON)):
        for method in methods:
            its = [row for row in rows if row["method"] == method and row["graph"] in graphs]
            line = {"graphs": f"{len(graphs)} {what}", "method": method}
            line |= {name: f"{np.mean([float(row[name]) for row in its]):.3f}" for name in FIGURES}
            worst = max(
                float(row["stress"])
                / min(float(p["stress"]) for p in rows if p["method"] in peers and same(p, row))
                for row in its
            )
            shown.append(line | {"worst stress, of the best peer's": f"{worst:.2f}"})
    versions = ", ".join(f"{name} {version(name)}" for name in ("igraph", "networkx"))
    command = f"python benchmarks/networks.py --seeds {n_seeds}; {versions}"
    write_table("graphs-drawings", f"mean of {n_seeds} seeds", shown, command)


def same(one: dict, other: dict) -> bool:
    return (one["graph"], one["seed"]) == (other["graph"], other["seed"])


SHOWN = ("Les Misérables", "ring of cliques", "long lobster", "random tree", "triangles")
SHOWN += ("short cuts", "partition", "hypercube")


def draw_pictures(path: Path) -> None:
    """Draw eight graphs by four methods."""
    import matplotlib.pyplot as plt
    from matplotlib.collections import LineCollection

    methods = [name for name in ("GraphStress", "GraphTSTE", "LOE", "sfdp") if name in METHODS]
    figure, grid = plt.subplots(
        len(SHOWN), len(methods), figsize=(3 * len(methods), 3 * len(SHOWN)), layout="constrained"
    )
    for row, name in zip(grid, SHOWN, strict=True):
        graph = connected(JUDGED_ON[name](0))
        for ax, method in zip(row, methods, strict=True):
            points = METHODS[method](graph, 0)
            lines = LineCollection(points[np.array(graph.edges)], linewidths=0.5, colors="0.6")
            ax.add_collection(lines)
            ax.scatter(*points.T, s=6, color="#2166ac", zorder=2)
            ax.set_aspect("equal")
            ax.set_axis_off()
            if name == SHOWN[0]:
                ax.set_title(method)
    figure.savefig(path, dpi=70)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--methods", nargs="+", default=[*METHODS], choices=[*METHODS])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--output", type=Path, default=Path("networks.csv"))
    parser.add_argument("--publish", action="store_true", help="write the table of the page")
    parser.add_argument("--pictures", action="store_true", help="draw the picture of the page")
    warnings.simplefilter("ignore")
    asked = parser.parse_args()
    if asked.pictures:
        draw_pictures(Path(__file__).parents[1] / "docs" / "results" / "graphs-drawings.png")
    elif asked.publish:
        publish(read_rows(asked.output))
    else:
        measure(asked.output, asked.methods, asked.seeds)


if __name__ == "__main__":
    main()
