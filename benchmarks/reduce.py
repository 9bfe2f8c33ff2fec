"""WeightedTETE beside TriMap, PaCMAP, UMAP, openTSNE and scikit-learn's t-SNE, all with defaults.

    python benchmarks/reduce.py --data mnist --sizes 10000 70000 --output out.json [--publish time]

Each (library, size) runs in a fresh process and an environment of its own, with what it needs and
no more, which is made on first use. "Fresh" counts import, compilation and one fit in a process
that has done nothing else, with whatever compiled code the library keeps on disk; "warm" is the
second fit in the same process. Quality is measured here, on the map of the first fit, the same way
for all. The output keeps the rows of earlier runs; --publish writes all of them as a table of
docs/results/benchmarks_reduce.rst.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

REQUIREMENTS = {
    "ordinate": ["-e", str(Path(__file__).parents[1])],
    "trimap": ["trimap", "setuptools<81"],
    "pacmap": ["pacmap"],
    "localmap": ["pacmap"],
    "umap": ["umap-learn"],
    "opentsne": ["openTSNE"],
    "tsne": ["scikit-learn"],
}
READ, MADE = ["mnist", "usps", "coil20"], ["sphere", "swiss_roll"]
CLOUDS = "clouds"
"""A hundred Gaussian clouds in fifty dimensions, of any size."""
QUALITY = {
    "trustworthiness": "trust",
    "accuracy_1": "1-NN",
    "accuracy_10": "10-NN",
    "triplets": "triplets",
    "global_score": "global",
    "one_piece": "piece",
    "one_piece_least": "least",
    "frame": "frame",
}
"""Figures of `map_quality`, and what a table calls them."""
TABLES = {"time": "fits of MNIST"}


def fit(library, X):
    """Return the map of one library with its defaults, and the library's version."""
    if library == "ordinate":
        import ordinate

        return ordinate.WeightedTETE(random_state=0).fit_transform(X), ordinate.__version__
    if library == "trimap":
        import trimap

        return trimap.TRIMAP(verbose=False).fit_transform(X), _version("trimap")
    if library in ("pacmap", "localmap"):
        import pacmap

        model = {"pacmap": pacmap.PaCMAP, "localmap": pacmap.LocalMAP}[library]()
        return model.fit_transform(X), _version("pacmap")
    if library == "umap":
        import umap

        return umap.UMAP().fit_transform(X), umap.__version__
    if library == "opentsne":
        import openTSNE

        return np.asarray(openTSNE.TSNE(n_jobs=-1).fit(X)), openTSNE.__version__
    import sklearn
    from sklearn.manifold import TSNE

    return TSNE(n_jobs=-1).fit_transform(X), sklearn.__version__


def _version(name):
    from importlib.metadata import version

    return version(name)


def worker(library, data, result, repeats):
    """Fit, time, and leave the map in a file; the last line printed is the result."""
    import resource

    X = np.load(data)
    seconds = []
    for number in range(repeats + 1):
        start, cpu = time.perf_counter(), time.process_time()
        embedding, version = fit(library, X)
        seconds.append((time.perf_counter() - start, time.process_time() - cpu))
        if number == 0:
            np.save(result, embedding)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    warm = seconds[1:]
    print(
        json.dumps(
            {
                "library": library,
                "version": version,
                "fresh": seconds[0][0],
                "fresh_cpu": seconds[0][1],
                "warm": min((wall for wall, _ in warm), default=None),
                "warm_cpu": min((cpu for _, cpu in warm), default=None),
                "peak_mib": peak,
            }
        )
    )


def points_and_labels(data, size):
    import ordinate as od

    if data == CLOUDS:
        rng = np.random.default_rng(0)
        centers, labels = 3 * rng.normal(size=(100, 50)), rng.integers(100, size=size)
        return centers[labels] + rng.normal(size=(size, 50)), labels
    if data in MADE:
        return getattr(od.datasets, f"make_{data}")(size, random_state=0).points, None
    images = getattr(od.datasets, f"load_{data}")()
    chosen = np.random.default_rng(0).permutation(len(images.points))[:size]
    return images.points[chosen] / images.points.max(), images.labels[chosen]


def measure(library, data, size, folder, repeats, judged):
    from peers import peer_python, run_json

    import ordinate as od

    X, y = points_and_labels(data, size)
    X = X.astype(np.float32)
    path, result = Path(folder) / f"{size}.npy", Path(folder) / f"{library}-{size}.npy"
    np.save(path, X)
    name = library if library == "ordinate" else REQUIREMENTS[library][0]
    python = peer_python(name, REQUIREMENTS[library])
    row = run_json(
        python, Path(__file__), "--worker", library, str(path), str(result), str(repeats)
    )
    row |= {"data": data, "size": len(X), "threads": len(os.sched_getaffinity(0))}
    part = np.random.default_rng(1).permutation(len(X))[:judged]
    classes = None if y is None else y[part]
    quality = od.metrics.map_quality(X[part], np.load(result)[part], classes, random_state=0)
    return row | quality.to_dict()


def page_row(row):
    """Return a row as a page shows it."""
    shown = {
        "data": f"{row['data']}, {row['size']:,}",
        "threads": row["threads"],
        "library": f"{row['library']} {row['version']}",
        "fresh, s": row["fresh"],
        "warm, s": row["warm"],
        "warm, processor s": row["warm_cpu"],
        "MiB": row["peak_mib"],
    }
    return shown | {label: row[name] for name, label in QUALITY.items()}


def publish(name, rows, command):
    """Write a table of the page; of a fit that was repeated, the later row counts."""
    from pages import write_table

    key = ("data", "size", "threads", "library")
    latest = {tuple(row[part] for part in key): row for row in rows}
    shown = [page_row(row) for row in latest.values()]
    write_table(f"benchmarks_reduce-{name}", TABLES[name], shown, command)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", default="mnist", choices=[*READ, *MADE, CLOUDS])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000])
    parser.add_argument("--libraries", nargs="+", default=[*REQUIREMENTS], choices=[*REQUIREMENTS])
    parser.add_argument("--repeats", type=int, default=2, help="warm fits; 0 for none")
    parser.add_argument("--judged", type=int, default=10_000, help="most objects for quality")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--publish", choices=[*TABLES], help="write this table of the page")
    parser.add_argument("--worker", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        library, data, result, repeats = options.worker
        return worker(library, data, result, int(repeats))
    sys.path.insert(0, str(Path(__file__).parent))
    from pages import earlier_rows

    print(f"{options.data}; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    print(
        "library    version     n  fresh s  warm s (cpu s)  MiB |"
        " trust  1-NN 10-NN trip. glob. piece least frame"
    )
    rows = earlier_rows(options.output)
    with tempfile.TemporaryDirectory() as folder:
        for size in options.sizes:
            for library in options.libraries:
                row = measure(library, options.data, size, folder, options.repeats, options.judged)
                rows.append(row | {"load": os.getloadavg()[0]})
                warm = "" if row["warm"] is None else f"{row['warm']:.2f} ({row['warm_cpu']:.1f})"
                figures = " ".join(
                    "     " if row[name] is None else f"{row[name]:.3f}" for name in QUALITY
                )
                print(
                    f"{library:9} {row['version']:>8} {size:6} {row['fresh']:8.2f} {warm:>15}"
                    f" {row['peak_mib']:5.0f} | {figures}",
                    flush=True,
                )
                if options.output:
                    options.output.write_text(json.dumps(rows, indent=1))
    if options.publish:
        publish(options.publish, rows, " ".join(["python", *sys.argv]))
    return None


if __name__ == "__main__":
    main()
