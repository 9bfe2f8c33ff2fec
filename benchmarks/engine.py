"""The foundation's own figures: import, first fit, reading, nanoseconds per triplet, memory.

    python benchmarks/engine.py [--output out.json] [--publish]

polars and pandas read the same files if they are installed.
"""

import argparse
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from pages import write_table


def seconds_of(*command: str, repeats: int = 3, **environment: str) -> float:
    """Best time of a command in fresh processes."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, **environment})
        times.append(time.perf_counter() - start)
    return min(times)


def start_up() -> dict[str, float]:
    bare = seconds_of(sys.executable, "-c", "pass")
    return {
        "import ordinate, s": seconds_of(sys.executable, "-c", "import ordinate") - bare,
        "import ordinate and SOE, s": seconds_of(sys.executable, "-c", "from ordinate import SOE")
        - bare,
    }


def embed_from_the_shell() -> dict[str, float]:
    """Time `ordinate embed` on 10,000 answers: the first ever, then without and with its cache."""
    import ordinate as od

    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder) / "answers.csv"
        od.write_comparisons(od.datasets.load_cities(10_000, wrong=0.1).comparisons, answers)
        command = [str(Path(sys.executable).parent / "ordinate"), "embed", str(answers)]
        command += ["-o", str(Path(folder) / "map.csv")]
        empty = {"NUMBA_CACHE_DIR": f"{folder}/kernels", "XDG_CACHE_HOME": f"{folder}/fits"}
        what = "ordinate embed, 10,000 rows"
        return {
            f"{what}, first ever, s": seconds_of(*command, repeats=1, **empty),
            f"{what}, later, s": seconds_of(*command, "--no-cache", **empty),
            f"{what}, the same answers again, s": seconds_of(*command, **empty),
        }


def reading(n_rows: int = 2 * 10**6) -> list[dict[str, object]]:
    """Return processor times to read text, and of others to read the same columns of it.

    PyArrow reads them as labels, polars and pandas as text.
    """
    import pyarrow as pa
    import pyarrow.csv

    import ordinate as od

    rng = np.random.default_rng(0)
    numbers = np.array([rng.permutation(1000)[:3] for _ in range(1000)])
    numbers = numbers[rng.integers(1000, size=n_rows)]
    names = np.char.add("object_", np.char.zfill(np.arange(1000).astype(str), 4))
    objects = dict(zip(("anchor", "left", "right"), names[numbers].T, strict=True))
    participant = np.char.add("p", rng.integers(200, size=n_rows).astype(str))
    side = np.array(["left", "right"])[rng.integers(2, size=n_rows)]
    stated = ("anchor", "near", "far")
    tables = {
        "three columns of numbers": dict(zip(stated, numbers.T, strict=True)),
        "three columns of names": dict(zip(stated, objects.values(), strict=True)),
        "participant, three names, left or right": {
            "participant": participant,
            **objects,
            "response": side,
        },
    }
    rows = []
    for what, columns in tables.items():
        with tempfile.NamedTemporaryFile(suffix=".csv") as file:
            options = pa.csv.WriteOptions(quoting_style="none")
            pa.csv.write_csv(pa.table(columns), file.name, options)
            labels = dict.fromkeys(columns, pa.dictionary(pa.int32(), pa.string()))
            convert = pa.csv.ConvertOptions(column_types=labels, strings_can_be_null=True)
            readers = {
                "ordinate": od.read_comparisons,
                "PyArrow alone": lambda path, how=convert: pa.csv.read_csv(
                    path, convert_options=how
                ),
                **other_readers(),
            }
            row = {"file": f"{what}, {os.path.getsize(file.name) / 1e6:.0f} MB"}
            row |= {name: processor_seconds(read, file.name) for name, read in readers.items()}
            rows.append(row)
            print(row, flush=True)
    return rows


def other_readers() -> dict[str, Callable[[str], object]]:
    """Return how polars and pandas read a CSV, as far as they are installed."""
    found: dict[str, Callable[[str], object]] = {}
    if importlib.util.find_spec("polars"):
        import polars

        found["polars"] = polars.read_csv
    if importlib.util.find_spec("pandas"):
        import pandas

        found["pandas"] = partial(pandas.read_csv, engine="pyarrow")
    return found


def processor_seconds(function: Callable[[str], object], path: str, repeats: int = 3) -> float:
    """Least processor time of some calls, all threads together."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function(path)
        times.append(time.process_time() - start)
    return min(times)


def evaluation(n_objects: int = 1000, n_triplets: int = 10**6) -> dict[str, float]:
    from ordinate import losses
    from ordinate.engine.cpu import CPUObjective
    from ordinate.sources import random_triplets

    figures = {}
    for dimension in (2, 5):
        points = np.random.default_rng(0).normal(size=(n_objects, dimension))
        triplets = random_triplets(points, n_triplets, random_state=0)
        start = np.random.default_rng(1).normal(size=points.shape)
        for n_threads in (1, 2):
            objective = CPUObjective(triplets, losses.soe, [1.0], n_threads=n_threads)
            objective(start)
            times = []
            for _ in range(15):
                begin = time.perf_counter()
                objective(start)
                times.append(time.perf_counter() - begin)
            name = f"SOE evaluation, d = {dimension}, {n_threads} thread(s), ns per triplet"
            figures[name] = 1e9 * min(times) / n_triplets
    return figures


def memory_of_a_fit(n_objects: int = 1000, n_triplets: int = 10**7) -> dict[str, float]:
    """Peak memory beyond that of a process that has fitted a little, over the rows' own size."""
    import ordinate as od
    from ordinate.sources import random_triplets

    points = np.random.default_rng(0).normal(size=(n_objects, 2))
    od.SOE(random_state=0).fit(random_triplets(points, 1000, random_state=0))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    rows = np.empty((n_triplets, 3), dtype=np.int32)
    for first in range(0, n_triplets, 10**6):
        rows[first : first + 10**6] = random_triplets(points, 10**6, random_state=first).rows
    start = time.perf_counter()
    od.SOE(random_state=0).fit(rows)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {
        "SOE fit of 10⁷ triplets, s": time.perf_counter() - start,
        "its memory with the caller's rows, in sizes of the rows": (after - before) / rows.nbytes,
    }


def publish(figures: dict[str, float], read: list[dict[str, object]]) -> None:
    """Write the tables of the page."""
    command = "python benchmarks/engine.py"
    rows = [{"figure": name, "found": value} for name, value in figures.items()]
    write_table("benchmarks_triplets-engine", "the foundation's own figures", rows, command)
    caption = "reading a CSV of 2,000,000 rows: processor seconds"
    write_table("benchmarks_triplets-reading", caption, read, command)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--publish", action="store_true", help="write the tables of the page")
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    figures: dict[str, float] = {}
    for part in (start_up, embed_from_the_shell, evaluation, memory_of_a_fit):
        for name, value in part().items():
            figures[name] = value
            print(f"{value:10.3g}  {name}", flush=True)
    read = reading()
    if options.output:
        found = {"figures": figures, "reading": read}
        options.output.write_text(json.dumps(found, indent=1, ensure_ascii=False))
    if options.publish:
        publish(figures, read)


if __name__ == "__main__":
    main()
