"""What a study gains from adaptive questions: rehearsals with and without, and the map found.

The study that `ordinate collect new` writes (16 items, 56 questions per participant) is simulated
through the real server; of 40 random questions per participant 30 become adaptive. Maps are judged
by the one that the participants had in mind. A row per seed and number of participants.

    python benchmarks/collect_rehearsal.py --seeds 8
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

import ordinate as od
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
    export_tables(folder, folder / "answers.csv", which="simulated")
    answers = od.read_comparisons(folder / "answers.csv", names=list(study.items))
    found = od.SOE(2, random_state=0).fit(answers).embedding_
    planted = np.array(list(truth.values()))
    questions = random_triplets(planted, 20_000, random_state=0)
    distance = od.metrics.procrustes_distance(found, planted)
    return distance, od.metrics.triplet_error(questions, found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--participants", type=int, nargs="+", default=[8, 12])
    options = parser.parse_args()
    print("seed  participants  distance: random  adaptive   wrong: random  adaptive")
    with tempfile.TemporaryDirectory() as place:
        for number in options.participants:
            rows = []
            for seed in range(options.seeds):
                random, adaptive = (
                    rehearse(Path(place) / f"{number}-{seed}-{share}", share, number, seed)
                    for share in (0, 30)
                )
                rows.append((random[0], adaptive[0], random[1], adaptive[1]))
                figures = "{:16.3f}{:10.3f}{:16.3f}{:10.3f}".format(*rows[-1])
                print(f"{seed:4}  {number:12}{figures}", flush=True)
            means = "{:16.3f}{:10.3f}{:16.3f}{:10.3f}".format(*np.mean(rows, axis=0))
            print(f"mean  {number:12}{means}", flush=True)


if __name__ == "__main__":
    main()
