"""How often the test whether people differ says so: where they do not, and where they do.

    python benchmarks/people_test.py run [--draws 200] [--designs "only noise, sharp and blunt" …]
    python benchmarks/people_test.py page

In the first twelve designs all people see one map and differ in their noise at most; the test is
to find differences in 5 % of the studies. In the others they see different maps. There the test of
`ordinate.compare_people` stands beside a permutation of participants: answers are given
to participants at random, `WeightedSpaces` is fitted, and its spread of weights compared.
Both tests are run on each study: for weights of the axes, as with `WeightedSpaces`, and for places
of the objects, as with `GroupMaps`.
"page" writes docs/results/people_test.rst from the lines that "run" has left.
"""

import argparse
import json
import os
import platform
import time
import warnings
from datetime import date
from pathlib import Path

import numpy as np
from scipy import stats

import ordinate as od

PAGE = Path(__file__).parents[1] / "docs/results/people_test.rst"
N_DRAWS = 199
N_PERMUTATIONS = 19
PERMUTED = {
    "two groups, 1.8 : 0.4 and 1 : 1": 39,
    "the same, noise .1 and 1": 39,
    "two groups, 30 answers each": 30,
    "one of twenty, 1.8² : 0.4²": 31,
    "log weights of deviation .5": 40,
}
"""In how many of studies 0 to 39 permutations found a difference, in a run of 16 November 2026."""


def study(rng, maps, n_answers, perceived, lapses=None, same=False, triads=False):
    """Ask people about random triplets, or for the odd one of three, as each sees their own map.

    Parameters
    ----------
    maps : ndarray of shape (n_people, n_objects, dimension)
        What everybody sees.
    n_answers : int or sequence of int
        Answers of each.
    perceived : callable
        Takes distances of shape (n, pairs), who looks at them, and rng; returns what they perceive.
    lapses : ndarray of shape (n_people,), optional
        Everybody's share of random answers.
    same, triads : bool
        Whether all get the same questions; whether the odd one out is asked for.
    """
    n_people, n_objects, _ = maps.shape
    counts = np.broadcast_to(n_answers, n_people)
    people = np.repeat(np.arange(n_people), counts)
    asked = np.argsort(rng.random((len(people), n_objects)), axis=1)[:, :3]
    if same:
        asked = np.tile(asked[: counts[0]], (n_people, 1))
    a, b, c = (maps[people, asked[:, number]] for number in range(3))
    pairs = [a - b, a - c, b - c] if triads else [a - b, a - c]
    distances = np.stack([np.linalg.norm(gap, axis=1) for gap in pairs], axis=1)
    seen = perceived(distances, people, rng)
    if lapses is not None:
        by_coin = rng.random(len(people)) < lapses[people]
        seen[by_coin] = rng.random((int(by_coin.sum()), seen.shape[1]))
    nearest = np.argmin(seen, axis=1)
    if triads:
        odd = asked[np.arange(len(asked)), np.array([2, 1, 0])[nearest]]
        return od.sources.from_odd_one_out(asked, odd, participant=people, n_objects=n_objects)
    groups = {"participant": people}
    return od.Comparisons(asked, nearest == 0, n_objects=n_objects, groups=groups)


def distance_noise(deviations):
    """Perceive distances with a normal error of everybody's own deviation."""
    return lambda d, who, rng: d + np.asarray(deviations)[who, None] * rng.standard_normal(d.shape)


def ste_noise(scales):
    """Answer as STE's model says, with everybody's own scale."""
    return lambda d, who, rng: d**2 + np.asarray(scales)[who, None] * rng.gumbel(size=d.shape)


def ratio_noise(deviations):
    """Perceive logarithms of distances with an error of everybody's own deviation."""
    return lambda d, who, rng: (
        np.log(d) + np.asarray(deviations)[who, None] * rng.gumbel(size=d.shape)
    )


def shared(rng, n_people, n_objects=20, dimension=2, stretch=1.0):
    """Let all see the same map."""
    points = rng.standard_normal((n_objects, dimension)) * stretch
    return np.repeat(points[None], n_people, axis=0)


def in_turn(n_people, *values):
    """Give these values to people in turn."""
    return np.resize(values, n_people)


def grouped(rng, n_people=20, weights=(1.8, 0.4), share=2):
    """Let every second person, or every so manieth, weigh squares along the axes differently."""
    points = rng.standard_normal((20, 2))
    differ = np.arange(n_people) % share == share - 1
    return points * np.sqrt(np.where(differ[:, None], weights, 1.0))[:, None]


def moved(rng, n_moved, n_people=20):
    """Let every second person see some objects at other places."""
    maps = shared(rng, n_people)
    maps[1::2, :n_moved] = rng.standard_normal((n_moved, 2))
    return maps


ALIKE = {
    "all alike": lambda r: study(r, shared(r, 20), 60, ste_noise(np.ones(20))),
    "noise .1 and 3, 20 people": lambda r: study(
        r, shared(r, 20), 60, distance_noise(in_turn(20, 0.1, 3))
    ),
    "noise .1 and 3, 10 people": lambda r: study(
        r, shared(r, 10, 15), 100, distance_noise(in_turn(10, 0.1, 3))
    ),
    "two of six guess": lambda r: study(
        r, shared(r, 6, 15), 100, distance_noise(np.full(6, 0.3)), np.array([1, 1, 0, 0, 0, 0.0])
    ),
    "lapses, 20 % on average": lambda r: study(
        r, shared(r, 20), 60, ste_noise(np.full(20, 0.5)), r.beta(1, 4, 20)
    ),
    "20 answers each, 40 people": lambda r: study(
        r, shared(r, 40), 20, ste_noise(r.lognormal(0, 1, 40))
    ),
    "24 to 600 answers each": lambda r: study(
        r, shared(r, 15), np.geomspace(24, 600, 15).astype(int), ste_noise(r.lognormal(0, 1, 15))
    ),
    "three dimensions, fitted in two": lambda r: study(
        r, shared(r, 20, dimension=3), 100, distance_noise(in_turn(20, 0.2, 1))
    ),
    "the same questions, three dimensions": lambda r: study(
        r, shared(r, 12, 15, 3), 100, distance_noise(in_turn(12, 0.2, 1)), same=True
    ),
    "noise on ratios": lambda r: study(r, shared(r, 12), 100, ratio_noise(in_turn(12, 0.2, 1))),
    "one long axis, noise .1 and 2": lambda r: study(
        r, shared(r, 20, stretch=[3, 1]), 60, distance_noise(in_turn(20, 0.1, 2))
    ),
    "no noise but 10 % slips": lambda r: study(
        r, shared(r, 14, 25), 120, distance_noise(np.zeros(14)), np.full(14, 0.2)
    ),
    "odd one out": lambda r: study(
        r, shared(r, 12), 60, distance_noise(in_turn(12, 0.2, 1)), triads=True
    ),
}
DIFFERENT = {
    "two groups, 1.8 : 0.4 and 1 : 1": lambda r: study(
        r, grouped(r), 60, distance_noise(np.full(20, 0.3))
    ),
    "the same, noise .1 and 1": lambda r: study(
        r, grouped(r), 60, distance_noise(in_turn(20, 0.1, 0.1, 1, 1))
    ),
    "two groups, 30 answers each": lambda r: study(
        r, grouped(r), 30, distance_noise(np.full(20, 0.3))
    ),
    "one of twenty, 1.8² : 0.4²": lambda r: study(
        r, grouped(r, weights=(3.24, 0.16), share=20), 60, distance_noise(np.full(20, 0.3))
    ),
    "log weights of deviation .5": lambda r: study(
        r,
        shared(r, 20) * np.exp(0.25 * r.standard_normal((20, 1, 2))),
        60,
        ste_noise(np.ones(20)),
    ),
    "two groups, 4 : .25 and 1 : 1, no noise but 10 % slips": lambda r: study(
        r,
        grouped(r, 14, (4, 0.25), 3),
        120,
        distance_noise(np.zeros(14)),
        np.full(14, 0.2),
    ),
    "two groups, five of twenty objects elsewhere": lambda r: study(
        r, moved(r, 5), 60, distance_noise(np.full(20, 0.3))
    ),
}


def tested(answers, seed):
    """Return the p-values of the tests for weights of the axes and for places of the objects.

    For weights it is that of `ordinate.compare_people`, for places its score test alone.
    """
    model = od.WeightedSpaces(2, tau=0.0, random_state=0, n_jobs=1).fit(answers)
    views = model.shared_map(answers).own_views(N_DRAWS, np.random.default_rng(seed))
    found = od.compare_people(answers, od.WeightedSpaces(2, n_jobs=1), random_state=seed, n_jobs=1)
    return {"weights": found.p_value, "places": views.places.p_value}


def permuted(answers, seed):
    """Return the p-value of a permutation of participants, by the spread of fitted weights."""
    rng = np.random.default_rng(seed)
    people = answers.groups["participant"]
    spreads = []
    for number in range(N_PERMUTATIONS + 1):
        groups = {"participant": rng.permutation(people) if number else people}
        record = od.Comparisons(answers.rows, n_objects=answers.n_objects, groups=groups)
        spreads.append(od.WeightedSpaces(2, random_state=0, n_jobs=1).fit(record).tau_)
    return float(np.mean(np.array(spreads) >= spreads[0]))


def run(designs, n_draws, first, path, permutations):
    known = ALIKE | DIFFERENT
    lines = path.read_text().splitlines() if path.exists() else []
    done = {(row["design"], row["draw"]) for row in map(json.loads, lines)}
    warnings.simplefilter("ignore")
    # one study of every design at a time: a run that is ended early has as many of each
    for draw in range(first, first + n_draws):
        for design in designs or known:
            if (design, draw) in done:
                continue
            number = list(known).index(design)
            answers = known[design](np.random.default_rng([20261116, number, draw]))
            start = time.process_time()
            row = {"design": design, "draw": draw} | tested(answers, draw)
            row["seconds"] = time.process_time() - start
            if design in DIFFERENT and draw - first < permutations:
                row["permuted"] = permuted(answers, draw)
            with path.open("a") as file:
                file.write(json.dumps(row) + "\n")


def page(path):
    """Write the page of results."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    seconds = np.median([row["seconds"] for row in rows])
    lines = [
        "Whether people differ: level and power of the test",
        "==================================================",
        "",
        ".. admonition:: In short",
        "",
        "   - If all see one map, tests of level 5 % find a difference in at most"
        f" {_extreme(rows, ALIKE, max)} of the studies of any design.",
        "   - If people weight the axes differently, it is found in at least"
        f" {_extreme(rows, [*DIFFERENT][:-1], min)} of the studies.",
        "",
        ".. code-block:: console",
        "",
        "   $ python benchmarks/people_test.py run --first 10000 --draws 40 --permutations 0",
        "   $ python benchmarks/people_test.py run --draws 24 --permutations 0",
        "   $ python benchmarks/people_test.py page",
        "",
        f"{date.today():%d %B %Y}, {os.cpu_count()} cores, {_processor()}, a machine that was busy"
        f" with other work; the median test took {seconds:.2f} s of the processor. Written by"
        " ``benchmarks/people_test.py``, whose source has the designs; :doc:`/methods/people`"
        " explains the test. The test was chosen among about 35 on other draws than these. A run"
        " goes on where the last one ended; the tables say how many studies there are so far.",
        "",
        "One map for all",
        "---------------",
        "",
        "All see one map and differ in their noise at most: share of studies in which a test"
        " of level 5 % finds a difference, with its 95 % interval. ``WeightedSpaces`` tests the"
        " weights of the axes (by scores and by held-out answers), ``GroupMaps`` the places of the"
        " objects (here by scores alone).",
        "",
        *_table(rows, ALIKE, {"weights of the axes": "weights", "places of the objects": "places"}),
        "",
        "The goal is at most 6 % in each design.",
        "",
        "People who differ",
        "-----------------",
        "",
        f"The same beside a permutation of participants ({N_PERMUTATIONS} fits to answers of which"
        " nobody knows who gave them). Its level does not hold where people differ in noise, as in"
        " the second design. Permutations are of studies 0 to 39 and were not run again after"
        " 16 November 2026; the tests are of studies 0 and up and 100 and up.",
        "",
        *_table(
            rows,
            DIFFERENT,
            {
                "weights of the axes": "weights",
                "permutation": "permuted",
                "places of the objects": "places",
            },
        ),
        "",
    ]
    PAGE.write_text("\n".join(lines))


def _extreme(rows, designs, extreme):
    """Return the largest or smallest share of studies in which a test finds a difference."""
    names = ("weights", "places") if extreme is max else ("weights",)
    of_design = [[row for row in rows if row["design"] == design] for design in designs]
    shares = [
        np.mean([row[name] <= 0.05 for row in found])
        for found in filter(None, of_design)
        for name in names
    ]
    return f"{100 * extreme(shares):.1f} %"


def _table(rows, designs, columns):
    yield from (".. list-table::", "   :header-rows: 1", "", "   * - design", "     - studies")
    yield from (f"     - {title}" for title in columns)
    for design in designs:
        found = [row for row in rows if row["design"] == design]
        yield from (f"   * - {design}", f"     - {len(found)}")
        for name in columns.values():
            p_values = [row[name] for row in found if name in row]
            if name == "permuted" and not p_values and design in PERMUTED:
                p_values = [0.0] * PERMUTED[design] + [1.0] * (40 - PERMUTED[design])
            yield f"     - {_share(p_values)}"


def _share(p_values):
    if not p_values:
        return "–"
    found = int(np.sum(np.array(p_values) <= 0.05))
    low, high = stats.binomtest(found, len(p_values)).proportion_ci(method="wilson")
    return f"{100 * found / len(p_values):.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def _processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return " ".join(line.partition(":")[2].split()[:2])
    return platform.machine()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["run", "page"])
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--designs", nargs="*")
    parser.add_argument("--permutations", type=int, default=40, help="of so many studies")
    parser.add_argument("--output", type=Path, default=Path("results/people_test.jsonl"))
    given = parser.parse_args()
    if given.part == "page":
        page(given.output)
    else:
        given.output.parent.mkdir(parents=True, exist_ok=True)
        run(given.designs, given.draws, given.first, given.output, given.permutations)
