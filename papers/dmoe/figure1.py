"""Figure 1: how nu gathers the margins of training answers around the one aimed at.

    python papers/dmoe/figure1.py --output results/dmoe

The paper sketches the distribution; here it is measured, on 1,000 triplets of its synthetic data.
"""

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from experiment import DIMENSIONS, Task, split

import ordinate as od


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", type=Path, default=Path("results/dmoe"))
    parser.add_argument("--quick", action="store_true", help="200 triplets")
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    train, test = split(Task("synthetic", 200 if options.quick else 1000, 0))
    fig, axes = plt.subplots(1, 3, figsize=(8.4, 2.7), sharey=True, layout="constrained")
    print("nu     mean    variance   training error   test error")
    for ax, nu in zip(axes, (0.0, 0.1, 1.0), strict=True):
        model = od.DMOE(DIMENSIONS["synthetic"], nu=nu, penalty=3.0).fit(train)
        found = model.margin_distribution(train)
        training, testing = 1 - model.score(train), 1 - model.score(test)
        print(f"{nu:<5g}{found.mean:7.3f}{found.variance:11.3f}{training:16.3f}{testing:13.3f}")
        ax.hist(found.margins, bins=np.arange(-2, 5.01, 0.2), color="tab:blue")
        ax.axvline(1.0, color="tab:red", linewidth=1)
        ax.set(title=f"ν = {nu:g}", xlabel="margin of a training answer")
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    axes[0].set_ylabel("answers")
    fig.savefig(options.output / "figure1.png", dpi=80)


if __name__ == "__main__":
    main()
