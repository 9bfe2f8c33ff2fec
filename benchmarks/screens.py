"""Which kind of screen tells most per minute of people's time: dishes, people's answers and times.

    python benchmarks/screens.py [--seeds 20] [--publish]

The raw files of Food-100 hold answers and seconds of 15,520 screens that were answered once: a
dish, and 2 to 16 others of which the 1 to 4 most similar are chosen. A quarter of the screens of
each kind is kept for the test, one comparison of each. Screens of one kind are then taken in random
order until their times add up to so many minutes (one screen counts a minute at most), and
``CKL(5, penalty=0.5)`` is fitted to what follows from them. "As triplets" are the minutes of single
triplets (choose 1 of 2) that give the error of 15 minutes of the kind, on the mean curve.
"""

import argparse
import json
import os
import re
import tarfile
from collections import defaultdict
from pathlib import Path

import numpy as np
from pages import write_table  # the script beside this one

import ordinate as od

MINUTES = (10, 15, 20, 30, 40, 55)
SHOWN, EQUALLED = (10, 20, 40), 15
MOST_SECONDS = 60.0
JUDGE = od.CKL(5, penalty=0.5, random_state=0, n_jobs=1)


def read_screens():
    """Return comparisons and seconds of each screen, by how many are shown and chosen."""
    screens, number = defaultdict(list), {}
    with tarfile.open(Path(os.environ["ORDINATE_DATA"]) / "food100/raw-json.tar.gz") as archive:
        for member in sorted(archive.getmembers(), key=lambda one: one.name):
            found = re.search(r"grid(\d+)force(\d+)", member.name)
            if found is None:
                continue
            for hit in json.load(archive.extractfile(member)):
                for screen in hit["HIT_screens"]:
                    if screen["is_catchtrial"]:
                        continue
                    probe, near, shown = (
                        [number.setdefault(name, len(number)) for name in names]
                        for names in ([screen["probe"]], screen["near_answer"], screen["images"])
                    )
                    far = [name for name in shown if name not in near]
                    rows = [(probe[0], b, c) for b in near for c in far]
                    seconds = min(screen["timer"] / 1000, MOST_SECONDS)
                    screens[int(found[1]), int(found[2])].append((rows, seconds))
    return screens, len(number)


def errors(screens, n_objects, seed, minutes):
    """Return the error of maps of each kind of screen after so many minutes; NaN if too few."""
    rng = np.random.default_rng(seed)
    test, left = [], {}
    for kind, own in sorted(screens.items()):
        order = rng.permutation(len(own))
        test += [rng.choice(own[at][0]) for at in order[: len(own) // 4]]
        left[kind] = [own[at] for at in order[len(own) // 4 :]]
    test = od.Comparisons(np.array(test), n_objects=n_objects)
    found = {}
    for kind, own in left.items():
        ends = np.cumsum([seconds for _, seconds in own]) / 60
        for limit in minutes:
            found[kind, limit] = np.nan
            if ends[-1] >= limit:
                asked = own[: np.searchsorted(ends, limit) + 1]
                rows = np.concatenate([rows for rows, _ in asked])
                known = od.Comparisons(rows, n_objects=n_objects)
                map_ = JUDGE.fit(known).embedding_
                found[kind, limit] = float(od.metrics.triplet_error(test, map_))
    return found


def table(screens, n_objects, n_seeds, minutes=MINUTES):
    """Yield a row per kind: median seconds, comparisons per minute, errors in per cent."""
    runs = [errors(screens, n_objects, seed, minutes) for seed in range(n_seeds)]
    curve = [np.mean([run[(2, 1), limit] for run in runs]) for limit in minutes]
    for (shown, chosen), own in sorted(screens.items()):
        seconds = np.array([each for _, each in own])
        per_minute = 60 * chosen * (shown - chosen) / seconds.mean()
        row = {"screen": f"choose {chosen} of {shown}", "screens": f"{len(own):,}"}
        row |= {"seconds, median": f"{np.median(seconds):.1f}", "mean": f"{seconds.mean():.1f}"}
        row["comparisons per minute"] = f"{per_minute:.0f}"
        for limit in SHOWN:
            of = 100 * np.array([run[(shown, chosen), limit] for run in runs])
            spread = of.std(ddof=1) / len(of) ** 0.5 if len(of) > 1 else np.nan
            row[f"{limit} min"] = f"{of.mean():.1f} ± {spread:.1f}"
        level = np.mean([run[(shown, chosen), EQUALLED] for run in runs])
        equal = np.interp(-level, -np.array(curve), minutes)
        beyond = "> " if level < curve[-1] else ""
        row[f"{EQUALLED} min, as triplets"] = f"{beyond}{equal:.0f} min"
        yield row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--publish", action="store_true", help="the table into the results page")
    options = parser.parse_args()
    rows = list(table(*read_screens(), options.seeds))
    for row in rows:
        print(*row.values(), sep="\t")
    if options.publish:
        command = f"python benchmarks/screens.py --seeds {options.seeds} --publish"
        write_table("questions-screens", "error in per cent", rows, command)


if __name__ == "__main__":
    main()
