"""What a study gains from adaptive questions: rehearsals with and without, and the map found.

The study that `ordinate collect new` writes (16 items, 56 questions per participant) is simulated
through the real server; of 40 random questions per participant 30 become adaptive. Maps are judged
by the one that the participants had in mind. The means are written into the page.

    python benchmarks/collect_rehearsal.py
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pages import conditions, list_table, put_tables

import ordinate as od
from collect import PAGE  # the scripts beside this one
from ordinate.collect.export import export_tables
from ordinate.collect.folder import read_study
from ordinate.collect.prepare import new_study
from ordinate.collect.simulate import simulate
from ordinate.sources import random_triplets


def rehearse(folder: Path, adaptive: int, participants: int, seed: int) -> tuple[float, float]:
    """Return the Procrustes distance of the map, and its share of wrong answers."""
    new_study(folder)
    path = folder / "study.toml"
    text = path.read_text().replace("random = 40 ", f"random = {40 - adaptive} ")
    path.write_text(text.replace("adaptive = 0 ", f"adaptive = {adaptive} "))
    study = read_study(folder)
    truth = simulate(study, participants=participants, noise=0.1, seed=seed).planted
    tables = folder.with_name(f"{folder.name}-tables")
    tables.mkdir()
    export_tables(folder, tables / "answers.csv", which="simulated")
    answers = od.read_comparisons(tables / "answers.csv", names=list(study.items))
    found = od.SOE(2, random_state=0).fit(answers).embedding_
    planted = np.array(list(truth.values()))
    questions = random_triplets(planted, 20_000, random_state=0)
    distance = od.metrics.procrustes_distance(found, planted)
    return distance, od.metrics.triplet_error(questions, found)


HEAD = ("participants", "maps", "Procrustes distance, random", "adaptive", "adaptive is nearer")
HEAD += ("wrong answers to 20,000 noise-free questions, random", "adaptive", "adaptive has fewer")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--participants", type=int, nargs="+", default=[8, 12])
    options = parser.parse_args()
    table = []
    with tempfile.TemporaryDirectory() as place:
        for number in options.participants:
            rows = []
            for seed in range(options.seeds):
                random, adaptive = (
                    rehearse(Path(place) / f"{number}-{seed}-{share}", share, number, seed)
                    for share in (0, 30)
                )
                rows.append((random[0], adaptive[0], random[1], adaptive[1]))
                print(number, seed, *(f"{value:.3f}" for value in rows[-1]), flush=True)
            table.append(row_of(number, np.array(rows)))
    how = f"{conditions()}; means and standard deviations."
    put_tables(PAGE, {"rehearsal": f"{how}\n\n{list_table(HEAD, table)}"})


def row_of(number: int, found: NDArray[np.float64]) -> tuple[object, ...]:
    """Return a row of the page's table."""
    cells = [f"{column.mean():.3f} ± {column.std(ddof=1):.3f}" for column in found.T]
    wins = [f"{int((found[:, k + 1] < found[:, k]).sum())} of {len(found)}" for k in (0, 2)]
    return number, len(found), *cells[:2], wins[0], *cells[2:], wins[1]


if __name__ == "__main__":
    main()
