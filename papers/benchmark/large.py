"""The sizes of the systematic evaluation that take days: a million points, fifty dimensions.

On a GPU (``--device cuda``) the methods of the library take seconds and the network takes minutes.
Landmark methods run on the CPU. `LARGEST` leaves out what was not done within some minutes.
"""

from papers._common import Run
from papers.benchmark.evaluation import CAPTION, Setting, evaluate, page_rows

SWEEPS = {"d": (20, 50), "n": (3000, 10_000, 100_000, 1_000_000)}
LARGEST = {"LSOE": 100_000, "LLOE": 10_000, "LOE, landmarks": 100_000, "OENN": 10_000}


def main(run: Run) -> None:
    """Go on where `benchmark.evaluation` ends."""
    base, sweeps = run.size((Setting(n=40), {"n": (40,)}), (Setting(n=1000), SWEEPS))
    table = evaluate(run, "large", base, sweeps, run.seeds(1, 3), LARGEST)
    seconds = [
        {**row, "": f"{row['']}, seconds"} for row in page_rows(table.found, "seconds", scale=1)
    ]
    caption = f"{CAPTION}; and seconds by the clock"
    run.page(table, caption, page_rows(table.found) + seconds)
