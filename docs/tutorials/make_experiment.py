"""Simulate an odd-one-out experiment about 24 colours; writes experiment.csv."""

import csv

import numpy as np

HUES = ["red", "orange", "yellow", "lime", "green", "jade"]
HUES += ["cyan", "azure", "blue", "violet", "magenta", "rose"]
N_TRIALS = 150

rng = np.random.default_rng(0)
angle = np.radians(30 * np.arange(12))
wheel = np.column_stack([np.cos(angle), np.sin(angle)])
places = np.vstack([wheel, 0.45 * wheel])
names = HUES + [f"pale {hue}" for hue in HUES]
people = [f"P{number:02}" for number in range(1, 13)]

with open("experiment.csv", "w", newline="") as file:
    log = csv.writer(file)
    log.writerow(["participant", "trial", "left", "middle", "right", "odd"])
    for person in people:
        for trial in range(N_TRIALS):
            shown = rng.choice(24, size=3, replace=False)
            seen = places[shown] + 0.12 * rng.normal(size=(3, 2))
            opposite = [np.linalg.norm(seen[1] - seen[2]), np.linalg.norm(seen[2] - seen[0])]
            opposite.append(np.linalg.norm(seen[0] - seen[1]))
            odd = rng.integers(3) if person == "P07" else np.argmin(opposite)
            label = f"{person}-{trial:03}"
            log.writerow([person, label, *(names[i] for i in shown), names[shown[odd]]])
