"""Fit again and again in one process: memory must not grow, and threads must not disagree.

    python benchmarks/soak.py --fits 1000 --threads 8

Small fits of several estimators run one after the other, then on several threads at once. After a
warm-up of a tenth of them the resident memory may grow by 5 % at most; every thread must find the
bits that one thread finds alone.
"""

import argparse
import resource
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path

import numpy as np

import ordinate as od

SLACK = 1.05
"""How much larger than after the warm-up the memory may be."""
POINTS = np.random.default_rng(0).normal(size=(20, 2))
ANSWERS = od.sources.random_triplets(POINTS, 300, random_state=0)
FITS = [
    lambda: od.SOE(n_init=1, max_iter=20, random_state=0, n_jobs=1).fit(ANSWERS).embedding_,
    lambda: od.STE(n_init=1, max_iter=20, random_state=0, n_jobs=1).fit(ANSWERS).embedding_,
    lambda: od.K1().fit(ANSWERS).kernel(),
    lambda: od.Comparisons(ANSWERS.rows).describe().n_distinct,
]
"""What is run, in turn."""


def resident() -> int:
    """Return the bytes of memory that this process holds now."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def grown(n_fits: int) -> float:
    """Return the memory after many fits beside that after a tenth of them."""
    sizes = []
    for number, fit in enumerate(islice(cycle(FITS), n_fits), start=1):
        fit()
        if number in (max(n_fits // 10, len(FITS)), n_fits):
            sizes.append(resident())
    return sizes[-1] / sizes[0]


def agree(n_threads: int) -> bool:
    """Tell whether fits on several threads at once find what one thread finds."""
    alone = [fit() for fit in FITS]
    work = list(range(len(FITS))) * n_threads
    with ThreadPoolExecutor(n_threads) as pool:
        found = list(pool.map(lambda number: FITS[number](), work))
    return all(np.array_equal(one, alone[n]) for one, n in zip(found, work, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--fits", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=8)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    ratio = grown(options.fits)
    same = agree(options.threads)
    print(f"{options.fits} fits: memory {ratio:.3f} times that after a tenth of them")
    print(f"{options.threads} threads at once: {'the same bits' if same else 'OTHER BITS'}")
    sys.exit(ratio > SLACK or not same)


if __name__ == "__main__":
    main()
