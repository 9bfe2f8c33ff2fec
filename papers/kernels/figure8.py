"""Figure 8: 20,000 digits by kernel PCA of k1 and by GNMDS.

30 landmarks and 150 triplets per object for k1, as many random triplets for GNMDS. The paper gives
900 s for k1 and more than 6000 s for GNMDS, and shows both maps.
"""

import time
import warnings

import numpy as np
from matplotlib.figure import Figure

import ordinate as od
from papers._common import Run, print_table
from papers.tete.protocol import digits


def main(run: Run) -> None:
    """Time both and draw them."""
    n_objects = run.size(200, 20_000)
    points, labels = digits(n_objects, run.seed)
    rng = np.random.default_rng([run.seed, 8])
    landmarks = od.sources.choose_landmarks(30, n_objects=n_objects, random_state=rng)
    chart = Figure(figsize=(9, 4.5), layout="constrained")
    axes = chart.subplots(1, 2)

    def kernel_map():
        answers = od.sources.landmark_triplets(
            points, landmarks, design="k1", size=150 * n_objects, random_state=rng
        )
        with warnings.catch_warnings(action="ignore", category=od.kernels.WithoutDataWarning):
            return od.kernels.kernel_pca(od.K1(landmarks=landmarks).fit(answers), 2)

    def gnmds_map():
        answers = od.sources.random_triplets(points, 150 * n_objects, random_state=rng)
        return od.GNMDS(2, random_state=run.seed).fit(answers).embedding_

    with run.table("figure8", total=2) as table:
        for ax, (name, make) in zip(
            axes, {"k1, kernel PCA": kernel_map, "GNMDS": gnmds_map}.items(), strict=True
        ):
            begin = time.process_time()
            found = run.points(f"figure8-{n_objects}-{name}", make)
            seconds = time.process_time() - begin
            table.row(
                {"seed": run.seed, "n": n_objects, "method": name},
                lambda found=found, seconds=seconds: {
                    "1-NN accuracy": 1 - od.metrics.nearest_neighbor_error(found, labels),
                    "processor seconds": seconds,
                },
            )
            ax.scatter(*found.T, c=labels, cmap="tab10", s=1, linewidths=0)
            ax.set_title(name)
            ax.set_axis_off()
    print_table(table.found)
    chart.savefig(run.path("figure8.png"), dpi=70)
