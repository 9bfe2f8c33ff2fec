"""Break the code on purpose, one line at a time: tests that pass all the same do not look.

Run ``python tests/mutants.py`` (``make mutants``) for all breaks, or with a number for the first
few. Each break is made in a copy of the package; the tests named with it must fail.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "src" / "ordinate"


class Mutant(NamedTuple):
    """A line, what it becomes, and the tests that must notice, as pytest takes them."""

    file: str
    line: str
    broken: str
    tests: str


MUTANTS = [
    # ties and weights
    Mutant("engine/distances.py", "np.sqrt(near2) > 0", "np.sqrt(near2) >= 0",
           "tests/test_estimator.py -k tie"),
    Mutant("engine/distances.py", "float(comparisons.weights[holds].sum()), float(",
           "float(holds.sum()), float(", "tests/test_estimator.py -k tie"),
    Mutant("metrics/_triplets.py", "~(near < far)", "~(near <= far)",
           "tests/metrics/test_triplets.py"),
    Mutant("gram/posterior_gram.py", "transposed @ (weights * derivative)",
           "transposed @ derivative", "tests/gram/test_posterior_gram.py -k three"),
    Mutant("_checks.py", "counting = weights is not None and weights.any()",
           "counting = weights is not None", "tests/test_checks.py"),
    Mutant("_checks.py", "(array > LARGEST_WEIGHT) |", "(array < 0) |", "tests/test_checks.py"),
    # losses
    Mutant("losses.py", "violation = 1.0 + near2 - far2", "violation = near2 - far2",
           "tests/test_losses.py"),
    Mutant("losses.py", "np.maximum(gap, 0.0) + np.log1p(small), wrong, -wrong",
           "np.maximum(gap, 0.0) + np.log1p(small), wrong, wrong", "tests/test_losses.py"),
    Mutant("gram/hinge.py", "slope * (slack - 0.5 * width * slope)",
           "slope * (slack - width * slope)", "tests/gram/test_hinge.py -k rounded"),
    Mutant("gram/hinge.py", "min(penalty / max(largest_eigenvalue(pull), 1e-300), 1.0)", "1.0",
           "tests/gram/test_hinge.py"),
    Mutant("graphs/loe.py", "self.history_ = self.delta**2 * ", "self.history_ = ",
           "tests/graphs/test_loe.py -k only_sets"),
    # splits
    Mutant("ratings/coe.py", "self._ascend(self._sampler(train), ",
           "self._ascend(self._sampler(ratings), ", "tests/ratings/test_coe.py -k early"),
    # seeds
    Mutant("_random.py", "return np.random.default_rng(seed)", "return np.random.default_rng()",
           "tests/test_random.py"),
    Mutant("triplets/embedding.py", "leading = [min([*leading, *found]", "leading = [min([*found]",
           "tests/triplets/test_embedding.py -k drawn_when"),
    # what enters compiled code, and what leaves an estimator
    Mutant("features/objective.py", "if self._n_named > n_others:", "if False:",
           "tests/features/test_objective.py -k unchecked"),
    Mutant("features/neighbor_search.py", "if short.any():", "if False:",
           "tests/features/test_neighbor_search.py -k short"),
    Mutant("graphs/neighbor_graph.py", "refuse(ends >= n_objects,", "refuse(ends < 0,",
           "tests/graphs/test_neighbor_graph.py -k nowhere"),
    # pages and files
    Mutant("plots/page/map.js", 'asText(column.classes[code]) : ""',
           'column.classes[code] : ""', "tests/plots/test_interactive.py -k legend"),
    Mutant("_pages.py", "autoescape=True", "autoescape=False", "tests/test_pages.py"),
    Mutant("io/atomic.py", "temporary = target.with_name(_temporary_name(target))",
           "temporary = target", "tests/io/test_atomic.py"),
    Mutant("io/atomic.py", "if process.isdecimal() and not _is_running(int(process)):",
           "if process.isdecimal():", "tests/io/test_atomic.py"),
    Mutant("ratings/record.py", "if names is not None and len(set(known))",
           "if len(set(known))", "tests/ratings/test_columns.py -k memory"),
]  # fmt: skip


def survives(mutant: Mutant) -> bool:
    """Tell whether the tests pass although the line is broken."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "ordinate"
        shutil.copytree(FOLDER, copy, ignore=shutil.ignore_patterns("__pycache__"))
        file = copy / mutant.file
        file.write_text(file.read_text("utf-8").replace(mutant.line, mutant.broken), "utf-8")
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider",
             "-c", str(ROOT / "pyproject.toml"), *mutant.tests.split()],
            cwd=ROOT, env=os.environ | {"PYTHONPATH": folder}, capture_output=True, text=True,
        )  # fmt: skip
    if run.returncode > 1:  # 1 is a test that failed, a negative number a crash
        raise RuntimeError(f"{mutant.tests} did not run:\n{run.stdout}{run.stderr}")
    return run.returncode == 0


def main() -> None:
    """Make the breaks and name those that no test noticed."""
    chosen = MUTANTS[: int(sys.argv[1])] if len(sys.argv) > 1 else MUTANTS
    survivors = 0
    for mutant in chosen:
        alive = survives(mutant)
        survivors += alive
        verdict = "NOT NOTICED" if alive else "noticed"
        print(f"{verdict:12}{mutant.file}: {mutant.line} -> {mutant.broken}", flush=True)
    print(f"{len(chosen) - survivors} of {len(chosen)} breaks were noticed.")
    sys.exit(survivors > 0)


if __name__ == "__main__":
    main()
