"""Figure 2: the generalized exponential and logarithm for several temperatures."""

import numpy as np
from matplotlib.figure import Figure

from ordinate.losses import exp_t, log_t
from papers._common import Run, print_table

TEMPERATURES = (0.5, 1.0, 1.5, 2.0)


def main(run: Run) -> None:
    """Draw both functions; print what the logarithm is capped at."""
    chart = Figure(figsize=(8, 3.4), layout="constrained")
    left, right = chart.subplots(1, 2)
    x, positive = np.linspace(-4, 0.9, 300), np.geomspace(0.02, 8, 300)
    for t in TEMPERATURES:
        left.plot(x, exp_t(x, t), label=f"t = {t:g}")
        right.plot(positive, log_t(positive, t), label=f"t = {t:g}")
    left.set(title="(a) exp_t", ylim=(0, 4))
    right.set(title="(b) log_t", ylim=(-4, 4))
    left.legend(frameon=False)
    chart.savefig(run.path("figure2.png"), dpi=70)
    with run.table("figure2") as table:
        for t in TEMPERATURES:
            table.row(
                {"t": t},
                lambda t=t: {
                    "cap of log_t": 1 / (t - 1) if t > 1 else "",
                    "log_t(1e9)": float(log_t(1e9, t)),
                    "log_t(exp_t(0.5))": float(log_t(exp_t(0.5, t), t)),
                },
            )
    print_table(table.found)
