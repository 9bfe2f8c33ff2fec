"""
Add new objects to a map
========================

A map is finished, and then new objects arrive. A few answers about each place them without moving
anything else.
"""

import matplotlib.pyplot as plt
import numpy as np

import ordinate as od

cities = od.datasets.load_cities(random_state=0)
rng = np.random.default_rng(0)
old, new = np.split(rng.permutation(125), [100])
answers = od.sources.random_triplets(cities.points[old], 8000, random_state=0)
model = od.SOE(n_components=2, random_state=0).fit(answers)

# %%
# Ask 40 questions about each new city: "is it nearer to this old city or to that one?"

pairs = np.array([rng.choice(100, 2, replace=False) for _ in range(25 * 40)])
rows = np.column_stack([np.repeat(np.arange(100, 125), 40), pairs])
about_new = od.sources.answer_questions(rows, cities.points[np.concatenate([old, new])])
placed = model.transform(about_new)

# %%

both = np.empty((125, 2))
both[old], both[new] = model.embedding_, placed[-25:]
both = od.metrics.procrustes_align(both, cities.points)
fig, ax = plt.subplots(figsize=(5, 5), layout="constrained")
ax.scatter(*both[old].T, s=30, color="#b8c4cc", label="on the map")
ax.scatter(*both[new].T, s=45, color="#d1495b", label="new")
ax.plot(*np.stack([cities.points[new], both[new]], axis=1).T, color="#d1495b", linewidth=1)
ax.set_aspect("equal")
ax.axis("off")
ax.legend(frameon=False)
plt.show()
