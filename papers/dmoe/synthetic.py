"""Table 1 and Figure 2: 100 points in ten dimensions."""

from papers._common import Run
from papers.dmoe.tables import run_tables


def main(run: Run) -> None:
    """Fit, print and draw."""
    run_tables(run, "synthetic")
