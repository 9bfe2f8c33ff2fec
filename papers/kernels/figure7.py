"""Figure 7 and the k2 part of Figure 5's third row: embeddings of k2-design triplets beside k2.

USPS as in Figure 5. MNIST in all ten sizes, as far as time goes, with t-STE up to 6000 digits as in
the paper. Points, landmarks and answers are those that `kernels.figure5` draws from these seeds.
"""

from papers._common import Run, print_table
from papers.kernels.clustering import EMBEDDINGS, measure
from papers.kernels.figure5 import (
    CAPTION,
    USPS_SIZES,
    collect,
    mnist_tasks,
    page_rows,
    usps_tasks,
)

MNIST_SIZES = tuple(range(1_000, 10_001, 1_000))
MOST_FOR_TSTE = 6_000
COMPARED = ("k2", "k2, Lloyd", *EMBEDDINGS)


def with_k2_design(tasks):
    """Give embeddings the triplets of k2's landmark design."""
    for task in tasks:
        short = len(task.points) <= MOST_FOR_TSTE
        embedded = tuple(name for name in EMBEDDINGS if short or name != "t-STE")
        yield task._replace(given=("k2",), embedded=embedded)


def mnist_rows(n_objects, n_triplets, error_probability, seed):
    """Measure one draw of digits; all draws have the same triplets per object and errors."""
    tasks = with_k2_design(mnist_tasks([seed], [n_objects]))
    return [row for row in measure(next(tasks)) if row["method"] in COMPARED]


def main(run: Run) -> None:
    """Print both data sets."""
    sizes, n_objects, dimensions = run.size(((2_000,), 80, (2,)), (USPS_SIZES, 1000, (2, 10)))
    seeds = run.seeds(1, 10)
    digits = [
        {"n_objects": n, "n_triplets": 150 * n, "error_probability": 0.15, "seed": seed}
        for seed in seeds
        for n in run.size((60,), MNIST_SIZES)
    ]
    fills = {
        "usps": lambda table: collect(
            table, with_k2_design(usps_tasks(seeds, sizes, n_objects, dimensions))
        ),
        "mnist": lambda table: table.fill(digits, mnist_rows),
    }
    against = {"usps": ("USPS", "triplets"), "mnist": ("MNIST", "digits")}
    for name, fill in fills.items():
        with run.table(f"figure7_{name}") as table:
            fill(table)
        shown, varied = against[name]
        found = [row for row in table.found if row["method"] in COMPARED]
        rows = list(page_rows(found, f"n_{'objects' if name == 'mnist' else varied}"))
        print_table(rows)
        run.page(table, CAPTION.format(shown, varied), rows)
