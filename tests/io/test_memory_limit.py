"""Comparisons that do not fit in memory are fitted within a limit that the system enforces."""

import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ordinate.sources import random_triplets

pytest.importorskip("dask")
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs ulimit -v")

FIT = """
import os, resource, sys, warnings
import ordinate as od
from ordinate.io import scan

warnings.simplefilter("ignore")
scan._PIECE_ROWS = 2**16
small, large, room = *sys.argv[1:3], int(sys.argv[3])
model = od.SOE(2, n_init=1, max_iter=2, n_jobs=1, random_state=0)
model.fit(od.scan_parquet(small)).score(od.scan_parquet(small))  # loads and compiles
with open("/proc/self/statm") as statm:
    used = int(statm.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + room, used + room))
answers = od.scan_parquet(large)
print(len(answers), model.fit(answers).n_iter_, model.score(answers))
try:  # last: what a failed reading leaves behind counts against the limit too
    od.read_comparisons(large)
    sys.exit("the limit is no limit")
except (MemoryError, od.InputError) as error:
    print("in memory:", error, flush=True)
    os._exit(0)  # a process that has no memory left may crash when Python ends
"""


def test_a_file_twice_as_large_as_the_memory_left(tmp_path):
    points = np.random.default_rng(0).normal(size=(50, 2))
    rows = random_triplets(points, 2**16, random_state=0).rows
    table = pa.table(dict(zip(("anchor", "near", "far"), rows.T, strict=True)))
    room = 80 * 2**20
    for name, n_groups in {"small": 1, "large": 2 * room // rows.nbytes + 1}.items():
        with pq.ParquetWriter(
            tmp_path / f"{name}.parquet", table.schema, compression="none", use_dictionary=False
        ) as writer:
            for _ in range(n_groups):
                writer.write_table(table)
    assert (tmp_path / "large.parquet").stat().st_size > 2 * room
    run = subprocess.run(
        [sys.executable, "-c", FIT, tmp_path / "small.parquet", tmp_path / "large.parquet",
         str(room)],
        # pools and stacks that reserve addresses for later would count against `ulimit -v`
        env=os.environ
        | {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1"}
        | {"LOKY_MAX_CPU_COUNT": "2"},
        capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    fitted, refused = run.stdout.splitlines()
    assert refused.startswith("in memory: ")
    n_rows, n_iter, score = fitted.split()
    assert (int(n_rows), int(n_iter)) == (n_groups * 2**16, 2)
    assert float(score) > 0.8
