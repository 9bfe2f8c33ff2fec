"""COE on MovieLens 100K beside Cornac's COE and implicit's BPR.

    python benchmarks/coe.py --output coe.json [--publish]

Measures triples per second, the time to the accuracies that the paper prints, and the time to
evaluate all triples exactly. Cornac is measured only when asked for (``--cornac-epochs 100``): it
gets an environment of its own, made on first use, into which torch is installed. Its COE runs
only with names put back that NumPy 1.24 took away, which the script does.
"""

import argparse
import json
import sys
import time
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from peers import peer_python, run_json

CORNAC = ["cornac==2.2.2", "numpy==1.26.4", "scipy<1.14", "torch==2.13.0"]
PAPER = (0.696, 0.614)
REPEATS = 3


def movielens():
    import ordinate as od

    ratings = od.datasets.load_movielens100k().ratings.filter(min_per_item=4)
    return ratings.train_test_split(random_state=0)


def best_time(work):
    """Run several times; return the shortest time and the last result."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return min(times), result


def accuracies(model, test):
    import ordinate as od

    report = od.coe_report(model, test)
    return {
        "preservation": round(report.preservation.h_mean, 4),
        "prediction": round(report.prediction.h_mean, 4),
    }


def measure_coe(train, test):
    """Speed on one and two threads, and the fewest draws that reach the paper's accuracies."""
    import ordinate as od

    n_triples = od.COE().draws_per_object * (train.n_users + train.n_items)
    od.COE(draws_per_object=2, random_state=0).fit(train)  # compile
    found = {}
    for n_jobs in (1, 2):
        seconds, _ = best_time(lambda: od.COE(random_state=0, n_jobs=n_jobs).fit(train))  # noqa: B023
        found[f"million triples/s, {n_jobs} threads"] = round(n_triples / seconds / 1e6, 1)
    for draws in (250, 500, 1000, 2000, 4000, 8000, 16_000):
        seconds, model = best_time(
            lambda: od.COE(random_state=0, draws_per_object=draws).fit(train)  # noqa: B023
        )
        reached = accuracies(model, test)
        found[f"{draws} draws per object"] = {"seconds": round(seconds, 3), **reached}
        if reached["preservation"] >= PAPER[0] and reached["prediction"] >= PAPER[1]:
            found.setdefault("seconds to the paper's accuracies", round(seconds, 3))
    seconds, _ = best_time(lambda: od.coe_report(model, test))
    found["seconds to evaluate all triples"] = round(seconds, 3)
    return found


def measure_bpr(train):
    """Triples per second of implicit's BPR, which draws one per stored entry and pass."""
    from implicit.cpu.bpr import BayesianPersonalizedRanking
    from scipy.sparse import csr_matrix

    ones = np.ones(len(train), dtype=np.float32)
    table = csr_matrix((ones, (train.users, train.items)), shape=(train.n_users, train.n_items))
    n_passes = 100

    def work():
        BayesianPersonalizedRanking(factors=1, iterations=n_passes, num_threads=2).fit(
            table, show_progress=False
        )

    seconds, _ = best_time(work)
    return {"million triples/s, 2 threads": round(n_passes * len(train) / seconds / 1e6, 1)}


def run_cornac(path, epochs):
    """In Cornac's environment: fit its COE, add the map to the file, print the time as JSON."""
    vars(np)["int"] = int  # Cornac's COE still uses the name that NumPy took away
    import random

    import torch
    from cornac.data import Dataset
    from cornac.models import COE

    random.seed(0)
    torch.manual_seed(0)
    data = np.load(path)
    rows = zip(data["users"].tolist(), data["items"].tolist(), data["values"].tolist(), strict=True)
    table = Dataset.from_uir(rows)
    model = COE(k=2, max_iter=epochs)
    start = time.perf_counter()
    model.fit(table)
    seconds = time.perf_counter() - start
    users = np.zeros((data["users"].max() + 1, 2))
    items = np.zeros((data["items"].max() + 1, 2))
    users[list(table.uid_map)] = model.U[list(table.uid_map.values())]
    items[list(table.iid_map)] = model.V[list(table.iid_map.values())]
    np.savez(path, **data, user_embedding=users, item_embedding=items)
    print(json.dumps({"seconds": round(seconds, 1)}))


def measure_cornac(train, test, epochs):
    """Speed and accuracies of Cornac's COE, which draws 1000 triples in an epoch."""
    from types import SimpleNamespace

    python = peer_python("cornac", CORNAC)
    with TemporaryDirectory() as folder:
        path = Path(folder, "map.npz")
        np.savez(path, users=train.users, items=train.items, values=train.values)
        found = run_json(python, Path(__file__), "--cornac", str(path), str(epochs))
        with np.load(path) as data:
            users, known = data["user_embedding"], data["item_embedding"]
    items = np.zeros((train.n_items, 2))
    items[: len(known)] = known
    model = SimpleNamespace(ratings_=train, user_embedding_=users, item_embedding_=items)
    n_triples = 1000 * epochs
    speed = {"triples/s": round(n_triples / found["seconds"]), "triples": n_triples}
    return {**found, **speed, **accuracies(model, test)}


def publish(results, epochs):
    """Write the tables of the page."""
    from pages import write_table

    ours, command = results["COE of Ordinate"], "python benchmarks/coe.py"
    growth = {
        name.partition(" ")[0]: row for name, row in ours.items() if name.endswith("per object")
    }
    default = growth["16000"]
    figures = {
        "million triples drawn and fitted per second, 1 thread": (1, ""),
        "million triples drawn and fitted per second, 2 threads": (2, 20),
    }
    speed = [
        {"measure": what, "found": ours[f"million triples/s, {threads} threads"], "goal": goal}
        for what, (threads, goal) in figures.items()
    ]
    seconds = {
        "seconds to the accuracies that the paper prints": (
            ours.get("seconds to the paper's accuracies", "not reached"),
            1,
        ),
        "seconds of a fit with the defaults": (default["seconds"], ""),
        "seconds to evaluate all triples": (ours["seconds to evaluate all triples"], 1),
    }
    speed += [
        {"measure": what, "found": found, "goal": goal} for what, (found, goal) in seconds.items()
    ]
    write_table("benchmarks_coe-speed", "MovieLens 100K, best of three", speed, command)
    draws = [{"draws per object": name, **_shown(row)} for name, row in growth.items()]
    caption = "accuracy and time, by the number of draws"
    write_table("benchmarks_coe-draws", caption, draws, command)
    others = [
        {
            "library": "Ordinate, COE, defaults, 2 threads",
            "triples per second": f"{ours['million triples/s, 2 threads']} million",
            **_shown(default),
        },
        {
            "library": "implicit, BPR, 1 factor, 2 threads",
            "triples per second": (
                f"{results['BPR of implicit']['million triples/s, 2 threads']} million"
            ),
        },
    ]
    if epochs:
        row = results["COE of Cornac 2.2.2"]
        named = {"library": "Cornac 2.2.2, COE", "triples per second": row["triples/s"]}
        others.append({**named, **_shown(row)})
    command += f" --cornac-epochs {epochs}"
    write_table("benchmarks_coe-others", "beside others", others, command)


def _shown(row):
    shares = {"keeps": "preservation", "predicts": "prediction"}
    percent = {title: f"{100 * row[name]:.1f}" for title, name in shares.items()}
    return {"seconds": f"{row['seconds']:.3g}", **percent}


def main():
    if sys.argv[1:2] == ["--cornac"]:
        run_cornac(Path(sys.argv[2]), int(sys.argv[3]))
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("coe.json"))
    parser.add_argument("--cornac-epochs", type=int, default=0, help="0 leaves Cornac out")
    parser.add_argument("--publish", action="store_true", help="write the tables of the page")
    chosen = parser.parse_args()
    train, test = movielens()
    results = {"versions": {name: version(name) for name in ("numpy", "numba", "implicit")}}
    results["COE of Ordinate"] = measure_coe(train, test)
    results["BPR of implicit"] = measure_bpr(train)
    if chosen.cornac_epochs:
        results["COE of Cornac 2.2.2"] = measure_cornac(train, test, chosen.cornac_epochs)
    chosen.output.write_text(json.dumps(results, indent=2) + "\n")
    print(json.dumps(results, indent=2))
    if chosen.publish:
        publish(results, chosen.cornac_epochs)


if __name__ == "__main__":
    main()
