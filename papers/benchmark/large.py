"""The sizes of the systematic evaluation that take days: a million points, fifty dimensions."""

from papers._common import Run
from papers.benchmark.evaluation import Setting, evaluate

SWEEPS = {"d": (20, 50), "n": (3000, 10_000, 100_000, 1_000_000)}


def main(run: Run) -> None:
    """Go on where `benchmark.evaluation` ends."""
    base, sweeps = run.size((Setting(n=40), {"n": (40,)}), (Setting(n=1000), SWEEPS))
    evaluate(run, "large", base, sweeps, run.seeds(1, 3))
