"""Table 2 and Figure 3: answers about music artists."""

from papers._common import Run
from papers.dmoe.tables import run_tables


def main(run: Run) -> None:
    """Fit, print and draw."""
    run_tables(run, "music")
