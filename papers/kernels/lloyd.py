"""Figure 5, kernels alone: Hartigan's rule beside Lloyd's with the shift of the paper, ten runs."""

from itertools import product

import numpy as np

from papers._common import Run, print_table, summarise
from papers.kernels.figure5 import USPS_SIZES, collect, usps_tasks

RULES = {"Hartigan": "", "Lloyd, shift": ", Lloyd"}
"""What tables of the results call the rules, and what methods of the rows end with."""


def main(run: Run) -> None:
    """Print mean purities of 1000 digits 1, 2 and 3 of USPS and their deviations."""
    seeds = run.seeds(1, 10)
    sizes, n_objects = run.size(((2_000,), 60), (USPS_SIZES, 1000))
    with run.table("lloyd", total=2 * len(seeds) * len(sizes)) as table:
        # without dimensions there are no embeddings, which take nearly all of Figure 5's time
        collect(table, usps_tasks(seeds, sizes, n_objects, dimensions=()))
    print_table(summarise(table.found, ["error_probability", "n_triplets", "method"], ["purity"]))
    caption = f"USPS: mean purity (deviation) of {len(seeds)} runs, by the number of triplets"
    run.page(table, caption, page_rows(table.found, sizes))


def page_rows(found, sizes):
    """Yield the purities of each rule."""
    for ep, kernel, (rule, suffix) in product((0.0, 0.3), ("k1", "k2"), RULES.items()):
        line = {"ep": ep, "kernel": kernel, "rule": rule}
        for size in sizes:
            values = [
                row["purity"]
                for row in found
                if (row["error_probability"], row["method"]) == (ep, kernel + suffix)
                and row["n_triplets"] == size
            ]
            line[f"{size:,}"] = f"{np.mean(values):.2f} ({np.std(values):.2f})"
        yield line
