"""Processor seconds of fits beside cblearn 0.4.0 and evalica: the table of docs/results/speed.rst.

    python benchmarks/speed.py --publish

Each fit runs in a process of its own, on one thread, after a small one that compiles, three times;
the exponent is that of the time between a quarter of the rows and all. Real triplets need
ORDINATE_DATA.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from triplets import N_TEST, PEER, held_out_error, random_triplets

METHODS = ["SOE", "STE", "TSTE", "CKL"]
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
EVALICA = ["evalica==0.4.2"]


def real_triplets(folder):
    """100,000 triplets about 100 dishes in four dimensions, and others to be judged by."""
    import ordinate as od

    rows = np.unique(od.datasets.load_food100().comparisons.rows, axis=0)
    rows = np.random.default_rng(0).permutation(rows)
    path = Path(folder) / "real.npz"
    np.savez(path, train=rows[:100_000], test=rows[100_000:150_000])
    return path


def made_triplets(folder):
    """200,000 correct triplets about 1,000 points in five dimensions."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(1000, 5))
    path = Path(folder) / "made.npz"
    np.savez(path, train=random_triplets(points, 200_000, rng),
             test=random_triplets(points, N_TEST, rng))  # fmt: skip
    return path


def made_pairs(folder, n_items):
    """100,000 answers about some items, the winner first."""
    rng = np.random.default_rng(0)
    scores, first = rng.normal(size=n_items), rng.integers(n_items, size=100_000)
    second = (first + rng.integers(1, n_items, len(first))) % n_items
    won = rng.random(len(first)) < 1 / (1 + np.exp(scores[second] - scores[first]))
    rows = np.where(won[:, None], np.c_[first, second], np.c_[second, first])
    path = Path(folder) / f"pairs-{n_items}.npz"
    np.savez(path, train=rows, test=rows[:0])
    return path


def estimator(library, method, dimension, one_start):
    if library == "ordinate":
        import ordinate as od

        starts = {"n_init": 1} if one_start else {}
        return getattr(od, method)(dimension, random_state=0, n_jobs=1, **starts)
    from cblearn import embedding

    starts = {"n_init": 1} if method == "SOE" else {}  # the default of the others
    return getattr(embedding, method)(n_components=dimension, random_state=0, **starts)


def fit(library, method, dimension, one_start, rows):
    """Return processor seconds and what was fitted."""
    start = time.process_time()
    if method != "rank":
        found = estimator(library, method, dimension, one_start).fit(rows)
    elif library == "ordinate":
        import ordinate as od

        found = od.rank(rows)
    else:
        import evalica

        names = [str(item) for item in range(int(rows.max()) + 1)]
        firsts, seconds = ([names[item] for item in column] for column in rows.T)
        found = evalica.bradley_terry(firsts, seconds, [evalica.Winner.X] * len(rows))
    return time.process_time() - start, found


def worker(library, path, method, dimension, one_start):
    data = np.load(path)
    train, test = data["train"], data["test"]
    rank = method == "rank"  # whose first call is measured, with what it imports
    if not rank:
        fit(library, method, dimension, one_start, train[: len(train) // 4])
    seconds, model = fit(library, method, dimension, one_start, train)
    mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if not rank:  # the first fit also asks for memory
        more = [fit(library, method, dimension, one_start, train)[0] for _ in range(2)]
        seconds = float(np.median([seconds, *more]))
    quarter = fit(library, method, dimension, one_start, train[: len(train) // 4])[0]
    again = fit(library, method, dimension, one_start, train)[0] if rank else seconds
    print(
        json.dumps(
            {"seconds": seconds, "exponent": float(np.log(again / quarter) / np.log(4))}
            | {"error": None if rank else held_out_error(model.embedding_, test)}
            | {"mib": mib}
        )
    )


def command(*arguments):
    """Return processor seconds and MiB of a command, its imports included, in a warm cache."""
    run = [sys.executable, "-c", "from ordinate.cli import main; main()", *map(str, arguments)]
    for _ in range(2):
        process = subprocess.Popen(run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"ordinate {arguments[0]} failed")
    return {"seconds": used.ru_utime + used.ru_stime, "mib": used.ru_maxrss / 1024}


def commands(folder, real):
    """Yield rows about commands on 10,000 real answers."""
    answers = Path(folder) / "answers.csv"
    rows = np.load(real)["train"][:10_000]
    np.savetxt(answers, rows, "%d", ",", header="anchor,near,far", comments="")
    output = Path(folder) / "map.csv"
    for what, arguments in {
        "describe": ("describe", answers),
        "embed --method SOE": ("embed", answers, "--method", "SOE", "-o", output),
        "embed": ("embed", answers, "-o", output),
        "report": ("report", answers, "-o", output.with_suffix(".html")),
    }.items():
        found = command(*arguments)
        yield {"what": f"ordinate {what}", "size": "10,000 real, 100 objects",
               "ours, s": found["seconds"], "MiB": f"{found['mib']:.0f}"}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--publish", action="store_true", help="write the table of the page")
    parser.add_argument("--worker", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        library, path, method, dimension, one_start = options.worker
        return worker(library, path, method, int(dimension), one_start == "True")
    from pages import write_table
    from peers import peer_python, run_json

    os.environ |= ONE_THREAD
    cblearn, evalica = peer_python("cblearn", PEER), peer_python("evalica", EVALICA)
    shown = []
    with tempfile.TemporaryDirectory() as folder:
        real, made = real_triplets(folder), made_triplets(folder)
        plan = [(method, "100,000 real, 100 objects, 4-D", real, 4, False) for method in METHODS]
        plan += [(f"{method}, one start", "200,000 made, 1,000 objects, 5-D", made, 5, True)
                 for method in METHODS]  # fmt: skip
        plan += [("rank, first call", f"100,000 rows, {n:,} items", made_pairs(folder, n), 0, False)
                 for n in (100, 2000)]  # fmt: skip
        for what, size, path, dimension, one_start in plan:
            given = [str(path), what.split(",")[0], str(dimension), str(one_start)]
            python = cblearn if dimension else evalica
            ours, theirs = (
                run_json(python, Path(__file__), "--worker", name, *given)
                for name, python in (("ordinate", sys.executable), ("peer", python))
            )
            row = {"what": what, "size": size, "ours, s": ours["seconds"]}
            row |= {"peer, s": theirs["seconds"], "ratio": theirs["seconds"] / ours["seconds"]}
            row |= {"exponent": f"{ours['exponent']:.1f}", "MiB": f"{ours['mib']:.0f}"}
            errors = [result["error"] for result in (ours, theirs)]
            row["error, ours / peer"] = "" if None in errors else "{:.4f} / {:.4f}".format(*errors)
            print(row, flush=True)
            shown.append(row)
        blank = dict.fromkeys(shown[0], "")
        shown += [blank | row for row in commands(folder, real)]
    if options.publish:
        caption = "processor seconds of one thread, beside cblearn 0.4.0 and evalica 0.4.2"
        write_table("speed-fits", caption, shown, "python benchmarks/speed.py")
    return None


if __name__ == "__main__":
    main()
