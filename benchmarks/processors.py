"""How far maps differ between kinds of processor: the same fits under the settings of CI.

    python benchmarks/processors.py [SETS]     # sets of answers per method, 60 unless told

Each setting of ``tests/processors.py`` fits the same sets with the same seeds in a process of its
own. A map is compared with that of this machine as it is, moved, turned and mirrored onto it; the
difference is the largest move of an object, as a share of the map's root mean square size. Losses
that end a fit because they are as good as zero do not differ. The table goes into
docs/results/processors.rst.
"""

import os
import pickle
import runpy
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from scipy.linalg import orthogonal_procrustes

ROOT = Path(__file__).resolve().parent.parent
METHODS = ["SOE", "GNMDS", "CKL", "STE", "TSTE", "TETE", "LOE"]
SAME = 1e-6
PAGE = ROOT / "docs" / "results" / "processors.rst"
HEAD = [
    "method",
    "pairs of maps",
    "not converged",
    "same to 1e-6",
    "median difference of the others",
]
HEAD += ["losses more than 0.1% apart", "largest difference of losses"]


def fits(n_sets):
    """Return coordinates, loss and whether it converged, by method and set."""
    import ordinate as od

    warnings.simplefilter("ignore")
    found = {}
    for seed in range(n_sets):
        rng = np.random.default_rng(seed)
        n_objects, dimension = int(rng.integers(10, 60)), int(rng.integers(1, 4))
        points = rng.normal(size=(n_objects, dimension))
        noise = od.sources.FlippedAnswers(float(rng.uniform(0, 0.3)))
        answers = od.sources.random_triplets(points, 20 * n_objects, noise=noise, random_state=seed)
        graph = od.NeighborGraph.from_points(points, 5)
        for name in METHODS:
            # without a penalty maps of the same answers can differ most
            published = {"penalty": 0.0} if name in ("STE", "CKL") else {}
            model = getattr(od, name)(dimension, random_state=0, **published)
            model.fit(graph if name == "LOE" else answers)
            zero = model.tol * (graph.n_edges if name == "LOE" else len(answers))
            found[name, seed] = model.embedding_, max(model.loss_, zero), model.converged_
    return found


def difference(one, other):
    """Return the largest move of an object between two maps, as a share of their size."""
    one, other = one - one.mean(axis=0), other - other.mean(axis=0)
    turn, _ = orthogonal_procrustes(other, one)
    return np.linalg.norm(other @ turn - one, axis=1).max() / np.sqrt(np.mean(one**2))


def measured(name, variables, n_sets, folder):
    """Run the fits in a process of their own."""
    path = Path(folder) / f"{name}.pickle"
    command = [sys.executable, __file__, str(n_sets), str(path)]
    subprocess.run(command, check=True, env={**os.environ, **variables})
    return pickle.loads(path.read_bytes())


def row_of(method, pairs):
    """Return a method's row from pairs of fits: this machine's and another setting's."""
    missed = sum(not (one[2] and other[2]) for one, other in pairs)
    maps = np.array([difference(one[0], other[0]) for one, other in pairs])
    losses = np.array([abs(other[1] - one[1]) / one[1] for one, other in pairs])
    apart = f"{np.median(maps[maps > SAME]):.0e}" if (maps > SAME).any() else "–"
    largest = f"{losses.max():.2%}" if losses.max() >= 1e-4 else "below 0.01%"
    same, different = f"{np.mean(maps <= SAME):.0%}", int(np.sum(losses > 1e-3))
    return method, len(maps), missed, same, apart, different, largest


def main(n_sets):
    from pages import conditions, list_table, put_tables

    settings = runpy.run_path(str(ROOT / "tests" / "processors.py"))
    with tempfile.TemporaryDirectory() as folder:
        base = measured("base", {}, n_sets, folder)
        others = {
            name: measured(name, settings["environment"](setting, Path(folder)), n_sets, folder)
            for name, setting in settings["SETTINGS"].items()
            if not settings["lacks"](setting)
        }
    rows = []
    for method in METHODS:
        seeds = range(n_sets)
        pairs = [(base[method, s], found[method, s]) for found in others.values() for s in seeds]
        rows.append(row_of(method, pairs))
        print(*rows[-1], flush=True)
    how = f"{conditions('numpy', 'scipy', 'numba')}. {n_sets} sets, settings {', '.join(others)}."
    put_tables(PAGE, {"processors": f"{how}\n\n{list_table(HEAD, rows)}"})


if __name__ == "__main__":
    given = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_bytes(pickle.dumps(fits(given)))
    else:
        main(given)
