"""Figure 5, kernels alone: Hartigan's rule beside Lloyd's with the shift of the paper, ten runs."""

from papers._common import Run, print_table, summarise
from papers.kernels.figure5 import USPS_SIZES, collect, usps_tasks


def main(run: Run) -> None:
    """Print mean purities of 1000 digits 1, 2 and 3 of USPS and their deviations."""
    seeds = run.seeds(1, 10)
    sizes, n_objects = run.size(((2_000,), 60), (USPS_SIZES, 1000))
    with run.table("lloyd", total=2 * len(seeds) * len(sizes)) as table:
        # without dimensions there are no embeddings, which take nearly all of Figure 5's time
        collect(table, usps_tasks(seeds, sizes, n_objects, dimensions=()))
    print_table(summarise(table.found, ["error_probability", "n_triplets", "method"], ["purity"]))
