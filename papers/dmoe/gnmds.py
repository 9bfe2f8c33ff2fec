"""The rows of GNMDS-p in Tables 1 and 2, by the solver that proves how near the optimum it is."""

from papers._common import Run, print_table
from papers.dmoe.experiment import Task, measure
from papers.dmoe.tables import CAPTION, SIZES, errors_by_method, page_rows, table_of

METHOD = "GNMDS-p"
REPEATS = {"synthetic": 20, "music": 10}
"""A fit of 400 artists takes a minute or two with the search for its penalty."""


def main(run: Run) -> None:
    """Fit one method to both data sets; print and tabulate its errors."""
    for data in run.size(("synthetic",), tuple(SIZES)):
        sizes, seeds = run.size((200,), SIZES[data]), run.seeds(1, REPEATS[data])
        with run.table(f"gnmds-{data}", total=len(sizes) * len(seeds)) as table:
            for size in sizes:
                for seed in seeds:
                    table.row(
                        {"n_train": size, "method": METHOD, "seed": seed},
                        lambda data=data, size=size, seed=seed: measure(
                            Task(data, size, seed), METHOD
                        ),
                    )
        summary = errors_by_method(table.found)
        print_table(table_of(data, summary))
        run.page(table, f"GNMDS-p, {data}: {CAPTION}", page_rows(data, summary, sizes))
