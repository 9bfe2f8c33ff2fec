"""Run an experiment of the papers: ``python -m papers.run NAME --quick|--full [--seed N]``.

Without a name, all of them are listed with what they cost. Rows are written as they come: a run
that was stopped goes on where it was when the same command is given again.
"""

from __future__ import annotations

import argparse
import importlib
import math
import os
import sys
import time
import warnings
from pathlib import Path
from typing import NamedTuple

# one thread of linear algebra: the fits run side by side where a script has several
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import matplotlib
from sklearn.exceptions import ConvergenceWarning

from papers._common import Run, missing


class Script(NamedTuple):
    """What a script shows, what it costs and what it needs."""

    shows: str
    quick: str
    full: str
    extras: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    gpu: bool = False
    """Whether it takes ``--device``."""


PAGES = Path(__file__).parents[1] / "docs" / "results"
GRAPHS = ("igraph", "openTSNE", "networkx", "cvxpy")
SCRIPTS = {
    "loe.figure1": Script("LOE: error against the number of neighbours", "3 s", "3 min"),
    "loe.figure2": Script("two squares by every method", "5 s", "15 min", GRAPHS),
    "loe.figure3": Script("mixtures in 5-D, SPE and GNMDS's search", "20 s", "45 min", GRAPHS),
    "loe.figure3b": Script("one mixture of 1500 points in 5-D", "10 s", "3 min", GRAPHS),
    "loe.figure4": Script("the Desargues graph, beside printed numbers", "5 s", "2 min", GRAPHS),
    "loe.figure5": Script("time against the number of objects", "5 s", "10 min", GRAPHS),
    "loe.starts": Script("LOE's start and the Laplacian start", "2 s", "5 min", GRAPHS),
    "loe.supplement": Script("graphs, k, numbers of comparisons", "5 s", "3 min", GRAPHS),
    "loe.proposition4": Script("density and distances from an unweighted graph", "2 s", "5 min"),
    "loe.theorem3": Script("LOE's error as n grows, k as the theorem demands", "2 s", "10 min"),
    "tete.figure1": Script(
        "digits, 20 % of answers reversed", "10 s", "25 min", (), ("MNIST",), gpu=True
    ),
    "tete.figure2": Script("exp_t and log_t", "1 s", "1 s"),
    "tete.figure3": Script(
        "error against dimension and noise", "20 s", "30 min", (), ("MNIST",), gpu=True
    ),
    "tete.scenes": Script(
        "Figure 3 on MIT Scenes", "20 s", "20 min", (), ("MIT Scenes",), gpu=True
    ),
    "tete.figure6": Script(
        "t-SNE and Weighted t-ETE", "20 s", "15 min", ("h5py",), ("MNIST", "USPS", "COIL-20")
    ),
    "tete.descent": Script("Algorithm 1 for other t, and three solvers", "5 s", "5 min"),
    "tete.dimensions": Script(
        "t' in five and ten dimensions", "5 s", "15 min", (), ("music", "food", "cars")
    ),
    "tete.flips": Script("six losses under flips", "10 s", "20 min"),
    "tete.maps": Script("Figures 4 and 5: music, dishes", "20 s", "5 min", (), ("music", "food")),
    "tete.optimum": Script("what the capped loss is minimal at", "5 s", "10 min"),
    "kernels.figure3": Script("Figures 3 and 6: kernel matrices of toy data", "3 s", "30 s"),
    "kernels.figure4": Script(
        "Figures 4 and 9: dishes and cars", "2 s", "10 s", (), ("food", "cars")
    ),
    "kernels.figure5": Script(
        "Figures 5 and 7: purity and time", "10 s", "1 h", ("h5py",), ("USPS", "MNIST")
    ),
    "kernels.figure7": Script(
        "Figure 7: embeddings of k2 triplets", "10 s", "40 min", ("h5py",), ("USPS", "MNIST")
    ),
    "kernels.lloyd": Script(
        "Figure 5: Lloyd's rule beside Hartigan's", "2 s", "3 min", ("h5py",), ("USPS",)
    ),
    "kernels.figure8": Script("20,000 digits", "5 s", "1 min", (), ("MNIST",)),
    "kernels.nature": Script("Figures 10 to 14", "3 s", "1 min", (), ("nature",)),
    "kernels.lenses": Script("lens depth beside kernels and maps", "5 s", "2 min", (), ("cars",)),
    "dmoe.figure1": Script("margins and the loss", "3 s", "10 s"),
    "dmoe.theorem1": Script("the bound of Theorem 1 beside the measured risk", "3 s", "10 s"),
    "dmoe.synthetic": Script("Table 1 and Figure 2", "30 s", "45 min"),
    "dmoe.music": Script("Table 2 and Figure 3", "30 s", "2 h", (), ("music",)),
    "dmoe.rank_bound": Script("equation (15) beside (23); flipped answers", "10 s", "1 h"),
    "dmoe.svrg_sbb": Script("SVRG-SBB beside L-BFGS", "3 s", "1 min", (), ("music",)),
    "coe.table2": Script("COE and SOE, 100,000 triples", "20 s", "5 min", (), ("MovieLens",)),
    "coe.table3": Script("COE and its rivals", "30 s", "5 min", ("implicit",), ("MovieLens",)),
    "coe.table5": Script("COE and CODE", "50 s", "6 min", ("implicit",), ("Last.fm",)),
    "coe.table6": Script("COE and CODE", "40 s", "1 h", ("snowballstemmer",), ("20 Newsgroups",)),
    "coe.figure3": Script("both probabilities of a triple", "1 s", "1 s"),
    "coe.figure4": Script("three users", "3 s", "10 s", (), ("MovieLens",)),
    "coe.netflix_size": Script("a made-up table of Netflix's size", "10 s", "30 min"),
    "benchmark.evaluation": Script(
        "the field's systematic evaluation (JMLR 2023)", "10 s", "8 min"
    ),
    "benchmark.consistency": Script("map error against n for LOE, SOE, STE", "2 s", "3 min"),
    "benchmark.large": Script("the same for up to a million points", "5 s", "2 days", gpu=True),
    "why.coe_apart": Script(
        "COE's tables, both parts standardised apart",
        "20 s",
        "2 h",
        ("snowballstemmer",),
        ("MovieLens", "Last.fm", "20 Newsgroups"),
    ),
    "why.dmoe_stopped": Script(
        "DMOE's tables, stopped after five iterations", "3 s", "3 h", (), ("music",)
    ),
    "why.stopping": Script("the stopping rules of DMOE and LOE", "10 s", "8 min", GRAPHS),
    "why.coe_triples": Script(
        "Table 2 and Figure 4 of COE, parts apart", "5 s", "2 min", (), ("MovieLens",)
    ),
    "why.kernels_toolbox": Script(
        "Figure 5, GNMDS as in the toolbox", "3 s", "1 h", ("h5py",), ("USPS",)
    ),
    "why.tete_dimension": Script(
        "Figure 3(d) in two, five and ten dimensions", "5 s", "3 h", (), ("MNIST",)
    ),
    "why.tete_stopped": Script(
        "Figures 3(a) and 5, stopped early", "10 s", "5 min", (), ("MNIST", "music")
    ),
    "why.loe_dense_bfgs": Script("Figure 5, dense BFGS as in R", "3 s", "10 min", GRAPHS),
}
"""Every experiment, with the processor time it takes on one core of 2 GHz or so, roughly."""


def listing() -> str:
    """Return the table that ``make papers`` prints."""
    lines = [f"{'name':24}{'--quick':>9}{'--full':>9}  shows (data it needs)"]
    for name, script in SCRIPTS.items():
        needs = f" ({', '.join(script.data)})" if script.data else ""
        lines.append(f"{name:24}{script.quick:>9}{script.full:>9}  {script.shows}{needs}")
    return "\n".join(lines)


def run(
    name: str,
    *,
    quick: bool,
    seed: int = 0,
    output: Path | None = None,
    minutes: float = math.inf,
    device: str = "cpu",
) -> Run:
    """Run one script; its results lie in the folder of the run that is returned.

    After so many minutes nothing new is measured: tables and pictures are of the rows by then.
    """
    script = SCRIPTS[name]
    absent = missing(script.extras)
    if absent:
        raise SystemExit(f"{name} needs {' and '.join(absent)}: pip install 'ordinate[papers]'")
    if device != "cpu" and not script.gpu:
        some = " and ".join(name for name, script in SCRIPTS.items() if script.gpu)
        raise SystemExit(f"{name} computes on the CPU; --device is for {some}")
    folder = Path("results", *(["quick"] if quick else []), *name.split(".")[:1])
    this = Run(name, quick, seed, output or folder, time.monotonic() + 60 * minutes, device)
    matplotlib.use("Agg")
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        importlib.import_module(f"papers.{name}").main(this)
    return this


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m papers.run",
        description=__doc__,
        epilog=listing(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", nargs="?", choices=[*SCRIPTS, "all"], metavar="NAME")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="small, under a minute")
    size.add_argument("--full", action="store_true", help="as in the paper")
    parser.add_argument("--seed", type=int, default=0, help="the first seed (default: 0)")
    parser.add_argument("--output", type=Path, help="folder (default: results/[quick/]PAPER)")
    parser.add_argument(
        "--minutes",
        type=float,
        default=math.inf,
        help="measure nothing new after so many; 0 shows the rows there are",
    )
    parser.add_argument(
        "--device", default="cpu", help="where fits of large experiments run, such as cuda"
    )
    parser.add_argument(
        "--publish", action="store_true", help="take tables and pictures to docs/results"
    )
    chosen = parser.parse_args()
    if chosen.name is None:
        print(listing())
        return
    if not (chosen.quick or chosen.full):
        parser.error("say --quick or --full")
    if chosen.publish and chosen.quick:
        parser.error("--publish is for --full: pages show the sizes of the papers")
    for name in SCRIPTS if chosen.name == "all" else [chosen.name]:
        print(f"== {name}", file=sys.stderr)
        this = run(
            name,
            quick=chosen.quick,
            seed=chosen.seed,
            output=chosen.output,
            minutes=chosen.minutes,
            device=chosen.device,
        )
        for path in this.publish(PAGES) if chosen.publish else ():
            print(f"published {path}", file=sys.stderr)


if __name__ == "__main__":
    main()
