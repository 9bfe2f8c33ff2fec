"""What t' = 1.5 costs in many dimensions, and what it gains on answers of people.

t' = 1 + 2 / d has the tails of t-STE with its d - 1 degrees of freedom. Points of a cube, and three
studies, fitted in five and ten dimensions.
"""

import numpy as np

import ordinate as od
from papers._common import Run, print_table, ranged
from papers.benchmark.evaluation import Setting, draw

DIMENSIONS = (5, 10)
FLIPS = (0.0, 0.1, 0.2)
LIGHT = "t' = 1 + 2 / d"


def methods(dimension):
    """Name the estimators, fitted as published: without a penalty where there is none."""
    return {
        "t' = 1.5": od.TETE(dimension, penalty=0),
        LIGHT: od.TETE(dimension, t_prime=1 + 2 / dimension, penalty=0),
        "t-STE": od.TSTE(dimension, penalty=0),
        "STE": od.STE(dimension, penalty=0),
    }


def penalised(dimension):
    """Name the estimators that people's answers are fitted by."""
    heavy, light, tste, _ = methods(dimension).values()
    return {
        "t' = 1.5": heavy,
        LIGHT: light,
        "t-STE": tste,
        "t' = 1.5, penalty 2": od.TETE(dimension, penalty=2),
        f"{LIGHT}, penalty 2": od.TETE(dimension, t_prime=1 + 2 / dimension, penalty=2),
    }


def error(method, n_objects, dimension, flipped, seed):
    """Return the share of new correct triplets that a map violates."""
    _, train, test = draw(Setting(n=n_objects, d=dimension, flips=flipped), seed)
    model = methods(dimension)[method].set_params(random_state=0).fit(train)
    return {"error": 1 - model.score(test)}


def studies(quick):
    """Return answers of people with the column that holds what belongs together."""
    if quick:
        return {}
    food = od.datasets.load_food100().comparisons
    return {
        "music": (od.datasets.load_music400().comparisons, None),
        "dishes, 2,000 answers": (food.sample(2_000, random_state=0), None),
        "dishes, 10,000 answers": (food.sample(10_000, random_state=0), None),
        "cars": (od.datasets.load_cars60().comparisons, "trial"),
    }


def held_out(answers, by, dimension):
    """Return the held-out error of each estimator, over the same five folds."""
    table = od.compare(answers, penalised(dimension), [dimension], by=by, random_state=3)
    return [{"method": row.method, "error": row.error} for row in table.rows]


def page_rows(found, keys, names):
    """Yield the errors of all methods in percent, a line for each setting, its lowest in bold."""
    for key in dict.fromkeys(tuple(row[name] for name in keys) for row in found):
        errors = {
            method: [
                100 * row["error"]
                for row in found
                if (*(row[name] for name in keys), row["method"]) == (*key, method)
            ]
            for method in names
        }
        least = min(np.mean(values) for values in errors.values() if values)
        line = {
            name: f"{value:.0%}" if name == "flipped" else value
            for name, value in zip(keys, key, strict=True)
        }
        for method, values in errors.items():
            shown = ranged(values, ".1f")
            line[method] = f"**{shown}**" if values and np.mean(values) == least else shown
        yield line


def main(run: Run) -> None:
    """Print errors of points in a cube and of people's answers."""
    n_objects, dimensions = run.size((40, (5,)), (300, DIMENSIONS))
    with run.table("dimensions") as table:
        for dimension in dimensions:
            for flipped in FLIPS:
                for method in methods(dimension):
                    for seed in run.seeds(1, 3):
                        given = method, n_objects, dimension, flipped, seed
                        table.row(
                            {
                                "dimension": dimension,
                                "flipped": flipped,
                                "method": method,
                                "seed": seed,
                            },
                            lambda given=given: error(*given),
                        )
    rows = list(page_rows(table.found, ("dimension", "flipped"), methods(2)))
    print_table(rows)
    caption = "percent of new correct triplets violated: mean (range) over three draws"
    run.page(table, caption, rows)
    with run.table("dimensions_people") as table:
        for name, (answers, by) in studies(run.quick).items():
            for dimension in dimensions:
                table.rows(
                    {"answers": name, "dimension": dimension},
                    lambda given=(answers, by, dimension): held_out(*given),
                )
    rows = list(page_rows(table.found, ("answers", "dimension"), penalised(2)))
    print_table(rows)
    run.page(table, "held-out error in percent, five folds", rows)
