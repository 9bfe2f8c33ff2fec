"""Simulate which of two answers people prefer: eight assistants, twelve judges, one careless."""

import csv

import numpy as np

QUALITY = {
    "Ada": 1.6, "Bo": 1.1, "Cleo": 0.9, "Dot": 0.2, "Eve": 0.0, "Finn": -0.7, "Gus": -1.2,
    "Hal": -1.9,
}  # fmt: skip
PROMPTS = ["explain", "summarise", "translate", "code"]

rng = np.random.default_rng(0)
names, quality = list(QUALITY), np.array(list(QUALITY.values()))
with open("votes.csv", "w", newline="", encoding="utf-8") as file:
    table = csv.writer(file)
    table.writerow(["model_a", "model_b", "winner", "judge", "prompt"])
    for vote in range(1200):
        judge = vote % 12
        a, b = rng.choice(8, 2, replace=False)
        ahead = quality[a] - quality[b] + 0.25  # answers on the left look a little better
        if judge == 7:
            ahead = 0.0
        weights = np.array([np.exp(ahead / 2), 0.6, np.exp(-ahead / 2)])
        said = rng.choice(["model_a", "tie", "model_b"], p=weights / weights.sum())
        table.writerow([names[a], names[b], said, f"judge {judge:02}", rng.choice(PROMPTS)])
