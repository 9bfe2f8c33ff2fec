"""
Do two groups see the same map?
===============================

Two maps always differ a little. ``compare_maps`` tests whether they differ by more than their
errors, and names the objects that moved. Here one object means something else to the second group.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

rng = np.random.default_rng(0)
first = rng.standard_normal((25, 2))
second = first.copy()
second[3] += (1.5, -1.5)  # one object is perceived differently
names = [f"object {number}" for number in range(25)]

# %%

models, results = [], []
for seed, points in enumerate([first, second]):
    rows = od.sources.random_triplets(points, 1500, random_state=seed).rows
    answers = od.Comparisons(rows, names=names)
    models.append(od.STE(2, penalty=1, random_state=0).fit(answers))
    results.append(od.map_uncertainty(models[-1], answers, n_draws=60, random_state=0))
print(od.uncertainty.compare_maps(*results))

# %%

maps = [od.metrics.procrustes_align(model.embedding_, first) for model in models]
fig, ax = plt.subplots(figsize=(5, 4.5), layout="constrained")
for points, color, label in zip(maps, ["#1b4965", "#d1495b"], ["group 1", "group 2"], strict=True):
    ax.scatter(*points.T, s=50, color=color, label=label)
ax.plot(*np.stack(maps, axis=1).T, color="#9aa7b0", zorder=0)
ax.set_aspect("equal")
ax.axis("off")
ax.legend(frameon=False)
plt.show()
