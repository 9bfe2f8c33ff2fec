"""Run tests as other kinds of processor would: the same results are wanted on any machine.

Run ``python tests/processors.py`` (``make test-cpus``) for the rooms with solvers under every
setting, or ``python tests/processors.py NAME,NAME ARGUMENTS`` for Python with these arguments under
some of them. A setting takes from this machine what other machines lack. BLAS and the instructions
that NumPy and Numba use decide how sums are rounded, and rounding decides which way a solver goes
where two ways are equally good.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ["solvers", "engine", "triplets", "gram", "graphs", "features", "people"]
ROOMS += ["ratings", "questions", "kernels"]
TESTS = [
    *(f"tests/{room}" for room in ROOMS),
    *(f"src/ordinate/{room}" for room in ROOMS),
    "tests/test_convergence.py",
    "tests/test_losses.py",
]
PYTEST = ["-m", "pytest", "-n", "2", "--dist", "worksteal"]
AVX512 = "AVX512", "X86_V4"
AVX2 = "AVX2", "FMA3", "X86_V3"


class Setting(NamedTuple):
    """What a kind of processor has; NumPy calls instructions by other names in other versions."""

    blas: str
    """The kernels of OpenBLAS."""
    numba: str
    """The processor that Numba compiles for; empty for this one."""
    without: tuple[str, ...]
    """Beginnings of the names of instructions that NumPy does without."""
    threads: int
    """Of BLAS."""


SETTINGS = {
    "haswell": Setting("Haswell", "generic", AVX512, 1),
    "zen": Setting("Zen", "", AVX512, 2),
    "sandybridge": Setting("Sandybridge", "generic", AVX512 + AVX2, 1),
    "prescott": Setting("Prescott", "generic", AVX512 + AVX2, 1),
    "skylakex": Setting("SkylakeX", "", (), 2),
}


def instructions() -> list[str]:
    """Return what NumPy has code for beyond its baseline, and this machine can do."""
    return list(np.show_config(mode="dicts")["SIMD Extensions"].get("found", []))


def environment(setting: Setting, folder: Path) -> dict[str, str]:
    """Return the variables that make a process believe in a setting."""
    disabled = [name for name in instructions() if name.startswith(setting.without)]
    variables = {
        "OPENBLAS_CORETYPE": setting.blas,
        "OPENBLAS_NUM_THREADS": str(setting.threads),
        "NPY_DISABLE_CPU_FEATURES": " ".join(disabled),
        "NUMBA_CPU_NAME": setting.numba,
        # code for one processor never meets another
        "NUMBA_CACHE_DIR": str(folder / (setting.numba or "native")),
    }
    return {name: value for name, value in variables.items() if value}


def lacks(setting: Setting) -> bool:
    """Tell whether this machine cannot do what a setting needs."""
    return setting.blas == "SkylakeX" and not any(
        name.startswith(AVX512) for name in instructions()
    )


def main(arguments: list[str]) -> int:
    """Run, say how each setting went, and return 1 if one failed."""
    if platform.machine() not in ("x86_64", "AMD64"):
        print(f"These settings are of x86 processors; this one is {platform.machine()}.")
        return 0
    names = arguments[0].split(",") if arguments else list(SETTINGS)
    if unknown := set(names) - set(SETTINGS):
        print(f"Expected some of {', '.join(SETTINGS)}; got {unknown.pop()!r}.", file=sys.stderr)
        return 2
    command = [sys.executable, *(arguments[1:] or [*PYTEST, *TESTS])]
    verdicts = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            if lacks(SETTINGS[name]):
                verdicts[name] = "left out: this machine has no AVX-512"
                continue
            variables = environment(SETTINGS[name], Path(folder))
            print(
                f"\n==> {name}:",
                *(f"{key}={value}" for key, value in variables.items()),
                flush=True,
            )
            run = subprocess.run(command, cwd=ROOT, env={**os.environ, **variables}, check=False)
            verdicts[name] = f"failed ({run.returncode})" if run.returncode else "passed"
    print()
    for name, verdict in verdicts.items():
        print(f"{name:12} {verdict}")
    return int(any(verdict.startswith("failed") for verdict in verdicts.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
