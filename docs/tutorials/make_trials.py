"""Simulate odd-one-out trials about forty things with some of six properties each."""

from pathlib import Path

import numpy as np

import ordinate as od

THINGS = {
    "animal": "cat dog horse cow sheep lion wolf bear",
    "animal flies": "eagle owl duck bee",
    "food": "apple bread cheese cake rice soup carrot banana",
    "food animal": "salmon chicken",
    "tool metal": "hammer saw drill wrench knife pliers",
    "metal vehicle": "car bus train truck bicycle",
    "vehicle flies": "balloon kite glider",
    "metal vehicle flies": "jet rocket",
    "tool": "broom pencil",
}
PROPERTIES = ["animal", "flies", "food", "tool", "metal", "vehicle"]

rng = np.random.default_rng(0)
names = [name for group in THINGS.values() for name in group.split()]
kinds = [kind.split() for kind, group in THINGS.items() for _ in group.split()]
has = np.array([[word in kind for word in PROPERTIES] for kind in kinds])
loadings = has * rng.uniform(1.2, 2.2, has.shape)
trials = od.sources.random_trials(loadings, 4000, random_state=1)
people = rng.integers(20, size=len(trials))
np.savetxt("trials.txt", np.column_stack([trials.rows, people]), fmt="%d")
Path("names.csv").write_text("\n".join(["object", *names]) + "\n")
