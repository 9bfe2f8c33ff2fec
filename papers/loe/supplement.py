"""The experiments of the supplement, as far as the paper's text describes them.

More drawings of graphs; the error against k on other points than Figure 1's; soft ordinal embedding
with varying numbers of comparisons; and two squares of so few points that GNMDS and SPE manage.
Which graphs and how many points the supplement has is not said: they are chosen here.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
from matplotlib.figure import Figure

import ordinate as od
from papers._common import Row, Run, print_table, summarise
from papers.loe.baselines import DRAWN_FROM_GRAPH, searched_gnmds, structure_preserving_embedding
from papers.loe.experiment import measures, recovered_graph
from papers.loe.figure1 import one_row

GRAPHS = {
    "Heawood": nx.heawood_graph,
    "Möbius–Kantor": nx.moebius_kantor_graph,
    "dodecahedron": nx.dodecahedral_graph,
    "karate club": nx.karate_club_graph,
    "grid": lambda: nx.grid_2d_graph(6, 6),
}
N_SQUARES, K_SQUARES = 50, 8


def drawings(run: Run) -> None:
    """Draw graphs by every method."""
    graphs = dict(list(GRAPHS.items())[: run.size(1, len(GRAPHS))])
    figure = Figure(figsize=(2.4 * len(graphs), 2.6), layout="constrained")
    axes = figure.subplots(1, len(graphs), squeeze=False)[0]
    with run.table("drawings", total=len(graphs) * len(DRAWN_FROM_GRAPH)) as table:
        for ax, (name, make) in zip(axes, graphs.items(), strict=True):
            # the karate club has weights; an edge is an edge here
            graph = od.NeighborGraph.from_adjacency(nx.to_numpy_array(make(), weight=None))
            for method, draw in DRAWN_FROM_GRAPH.items():
                points = run.points(f"drawings-{name}-{method}", lambda d=draw, g=graph: d(g, 0))
                row = table.row(
                    {"graph": name, "n": graph.n_objects, "method": method},
                    lambda graph=graph, points=points: {"GARI": recovered_graph(graph, points)},
                )
            heads = np.repeat(np.arange(graph.n_objects), graph.degrees)  # the last method is LOE
            ax.plot(*points[np.column_stack([heads, graph.indices])].T, color="0.7", linewidth=0.8)
            ax.scatter(*points.T, s=14, zorder=2)
            ax.set_title(f"{name}, GARI {row['GARI']:.2f}", fontsize=9)
            ax.set_aspect("equal")
            ax.set_axis_off()
    figure.savefig(run.path("drawings.png"), dpi=80)
    run.page(table, "GARI of drawings", pivoted(table.found, "graph", "method", "GARI"))


def pivoted(rows: list[Row], across: str, down: str, of: str) -> list[Row]:
    """Return a row for each value of one column, with those of another side by side."""
    lines: dict[str, Row] = {}
    for row in rows:
        line = lines.setdefault(row[down], {down: row[down]})
        line[str(row[across])] = f"{row[of]:.3f}"
    return list(lines.values())


def neighbours(run: Run) -> None:
    """Measure LOE against k for three Gaussians in the plane."""
    n, shares = run.size((60, (0.2,)), (300, (0.03, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95)))
    truth = od.datasets.make_mixture(n, 2, random_state=run.seed).points
    with run.table("neighbours", total=len(shares)) as table:
        for k in (round(share * n) for share in shares):
            table.row({"seed": run.seed, "n": n, "k": k}, lambda k=k: one_row(truth, k, run.seed))
    shown = ("k", "GARI", "procrustes", "density")
    run.page(
        table, f"LOE, {n} points", [{name: row[name] for name in shown} for row in table.found]
    )


def numbers_of_comparisons(run: Run) -> None:
    """Measure SOE of random quadruplets against how many there are."""
    n, sizes = run.size((30, (500,)), (100, (250, 500, 1000, 2000, 5000, 10_000, 50_000)))
    seeds = run.seeds(1, 5)
    with run.table("comparisons", total=len(sizes) * len(seeds)) as table:
        for size in sizes:
            for seed in seeds:
                table.row(
                    {"n": n, "comparisons": size, "seed": seed},
                    lambda size=size, seed=seed: soe_row(n, size, seed),
                )
    summary = summarise(table.found, ("comparisons",), ("error", "procrustes"))
    print_table(summary)
    run.page(table, f"SOE, {n} points of two squares, mean over draws", summary)


def soe_row(n: int, size: int, seed: int) -> Row:
    """Fit SOE to quadruplets; judge it by other ones and by the points."""
    truth = od.datasets.make_two_squares(n, random_state=seed).points
    answers = od.sources.random_quadruplets(truth, size, random_state=seed)
    test = od.sources.random_quadruplets(truth, 10_000, random_state=seed + 1000)
    points = od.SOE(2, random_state=seed).fit(answers).embedding_
    return {
        "error": od.metrics.triplet_error(test, points),
        "procrustes": od.metrics.procrustes_distance(points, truth),
    }


def small_squares(run: Run) -> None:
    """Compare all methods where GNMDS and SPE can be run."""
    truth = od.datasets.make_two_squares(N_SQUARES, random_state=run.seed).points
    graph = od.NeighborGraph.from_points(truth, K_SQUARES)
    methods = {
        **DRAWN_FROM_GRAPH,
        "GNMDS, searched": lambda graph, seed: searched_gnmds(graph, (0.5, 1, 2, 5, 10, 20, 50)),
        "SPE": lambda graph, seed: structure_preserving_embedding(graph),
    }
    with run.table("squares", total=len(methods)) as table:
        for name, draw in methods.items():
            table.row(
                {"seed": run.seed, "n": N_SQUARES, "method": name},
                lambda draw=draw: measures(graph, draw(graph, run.seed), truth),
            )
    shown = ("method", "gari", "err", "density", "procrustes")
    rows = [{name: row[name] for name in shown} for row in table.found]
    print_table(rows)
    run.page(table, f"two squares, {N_SQUARES} points, {K_SQUARES} neighbours", rows)


def main(run: Run) -> None:
    """Do the four, the last of them in full runs alone."""
    drawings(run)
    neighbours(run)
    numbers_of_comparisons(run)
    if not run.quick:
        small_squares(run)
