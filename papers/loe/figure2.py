"""Figure 2: two dense squares drawn from their neighbour graph by every method."""

from __future__ import annotations

import time

from baselines import DRAWN_FROM_GRAPH
from experiment import arguments, draw_maps, measures, print_table, write_rows

import ordinate as od


def main() -> None:
    """Measure and draw the maps of both graphs."""
    chosen = arguments(__doc__)
    rows = []
    for n, k in [(200, 20)] if chosen.quick else [(2000, 204), (5000, 17)]:
        truth = od.datasets.make_two_squares(n, random_state=0).points
        graph = od.NeighborGraph.from_points(truth, k)
        maps = {"original": truth}
        for name, draw in DRAWN_FROM_GRAPH.items():
            begin = time.perf_counter()
            points = draw(graph, 0)
            seconds = time.perf_counter() - begin
            maps[name] = od.metrics.procrustes_align(points, truth)
            rows.append({"n": n, "k": k, "method": name, **measures(graph, points, truth)})
            rows[-1]["seconds"] = seconds
            print_table(rows[-1:])
        draw_maps(chosen.output / f"figure2-{n}.png", maps, truth[:, 0] + 0.3 * truth[:, 1], 3)
    print_table(rows)
    print("Paper: LOE is the only method that keeps the density (no numbers are given).")
    write_rows(chosen.output / "figure2", rows)


if __name__ == "__main__":
    main()
