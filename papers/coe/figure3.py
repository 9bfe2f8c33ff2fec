"""Figure 3: the probability of a triple against the difference of its distances."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from papers._common import Run, print_table

SCALES = (0.5, 1.0, 2.0)
"""The λ or α of the paper; the library leaves them out, as only their ratio to η matters."""


def sigmoid(delta: np.ndarray, scale: float) -> np.ndarray:
    """Return (3.2)."""
    return 1 / (1 + np.exp(-scale * delta))


def gompertz(delta: np.ndarray, scale: float) -> np.ndarray:
    """Return (3.3)."""
    return np.exp(-np.log(2) * np.exp(-scale * delta))


FUNCTIONS = {"(a) sigmoid": sigmoid, "(b) Gompertz": gompertz}


def main(run: Run) -> None:
    """Draw both functions; print how a wrong and a right triple of the same size are judged."""
    chart = Figure(figsize=(8, 3.4), layout="constrained")
    delta = np.linspace(-6, 6, 300)
    with run.table("figure3") as table:
        for ax, (name, function) in zip(chart.subplots(1, 2), FUNCTIONS.items(), strict=True):
            for scale in SCALES:
                ax.plot(delta, function(delta, scale), label=f"scale {scale:g}")
                table.row(
                    {"function": name, "scale": scale},
                    lambda function=function, scale=scale: {
                        f"P({at})": float(function(np.float64(at), scale)) for at in (-2, 0, 2)
                    },
                )
            ax.set(title=name, xlabel="Δ", ylabel="probability")
            ax.legend(frameon=False)
    chart.savefig(run.path("figure3.png"), dpi=70)
    print_table(table.found)
